"""The frequencies that reports of real users tell, with their uncertainties."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import NormalDist
from typing import Any

import numpy as np

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.base.ranges import ALPHA, SHARE
from ldptui.core.base.sampling import Counts, Floats
from ldptui.core.bounds.claims import Overturning, Sum, above
from ldptui.core.defences import CORRECTIONS, corrected, known
from ldptui.core.defences.norms import project
from ldptui.core.lab.concluding import Concluded
from ldptui.core.lab.concluding import concluded as robust
from ldptui.core.law.capabilities import check_estimates
from ldptui.core.law.pure import LocalMechanism, Reports, is_unbiased
from ldptui.core.reports.arguments import local, number, switch, whole, words
from ldptui.core.reports.arguments import names as item_names
from ldptui.core.reports.counted import Counted, counted
from ldptui.core.reports.coverage import Coverage, deviations
from ldptui.core.reports.coverage import coverage as coverage_of
from ldptui.core.theory import Misfit, misfit, simultaneous_width, top_confidence
from ldptui.core.theory.evidence import of_reports

from ..catalogue import in_order
from ..text import format as text
from ..text import table
from .by_name import defence
from .table import Framed

SHOWN = 20
"""Items of a `repr`: the largest estimates."""


@dataclass(frozen=True, eq=False)
class Frequencies(Framed):
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
        whose noise has none, unless the coverage was measured: then that of the estimate before it.
    confidence
        The probability that the interval of an item covers where nothing is corrected.
    labels
        The names of the items.
    corrections
        Those that were applied, in order.
    coverage
        The share of repetitions in which the intervals cover; None where it was not asked for.
    misfit
        A sentence where the reports can hardly be of this protocol; None where they can.
    top
        The number of items that rows and table show, the largest estimates first; None for all.
    simultaneous
        Whether rows and table have intervals that cover all together, with the same confidence.
    defended, defences
        float64[d], the estimates after these steps of `ldptui estimate --defend`; None without.
    robust
        The conclusions if up to the `share` of `estimate` is fake, whose ends low and high are
        then; None where nobody is taken for fake.
    """

    values: Floats
    reports: int
    std: Floats | None
    confidence: float
    labels: tuple[str, ...]
    corrections: tuple[str, ...] = ()
    coverage: Coverage | None = None
    misfit: str | None = None
    top: int | None = None
    simultaneous: bool = False
    defended: Floats | None = None
    defences: tuple[str, ...] = ()
    robust: Concluded | None = None

    @property
    def low(self) -> Floats | None:
        """float64[d], the lower ends of the intervals; None where there are none."""
        if self.robust is not None:
            return self.robust.low
        return None if self.std is None else self.values - self.width * self.std

    @property
    def high(self) -> Floats | None:
        """float64[d], the upper ends; None where there are none."""
        if self.robust is not None:
            return self.robust.high
        return None if self.std is None else self.values + self.width * self.std

    @property
    def width(self) -> float:
        """The half-width of an interval in standard deviations."""
        return NormalDist().inv_cdf((1 + self.confidence) / 2)

    @property
    def half(self) -> Floats | None:
        """float64[d], half-widths of intervals that cover all together (Šidák), or None."""
        if self.std is None or self.corrections:
            return None
        return simultaneous_width(self.values.size, self.confidence) * self.std

    @property
    def in_top(self) -> Floats | None:
        """float64[d], the confidence that each item is among the `top` most frequent ones.

        To name all with at least C is right with probability C. None where nothing tells it.
        """
        if self.top is None or self.std is None or self.corrections:
            return None
        return top_confidence(self.values, self.std, self.top)

    def overturn(self, item: str, other: str) -> Overturning:
        """The share of fakes that overturns the claim that an item is held more than another one.

        Its `share` is β*, its `low` a lower bound.

        Parameters
        ----------
        item, other
            The items by their names.

        Raises
        ------
        ScenarioError
            Without the `share` of `estimate`, and for names that no item has.

        Examples
        --------
        >>> from ldptui import protocol
        >>> sue, rng = protocol("sue", items=2, epsilon=2.0), np.random.default_rng(0)
        >>> sent = sue.perturb(np.repeat([0, 1], [9000, 1000]), rng)
        >>> estimate(sent, sue, share=0.01).overturn("0", "1").low > 0.3
        True
        """
        if self.robust is None:
            raise ScenarioError("is required for a claim", key="share")
        for name in (item, other):
            if words(name, "items") not in self.labels:
                raise ScenarioError(f"must be items of the domain, {got(name)}", key="items")
        places = np.array([self.labels.index(item), self.labels.index(other)])
        return self.robust.overturned(above(Sum(places, np.array([1.0, -1.0]))))

    @property
    def shown(self) -> list[int]:
        """The items of the rows: all in order, or the `top` largest estimates."""
        if self.top is None:
            return list(range(self.values.size))
        return [int(item) for item in np.argsort(-self.values, kind="stable")[: self.top]]

    def rows(self) -> list[dict[str, Any]]:
        """A row for each item: item, label, frequency, and where known std, low, high, coverage.

        Where they were asked for, also `low_all` and `high_all`, the ends of simultaneous
        intervals, and `in_top`.

        Examples
        --------
        >>> from ldptui import protocol
        >>> estimate(np.array([0, 1, 0]), protocol("grr", items=2, epsilon=1.0)).rows()[1]["label"]
        '1'
        """
        columns: dict[str, Any] = {
            "item": range(self.values.size),
            "label": self.labels,
            "frequency": self.values.tolist(),
        }
        for name in ("std", "low", "high", "defended"):
            column = getattr(self, name)
            columns |= {} if column is None else {name: column.tolist()}
        if self.coverage is not None:
            columns["coverage"] = self.coverage.items.tolist()
        if self.simultaneous and self.half is not None:
            columns["low_all"] = (self.values - self.half).tolist()
            columns["high_all"] = (self.values + self.half).tolist()
        if self.in_top is not None:
            columns["in_top"] = self.in_top.tolist()
        return [{name: column[item] for name, column in columns.items()} for item in self.shown]

    def __repr__(self) -> str:
        order = np.argsort(-self.values, kind="stable")[: self.top or SHOWN].tolist()
        columns = {
            "item": [self.labels[item] for item in order],
            "frequency": [f"{self.values[item]:.5f}" for item in order],
        }
        if self.std is not None:
            width = self.width * self.std
            columns[f"± {text.percent(self.confidence)}"] = [f"{width[item]:.5f}" for item in order]
        if self.robust is not None:
            low, high = self.robust.low, self.robust.high
            head = f"{text.percent(self.robust.share)} fake"
            columns[head] = [f"{low[item]:.5f} … {high[item]:.5f}" for item in order]
        if self.coverage is not None:
            columns["covers"] = [text.percent(self.coverage.items[item]) for item in order]
        if self.simultaneous and self.half is not None:
            columns["± all"] = [f"{self.half[item]:.5f}" for item in order]
        if self.defended is not None:
            columns[f"after {', '.join(self.defences)}"] = [
                f"{self.defended[item]:.5f}" for item in order
            ]
        if self.in_top is not None:
            columns[f"sure of top {self.top}"] = [_sure(self.in_top[item]) for item in order]
        heads, rows = [*columns], [[*row] for row in zip(*columns.values(), strict=True)]
        steps = f", after {', '.join(self.corrections)}" * bool(self.corrections)
        shown = len(order)
        more = f"; the {shown} largest" * (self.values.size > shown)
        reports = text.plural(self.reports, "report")
        head = f"{text.count(self.values.size)} items of {reports}"
        lines = f"{head}{steps}{more}\n\n{table.plain_table(heads, rows)}".rstrip()
        return lines if self.misfit is None else f"{lines}\n\n{self.misfit}"


def estimate(
    reports: Reports | Iterator[Reports] | Counted,
    protocol: LocalMechanism,
    *,
    corrections: Sequence[str | Mapping[str, Any]] = (),
    confidence: float = 0.95,
    labels: Sequence[str] | None = None,
    coverage: bool = False,
    top: int | None = None,
    simultaneous: bool = False,
    share: float | None = None,
) -> Frequencies:
    """The frequencies that reports tell.

    Parameters
    ----------
    reports
        As `protocol.perturb` makes them, the first axis is users; or batches of them, as
        `read_reports` gives, of which one at a time is held; or their counts.
    protocol
        As `protocol` makes it.
    corrections
        Kinds of `kinds("defence")` that change estimates, or tables with parameters, `{"kind":
        "base-cut", …}`.
    confidence
        The confidence of the intervals, in (0, 1).
    labels
        The names of the items, else their numbers.
    coverage
        Measure by simulation how often the intervals cover, also after corrections.
    top
        Show this many items, each with the confidence that no more than top - 1 others are more
        frequent.
    simultaneous
        Show intervals that cover all together as well.
    share
        Low and high hold whatever this share of the reports says at most, as those of `conclude`;
        not with corrections.

    Raises
    ------
    ScenarioError
        For reports that the protocol does not send, for none at all, and for a correction that
        makes no sense here.
    DefenceError
        Where a correction leaves nothing of the estimates.

    Examples
    --------
    >>> from ldptui import protocol
    >>> grr, rng = protocol("grr", items=4, epsilon=2.0), np.random.default_rng(0)
    >>> found = estimate(grr.perturb(np.repeat([0, 1], [3000, 1000]), rng), grr)
    >>> bool((found.low < [0.75, 0.25, 0, 0]).all() and (found.high > [0.75, 0.25, 0, 0]).all())
    True
    """
    total = reports if isinstance(reports, Counted) else counted(reports, local(protocol), labels)
    names = total.labels if labels is None else labels
    answer = concluded(
        total.counts, total.reports, protocol, corrections, confidence, names, coverage
    )
    if top is not None:
        top = whole(top, "top", 1, protocol.domain_size)
    if share is not None:
        answer = replace(answer, robust=_robust(total, answer, number(share, "share", SHARE)))
    return replace(answer, top=top, simultaneous=switch(simultaneous, "simultaneous"))


def _robust(total: Counted, answer: Frequencies, share: float) -> Concluded:
    """The conclusions if up to this share of the reports is fake; raises ScenarioError."""
    if answer.corrections:
        raise ScenarioError("must be left out with corrections, whose noise has none", key="share")
    pure: Any = total.protocol
    evidence = of_reports(pure, total.counts / total.reports, total.reports)
    return robust(evidence, share, labels=answer.labels, confidence=answer.confidence)


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
    answer = replace(answer, misfit=None if far is None else misfit_words(far, names, protocol))
    if coverage:
        truth = project(raw)[0]
        again = partial(corrected, corrections=steps, known=knowledge)
        answer = replace(answer, coverage=coverage_of(protocol, users, truth, again, answer.width))
    elif steps:
        return answer
    return replace(answer, std=deviations(protocol, users, values))


def _sure(confidence: float) -> str:
    """A confidence, never rounded up to certainty; one of nothing shows nothing."""
    if confidence < 0.001:
        return "not shown"
    return "> 99.9 %" if confidence > 0.999 else text.percent(math.floor(1000 * confidence) / 1000)


def misfit_words(far: Misfit, labels: Sequence[str], protocol: Any = None) -> str:
    """The reason why hardly any reports of a protocol say this, and what may have happened."""
    value, errors = text.short(far.value), text.short(far.errors, 2)
    if far.item is None:
        off = f"the estimates add up to {value}, {errors} standard errors from 1"
    else:
        side = "below" if far.value < far.bound else "above"
        item = labels[far.item]
        off = f"{item} is estimated at {value}, {errors} standard errors {side} {far.bound:.0f}"
    hashed = "another hash, " * (getattr(protocol, "family", "") == "hashing")
    return (
        f"{off}: the clients used {hashed}another epsilon or other parameters, or many reports are "
        "fake "
        "(poisoning: ldptui screen looks for it); noise alone goes as far in "
        f"{text.short(far.chance, 1) if far.chance else '1e-300'} of collections at most"
    )


def _correction(step: str | Mapping[str, Any]) -> Any:
    table = step if isinstance(step, Mapping) else {"kind": step}
    kind = table.get("kind")
    if not isinstance(kind, str) or kind not in CORRECTIONS:
        known = ", ".join(in_order("defence", CORRECTIONS))
        raise ScenarioError(f"must be one of {known}, {got(kind)}", key="corrections")
    return defence(**{str(key): value for key, value in table.items()})
