"""A metric."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import ldptui


def kendall_tau(frequencies: NDArray[np.float64], facts: ldptui.Facts, *, most: int = 0) -> float:
    """The rank correlation of estimates and truth: 1 for the true order, −1 for its reverse.

    most : compare the truly most frequent items alone, this number of them; 0 for all. Kendall's
    tau-b (Biometrika 1945, 33:239): ties count for neither; 0 where there are only ties.
    """
    held = np.argsort(-facts.truth, kind="stable")[: most or None]
    orders = [np.sign(values[held, None] - values[held]) for values in (frequencies, facts.truth)]
    together, first, second = (
        float((one * other).sum()) for one, other in (orders, orders[:1] * 2, orders[1:] * 2)
    )
    return together / (first * second) ** 0.5 if first and second else 0.0
