"""A protocol whose report is a pair of items: two tables say all."""

from __future__ import annotations

import itertools
import math

import numpy as np

from ldptui.core.protocols import TableProtocol


def pairs(items: int, epsilon: float) -> TableProtocol:
    """A report is a pair of items, e^epsilon times as likely where it holds the own item.

    A protocol with other tables is another protocol. `TableProtocol` is ldptui's own, for Python
    code that uses it; scenarios need no more than an object with the attributes `law` and `table`.
    """
    if items < 3:
        raise ValueError(f"items must be at least 3, got {items}")
    held = list(itertools.combinations(range(items), 2))
    table = np.zeros((len(held), items), dtype=bool)  # the items that each report supports
    table[np.arange(len(held))[:, None], held] = True
    weights = np.where(table.T, math.exp(epsilon), 1.0)
    law = weights / weights.sum(axis=1, keepdims=True)  # of each report, for each own item
    return TableProtocol(items, epsilon, law, table)
