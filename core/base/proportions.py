"""The exact bounds of a probability from how often something happened."""

from __future__ import annotations

from typing import Any

import numpy as np

from .sampling import Floats


def clopper_pearson(hits: Any, of: Any, alpha: Any) -> tuple[Floats, Floats]:
    """The lower and upper confidence bounds of a proportion, each wrong with probability α at most.

    hits : how often, float64[…]; not whole where it is the mean of a number of successes. of : the
        trials. alpha : α, one number or one for each.

    Clopper, Pearson, Biometrika 26, 1934.
    """
    from scipy.special import betainccinv, betaincinv

    hits, tiny = np.asarray(hits, dtype=np.float64), np.finfo(np.float64).tiny
    left = of - hits
    low = np.where(hits > 0, betaincinv(np.maximum(hits, tiny), left + 1, alpha), 0.0)
    high = np.where(left > 0, betainccinv(hits + 1, np.maximum(left, tiny), alpha), 1.0)
    return low, high
