"""The process that runs a run, and whether it is still there."""

from __future__ import annotations

import os
import socket
import sqlite3
from pathlib import Path


def me() -> str:
    """This process: host, number, and when it began, as numbers are used again."""
    return f"{socket.gethostname()}:{os.getpid()}:{_began(os.getpid())}"


def _began(process: int) -> str:
    """The time when a process of this host began, in the kernel's words; "" if it does not tell."""
    try:
        status = Path(f"/proc/{process}/stat").read_text("utf-8", "replace")
    except OSError:
        return ""
    return status.rpartition(")")[2].split()[19]


def alive(owner: str) -> bool:
    """True if a process may still be there; those of other hosts always may."""
    host, _, rest = owner.rpartition(":")[0].rpartition(":")
    began = owner.rpartition(":")[2]
    if host != socket.gethostname() or not rest.isdecimal():
        return bool(owner)
    try:
        os.kill(int(rest), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # somebody else's
    return not began or _began(int(rest)) == began


def process_of(db: sqlite3.Connection, run: int) -> str:
    """The process that owns a run, in words: its number, and its host where that is another."""
    (owner,) = db.execute("SELECT owner FROM runs WHERE id = ?", (run,)).fetchone()
    host, _, process = str(owner).rpartition(":")[0].rpartition(":")
    return process if host == socket.gethostname() else f"{process} on {host}"
