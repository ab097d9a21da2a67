"""Projective geometry response (PGR), a protocol of few messages, by its two tables.

Feldman, Nelson, Nguyen, Talwar, "Private Frequency Estimation via Projective Geometry", ICML 2022.
Items and messages are points of a projective space: vectors of t elements of a prime field, up to a
factor. A message supports the items that it is orthogonal to, and those of the own item are
e^epsilon times as likely.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from ldptui.core.protocols import TableProtocol


def pgr(items: int, epsilon: float) -> TableProtocol:
    """The field has the least odd prime number of elements that is at least e^epsilon + 1."""
    least = max(3, math.ceil(math.exp(epsilon)) + 1)
    field = next(n for n in itertools.count(least) if all(n % k for k in range(2, n)))
    length = next(t for t in itertools.count(2) if len(points(field, t)) >= items)
    messages = np.array(points(field, length))
    table = messages @ messages[:items, ::-1].T % field == 0
    weights = np.where(table.T, math.exp(epsilon), 1.0)
    return TableProtocol(items, epsilon, weights / weights.sum(axis=1, keepdims=True), table)


def points(field: int, length: int) -> list[tuple[int, ...]]:
    """The points of so many elements; the first that is not 0 is 1."""
    return [
        (*[0] * before, 1, *rest)
        for before in reversed(range(length))
        for rest in itertools.product(range(field), repeat=length - 1 - before)
    ]
