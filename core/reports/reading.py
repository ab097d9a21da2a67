"""Reports that are read more than once, from an array or from files, a batch at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np

from ..base.errors import ScenarioError, format_number
from ..base.files import Source
from ..experiment.size_limits import MAX_HELD, in_bytes
from ..law.pure import LocalMechanism, Reports
from .arguments import reports_of
from .report_files import read_rows
from .sources import check_rows, keep_sources

AT_ONCE: Final = 1 << 16
"""Reports of an array that are looked at at once."""

Read: TypeAlias = Callable[[], Iterator[Reports]]
"""Reads all reports from the start, a batch at a time."""


@contextmanager
def reread(
    reports: Reports | Sequence[Source], protocol: LocalMechanism, key: str = "reports"
) -> Iterator[Read]:
    """A context manager of a function that reads the reports from the beginning on each call.

    Raises LdpError for invalid reports; at `key` for files of counts.
    """
    if isinstance(reports, np.ndarray):
        made = reports_of(reports, protocol)
        yield lambda: (made[at : at + AT_ONCE] for at in range(0, len(made), AT_ONCE))
        return
    check_rows(reports, key)
    with keep_sources(reports) as again:
        yield lambda: (rows.reports for rows in read_rows(again, protocol))


def check_memory(users: int, needed: int, key: str) -> None:
    """Raise ScenarioError for more reports than fit into memory. needed : their
    approximate bytes.
    """
    if needed > MAX_HELD:
        rule = f"needs about {in_bytes(needed)} of memory for {format_number(users)} reports"
        most = f"and must need at most {in_bytes(MAX_HELD)}: take a part of the files"
        raise ScenarioError(f"{rule}, {most}", key=key)


@dataclass(eq=False)
class ReadPart:
    """A sample of at most `most` of the reports: all, or every second, every fourth, …."""

    most: int
    every: int = 1
    seen: int = 0
    held: list[Reports] = field(default_factory=list)

    def add(self, reports: Reports) -> None:
        """Add some reports to the sample."""
        if not self.most:
            return
        first = -self.seen % self.every
        self.held.append(reports if self.every == 1 else reports[first :: self.every].copy())
        self.seen += len(reports)
        while sum(map(len, self.held)) > self.most:
            self.held = [np.concatenate(self.held)[::2].copy()]
            self.every *= 2

    @property
    def reports(self) -> Reports:
        return np.concatenate(self.held)
