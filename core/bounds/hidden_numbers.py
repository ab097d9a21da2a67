"""Undetectable attacks on numbers: fakes whose reports look like another honest population's.

Fakes with the report distribution z hide if (1−β)Pf + βz = Pf′ for a population f′, P the table of
honest reports. So f′ is any population with Pf′ ≥ (1−β)Pf, and the one with the largest mean is a
linear programme. Our derivation; `docs/theory.md` has the same for frequencies.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from ..base.errors import RunError
from ..base.sampling import Floats


def hidden_law(table: Floats, values: Floats, genuine: Floats, share: float) -> Floats:
    """float64[K]: the undetectable distribution of fakes' reports, a share β of all, that moves the
    mean most.

    table : float64[K, d], columns are distributions of honest reports. values : float64[d], the
    numbers whose mean shall grow. genuine : float64[d], the genuine users' distribution over them.
    Raises RunError if the programme is not solved.
    """
    key = (table.tobytes(), values.tobytes(), genuine.tobytes(), share)
    return _solve_law(*key, table.shape)


def least_shift(epsilon: float, values: Floats, genuine: Floats, share: float) -> float:
    """The shift of a mean that stays undetectable under every ε-LDP protocol.

    A share β of all moves to the largest number, and so may β/(e^ε − 1) of the lowest numbers: a
    report is at most e^ε times as likely for these. It is the largest shift for a protocol with a
    report for every set of numbers, e^ε times as likely for these.

    values, genuine : float64[d], as in `hidden_law`.
    """
    order = np.argsort(values)
    held = (1 - share) * genuine[order]
    moved = np.diff(np.minimum(np.cumsum(held), share / math.expm1(epsilon)), prepend=0.0)
    top = float(values.max())
    return float(share * (top - genuine @ values) + moved @ (top - values[order]))


@lru_cache(maxsize=16)
def _solve_law(
    table: bytes, values: bytes, genuine: bytes, share: float, shape: tuple[int, int]
) -> Floats:
    from scipy.optimize import linprog

    law = np.frombuffer(table).reshape(shape)
    numbers, held = np.frombuffer(values), np.frombuffer(genuine)
    honest = law @ held
    best = linprog(
        -numbers,
        A_ub=-law,
        b_ub=-(1 - share) * honest,
        A_eq=np.ones((1, numbers.size)),
        b_eq=[1.0],
        bounds=(0, 1),
        method="highs",
    )
    if best.status != 0:
        raise RunError(f"the best hidden population was not found: {best.message}")
    sent = np.clip(law @ best.x - (1 - share) * honest, 0.0, None)
    return np.asarray(sent / sent.sum())
