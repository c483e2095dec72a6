"""The shop as a host for `handgriff chat` and `handgriff serve`: `examples.refunds.serve:host`. Nothing is opened before it is used.

`REFUNDS_STORE` names the database, which `python -m examples.refunds.data` fills, and `REFUNDS_PROVIDER` the payment provider. Codes are
shown on the terminal, which is for trying it out alone.
"""

import os
from typing import Final

from examples.refunds.assistant import make_host
from handgriff.codes.console import ConsoleCodeSender

STORE: Final = "sqlite:///refunds.db"
PROVIDER: Final = "http://127.0.0.1:8790"

host = make_host(os.environ.get("REFUNDS_STORE") or STORE, os.environ.get("REFUNDS_PROVIDER") or PROVIDER, codes=ConsoleCodeSender())
