"""Releases of a trusted curator: central differential privacy, beside the local protocols.

Every mechanism is a frozen dataclass: a `Curator` is to a trial what a protocol is, and `sample`
draws released counts [trials, d] of a histogram; the closed forms of its error are methods.
"""

from __future__ import annotations

from .accuracy import SENSITIVITY, Neighbours
from .curator import Curator
from .laplace_geometric import Geometric, GeometricSpec, Laplace, LaplaceSpec
from .stability import Stability, StabilitySpec

SPECS = (LaplaceSpec, GeometricSpec, StabilitySpec)
