"""A population."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def steps(items: int, *, width: int = 2) -> NDArray[np.float64]:
    """Weights of items that stand on steps, `width` items each, the first step the highest."""
    if width < 1:
        raise ValueError(f"width must be at least 1, got {width}")
    return 1.0 / (1 + np.arange(items) // width)
