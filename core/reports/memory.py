"""The memory that reports of files take: how many there are about, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from ..base.errors import LdpError, ScenarioError
from ..base.files import Source, is_file
from ..base.frames import rows_in
from ..experiment.limits import MAX_HELD, in_bytes
from ..law.pure import Reports

SAMPLED: Final = 1 << 16
"""Bytes of a text file whose lines tell the length of all."""

Need: TypeAlias = Callable[[int], int]
"""The bytes that this number of reports needs."""


def expected_reports(named: Sequence[Source]) -> int | None:
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
        if source.suffix not in (".csv", ".jsonl") or not is_file(source):
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
        count = f"{users:,}".replace(",", " ")
        number = f"{'more than' if more else 'about'} {count} reports"
        rule = f"needs about {in_bytes(need(users))} of memory for {number}"
        most = f"and must need at most {in_bytes(MAX_HELD)}: take a part of the files"
        raise ScenarioError(f"{rule}, {most}", key=key)


def bounded_batches(batches: Iterable[Reports], need: Need, key: str) -> Iterator[Reports]:
    """The batches, of which no more come than can be held; raises ScenarioError."""
    users = 0
    for batch in batches:
        users += len(batch)
        check_memory(users, need, key, more=True)
        yield batch
