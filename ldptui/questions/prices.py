"""The errors of local protocols and of curators on one population, along n and along ε."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.sampling import Counts, Floats
from ldptui.core.lab.locality import central_mse, grown, local_mse, mean_mse
from ldptui.core.law.numbers import NumericProtocol
from ldptui.core.law.pure import gain_factor

from .choices import numbers
from .mechanisms import BESIDE, CURATORS, LOCAL, bound, curator, telling

Errors: TypeAlias = dict[str, float | None]
"""√MSE by kind; None where this ε allows none."""
POINTS: Final = 33
"""Points of a curve."""


@dataclass(frozen=True, eq=False)
class Estimand:
    """What is estimated of a population, and the kinds that do it.

    bind : the local protocol of a kind and an ε. squared : its mean squared error on a histogram.
    factor : the most that one of its reports says, as often as what is estimated.
    half : the unit of the errors.
    """

    what: str
    local: tuple[str, ...]
    curators: tuple[str, ...]
    bind: Callable[[str, float], Any]
    squared: Callable[[Any, Floats], float]
    factor: Callable[[Any], float]
    half: float = 1.0

    def errors(
        self, histogram: Counts | Floats, users: float, epsilon: float, delta: float, near: Any
    ) -> Errors:
        """√MSE of each kind with n users of these frequencies."""
        held, errors = grown(histogram, users), Errors()
        for kind in self.local:
            try:
                errors[kind] = self.half * math.sqrt(self.squared(self.bind(kind, epsilon), held))
            except ScenarioError:
                errors[kind] = None  # e^ε + 1 is no usable hash range
        for kind in self.curators:
            mechanism = curator(kind, held.size, epsilon, delta, near)
            errors[kind] = self.half * math.sqrt(central_mse(mechanism, held))
        return errors


def frequencies_of(items: int) -> Estimand:
    """The frequencies of items, by every pure protocol."""
    return Estimand(
        "a frequency", LOCAL, CURATORS, lambda kind, epsilon: bound(kind, items, epsilon),
        local_mse, gain_factor,
    )  # fmt: skip


def mean_of(protocol: NumericProtocol) -> Estimand:
    """The mean of the numbers that this protocol is about, by every protocol of numbers."""
    values = protocol.values
    return Estimand(
        "the mean",
        numbers(),
        (BESIDE,),
        telling,
        lambda made, histogram: mean_mse(made, values, histogram),
        lambda made: float(made.factor),
        (protocol.high - protocol.low) / 2,
    )


def factors(kinds: Sequence[str], errors: Sequence[Errors]) -> dict[str, list[float | None]]:
    """The factor of users of each local kind beside BESIDE, point by point."""
    return {
        kind: [
            None
            if (local := each[kind]) is None or not (central := each[BESIDE])
            else (local / central) ** 2
            for each in errors
        ]
        for kind in kinds
    }


def spaced(low: float, high: float) -> list[float]:
    """Numbers on a logarithmic scale."""
    return [float(f"{x:.6g}") for x in np.geomspace(low, high, POINTS)]
