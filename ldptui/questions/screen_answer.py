"""The answer of a screen: whether fakes are among reports, and which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ldptui.core.law.pure import Items, PureProtocol
from ldptui.core.reports.rates import StepVerdict
from ldptui.core.reports.screening import Screened
from ldptui.core.theory import misfit

from ..charts.series import Axis, Bar, Bars, Plot, Series
from ..text import format as text
from . import rates
from .question_answer import Table
from .reports_input import ReportAnswer, misfit_words
from .sheet import Figure, curves, figure

PROVED: Final = "≤: proved, and the verdict goes by these alone;"
HEADS: Final = ("screen", "alarm", *rates.HEADS)
"""The heads of the table of screens."""
SHOWN: Final = 10
"""Pairs and items that are said."""
COLUMNS: Final = 5
"""Columns of the table of screens that there is room for beside a form."""


@dataclass(frozen=True, eq=False, repr=False)
class ScreenAnswer(ReportAnswer):
    """The verdicts of all screens on reports, and what they name.

    Attributes
    ----------
    found
        The verdicts as they were computed: `before` and `after` are float64[d], the estimates from
        all reports, and without the suspicious ones, with what honest reports lose given back.
    collection
        What was read: its `protocol`, its `labels`, its `files`.
    is_strict
        Whether a misfit is a failure.
    """

    found: Screened

    @property
    def reports(self) -> int:
        """N, their number."""
        return self.found.users

    @property
    def screens(self) -> tuple[StepVerdict, ...]:
        """One verdict each, with its kind, its alarm and its chances."""
        return self.found.screens

    @property
    def rows(self) -> Items:
        """int64[k], the suspicious reports by their place from 0 on."""
        return self.found.rows

    @property
    def alarm(self) -> bool | None:
        """Whether a screen alarms whose rate is proved; None without one, and so no verdict."""
        return self.found.alarm if self.proved else None

    @property
    def pairs(self) -> tuple[tuple[str, str, float], ...]:
        """The pairs of items that go together too often, by name, with z."""
        names, suspects = self.collection.names, self.found.suspects
        pairs = zip(suspects.pairs.tolist(), suspects.z.tolist(), strict=True)
        return tuple((names[one], names[other], z) for (one, other), z in pairs)

    @property
    def items(self) -> tuple[str, ...]:
        """The items of the pairs."""
        return tuple(self.collection.names[item] for item in self.found.suspects.items)

    @property
    def misfit(self) -> str | None:
        """What hardly any reports of the protocol say, in words; None where they can be of it."""
        protocol = self.collection.protocol
        if not isinstance(protocol, PureProtocol):
            return None
        far = misfit(protocol, self.found.users, self.found.before)
        return None if far is None else misfit_words(far, self.collection.names, protocol)

    @property
    def proved(self) -> list[str]:
        """The screens whose false-alarm rate is proved; without one there is no verdict."""
        return [each.kind for each in self.screens if each.proved]

    @property
    def verdict(self) -> str:
        """One sentence."""
        if not self.proved:
            return "no verdict: no screen with a proved rate reads such reports"
        if not self.alarm:
            sure = ", ".join(self.proved)
            rings = ", ".join(each.kind for each in self.screens if each.alarm)
            other = f"; {rings} rings, as it may among honest reports" * bool(rings)
            return f"no alarm of {sure}, whose rate is proved{other}"
        kinds = ", ".join(each.kind for each in self.screens if each.alarm and each.proved)
        more = len(self.items) - SHOWN
        others = f" and {text.count(more)} more" if more > 0 else ""
        named = f"; {', '.join(self.items[:SHOWN])}{others} go together" * bool(self.items)
        dropped = f"; {text.count(self.rows.size)} reports are suspicious" * bool(self.rows.size)
        return f"ALARM ({kinds}): honest reports hardly ever do that{named}{dropped}"

    @property
    def changes(self) -> list[tuple[str, float, float]]:
        """The suspicious items with their estimates from all reports, and without those."""
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
        yield " ".join([PROVED, *rates.LEGEND.split()])
        part = [each for each in self.screens if each.users < self.reports]
        if part:
            kinds, some = ", ".join(each.kind for each in part), text.count(part[0].users)
            yield f"{kinds}: asked about {some} of the reports, evenly from all of them"

    def table(self, is_brief: bool = False) -> Table:
        width = COLUMNS if is_brief else len(HEADS)
        return HEADS[:width], [
            (each.kind, rates.ALARM[each.alarm], *rates.rate_cells(each))[:width]
            for each in self.screens
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
                    "proved": each.proved is not None, "simulated": rates.rate_document(each.rates),
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
        yield self._changed() if self.items else self._powers()

    def _changed(self) -> Figure:
        """The suspicious items' estimates without the suspicious reports; a mark: with them."""
        rows = self.changes
        bars = tuple(Bar(label, after, before=before, target=True) for label, before, after in rows)
        chart = Bars(
            "Estimates without the suspicious reports",
            bars,
            note="before: from all reports; the bar: without the suspicious ones",
        )
        return figure(chart, ("", "item", "all reports", "without"), [("", *row) for row in rows])

    def _powers(self) -> Figure:
        """The power of each screen that has one; a mark: its false-alarm rate."""
        told = [(each.kind, each.chances[1], each.chances[0]) for each in self.screens]
        rows = [("", kind, power, false) for kind, power, false in told if power is not None]
        bars = tuple(Bar(kind, float(power or 0.0), true=false) for _, kind, power, false in rows)
        chart = Bars(
            "Power against 1 % of fakes (MGA on rare items)", bars, item="screen", value="power",
            truth="false",
        )  # fmt: skip
        return figure(chart, ("", "screen", "power", "false alarms"), rows)


def _pair_figure(shares: Sequence[float]) -> Figure:
    """The pairs nearest to their limits, or beyond them."""
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
