"""A correction of estimates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def floor(
    frequencies: NDArray[np.float64],
    known: object,  # noqa: ARG001  (what the server knows: p, q, the number of reports, …)
    *,
    least: float = 0.0,
) -> NDArray[np.float64]:
    """Raise estimates [trials, items] below `least` to it."""
    return np.maximum(frequencies, least)
