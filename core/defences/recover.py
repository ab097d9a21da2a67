"""LDPRecover: take the fakes' part out of the estimates, and project the rest onto the simplex.

"LDPRecover: Recovering Frequencies from Poisoning Attacks against Local Differential Privacy", ICDE
2024. What a server estimates from n genuine and m fake reports is (n f_X + m f_Y) / (n + m), so
that f_X = (1+η) f~ - η f_Y with η = m/n, which the server has to guess.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from ..base.sampling import Floats
from .norms import project
from .step import ETA, Correction, Known


@dataclass(frozen=True)
class Recover(Correction):
    """The fakes' reports are taken to support one item each, evenly over those above 0.

    The estimates of such fakes sum to (1 - qd)/(p - q); the method gives that mass to the items
    above 0 in equal parts. It is one number for all items that survive the projection, which
    cancels: the result is the projection of (1+η) f~ wherever the positive estimates, so enlarged,
    sum to one at least, and that mass is at most 1, as of all reports that speak against no item.
    """

    needs = "pure"
    eta: Annotated[float, ETA]
    kind: Literal["ldprecover"] = "ldprecover"

    def correct(self, frequencies: Floats, known: Known) -> Floats:
        p, q = known.probabilities
        above = frequencies > 0
        mass = (1 - q * known.domain_size) / (p - q)
        each = mass / np.maximum(above.sum(axis=-1, keepdims=True), 1)
        return project((1 + self.eta) * frequencies - self.eta * np.where(above, each, 0.0))


@dataclass(frozen=True)
class RecoverTargets(Correction):
    """LDPRecover* for a server that knows the targets: a fake is taken to support one of them.

    The estimates of such fakes are -q/(p-q) for other items and (1 - qr)/(r(p-q)) for each of the
    r targets. That is exact for MGA on GRR; fakes that support several targets gain more than is
    taken out. Without targets, where nobody attacks, it has nothing to take out.
    """

    needs = "pure"
    eta: Annotated[float, ETA]
    kind: Literal["ldprecover-star"] = "ldprecover-star"

    def correct(self, frequencies: Floats, known: Known) -> Floats:
        if not known.targets.size:
            return project(frequencies)
        p, q = known.probabilities
        fakes = np.full(known.domain_size, -q / (p - q))
        fakes[known.targets] += 1 / (known.targets.size * (p - q))
        return project((1 + self.eta) * frequencies - self.eta * fakes)
