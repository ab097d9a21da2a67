"""Exact confidence bounds of a probability."""

from __future__ import annotations

from typing import Any

import numpy as np

from .sampling import Floats


def clopper_pearson(hits: Any, of: Any, alpha: Any) -> tuple[Floats, Floats]:
    """The lower and upper confidence bounds of a proportion, float64[…] each, wrong with
    probability α at most each.

    hits : float64[…], the number of successes; not an integer if it is a mean. of : the number of
        trials. alpha : α, one number or one for each.

    Clopper, Pearson, Biometrika 26, 1934.
    """
    from scipy.special import betainccinv, betaincinv

    hits, tiny = np.asarray(hits, dtype=np.float64), np.finfo(np.float64).tiny
    left = of - hits
    low = np.where(hits > 0, betaincinv(np.maximum(hits, tiny), left + 1, alpha), 0.0)
    high = np.where(left > 0, betainccinv(hits + 1, np.maximum(left, tiny), alpha), 1.0)
    return low, high
