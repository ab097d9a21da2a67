"""Codes written down from the papers: the chance of each message by item, and what it says.

Knows nothing of core. Messages and items are few, so all of it is matrices.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import hadamard

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Code:
    """A coded protocol over d items and K messages.

    supports : int8[K, d], what each message says of each item: for it, against it, nothing.
    chances : float64[d, K], how likely each message is of each item.
    p, q : the mean support of the own item, and of any other, as the paper has them.
    """

    supports: NDArray[np.int8]
    chances: Floats
    p: float
    q: float

    @property
    def signed(self) -> bool:
        """True if messages also speak against items."""
        return bool((self.supports < 0).any())

    def best(self, targets: list[int], sign: int) -> Floats:
        """A uniform one of the messages that say most for the targets, or with -1 least."""
        said = sign * self.supports[:, targets].sum(axis=1)
        return np.asarray((said == said.max()) / (said == said.max()).sum())

    def outcomes(self, weights: Floats) -> Floats:
        """The law of what one report says, messages drawn with these weights.

        float64[2^d], or [3^d] where messages also speak against items: the digit of an item is
        then 0, 1 for it, 2 against it.
        """
        d = self.supports.shape[1]
        base = 3 if self.signed else 2
        said = (self.supports % 3).astype(np.int64) @ base ** np.arange(d)
        return np.bincount(said, weights=weights, minlength=base**d)


def coded(supports: NDArray[np.int8], epsilon: float, p: float, q: float) -> Code:
    """A code whose messages that agree are e^ε times as likely as any others."""
    weights = np.where(supports > 0, math.exp(epsilon), 1.0)
    return Code(supports, (weights / weights.sum(axis=0)).T, p, q)


def hadamard_response(d: int, epsilon: float) -> Code:
    """Acharya, Sun, Zhang, 2019, section 5."""
    e = math.exp(epsilon)
    blocks = max(2**k for k in range(40) if 2**k < min(e, 2 * d))
    size = min(2**k for k in range(40) if 2**k >= d / blocks + 1)
    rows = [(block, row) for block in range(blocks) for row in range(1, size)][:d]
    supports = np.zeros((blocks, size, d), dtype=np.int8)
    for item, (block, row) in enumerate(rows):
        supports[block, :, item] = hadamard(size)[row]
    return coded(supports.reshape(-1, d), epsilon, (e - 1) / (e - 1 + 2 * blocks), 0.0)


CODES: Final[dict[str, Callable[[int, float], Code]]] = {
    "hr": hadamard_response,
}
"""The code of each coded kind, for a number of items and a budget."""
