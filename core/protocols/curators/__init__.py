"""What a trusted curator would release: central differential privacy, beside the local protocols.

Every mechanism is a frozen dataclass: a `Curator` is to a trial what a protocol is, and `sample`
draws released counts [trials, d] of a histogram; the closed forms of its error are methods.
"""

from __future__ import annotations

from .accuracy import SENSITIVITY, Neighbours
from .curator import Curator
from .geometric import Geometric
from .laplace import Laplace
from .stability import Stability

__all__ = [
    "SENSITIVITY",
    "Curator",
    "Geometric",
    "Laplace",
    "Neighbours",
    "Stability",
]
