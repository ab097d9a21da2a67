"""Estimates of groups of users, by another column of their files, and what differs between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.base.files import Format, Source
from ldptui.core.law.pure import LocalMechanism, Reports, is_unbiased
from ldptui.core.reports.arguments import local, words
from ldptui.core.reports.counted import Counted, counted
from ldptui.core.reports.files import read_rows
from ldptui.core.reports.sources import Places, sources
from ldptui.core.theory import Difference, differences

from ..text import format as text
from ..text import table
from .collected import Frequencies, estimate

MOST: Final = 1000
"""Groups, at most."""

LINES: Final = 60
"""Lines of the table of groups: as many items as fit, the largest first."""

LISTED: Final = 1000
"""Differences that are listed, the clearest first."""

WAITING: Final = 1 << 26
"""Bytes of reports that wait to be counted by group, about."""

BAR: Final = 24
"""Characters of the longest bar."""


@dataclass(frozen=True, eq=False)
class Groups:
    """The estimates of groups of users.

    Attributes
    ----------
    by
        The column that tells the groups apart.
    groups
        The estimates of each, by name; "" has the rows without one.
    differences
        Those that hold together with the confidence of the intervals, the clearest first, at most
        LISTED; first and second are places in `groups`.
    significant
        The number of differences.
    comparisons
        The number of tests that was paid for; 0 where nothing is compared: after a correction, for
        a protocol without a closed form, and for groups of fewer than 100 reports.
    """

    by: str
    groups: Mapping[str, Frequencies]
    differences: Sequence[Difference]
    significant: int
    comparisons: int

    @property
    def names(self) -> list[str]:
        """The names of the groups, in order."""
        return list(self.groups)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each group and item: `group`, and the columns of `Frequencies.rows`.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from ldptui import protocol
        >>> grr = protocol("grr", items=4, epsilon=4.0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "reports.csv"
        ...     _ = path.write_text("report,country\\n" + "1,DE\\n2,FR\\n" * 200)
        ...     found = estimate_by(path, grr, "country")
        >>> len(found.rows()), found.rows()[7]["group"]
        (8, 'FR')
        """
        return [
            {"group": name, **row} for name, found in self.groups.items() for row in found.rows()
        ]

    def compared(self) -> list[dict[str, Any]]:
        """A row for each difference: item, label, first, second, difference, std, p_value.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from ldptui import protocol
        >>> grr = protocol("grr", items=4, epsilon=4.0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "reports.csv"
        ...     _ = path.write_text("report,country\\n" + "1,DE\\n2,FR\\n" * 200)
        ...     found = estimate_by(path, grr, "country")
        >>> [(row["label"], row["first"], row["second"]) for row in found.compared()]
        [('1', 'DE', 'FR'), ('2', 'DE', 'FR')]
        """
        names, labels = self.names, next(iter(self.groups.values())).labels
        return [
            {
                "item": each.item, "label": labels[each.item],
                "first": names[each.first], "second": names[each.second],
                "difference": each.value, "std": each.std, "p_value": each.p_value,
            }
            for each in self.differences
        ]  # fmt: skip

    def __repr__(self) -> str:
        found = list(self.groups.values())
        users = np.array([each.reports for each in found])
        overall = np.average([each.values for each in found], axis=0, weights=users)
        shown = found[0].top or max(1, LINES // len(found))
        items = np.argsort(-overall, kind="stable")[:shown].tolist()
        most = max(float(each.values[items].max()) for each in found)
        width = f"± {text.percent(found[0].confidence)}"
        rows = [
            [
                each.labels[item] if first else "", name or "(none)", text.count(each.reports),
                f"{each.values[item]:.5f}",
                "" if each.std is None else f"{each.width * each.std[item]:.5f}",
                "█" * round(BAR * max(0.0, float(each.values[item])) / most) if most > 0 else "",
            ]
            for item in items
            for first, (name, each) in zip(
                [True] + [False] * len(found), self.groups.items(), strict=False
            )
        ]  # fmt: skip
        total = text.count(int(users.sum()))
        head = f"{len(found)} groups of {total} reports, by {self.by}"
        more = f"; the {len(items)} largest items" * (overall.size > len(items))
        heads = ["item", self.by, "reports", "frequency", width, ""]
        lines = [f"{head}{more}", "", table.plain_table(heads, rows).rstrip(), "", *self._said()]
        misfits = [f"{name or '(none)'}: {each.misfit}" for name, each in self.groups.items()
                   if each.misfit is not None]  # fmt: skip
        return "\n".join([*lines, *misfits]).rstrip()

    def _said(self) -> list[str]:
        """The differences in words."""
        if not self.comparisons:
            return ["no group is compared with another"]
        sure = f"with {text.percent(next(iter(self.groups.values())).confidence)} confidence in all"
        tests = f"{sure} {text.count(self.comparisons)} comparisons together"
        if not self.significant:
            return [f"no difference between two groups is more than noise, {tests}"]
        heads = ["item", "first", "second", "first − second", "± standard error", "p at most"]
        rows = [
            [row["label"], row["first"] or "(none)", row["second"] or "(none)",
             f"{row['difference']:+.5f}", f"{row['std']:.5f}", text.short(row["p_value"], 2)]
            for row in self.compared()[:20]
        ]  # fmt: skip
        count = text.count(self.significant)
        more = f"; the {len(rows)} clearest" * (self.significant > len(rows))
        said = f"{count} differences are more than noise, {tests}{more}"
        return [said, "", table.plain_table(heads, rows).rstrip()]


def estimate_by(
    places: Places,
    protocol: LocalMechanism,
    by: str,
    *,
    corrections: Sequence[str | Mapping[str, Any]] = (),
    confidence: float = 0.95,
    labels: Sequence[str] | None = None,
    coverage: bool = False,
    top: int | None = None,
    simultaneous: bool = False,
    input_format: Format | None = None,
) -> Groups:
    """The frequencies of groups of users, and the differences between them.

    Parameters
    ----------
    places
        Files of reports, as `read_reports` takes them.
    protocol
        As `protocol` makes it.
    by
        Another column of these files, which names each user's group.
    corrections
        As `estimate` has it, for each group.
    confidence
        As `estimate` has it, for each group.
    labels
        As `estimate` has it, for each group.
    coverage
        As `estimate` has it, for each group.
    top
        As `estimate` has it, for each group.
    simultaneous
        As `estimate` has it, for each group.
    input_format
        The format of standard input.

    Raises
    ------
    ScenarioError
        For a report that the protocol does not send, and for a column that is not there.
    FileError
        Where a file cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from ldptui import protocol
    >>> grr = protocol("grr", items=4, epsilon=4.0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "reports.csv"
    ...     _ = path.write_text("report,country\\n" + "1,DE\\n2,FR\\n" * 200)
    ...     found = estimate_by(path, grr, "country")
    >>> found.names, found.significant
    (['DE', 'FR'], 2)
    """
    totals = _totals(sources(places, input_format), local(protocol), words(by, "by"), labels)
    if not totals:
        raise ScenarioError("must be at least one, got none", key="reports")
    groups = {
        name: estimate(
            totals[name], protocol, corrections=corrections, confidence=confidence,
            coverage=coverage, top=top, simultaneous=simultaneous,
        )
        for name in sorted(totals)
    }  # fmt: skip
    found: list[Difference] = []
    comparisons = 0
    if is_unbiased(protocol) and not corrections:
        parts = [totals[name] for name in groups]
        found, comparisons = differences(
            protocol, [part.counts for part in parts], [part.reports for part in parts], confidence
        )
    return Groups(by, groups, found[:LISTED], len(found), comparisons)


def _totals(
    named: Sequence[Source], protocol: LocalMechanism, by: str, labels: Sequence[str] | None
) -> dict[str, Counted]:
    """The counts of each group. Reports wait until they are many: few at a time count slowly."""
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
    return totals
