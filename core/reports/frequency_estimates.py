"""The frequencies of items estimated from reports of real users, with their uncertainties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

import numpy as np

from ..base.errors import ScenarioError
from ..base.sampling import Floats
from ..defences import CORRECTIONS, correct_estimates, inform_server
from ..law.mechanism import check_estimates
from ..law.moments import Unbiased
from ..theory import ImpossibleEstimates, item_variances, misfit, simultaneous_width, top_confidence
from .arguments import list_members, names, whole
from .points import step_of
from .report_counts import Counted


@dataclass(frozen=True, eq=False, repr=False)
class FrequencyEstimates:
    """The estimated frequency of each item among the users.

    values : float64[d], the estimates. reports : n. std : float64[d], the standard deviation of
    each estimate, computed with the estimates as true frequencies; None for a protocol without a
    closed form, and after a correction. confidence : of the interval of an item. corrections : the
    applied ones, in order. far : an estimate that is impossible for the protocol; None if there is
    none. top : the number of items that rows show, the largest estimates first; None for all.
    simultaneous : whether rows have intervals that cover all items together. defended : float64[d],
    the estimates after defences.
    """

    values: Floats
    reports: int
    std: Floats | None
    confidence: float
    labels: tuple[str, ...]
    corrections: tuple[str, ...] = ()
    far: ImpossibleEstimates | None = None
    top: int | None = None
    simultaneous: bool = False
    defended: Floats | None = None

    @property
    def low(self) -> Floats | None:
        """float64[d]: the lower ends of the intervals; None if the variance is unknown."""
        return None if self.std is None else self.values - self.width * self.std

    @property
    def high(self) -> Floats | None:
        """float64[d]: the upper ends of the intervals; None if the variance is unknown."""
        return None if self.std is None else self.values + self.width * self.std

    @property
    def width(self) -> float:
        """The half-width of an interval in standard deviations."""
        return NormalDist().inv_cdf((1 + self.confidence) / 2)

    @property
    def half(self) -> Floats | None:
        """float64[d]: half-widths of intervals that cover all items together (Šidák); None if
        unknown.
        """
        if self.std is None or self.corrections:
            return None
        return simultaneous_width(self.values.size, self.confidence) * self.std

    @property
    def in_top(self) -> Floats | None:
        """float64[d]: the confidence that each item is among the `top` most frequent ones; None if
        unknown.

        Naming all items with confidence C or more is right with probability C.
        """
        if self.top is None or self.std is None or self.corrections:
            return None
        return top_confidence(self.values, self.std, self.top)

    @property
    def shown_items(self) -> list[int]:
        """The indices of the items shown: all in order, or the `top` largest estimates."""
        if self.top is None:
            return list(range(self.values.size))
        return [int(item) for item in np.argsort(-self.values, kind="stable")[: self.top]]

    def columns(self) -> dict[str, Any]:
        """The columns of the rows by their names, each with d items."""
        held = {name: getattr(self, name) for name in ("std", "low", "high", "defended")}
        if self.simultaneous and self.half is not None:
            held |= {"low_all": self.values - self.half, "high_all": self.values + self.half}
        held["in_top"] = self.in_top
        return {
            "item": range(self.values.size), "label": self.labels,
            "frequency": self.values.tolist(),
            **{name: column.tolist() for name, column in held.items() if column is not None},
        }  # fmt: skip

    def rows(self) -> list[dict[str, Any]]:
        """A row for each shown item: item, label, frequency, and if known std, low, high.

        On request also `low_all` and `high_all`, the ends of simultaneous intervals, and `in_top`.
        """
        columns = self.columns()
        return [
            {name: column[item] for name, column in columns.items()} for item in self.shown_items
        ]


def estimate_frequencies(
    total: Counted,
    confidence: float,
    corrections: Sequence[str | Mapping[str, Any]] = (),
    labels: Sequence[str] | None = None,
    top: int | None = None,
    is_simultaneous: bool = False,
) -> FrequencyEstimates:
    """The frequencies estimated from counts of reports.

    corrections : kinds, or their tables. Raises ScenarioError without a report, or for an invalid
    argument; DefenceError if a correction leaves nothing.
    """
    protocol: Any = total.protocol
    users = total.reports
    if users < 1:
        raise ScenarioError("must be at least one, got none", key="reports")
    shown = tuple(names(labels, protocol.domain_size) or total.labels
                  or map(str, range(protocol.domain_size)))  # fmt: skip
    if top is not None:
        top = whole(top, "top", 1, protocol.domain_size)
    check_estimates(protocol, "protocol.kind")
    steps: list[Any] = [
        step_of(step, CORRECTIONS, "corrections")
        for step in list_members(corrections, "corrections")
    ]
    raw = protocol.estimates(total.counts[None], users).frequencies
    knowledge = inform_server(protocol, users, np.empty(0, dtype=np.int64))
    for step in steps:
        step.check(knowledge)
    values = correct_estimates(raw.copy(), steps, knowledge)[0]
    estimates = FrequencyEstimates(
        values, users, None, confidence, shown, tuple(step.kind for step in steps),
        top=top, simultaneous=is_simultaneous,
    )  # fmt: skip
    if isinstance(protocol, Unbiased):
        estimates = replace(estimates, far=misfit(protocol, users, raw[0]))
        if not steps:
            variances = item_variances(protocol, users, np.clip(values, 0, 1))
            estimates = replace(estimates, std=np.sqrt(variances))
    return estimates
