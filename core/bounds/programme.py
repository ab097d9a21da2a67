"""The undetectable gain for any matrix that can be listed: a linear programme."""

from __future__ import annotations

import numpy as np

from ..errors import ScenarioError
from ..pure import Items
from ..ranges import ENTRIES as ENTRIES
from ..sampling import Floats


def hidden_gain(law: Floats, frequencies: Floats, targets: Items, share: float) -> float:
    """The best hidden gain for any matrix float64[d, reports]; raises ScenarioError.

    max Σ_T (f′ − f) subject to f′ in the simplex and M f′ ≥ (1−β) M f, report by report.
    """
    from scipy.optimize import linprog

    columns = np.unique(law, axis=1)
    if columns.size > ENTRIES:
        rule = f"must have a report law of at most {ENTRIES} entries to be optimised over"
        raise ScenarioError(f"{rule}, got {columns.size}", key="protocol")
    aims = np.zeros(frequencies.size)
    aims[targets] = 1
    answer = linprog(
        -aims,
        A_ub=-columns.T,
        b_ub=-(1 - share) * frequencies @ columns,
        A_eq=np.ones((1, frequencies.size)),
        b_eq=[1.0],
        bounds=(0, 1),
        method="highs",
    )
    if not answer.success:
        raise ScenarioError(f"has no hidden attack: {answer.message}", key="protocol")
    return float(-answer.fun - frequencies[targets].sum())
