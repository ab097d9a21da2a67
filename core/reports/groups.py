"""Support counts of groups of users, by another column of their files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from ..base.errors import ScenarioError, got
from ..base.files import Source
from ..law.pure import LocalMechanism, Reports
from .report_counts import Counted, counted
from .report_files import read_rows

MOST: Final = 1000
"""Groups, at most."""
WAITING: Final = 1 << 26
"""Bytes of reports that wait to be counted by group, about."""


def count_groups(
    named: Sequence[Source], protocol: LocalMechanism, by: str, labels: Sequence[str] | None
) -> dict[str, Counted]:
    """The support counts of the reports of each group, by the group's name, in the order of the
    names.

    Reports are counted when many have been read, which is faster. Raises LdpError for an invalid
    file, more than 1000 groups, or no report.
    """
    totals: dict[str, Counted] = {}
    waiting: dict[str, list[Reports]] = {}

    def count() -> None:
        for name, parts in waiting.items():
            part = counted(np.concatenate(parts), protocol, labels)
            totals[name] = totals[name] + part if name in totals else part
        waiting.clear()

    size = 0
    for rows in read_rows(named, protocol, by):
        assert rows.group is not None
        names, which = np.unique(rows.group, return_inverse=True)
        for at, name in enumerate(names.tolist()):
            waiting.setdefault(name, []).append(rows.reports[which == at])
        if len(totals.keys() | waiting.keys()) > MOST:
            raise ScenarioError(f"must have at most {MOST} different values, {got(by)}", key="by")
        size += rows.reports.nbytes
        if size >= WAITING:
            count()
            size = 0
    count()
    if not totals:
        raise ScenarioError("must be at least one, got none", key="reports")
    return {name: totals[name] for name in sorted(totals)}
