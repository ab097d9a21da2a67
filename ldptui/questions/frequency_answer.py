"""The answers about items that reports of real users tell: of all users, and of groups of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from ldptui.core.base.sampling import Floats
from ldptui.core.reports.frequency_estimates import FrequencyEstimates
from ldptui.core.reports.rates import StepVerdict
from ldptui.core.reports.steps import DefendedEstimates
from ldptui.core.theory import Difference

from ..charts.series import Bar, Bars
from ..text import format as text
from .question_answer import Table
from .rate_words import ALARM, LEGEND, rate_cells, rate_document
from .rate_words import HEADS as RATES
from .reports_input import ReportAnswer, misfit_words
from .sheet import Figure, figure

LISTED: Final = 1000
"""Rows of the table of a form, bars of its chart, and differences of a document, at most."""
SHOWN: Final = 20
"""Rows of a printed table, at most: the largest estimates."""


@dataclass(frozen=True, eq=False, repr=False)
class FrequencyAnswer(FrequencyEstimates, ReportAnswer):
    """The estimated share of the users who hold each item.

    Attributes
    ----------
    values
        float64[d], the estimates.
    reports
        n, the number of users.
    std
        float64[d], the standard deviation of each estimate given the true frequencies, with the
        estimate in their place; None for a protocol without a closed form, and after a correction,
        whose noise has none.
    low, high
        float64[d], the ends of the intervals.
    confidence
        The probability that the interval of an item covers, if nothing is corrected.
    labels
        The names of the items.
    corrections
        The corrections that were applied, in order.
    far
        The estimate or sum that honest reports of the protocol hardly ever have; None if there is
        none.
    top
        The number of items that rows and table show, the largest estimates first; None for all.
    simultaneous
        True if the intervals of rows and table cover all items together, with that confidence.
    defended, steps
        float64[d], the estimates after the steps of `defend`, and their verdicts; None without.
    collection
        The reports that were read, with `protocol`, `labels` and `files`.
    is_strict
        True if a misfit is a failure.
    """

    steps: DefendedEstimates | None = field(default=None, kw_only=True)

    @property
    def misfit(self) -> str | None:
        """A warning if the reports hardly fit the protocol; None if they may fit."""
        if self.far is None:
            return None
        return misfit_words(self.far, self.labels, self.collection.protocol)

    doubt = misfit

    @property
    def title(self) -> str:
        after = f", after {', '.join(self.corrections)}" * bool(self.corrections)
        return f"{super().title}{after}"

    @property
    def findings(self) -> Iterator[str]:
        first = int(np.argmax(self.values))
        value, half = float(self.values[first]), self._half
        told = text.estimate(value, None if half is None else float(half[first]))
        yield f"Item {self.labels[first]} has the largest estimate: {told}."

    @property
    def _half(self) -> Floats | None:
        """float64[d], the half-widths that are said: of all intervals together if asked for."""
        if self.simultaneous and self.half is not None:
            return self.half
        return None if self.std is None else self.width * self.std

    @property
    def notes(self) -> Iterator[str]:
        sure = text.percent(self.confidence)
        if self.std is None:
            yield "no intervals: the noise has no closed form" + " after a correction" * bool(
                self.corrections
            )
        elif self.simultaneous and self.half is not None:
            yield f"the intervals cover all {text.count(self.values.size)} items with {sure}"
        else:
            yield f"each interval covers its item with {sure}, where nobody cheats"
        if self.steps is not None:
            yield from map(_step_words, self.steps.steps)
            yield LEGEND
        if (shown := min(self.top or SHOWN, self.values.size)) < self.values.size:
            every = "" if self.top else "; --format csv has all"
            yield f"the {shown} largest of {text.count(self.values.size)} items{every}"

    def table(self, is_brief: bool = False) -> Table:
        columns, half = self.columns(), self._half
        if half is not None:
            columns |= {"low": (self.values - half).tolist(), "high": (self.values + half).tolist()}
        heads = {"label": "item", "frequency": "estimate", "low": "low", "high": "high"}
        if self.defended is not None and self.steps is not None:
            heads["defended"] = f"after {', '.join(self.steps.kinds)}"
        heads["in_top"] = f"in the top {self.top}"
        used = {name: head for name, head in heads.items() if name in columns}
        order = np.argsort(-self.values, kind="stable")
        items = order[: self.top or (LISTED if is_brief else SHOWN)].tolist()
        return [*used.values()], [
            tuple(_sure(columns[name][item]) if name == "in_top" and not is_brief
                  else columns[name][item] for name in used)
            for item in items
        ]  # fmt: skip

    def records(self) -> list[dict[str, Any]]:
        return self.rows()

    def document(self) -> dict[str, Any]:
        return {
            "reports": self.reports,
            "corrections": list(self.corrections),
            "confidence": self.confidence if self.std is not None else None,
            "misfit": self.misfit,
            "items": self.rows(),
            **({} if self.steps is None else {"defences": [*map(_step, self.steps.steps)]}),
        }

    def figures(self) -> Iterator[Figure]:
        """Yields the bar chart of the items with their intervals."""
        heads, rows = self.table(is_brief=True)
        at, half = {label: item for item, label in enumerate(self.labels)}, self._half
        bars = tuple(
            Bar(row[0], row[1], None if half is None else float(half[at[row[0]]])) for row in rows
        )
        rest = "" if len(rows) == self.values.size else "smaller estimates have no bar"
        yield figure(Bars(self.title, bars, rest=rest), ("", *heads), [("", *row) for row in rows])


def _sure(confidence: float) -> str:
    """A confidence, never rounded up to certainty; one of nothing shows nothing."""
    if confidence < 0.001:
        return "not shown"
    return "> 99.9 %" if confidence > 0.999 else text.percent(math.floor(1000 * confidence) / 1000)


def _step(step: StepVerdict) -> dict[str, Any]:
    return {
        "kind": step.kind, "alarm": step.alarm, "dropped": step.dropped, "named": [*step.named],
        "certified": step.certified, "simulated": rate_document(step.rates),
    }  # fmt: skip


def _step_words(step: StepVerdict) -> str:
    """The verdict of a step, and its rates, in a line."""
    said = [] if step.alarm is None else [f"alarm {ALARM[step.alarm]}"]
    said += [] if step.dropped is None else [f"dropped {text.count(step.dropped)}"]
    if step.certified is not None:
        said.append(f"{text.percent(step.certified)} are fake at least")
    elif step.named:
        said.append(f"names {', '.join(step.named)}")
    cells = zip(RATES, rate_cells(step), strict=True)
    said += [f"{head} {cell}" for head, cell in cells if "–" not in cell]
    return f"{step.kind}: {', '.join(said) or 'claims nothing'}"


@dataclass(frozen=True, eq=False, repr=False)
class GroupAnswer(ReportAnswer):
    """The estimated frequencies of groups of users.

    Attributes
    ----------
    by
        The column that tells the groups apart.
    groups
        The estimates of each, by name; "" has the rows without one.
    differences
        The differences that hold together with this confidence, the clearest first, at most
        1000; first and second are places in `groups`.
    significant
        The number of differences.
    comparisons
        The number of tests that share the confidence; 0 if nothing is compared: after a
        correction, for a protocol without a closed form, and for groups of fewer than 100 reports.
    collection
        The reports that were read, with `protocol`, `labels` and `files`.
    is_strict
        True if a misfit is a failure.
    """

    by: str
    groups: Mapping[str, FrequencyAnswer]
    differences: Sequence[Difference]
    significant: int
    comparisons: int

    @property
    def names(self) -> list[str]:
        """The names of the groups, in order."""
        return list(self.groups)

    @property
    def _first(self) -> FrequencyAnswer:
        return next(iter(self.groups.values()))

    @property
    def number(self) -> int:
        return sum(each.reports for each in self.groups.values())

    @property
    def title(self) -> str:
        return f"{self.collection.title}, {text.count(self.number)} reports by {self.by}"

    @property
    def doubts(self) -> Sequence[str]:
        return [f"{name or '(none)'}: {found.misfit}" for name, found in self.groups.items()
                if found.misfit is not None]  # fmt: skip

    @property
    def is_misfit(self) -> bool:
        return self.is_strict and bool(self.doubts)

    @property
    def findings(self) -> Iterator[str]:
        sure = text.percent(self._first.confidence)
        tests = f"with {sure} confidence in all {text.count(self.comparisons)} comparisons together"
        if not self.comparisons:
            yield "No group is compared with another."
        elif not self.significant:
            yield f"No difference between two groups is more than noise, {tests}."
        else:
            count = text.plural(self.significant, "difference")
            yield f"{count} {'is' if self.significant == 1 else 'are'} more than noise, {tests}."

    @property
    def notes(self) -> Iterator[str]:
        for row in self.compared()[:SHOWN]:
            yield (
                f"{row['label']}: {row['first'] or '(none)'} − {row['second'] or '(none)'} = "
                f"{row['difference']:+.5f} ± {row['std']:.5f}, p at most "
                f"{text.short(row['p_value'], 2)}"
            )

    def table(self, is_brief: bool = False) -> Table:
        found = list(self.groups.values())
        users = np.array([each.reports for each in found])
        overall = np.average([each.values for each in found], axis=0, weights=users)
        lines = LISTED if is_brief else 3 * SHOWN
        shown = found[0].top or max(1, lines // len(found))
        width = f"± {text.percent(found[0].confidence)}"
        return ["item", self.by, "reports", "estimate", width], [
            (each.labels[item], name or "(none)", text.count(each.reports),
             float(each.values[item]),
             None if each.std is None else float(each.width * each.std[item]))
            for item in np.argsort(-overall, kind="stable")[:shown].tolist()
            for name, each in self.groups.items()
        ]  # fmt: skip

    def rows(self) -> list[dict[str, Any]]:
        """A row for each group and item: `group`, and the columns of `FrequencyAnswer.rows`."""
        return [
            {"group": name, **row} for name, found in self.groups.items() for row in found.rows()
        ]

    records = rows

    def compared(self) -> list[dict[str, Any]]:
        """The differences between groups: item, label, first, second, difference, std, p_value."""
        names = self.names
        return [
            {
                "item": each.item, "label": self._first.labels[each.item],
                "first": names[each.first], "second": names[each.second],
                "difference": each.value, "std": each.std, "p_value": each.p_value,
            }
            for each in self.differences
        ]  # fmt: skip

    def document(self) -> dict[str, Any]:
        return {
            "by": self.by,
            "groups": [{"group": name, **each.document()} for name, each in self.groups.items()],
            "comparisons": self.comparisons,
            "significant": self.significant,
            "differences": self.compared(),
        }
