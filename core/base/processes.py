"""The process that runs a run: its address, and whether it is still alive."""

from __future__ import annotations

import os
import socket
from pathlib import Path


def process_address() -> str:
    """The identity of this process: host, process number and start time."""
    return f"{socket.gethostname()}:{os.getpid()}:{_start_time(os.getpid())}"


def _start_time(process: int) -> str:
    """The time when a process of this host began, in the kernel's words; "" if it does not tell."""
    try:
        status = Path(f"/proc/{process}/stat").read_text("utf-8", "replace")
    except OSError:
        return ""
    return status.rpartition(")")[2].split()[19]


def is_alive(owner: str) -> bool:
    """Whether a process may still be alive; always True for processes of other hosts."""
    host, number, began = _parts(owner)
    if host != socket.gethostname() or not number.isdecimal():
        return bool(owner.strip())
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # somebody else's
    return not began or _start_time(int(number)) == began


def describe_process(owner: str) -> str:
    """A process in words: its number, and its host if it is another host."""
    host, number, _ = _parts(owner)
    return number if host == socket.gethostname() else f"{number} on {host}"


def is_another_here(owner: str) -> bool:
    """Whether a process is on this host, still alive, and not this process."""
    is_here = _parts(owner)[0] == socket.gethostname()
    return is_here and owner != process_address() and is_alive(owner)


def _parts(owner: str) -> tuple[str, str, str]:
    """The host, the process number and the start time of a process address."""
    place, _, began = owner.rpartition(":")
    host, _, number = place.rpartition(":")
    return host, number, began
