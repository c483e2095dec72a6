"""A PostgreSQL server for one benchmark, with its writes flushed to disk. It prints its address and lives until its input ends.

python -m bench.session_sides.server
"""

import sys

from tests.servers.postgres import postgres

if __name__ == "__main__":
    with postgres("fsync=on", "full_page_writes=on") as server:
        print(server.url(), flush=True)
        sys.stdin.read()
