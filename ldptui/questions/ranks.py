"""Items by their ranks, as charts show them."""

from __future__ import annotations

from typing import Final

import numpy as np

from ldptui.core.base.sampling import Counts

POINTS: Final = 256
"""Items drawn at most: of more of them, ranks on a logarithmic axis."""


def rank_items(histogram: Counts) -> tuple[Counts, Counts, bool]:
    """Items from the most frequent on, their ranks, and whether ranks are thinned out."""
    order = np.argsort(-histogram, kind="stable")
    if order.size <= POINTS:
        return order, np.arange(1, order.size + 1), False
    ranks = np.unique(np.geomspace(1, order.size, POINTS).round().astype(np.int64))
    return order[ranks - 1], ranks, True
