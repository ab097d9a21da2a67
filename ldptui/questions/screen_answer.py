"""The answer of a screen: whether fakes are among reports, and which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ldptui.core.law.pure import Items, PureProtocol
from ldptui.core.reports.rates import StepVerdict
from ldptui.core.reports.screening import ScreeningResult
from ldptui.core.theory import misfit

from ..charts.series import Axis, Bar, Bars, Plot, Series
from ..text import format as text
from .question_answer import Table
from .rate_words import ALARM, rate_cells
from .reports_input import ReportAnswer, misfit_words
from .sheet import Figure, curves, figure

HEADS: Final = ("screen", "alarm", "false alarms", "power", "cost")
"""The heads of the table of screens."""
LEGEND: Final = (
    "≤: proved, the alarm rests on these; "
    "power: the chance of an alarm where 1 % of the users are MGA on 5 rare items; "
    "cost: the share of honest reports that is dropped where nobody attacks"
)
SHOWN: Final = 10
"""Pairs and items that are said."""


@dataclass(frozen=True, eq=False, repr=False)
class ScreenAnswer(ReportAnswer):
    """The answer of `screen`: the verdict of each screen, and the suspicious reports and items.

    Attributes
    ----------
    found
        The verdicts as computed: `before` and `after` are float64[d], the estimates from all
        reports, and without the suspicious ones, corrected for the honest reports among them.
    collection
        The reports that were read, with `protocol`, `labels` and `files`.
    is_strict
        True if a misfit is a failure.
    """

    found: ScreeningResult

    @property
    def reports(self) -> int:
        """N, the number of reports."""
        return self.found.users

    @property
    def screens(self) -> tuple[StepVerdict, ...]:
        """The verdict of each screen, with its kind, its alarm and its rates."""
        return self.found.screens

    @property
    def rows(self) -> Items:
        """int64[k], the indices of the suspicious reports, from 0."""
        return self.found.rows

    @property
    def alarm(self) -> bool | None:
        """True if a screen raises an alarm; None if no screen applies."""
        return self.found.alarm if self.screens else None

    @property
    def pairs(self) -> tuple[tuple[str, str, float], ...]:
        """The pairs of items that are supported together too often: both names and the z-score."""
        names, suspects = self.collection.names, self.found.suspects
        pairs = zip(suspects.pairs.tolist(), suspects.z.tolist(), strict=True)
        return tuple((names[one], names[other], z) for (one, other), z in pairs)

    @property
    def items(self) -> tuple[str, ...]:
        """The items of the pairs."""
        return tuple(self.collection.names[item] for item in self.found.suspects.items)

    @property
    def misfit(self) -> str | None:
        """A warning if the reports hardly fit the protocol; None if they may."""
        protocol = self.collection.protocol
        if not isinstance(protocol, PureProtocol):
            return None
        far = misfit(protocol, self.found.users, self.found.before)
        return None if far is None else misfit_words(far, self.collection.names, protocol)

    @property
    def verdict(self) -> str:
        """The verdict of all screens in one sentence."""
        kinds = ", ".join(each.kind for each in self.screens if each.alarm or not self.alarm)
        if not self.screens:
            return "no verdict: no screen with a proved rate reads such reports"
        if not self.alarm:
            return f"no alarm of {kinds}, whose rate is proved"
        more = len(self.items) - SHOWN
        others = f" and {text.count(more)} more" if more > 0 else ""
        named = f"; {', '.join(self.items[:SHOWN])}{others} go together" * bool(self.items)
        dropped = f"; {text.count(self.rows.size)} reports are suspicious" * bool(self.rows.size)
        return f"ALARM ({kinds}): honest reports hardly ever do that{named}{dropped}"

    @property
    def changes(self) -> list[tuple[str, float, float]]:
        """The suspicious items with their estimates from all reports and from the unsuspicious
        ones.
        """
        places = self.found.suspects.items
        return [
            (label, float(self.found.before[place]), float(self.found.after[place]))
            for label, place in zip(self.items, places, strict=True)
        ]

    doubt = misfit

    @property
    def is_broken(self) -> bool:
        return bool(self.alarm)

    @property
    def is_undecided(self) -> bool:
        return self.alarm is None

    @property
    def findings(self) -> Iterator[str]:
        yield f"{self.verdict[0].upper()}{self.verdict[1:]}."
        for one, other, z in self.pairs[:SHOWN]:
            yield f"{one} and {other} go together {text.short(z, 3)} standard errors too often."
        if len(self.pairs) > SHOWN:
            yield f"So do {text.count(len(self.pairs) - SHOWN)} more pairs."

    @property
    def notes(self) -> Iterator[str]:
        for label, before, after in self.changes[:SHOWN]:
            yield f"{label}: {before:.5f} of all reports, {after:.5f} without the suspicious ones"
        if self.screens:
            yield LEGEND
        else:
            yield "ldptui estimate --defend has filters and alarms without a proof"

    def table(self, is_brief: bool = False) -> Table:
        del is_brief
        return HEADS, [
            (each.kind, ALARM[each.alarm], *rate_cells(each)[:3]) for each in self.screens
        ]

    def document(self) -> dict[str, Any]:
        return {
            "alarm": self.alarm,
            "misfit": self.misfit,
            "reports": self.reports,
            "screens": [
                {
                    "kind": each.kind, "alarm": each.alarm, "reports": each.users,
                    **dict(zip(("false_alarm", "power", "cost"), each.chances, strict=True)),
                    "proved": True,
                }
                for each in self.screens
            ],
            "pairs": [{"items": [one, other], "z": z} for one, other, z in self.pairs],
            "items": list(self.items),
            "dropped": int(self.rows.size),
            "estimates": [
                {"item": label, "before": before, "after": after}
                for label, before, after in self.changes
            ],
        }  # fmt: skip

    def figures(self) -> Iterator[Figure]:
        shares = self.found.suspects.nearest.tolist()
        if shares:
            yield _pair_figure(shares)
        if self.screens:
            yield self._draw_changes() if self.items else self._powers()

    def _draw_changes(self) -> Figure:
        """The chart of the suspicious items' estimates with and without the suspicious reports."""
        rows = self.changes
        bars = tuple(Bar(label, after, before=before, target=True) for label, before, after in rows)
        chart = Bars(
            "Estimates without the suspicious reports",
            bars,
            note="before: from all reports; the bar: without the suspicious ones",
        )
        return figure(chart, ("", "item", "all reports", "without"), [("", *row) for row in rows])

    def _powers(self) -> Figure:
        """The chart of the power of each screen beside its false-alarm rate."""
        rows = [("", each.kind, each.chances[1], each.chances[0]) for each in self.screens]
        bars = tuple(Bar(kind, power or 0.0, true=false) for _, kind, power, false in rows)
        chart = Bars(
            "Power against 1 % of fakes (MGA on rare items)", bars, item="screen", value="power",
            truth="false",
        )  # fmt: skip
        return figure(chart, ("", "screen", "power", "false alarms"), rows)


def _pair_figure(shares: Sequence[float]) -> Figure:
    """The chart of the pairs of items that are nearest to their limits, or beyond them."""
    over = sum(share > 1 for share in shares)
    ranks = tuple(range(1, len(shares) + 1))
    plot = Plot(
        "Pairs of items beside what honest reports explain",
        Axis("rank of the pair"),
        Axis("support beyond, in limits"),
        (
            Series("beyond", ranks[:over], shares[:over], "attacked", "points"),
            Series("within", ranks[over:], shares[over:], "clean", "points"),
        ),
        ((1.0, "alarm"),),
        note="each pair's support beyond what its two items explain, as a share of its limit",
    )
    return curves(plot, "pair", "rank")
