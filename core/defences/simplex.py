"""The nearest frequencies to an estimate that can be true: its projection onto a simplex."""

from __future__ import annotations

import numpy as np

from ..base.sampling import Floats


def project(frequencies: Floats, total: float | Floats = 1.0) -> Floats:
    """The nearest point with no value below 0 and this sum, for each row of float64[trials, d].

    max(f - t, 0) with the t that makes the sum `total`, found among the sorted values in
    O(d log d). Values of -inf become 0; so does everything where the total is 0 or less. Held,
    Wolfe, Crowder, Mathematical Programming 1974.

    total : a number, or float64[trials].
    """
    falling = -np.sort(-frequencies, axis=-1)
    sizes = np.arange(1, frequencies.shape[-1] + 1)
    sums = np.asarray(total, dtype=np.float64)[..., None]
    shifts = (np.cumsum(falling, axis=-1) - sums) / sizes
    kept = (falling > shifts).sum(axis=-1, keepdims=True)
    shift = np.take_along_axis(shifts, np.maximum(kept - 1, 0), axis=-1)
    return np.maximum(frequencies - np.where(kept, shift, np.inf), 0)
