"""The undetectable gain for any enumerated matrix of report probabilities: a linear programme.

Few reports are binding constraints. So only those are rows that some solution violates, and every
solution is pulled towards honest reports of the targets until it violates none: its gain, and the
optimum of the rows so far, enclose the optimum.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from ..base.errors import ScenarioError
from ..base.ranges import ENTRIES
from ..base.sampling import Floats
from ..law.pure import Items

ROWS: Final = 200
"""Rows that are added at once, those that are broken most."""

LISTED: Final = 1 << 24
"""Entries of the matrix of reports times items, at most, where each item has its programmes."""

TOLERANCE: Final = 1e-9
"""A report is broken if it lacks this part of its probability among honest reports of targets."""


@dataclass(frozen=True, eq=False)
class Optimum:
    """The largest undetectable gain under a protocol given as a matrix of report probabilities.

    gain : that of a feasible shift. bound : an upper bound on the gain of every feasible shift.
    reports : int64[k], the reports whose constraints were used; a start for a similar programme.
    """

    gain: float
    bound: float
    reports: Items


def optimum(
    law: Floats,
    frequencies: Floats,
    targets: Items,
    share: float,
    within: float = 0.0,
    start: Items | None = None,
) -> Optimum:
    """max Σ_T (f′ − f) subject to f′ in the simplex and M f′ ≥ (1−β) M f, report by report.

    law : float64[d, reports], M. frequencies : f, float64[d]. share : β. within : the relative
    error that the gain may have. start : int64[k], reports that are constraints from the beginning.
    Raises ScenarioError if M is too large or the programme is not solved.
    """
    if law.size > ENTRIES:
        rule = f"must have a report law of at most {ENTRIES} entries to be optimised over"
        raise ScenarioError(f"{rule}, got {law.size}", key="protocol")
    items, held = frequencies.size, float(frequencies[targets].sum())
    if share <= 0:
        return Optimum(0.0, 0.0, np.empty(0, dtype=np.int64))
    # In parts of β, δ adds up to 1. Honest reports of the targets break nothing.
    honest = np.zeros(items)
    honest[targets] = 1 / targets.size
    likely = honest @ law
    rows = np.empty(0, dtype=np.int64) if start is None else start
    most = (1 - share) / share * frequencies
    gain, bound = 1.0, np.inf
    while True:
        shift = _best(law, rows, most, targets)
        bound = min(bound, float(shift[targets].sum()))
        left = shift @ law
        broken = np.flatnonzero(left < 0)
        # The shift and honest reports, mixed until nothing is below 0.
        kept = float((likely[broken] / (likely[broken] - left[broken])).min(initial=1.0))
        gain = max(gain, kept * float(shift[targets].sum()) + 1 - kept)
        new = np.setdiff1d(broken[left[broken] < -TOLERANCE * likely[broken]], rows)
        if not new.size or bound - gain <= within * bound:
            break
        order = np.argsort(left[new] / likely[new])
        rows = np.append(rows, new[order[:ROWS]])
    return Optimum(share * (gain - held), share * (max(bound, gain) - held), rows)


def _best(law: Floats, rows: Items, most: Floats, targets: Items) -> Floats:
    """float64[d]: the δ/β that lifts the targets most under these rows; items lose `most`."""
    from scipy.optimize import linprog

    aims = np.zeros(most.size)
    aims[targets] = 1
    chosen = law[:, rows]
    answer = linprog(
        -aims,
        A_ub=-(chosen / chosen.max(axis=0)).T if rows.size else None,
        b_ub=np.zeros(rows.size) if rows.size else None,
        A_eq=np.ones((1, most.size)),
        b_eq=[1.0],
        bounds=np.stack([-most, np.full(most.size, np.inf)], axis=1),
        method="highs",
    )
    if not answer.success:
        raise ScenarioError(f"has no hidden attack: {answer.message}", key="protocol")
    return np.asarray(answer.x)


def possible(law: Floats, frequencies: Floats, share: float) -> tuple[Floats, Floats]:
    """The smallest and the largest honest frequency of each item, float64[d] each, not clipped.

    Honest f are possible with a share β of fakes if (1 − β) M f ≤ M g, report by report: with δ = g
    − (1 − β) f, Σδ = β, no M δ is negative, and no δ exceeds its g. Two linear programmes for each
    item.

    law : float64[d, reports], M. frequencies : g, float64[d], the estimates. Raises ScenarioError
    if M is too large or a programme is not solved.
    """
    from scipy.optimize import linprog

    items = frequencies.size
    if law.size * items > LISTED:
        rule = f"must have a report law of at most {LISTED // items} entries for {items} items"
        raise ScenarioError(f"{rule}, got {law.size}", key="sharp")
    sent = law[:, law.max(axis=0) > 0]
    rows = -(sent / sent.max(axis=0)).T
    bounds = np.stack([np.full(items, -np.inf), np.maximum(frequencies, 0.0)], axis=1)
    ends = np.empty((2, items))
    for item in range(items):
        for end, sign in enumerate((-1.0, 1.0)):
            aim = np.zeros(items)
            aim[item] = sign
            answer = linprog(
                aim,
                A_ub=rows,
                b_ub=np.zeros(len(rows)),
                A_eq=np.ones((1, items)),
                b_eq=[share],
                bounds=bounds,
                method="highs",
            )
            if not answer.success:
                raise ScenarioError(f"has no honest population: {answer.message}", key="sharp")
            ends[end, item] = (frequencies[item] - answer.x[item]) / (1 - share)
    return ends[0], ends[1]
