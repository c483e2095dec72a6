"""The sides that `bench/gate.py` compares, each a process of its own."""
