"""The frequencies that may be an honest population's, for any enumerated matrix of report
probabilities: linear programmes.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ..base.errors import ScenarioError
from ..base.sampling import Floats

LISTED: Final = 1 << 24
"""Entries of the matrix of reports times items, at most, where each item has its programmes."""


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
