"""The frequencies that reports of real users tell, with their uncertainties."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import NormalDist
from typing import Any

import numpy as np

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.base.ranges import ALPHA
from ldptui.core.base.sampling import Counts, Floats
from ldptui.core.defences import CORRECTIONS, corrected, known
from ldptui.core.defences.simplex import project
from ldptui.core.law.capabilities import check_estimates
from ldptui.core.law.pure import LocalMechanism, is_unbiased
from ldptui.core.theory import Misfit, misfit

from ..catalogue import in_order
from ..text import format as text
from ..text import table
from .arguments import local, number, reports_of, switch
from .arguments import names as item_names
from .by_name import defence
from .coverage import Coverage, deviations
from .coverage import coverage as coverage_of
from .framed import framed

SHOWN = 20
"""Items of a `repr`: the largest estimates."""


@dataclass(frozen=True, eq=False)
class Frequencies:
    """The estimated share of the users who hold each item.

    values : float64[d]. reports : n, the number of users. std : float64[d], the standard deviation
    of each estimate given the true frequencies, with the estimate in their place; None for a
    protocol without a closed form, and after a correction, whose noise has none, unless the
    coverage was measured: then that of the estimate before it. low, high : float64[d], the ends of
    the interval of each item by itself, where there is a deviation; normal, so for many reports.
    confidence : the probability that such an interval covers where nothing is corrected. labels :
    the names of the items. corrections : those that were applied, in order. coverage : the share of
    repetitions in which the intervals cover; None where it was not asked for. misfit : a sentence
    where the reports can hardly be of this protocol; None where they can.
    """

    values: Floats
    reports: int
    std: Floats | None
    confidence: float
    labels: tuple[str, ...]
    corrections: tuple[str, ...] = ()
    coverage: Coverage | None = None
    misfit: str | None = None

    @property
    def low(self) -> Floats | None:
        """float64[d], the lower ends of the intervals; None where there are none."""
        return None if self.std is None else self.values - self.width * self.std

    @property
    def high(self) -> Floats | None:
        """float64[d], the upper ends; None where there are none."""
        return None if self.std is None else self.values + self.width * self.std

    @property
    def width(self) -> float:
        """The half-width of an interval in standard deviations."""
        return NormalDist().inv_cdf((1 + self.confidence) / 2)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each item: item, label, frequency, and where known std, low, high, coverage.

        >>> from ldptui import protocol
        >>> estimate(np.array([0, 1, 0]), protocol("grr", items=2, epsilon=1.0)).rows()[1]["label"]
        '1'
        """
        columns: dict[str, Any] = {
            "item": range(self.values.size),
            "label": self.labels,
            "frequency": self.values.tolist(),
        }
        for name in ("std", "low", "high"):
            column = getattr(self, name)
            columns |= {} if column is None else {name: column.tolist()}
        if self.coverage is not None:
            columns["coverage"] = self.coverage.items.tolist()
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def to_frame(self, library: str | None = None) -> Any:
        """`rows()` as a data frame.

        library : "polars" or "pandas"; without it the first of them that is installed. Raises
        RunError where none is, ScenarioError for another library.

        >>> from ldptui import protocol
        >>> found = estimate(np.array([0, 1, 0]), protocol("grr", items=2, epsilon=1.0))
        >>> list(found.to_frame()["item"])
        [0, 1]
        """
        return framed(self.rows(), library)

    def __repr__(self) -> str:
        order = np.argsort(-self.values, kind="stable")[:SHOWN].tolist()
        width = None if self.std is None else self.width * self.std
        covered = None if self.coverage is None else self.coverage.items
        heads = ["item", "frequency", *([] if width is None else [f"± {self.confidence:.0%}"])]
        heads += [] if covered is None else ["covers"]
        rows = [
            [
                self.labels[item],
                f"{self.values[item]:.5f}",
                *([] if width is None else [f"{width[item]:.5f}"]),
                *([] if covered is None else [f"{covered[item]:.1%}"]),
            ]
            for item in order
        ]
        steps = f", after {', '.join(self.corrections)}" * bool(self.corrections)
        more = f"; the {SHOWN} largest" * (self.values.size > SHOWN)
        head = f"{text.count(self.values.size)} items of {text.count(self.reports)} reports"
        shown = f"{head}{steps}{more}\n\n{table.plain_table(heads, rows)}".rstrip()
        return shown if self.misfit is None else f"{shown}\n\n{self.misfit}"


def estimate(
    reports: Any,
    protocol: LocalMechanism,
    *,
    corrections: Sequence[str | Mapping[str, Any]] = (),
    confidence: float = 0.95,
    labels: Sequence[str] | None = None,
    coverage: bool = False,
) -> Frequencies:
    """The frequencies that reports tell.

    reports : as `protocol.perturb` makes them; the first axis is users. corrections : kinds of
    `kinds("defence")` that change estimates, or tables with parameters, `{"kind": "base-cut", …}`.
    confidence : of the intervals, in (0, 1). labels : the names of the items, else their numbers.
    coverage : measure by simulation how often the intervals cover, also after corrections.

    Raises ScenarioError for reports that the protocol does not send, for none at all, and for a
    correction that makes no sense here; DefenceError where it leaves nothing.

    >>> from ldptui import protocol
    >>> grr, rng = protocol("grr", items=4, epsilon=2.0), np.random.default_rng(0)
    >>> found = estimate(grr.perturb(np.repeat([0, 1], [3000, 1000]), rng), grr)
    >>> bool((found.low < [0.75, 0.25, 0, 0]).all() and (found.high > [0.75, 0.25, 0, 0]).all())
    True
    """
    reports = reports_of(reports, local(protocol))
    counts = protocol.support_counts(reports)
    return concluded(counts, len(reports), protocol, corrections, confidence, labels, coverage)


def concluded(
    counts: Counts,
    users: int,
    protocol: LocalMechanism,
    corrections: Iterable[str | Mapping[str, Any]] = (),
    confidence: float = 0.95,
    labels: Sequence[str] | None = None,
    coverage: bool = False,
) -> Frequencies:
    """As `estimate`, from the counts of all reports: those of several batches add up."""
    if users < 1:
        raise ScenarioError("must be at least one, got none", key="reports")
    confidence, coverage = number(confidence, "confidence", ALPHA), switch(coverage, "coverage")
    labels = item_names(labels, protocol.domain_size)
    if not isinstance(corrections, list | tuple):
        raise ScenarioError(f"must be a list of corrections, {got(corrections)}", "corrections")
    check_estimates(protocol, "protocol.kind")
    values = protocol.estimates(counts[None], users).frequencies[0]
    steps = [_correction(step) for step in corrections]
    knowledge = known(protocol, users, np.empty(0, dtype=np.int64))
    for step in steps:
        step.check(knowledge)
    raw = values[None]
    values = corrected(raw, steps, knowledge)[0]
    names = tuple(labels or map(str, range(protocol.domain_size)))
    made = tuple(step.kind for step in steps)
    answer = Frequencies(values, users, None, float(confidence), names, made)
    if not is_unbiased(protocol):
        if coverage:
            rule = "must be left out for a protocol whose noise has no closed form"
            raise ScenarioError(f"{rule}, {got(coverage)}", key="coverage")
        return answer
    far = misfit(protocol, users, raw[0])
    answer = replace(answer, misfit=None if far is None else _misfit(far, names))
    if coverage:
        truth = project(raw)[0]
        again = partial(corrected, corrections=steps, known=knowledge)
        answer = replace(answer, coverage=coverage_of(protocol, users, truth, again, answer.width))
    elif steps:
        return answer
    return replace(answer, std=deviations(protocol, users, values))


def _misfit(far: Misfit, labels: Sequence[str]) -> str:
    value, errors = text.short(far.value), text.short(far.errors, 2)
    if far.item is None:
        off = f"the estimates add up to {value}, {errors} standard errors from 1"
    else:
        side = "below" if far.value < far.bound else "above"
        item = labels[far.item]
        off = f"{item} is estimated at {value}, {errors} standard errors {side} {far.bound:.0f}"
    return f"{off}: the clients used another epsilon or other parameters, or many reports are fake"


def _correction(step: str | Mapping[str, Any]) -> Any:
    table = step if isinstance(step, Mapping) else {"kind": step}
    kind = table.get("kind")
    if not isinstance(kind, str) or kind not in CORRECTIONS:
        known = ", ".join(in_order("defence", CORRECTIONS))
        raise ScenarioError(f"must be one of {known}, {got(kind)}", key="corrections")
    return defence(**{str(key): value for key, value in table.items()})
