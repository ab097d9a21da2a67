"""The memory that reports take which have to be held, told before they are read, and its limit."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from ldptui.core.base.errors import LdpError, ScenarioError
from ldptui.core.base.files import Source
from ldptui.core.base.frames import rows_in
from ldptui.core.experiment.limits import MAX_HELD, in_bytes
from ldptui.core.law.pure import Reports

from ..text import format as text

SAMPLED: Final = 1 << 16
"""Bytes of a text file whose lines tell the length of all."""

Need: TypeAlias = Callable[[int], int]
"""The bytes that this number of reports needs."""


def expected(named: Sequence[Source]) -> int | None:
    """The number of reports in files, from their sizes, to three digits; None where one hides it.

    Packed files, Arrow files and standard input do, and a file that cannot be read.
    """
    numbers = [_rows(source) for source in named]
    known = [number for number in numbers if number is not None]
    return int(float(f"{sum(known):.3g}")) if len(known) == len(numbers) else None


def _rows(source: Source) -> int | None:
    if not isinstance(source, Path):
        return None
    try:
        if source.suffix == ".parquet":
            return rows_in(source)
        if source.suffix not in (".csv", ".jsonl") or not source.is_file():
            return None
        with source.open("rb") as file:
            start = file.read(SAMPLED)
        lines = start.count(b"\n")
        return math.ceil(source.stat().st_size / len(start) * lines) if lines else None
    except (LdpError, OSError):
        return None


def check_memory(users: int, need: Need, key: str, more: bool = False) -> None:
    """Refuse more reports than can be held; raises ScenarioError. more : than `users`."""
    if need(users) > MAX_HELD:
        number = f"{'more than' if more else 'about'} {text.count(users)} reports"
        rule = f"needs about {in_bytes(need(users))} of memory for {number}"
        most = f"and must need at most {in_bytes(MAX_HELD)}: take a part of the files"
        raise ScenarioError(f"{rule}, {most}", key=key)


def bounded(batches: Iterable[Reports], need: Need, key: str) -> Iterator[Reports]:
    """The batches, of which no more come than can be held; raises ScenarioError."""
    users = 0
    for batch in batches:
        users += len(batch)
        check_memory(users, need, key, more=True)
        yield batch


def told(users: int | None, need: Need) -> str | None:
    """A sentence where much memory will be needed; None for little, for too much, or not known."""
    if users is None or not MAX_HELD // 16 <= need(users) <= MAX_HELD:
        return None
    return f"about {text.count(users)} reports, which need about {in_bytes(need(users))} of memory"
