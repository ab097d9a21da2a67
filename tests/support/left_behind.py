"""The processes that the client of an audit has left, whatever became of their parents."""

from __future__ import annotations

from pathlib import Path

from ldptui.core.lab.audit.process import MARK

TEST: str = "TEST_OF"
"""The variable by which a test marks what it starts."""


def left_by(test: str) -> list[int]:
    """The numbers of the processes of a client that carry this test's mark."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes()
        except OSError:
            continue
        if f"{MARK}=".encode() in environment and f"{TEST}={test}".encode() in environment:
            found.append(int(folder.name))
    return found
