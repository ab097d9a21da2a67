"""Secure aggregation (Prio): servers that see shares add up vectors, and noise, item by item.

Corrigan-Gibbs, Boneh, NSDI 2017; the circuits are those of draft-irtf-cfrg-vdaf. A client proves
that its vector is valid for the circuit, the only rule that a fake has to obey: one item
(`histogram`), up to w items (`multihot`), or any set of items (`sumvec`). Honest users have one
item each. Every aggregator adds noise that suffices alone, so that one honest aggregator protects.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Annotated, ClassVar, Final, Literal, NoReturn, TypeAlias

import numpy as np

from ...base.errors import ScenarioError, got
from ...base.ranges import Range
from ...base.sampling import Counts, Floats, binomials, subset_counts
from ...law.law import Ask, Lack, Law, group_by_size, towards_targets
from ...law.pure import Rng
from ...law.support import Support
from .accuracy import GEOMETRIC, Precision, sensitivity
from .curator import Curator
from .laplace_geometric import Geometric

Circuit: TypeAlias = Literal["histogram", "multihot", "sumvec"]
Noise: TypeAlias = Literal["laplace", "gaussian"]

WEIGHT: Final = Range(2, 2**20)
AGGREGATORS: Final = Range(1, 16)
SLACK: Final = Range(0, 1, "()")
TAIL: Final = 12
"""Standard deviations of the discrete Gaussian that are drawn: all but 10^-32 of it."""


def gaussian_delta(epsilon: float, ratio: float) -> float:
    """The δ, at this ε, of Gaussian noise with σ = Δ/ratio.

    Balle, Wang, ICML 2018, theorem 8.
    """
    from scipy.special import log_ndtr, ndtr

    near, far = ratio / 2 - epsilon / ratio, -ratio / 2 - epsilon / ratio
    return float(ndtr(near) - math.exp(epsilon + float(log_ndtr(far))))


def gaussian_sigma(epsilon: float, delta: float, distance: float) -> float:
    """The smallest σ of Gaussian noise that makes a release (ε, δ)-private.

    distance : Δ, the largest change of the release by one user, in the Euclidean norm. Balle, Wang,
    ICML 2018, algorithm 1.
    """
    from scipy.optimize import brentq

    low, high = math.log(1e-12), math.log(1e6)
    root = brentq(lambda x: gaussian_delta(epsilon, math.exp(x)) - delta, low, high, xtol=1e-14)
    return distance / math.exp(root)


@dataclass(frozen=True)
class Aggregate(Curator):
    """Secure aggregation (Prio): the sum of vectors with proofs of validity, plus noise from each
    aggregator.

    circuit : the vectors that a proof admits. weight : w of `multihot`; None for other circuits.
    aggregators : the number that add noise. noise_law : discrete Laplace, or discrete Gaussian,
    which needs `slack`, the δ. Raises ScenarioError if `weight` or `slack` does not fit.
    """

    family: ClassVar[str] = "aggregated"
    lacks: ClassVar[dict[str, str]] = {
        "sample_background": "secure aggregation, whose servers see no reports",
        "subset": "secure aggregation, where a fake sets as many of all targets as a proof admits",
        "disguised": "secure aggregation, whose servers see no numbers of ones",
    }
    precision: ClassVar[Precision] = GEOMETRIC

    circuit: Circuit = "histogram"
    weight: Annotated[int, WEIGHT] | None = None
    aggregators: Annotated[int, AGGREGATORS] = 2
    noise_law: Noise = "laplace"
    slack: Annotated[float, SLACK] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        multihot = self.circuit == "multihot"
        if multihot and (self.weight is None or self.weight > self.domain_size):
            rule = f"must be in [2, {self.domain_size}], the items that a proof admits at most"
            raise ScenarioError(f"{rule}, {got(self.weight)}", key="weight")
        if not multihot and self.weight is not None:
            rule = f'must be left out with circuit = "{self.circuit}"'
            raise ScenarioError(f"{rule}, {got(self.weight)}", key="weight")
        if self.noise_law == "gaussian" and self.slack is None:
            raise ScenarioError("is required for discrete Gaussian noise", key="delta")

    @property
    def delta(self) -> float:  # type: ignore[override]
        """δ of the release for Gaussian noise; 0 otherwise."""
        return self.slack or 0.0

    @property
    def item_limit(self) -> int:
        """The largest number of items that one client's vector can have under its proof."""
        return {"histogram": 1, "multihot": self.weight or 1, "sumvec": self.domain_size}[
            self.circuit
        ]

    @property
    def honest_items(self) -> int:
        """The number of items in one vector that the noise has to hide: w of `multihot`,
        else one.
        """
        return self.weight or 1

    # The noise.

    @cached_property
    def _laplace(self) -> Geometric:
        """The noise of one aggregator, where it is discrete Laplace: one of ε over w items."""
        return Geometric(self.domain_size, self.epsilon / self.honest_items, self.neighbours)

    @cached_property
    def sigma(self) -> float:
        """σ of one aggregator's discrete Gaussian noise; raises ScenarioError for Laplace."""
        if self.slack is None:
            raise ScenarioError("is required for discrete Gaussian noise", key="delta")
        distance = math.sqrt(self.honest_items * sensitivity(self.neighbours))
        return gaussian_sigma(self.epsilon, self.slack, distance)

    @property
    def scale(self) -> float:
        """The scale of one aggregator's noise, in users: s of discrete Laplace noise, or σ of
        Gaussian noise.
        """
        return self.sigma if self.noise_law == "gaussian" else self._laplace.scale

    @cached_property
    def _one(self) -> tuple[Counts, Floats]:
        """The values of one aggregator's noise, and their probabilities; all but 10^-16 of them."""
        if self.noise_law == "laplace":
            reach = math.ceil(-math.log(1e-18) * self._laplace.scale)
            values = np.arange(-reach, reach + 1)
            likely = self._laplace.probability(values)
        else:
            reach = math.ceil(TAIL * self.sigma) + 1
            values = np.arange(-reach, reach + 1)
            likely = np.exp(-((values / self.sigma) ** 2) / 2)
        return values, likely / likely.sum()

    @property
    def noise_variance(self) -> float:
        """The variance of the noise of one count, of all aggregators together."""
        if self.noise_law == "laplace":
            return self.aggregators * float(self._laplace.squared_error(np.zeros(1))[0])
        values, likely = self._one
        return self.aggregators * float(likely @ values**2)

    def noise(self, shape: tuple[int, ...], rng: Rng) -> Counts:
        total = np.zeros(shape, dtype=np.int64)
        for _ in range(self.aggregators):
            if self.noise_law == "laplace":
                total += self._laplace.noise(shape, rng)
            else:
                values, likely = self._one
                total += rng.choice(values, size=shape, p=likely)
        return total

    def squared_error(self, histogram: Counts | Floats) -> Floats:
        return np.full(histogram.shape, self.noise_variance)

    def tail(self, histogram: Counts, accuracy: float) -> Floats:
        values, likely = self._one
        total = likely
        for _ in range(self.aggregators - 1):
            total = np.convolve(total, likely)
        reach = self.aggregators * int(values[-1])
        beyond = np.abs(np.arange(-reach, reach + 1)) > accuracy
        return np.full(histogram.shape, float(total[beyond].sum()))

    # What fakes send.

    def law_of(self, ask: Ask) -> Law | Lack:
        """The distribution of a fake's vector: as many targets as the proof admits, or one honest
        item; a Lack if no such distribution is known.
        """
        d, r = self.domain_size, ask.targets.size
        if self.item_limit == 1 or ask.law in ("honest", "unperturbed"):
            return super().law_of(ask)
        chosen = ask.find_items(d)
        if chosen is None:
            return self.lack(ask)
        if ask.law == "random" and self.circuit == "sumvec":
            fair = Support(0.5, 0.5, r / 4, (d - r) / 4, 0.0)
            return towards_targets(ask, d, _no_vectors, self._fair, lambda: fair)
        picks = min(self.item_limit, chosen.size)
        draw = partial(self._pick_items, chosen, picks)
        return towards_targets(
            ask, d, _no_vectors, draw, lambda: self._picks(chosen.size, picks, ask)
        )

    def _fair(self, count: Counts, rng: Rng) -> Counts:
        return self.sample_counts(binomials(count, 0.5, self.domain_size, rng), rng)

    def _pick_items(self, items: Counts, picks: int, count: Counts, rng: Rng) -> Counts:
        """Counts of int64[trials] fakes who set this many of the items, any of them."""
        vectors = np.zeros((count.size, self.domain_size), dtype=np.int64)
        users = group_by_size(count[:, None], np.array([picks]))
        vectors[:, items] = subset_counts(users, items.size, rng)
        return self.sample_counts(vectors, rng)

    def _picks(self, size: int, picks: int, ask: Ask) -> Support:
        """The support of `picks` of `size` items: all targets, all others, or all items."""
        rate, r = picks / size, ask.targets.size
        if ask.law == "crafted":
            return Support(rate, 0.0, 0.0, 0.0, 0.0)
        if ask.law == "avoided":
            return Support(0.0, rate, 0.0, 0.0, 0.0)
        spread = r * rate * (1 - rate) * (size - r) / max(size - 1, 1)
        return Support(rate, rate, spread, spread, -spread)


def _no_vectors(*_: object) -> NoReturn:
    raise ScenarioError("must be drawn as counts: servers see shares of vectors", key="law")
