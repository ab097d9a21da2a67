"""Protocols and curators by the names that the lab's options have."""

from __future__ import annotations

from core.protocols import OLH, PROTOCOLS
from core.protocols.curators import Curator, Geometric, Laplace, Neighbours, Stability
from core.pure import PureProtocol


def bound(kind: str, items: int, epsilon: float, hash_range: int | None = None) -> PureProtocol:
    """A pure protocol by its name; raises ScenarioError."""
    if kind == "olh":
        return OLH(items, epsilon, "nearest" if hash_range is None else hash_range)
    return PROTOCOLS[kind](kind, epsilon).bind(items)


def curator(kind: str, items: int, epsilon: float, delta: float, neighbours: Neighbours) -> Curator:
    """A central mechanism by its name; raises ScenarioError."""
    if kind == "stability":
        return Stability(items, epsilon, neighbours, delta=delta)
    return (Geometric if kind == "geometric" else Laplace)(items, epsilon, neighbours)
