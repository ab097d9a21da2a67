"""Projective geometry response (PGR): the report is a point of a projective space.

Feldman, Nelson, Nguyen, Talwar, "Private frequency estimation via projective geometry", ICML 2022.
Items and messages are points of PG(t - 1, F): vectors of t elements of a prime field F, up to a
factor. A message supports the items that it is orthogonal to: a hyperplane of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any, ClassVar

import numpy as np

from ..base.sampling import Counts, Floats
from ..law.loss import DiscreteLoss, signs
from ..law.pure import Items, Reports, Rng, Supports, item_variance
from .budget import Budget
from .coded import Coded
from .geometry import (
    AVERAGE,
    EVERY,
    Drawn,
    Ways,
    numbers,
    orthogonal,
    points,
    random_orthogonal,
    vectors,
)


@dataclass(frozen=True)
class ProjectiveGeometry(Coded):
    """Send a point orthogonal to the own item's with probability p, each of the others alike.

    Reports are uint32[n], the numbers of points; item v is the point of that number.
    """

    called: ClassVar[str] = "PGR"
    family: ClassVar[str] = "projective"
    lacks: ClassVar[dict[str, str]] = {
        "coincide": "PGR, whose reports of one user are not compared",
        "columns": "PGR, whose report is a point, and supports the items of a hyperplane at once",
        "conditioned": "PGR, for whose reports no best way to hide is known",
        "subset": "PGR, whose report supports the items of a hyperplane and no part of them",
        "disguised": "PGR, whose report is a point and has no number of ones",
    }

    @cached_property
    def field_size(self) -> int:
        """The least odd prime that is at least e^ε + 1: number of elements of F."""
        least = max(3, math.ceil(math.exp(self.epsilon) + 1))
        return next(size for size in count(least) if _is_odd_prime(size))

    @cached_property
    def dimension(self) -> int:
        """t, the least for which there are as many points as items."""
        return next(t for t in count(2) if points(self.field_size, t) >= self.domain_size)

    @property
    def messages(self) -> int:
        return points(self.field_size, self.dimension)

    @property
    def agreeing(self) -> int:
        return points(self.field_size, self.dimension - 1)

    @property
    def shared(self) -> int:
        """The number of messages that agree with two given items."""
        return points(self.field_size, self.dimension - 2)

    @property
    def _weight(self) -> float:
        """The inverse of the probability of a message that does not agree."""
        return math.expm1(self.epsilon) * self.agreeing + self.messages

    @property
    def p(self) -> float:
        return math.exp(self.epsilon) * self.agreeing / self._weight

    @property
    def q(self) -> float:
        return (math.expm1(self.epsilon) * self.shared + self.agreeing) / self._weight

    @property
    def accepted(self) -> tuple[float, float]:
        """A point that is orthogonal to an item's is orthogonal to another's as often as that."""
        return 1.0, self.shared / self.agreeing

    def supports(self, reports: Reports) -> Supports:
        size, t = self.field_size, self.dimension
        items = vectors(np.arange(self.domain_size), size, t)[:, ::-1]
        return np.asarray(vectors(reports, size, t) @ items.T % size == 0)

    def message_name(self, message: int) -> str:
        point = vectors(np.array([message]), self.field_size, self.dimension)[0]
        return f"point ({', '.join(map(str, point.tolist()))})"

    def _agreeing(self, values: Items, rng: Rng) -> Reports:
        return numbers(
            random_orthogonal(values, self.field_size, self.dimension, rng), self.field_size
        )

    def _agreed(self, users: Counts, rng: Rng) -> Counts:
        return np.asarray(self._walked(users, Drawn(rng)))

    def _agreed_law(self, frequencies: Floats) -> Floats:
        return np.asarray(self._walked(frequencies, AVERAGE))

    def _weighed(self, weights: Floats) -> Floats:
        return np.asarray(self._walked(weights, EVERY))

    def _heard(self, messages: Any) -> Any:
        heard = orthogonal(messages, self.field_size, self.dimension, EVERY)
        return heard[..., : self.domain_size]

    def _walked(self, items: Any, ways: Ways) -> Any:
        """[…, K], what stands at the points of items [..., d] walked to the messages."""
        spare = self.messages - self.domain_size
        everywhere = np.pad(items, [(0, 0)] * (items.ndim - 1) + [(0, spare)])
        return orthogonal(everywhere, self.field_size, self.dimension, ways)

    def placed_variances(self, frequencies: Floats) -> Floats:
        return np.asarray(item_variance(self, 1, frequencies))

    def privacy_loss(self) -> DiscreteLoss:
        """The privacy loss between two items: a message agrees with one of them, both or none."""
        own = (self.agreeing - self.shared) / self._weight
        return signs(self.epsilon, own * math.exp(self.epsilon), own)


def _is_odd_prime(number: int) -> bool:
    return number % 2 == 1 and all(number % d for d in range(3, math.isqrt(number) + 1, 2))


@dataclass(frozen=True)
class ProjectiveSpec(Budget, kind="pgr", mechanism=ProjectiveGeometry):
    """Projective geometry response before the domain is known."""


SPECS = (ProjectiveSpec,)
