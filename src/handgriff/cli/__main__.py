"""`python -m handgriff.cli` is the command `handgriff`."""

from handgriff.cli import main

main()
