"""A protocol that needs nothing but its privacy budget, as a scenario names it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from ..base.ranges import EPSILON, Bounded, Range


@dataclass(frozen=True)
class Budget(Bounded):
    """The table of a protocol that a budget alone binds, before the domain is known.

    A kind is a subclass that names its `kind` and its `mechanism`, and can `bind` one.
    """

    kind: str
    epsilon: Annotated[float, EPSILON]

    mechanism: ClassVar[type[Any]]


@dataclass(frozen=True)
class Dial:
    """A parameter of a kind that trades noise for robustness, at the same ε.

    name : its key. whole : it is an integer. below_items : it is smaller than the domain.
    """

    name: str
    allowed: Range
    whole: bool = False
    below_items: bool = False
