"""The frequencies that reports of real users tell, with their uncertainties."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from core.defences import corrected, is_correction, known
from core.errors import ScenarioError, got
from core.pure import LocalMechanism, is_pure
from core.ranges import ALPHA
from core.sampling import Counts, Floats
from core.theory import item_variances

from ..text import format as text
from ..text import table
from .by_name import defence
from .framed import framed

SHOWN = 20
"""Items of a `repr`: the largest estimates."""


@dataclass(frozen=True, eq=False)
class Frequencies:
    """The estimated share of the users who hold each item.

    values : float64[d]. reports : n, the number of users. std : float64[d], the standard deviation
    of each estimate given the true frequencies, with the estimate in their place; None after a
    correction, whose noise has no closed form, and for a protocol without one. low, high :
    float64[d], the ends of the interval of each item by itself, where there is a deviation; normal,
    so for many reports. confidence : the probability that such an interval covers. labels : the
    names of the items. corrections : those that were applied, in order.
    """

    values: Floats
    reports: int
    std: Floats | None
    confidence: float
    labels: tuple[str, ...]
    corrections: tuple[str, ...] = ()

    @property
    def low(self) -> Floats | None:
        return None if self.std is None else self.values - self._width * self.std

    @property
    def high(self) -> Floats | None:
        return None if self.std is None else self.values + self._width * self.std

    @property
    def _width(self) -> float:
        return NormalDist().inv_cdf((1 + self.confidence) / 2)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each item: item, label, frequency, and where known std, low and high."""
        columns: dict[str, Any] = {
            "item": range(self.values.size),
            "label": self.labels,
            "frequency": self.values.tolist(),
        }
        for name in ("std", "low", "high"):
            column = getattr(self, name)
            columns |= {} if column is None else {name: column.tolist()}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def to_frame(self, library: str | None = None) -> Any:
        """`rows()` as a data frame.

        library : "polars" or "pandas"; without it the first of them that is installed. Raises
        RunError where none is.
        """
        return framed(self.rows(), library)

    def __repr__(self) -> str:
        order = np.argsort(-self.values, kind="stable")[:SHOWN].tolist()
        width = None if self.std is None else self._width * self.std
        heads = ["item", "frequency", *([] if width is None else [f"± {self.confidence:.0%}"])]
        rows = [
            [
                self.labels[item],
                f"{self.values[item]:.5f}",
                *([] if width is None else [f"{width[item]:.5f}"]),
            ]
            for item in order
        ]
        steps = f", after {', '.join(self.corrections)}" * bool(self.corrections)
        more = f"; the {SHOWN} largest" * (self.values.size > SHOWN)
        head = f"{text.count(self.values.size)} items of {text.count(self.reports)} reports"
        return f"{head}{steps}{more}\n\n{table.plain_table(heads, rows)}".rstrip()


def estimate(
    reports: Any,
    protocol: LocalMechanism,
    *,
    corrections: Sequence[str | Mapping[str, Any]] = (),
    confidence: float = 0.95,
    labels: Sequence[str] | None = None,
) -> Frequencies:
    """The frequencies that reports tell.

    reports : as `protocol.perturb` makes them; the first axis is users. corrections : kinds of
    `kinds("defence")` that change estimates, or tables with parameters, `{"kind": "base-cut", …}`.
    confidence : of the intervals, in (0, 1). labels : the names of the items, else their numbers.

    Raises ScenarioError for reports that the protocol does not send, for none at all, and for a
    correction that makes no sense here; DefenceError where it leaves nothing.

    >>> from ldptui import protocol
    >>> grr, rng = protocol("grr", items=4, epsilon=2.0), np.random.default_rng(0)
    >>> found = estimate(grr.perturb(np.repeat([0, 1], [3000, 1000]), rng), grr)
    >>> bool((found.low < [0.75, 0.25, 0, 0]).all() and (found.high > [0.75, 0.25, 0, 0]).all())
    True
    """
    count = len(reports) if hasattr(reports, "__len__") else 0
    try:
        protocol.received(reports, count)  # a check: the law of SHE's reports is not clipped
    except ValueError as error:
        raise ScenarioError(str(error), key="reports") from error
    counts = protocol.support_counts(reports)
    return concluded(counts, count, protocol, corrections, confidence, labels)


def concluded(
    counts: Counts,
    users: int,
    protocol: LocalMechanism,
    corrections: Iterable[str | Mapping[str, Any]] = (),
    confidence: float = 0.95,
    labels: Sequence[str] | None = None,
) -> Frequencies:
    """As `estimate`, from the counts of all reports: those of several batches add up."""
    if users < 1:
        raise ScenarioError("must be at least one, got none", key="reports")
    if confidence not in ALPHA:
        raise ScenarioError(f"must be {ALPHA}, {got(confidence)}", key="confidence")
    if labels is not None and len(labels) != protocol.domain_size:
        raise ScenarioError(f"must be {protocol.domain_size} names, got {len(labels)}", "labels")
    values = protocol.estimates(counts[None], users).frequencies[0]
    steps = [_correction(step) for step in corrections]
    knowledge = known(protocol, users, np.empty(0, dtype=np.int64))
    for step in steps:
        step.check(knowledge)
    std = None
    if is_pure(protocol) and not steps:
        std = np.sqrt(item_variances(protocol, users, np.clip(values, 0, 1)))
    if steps:
        values = corrected(values[None], steps, knowledge)[0]
    names = labels or [str(item) for item in range(protocol.domain_size)]
    made = tuple(step.kind for step in steps)
    return Frequencies(values, users, std, float(confidence), tuple(names), made)


def _correction(step: str | Mapping[str, Any]) -> Any:
    made = defence(step) if isinstance(step, str) else defence(**step)
    if not is_correction(made):
        rule = "must be a correction, which changes estimates"
        raise ScenarioError(f"{rule}, {got(made.kind)}", key="corrections")
    return made
