"""A trusted curator: users send it their items, and it releases a histogram with noise.

What Laplace, geometric and stability have in common. A curator is a mechanism whose counts are
[trials, 2, d]: in the first row the users of each item, in the second the noise of each bin. The
noise is drawn once for a release, so that a release with fake users and one without share it, as
two runs of a protocol share their genuine reports.

A fake user sends an item, and so adds one count to one bin: with RIA and MGA that of a uniformly
chosen target, with RPA that of a uniformly random item, with demotion that of a non-target. That
is a report that supports its item with probability 1 and no other item: G = β (S - f_T) with
S = 1 for RIA and MGA, r/d for RPA, 0 for demotion.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Annotated, Any, ClassVar, Final, NoReturn

import numpy as np

from ...base.errors import ScenarioError
from ...base.ranges import BUDGET, DOMAIN, EPSILON, RangeChecked, check_bounds
from ...base.sampling import Counts, Floats
from ...law.law import Ask, Lack, Law, one_item
from ...law.moments import Collection, EstimateMoments, Moments
from ...law.pure import Estimates, Items, Rng, Supporting, Total
from ...law.support import ItemSupport
from ..budget import ProtocolSpec
from .accuracy import Neighbours, Precision, scale, sensitivity


def clean_release(curator: Curator, collection: Collection) -> tuple[Floats, Floats]:
    """Mean and variance of each estimate without the attack: float64[d] each."""
    if collection.rounds:
        return _pool_rounds([clean_release(curator, part) for part in collection.rounds],
                       np.array([part.users for part in collection.rounds]))  # fmt: skip
    moments = curator.moments(collection.histogram)
    assert moments is not None  # without fakes there is always a closed form
    return moments[0] / collection.users, moments[1] / collection.users**2


@lru_cache(maxsize=4)
def attacked_release(curator: Curator, collection: Collection) -> tuple[Floats, Floats] | None:
    """Mean and variance of each estimate with the attack: float64[d] each.

    None if the distribution of the fakes' items is not known, or if the exact sum is too long.
    """
    if collection.rounds:
        rounds = [attacked_release(curator, part) for part in collection.rounds]
        known = [moments for moments in rounds if moments is not None]
        users = np.array([part.users + part.malicious for part in collection.rounds])
        return _pool_rounds(known, users) if len(known) == len(rounds) else None
    if not collection.is_foreseen:
        return None
    fakes = [(count, law.rates) for count, law in collection.fakes]
    moments = curator.moments(collection.histogram, fakes)
    everyone = collection.users + collection.malicious
    return None if moments is None else (moments[0] / everyone, moments[1] / everyone**2)


def _pool_rounds(rounds: Sequence[tuple[Floats, Floats]], users: Floats) -> tuple[Floats, Floats]:
    """Mean and variance of the mean over releases, by their users; their noise is independent."""
    weights = users / users.sum()
    means, variances = (np.array([moments[at] for moments in rounds]) for at in (0, 1))
    return weights @ means, weights**2 @ variances


_TOLD: Final = "a trusted curator, whom every user tells one item"


@dataclass(frozen=True)
class Curator(Supporting, EstimateMoments):
    """The base of central mechanisms that release a noisy histogram; (ε, δ)-private.

    Histograms are int64[…, d], users per item.
    """

    family: ClassVar[str] = "curators"
    lacks: ClassVar[dict[str, str]] = {
        "sample_background": f"{_TOLD}: there is no report to hide",
        "subset": f"{_TOLD}: every subset gives what mga gives",
        "disguised": f"{_TOLD}: there is no number of ones",
    }

    withholds: ClassVar[bool] = False
    """True if bins of few users are withheld: then errors and gains depend on the counts."""

    domain_size: Annotated[int, DOMAIN]
    epsilon: Annotated[float, BUDGET]
    neighbours: Neighbours = "change-one"

    delta = 0.0  # no field: only the stability mechanism has one

    @property
    def item_limit(self) -> int:
        """The largest number of items that one client, honest or not, can add to."""
        return 1

    # Who tells a curator their item supports it with certainty, and no other one.
    p = 1.0
    q = 0.0

    def __post_init__(self) -> None:
        check_bounds(self)
        sensitivity(self.neighbours)

    @property
    def scale(self) -> float:
        """s = Δ/ε, the scale of the noise of one bin, in users."""
        return scale(self.epsilon, self.neighbours)

    # The release.

    @abstractmethod
    def noise(self, shape: tuple[int, ...], rng: Rng) -> Counts | Floats:
        """Random independent noise for an array of bins."""

    def release(self, histogram: Counts, noise: Counts | Floats) -> Floats:
        """float64[…, d]: the released counts of a histogram with this noise."""
        return np.asarray(histogram + noise, dtype=np.float64)

    def sample(self, histogram: Counts, rng: Rng) -> Floats:
        """float64[trials, d]: released counts of int64[trials, d] users per item."""
        return self.release(histogram, self.noise(histogram.shape, rng))

    # The interface of `core.law.mechanism.Mechanism`.

    def law_of(self, ask: Ask) -> Law | Lack:
        """The distribution of a fake's item for an attack; a Lack if no such distribution
        is known.
        """
        d = self.domain_size
        told = ask.targets if ask.law in ("honest", "unperturbed") else ask.find_items(d)
        if told is None:
            return self.lack(ask)
        law = one_item(ask, d, told, _no_reports, self.sample_counts)
        if ask.held is None:
            return law
        return replace(law, support=partial(self.held_support, ask.frequencies(d)))

    def sample_counts(self, histogram: Counts, rng: Rng) -> Counts:  # noqa: ARG002
        """int64[trials, 2, d]: the users of each item before noise, and zeros in place of the
        noise.
        """
        return np.stack([histogram, np.zeros_like(histogram)], axis=-2)

    def noise_counts(self, trials: int, rng: Rng) -> Counts | Floats:
        """[trials, 2, d]: random noise of one release for each trial, to be added to the users."""
        noise: Any = self.noise((trials, self.domain_size), rng)
        return np.stack([np.zeros_like(noise), noise], axis=-2)

    def unperturbed_counts(self, histogram: Counts, rng: Rng) -> Counts:
        return self.sample_counts(histogram, rng)

    def estimates(self, counts: Counts, users: int) -> Estimates:
        """Estimated frequencies float64[…, d]: the released counts divided by the number
        of users.
        """
        return Estimates(self.release(counts[..., 0, :], counts[..., 1, :]) / users)

    # The support of one fake user, towards r targets.

    def held_support(self, frequencies: Floats, counted: Items) -> ItemSupport:
        hit = float(frequencies[counted].sum())
        return ItemSupport(frequencies, hit * (1 - hit))

    def total_variance(self, total: Total) -> float:
        """n times the variance of the sum of r bins' estimates, in a difference of two releases
        with the same noise.
        """
        return total.r * float(self.squared_error(np.full(1, 2**53))[0]) / total.users

    def means(self, collection: Collection) -> Moments | None:
        poisoned = attacked_release(self, collection)
        return clean_release(self, collection)[0], None if poisoned is None else poisoned[0]

    def variances(self, collection: Collection) -> Moments | None:
        poisoned = attacked_release(self, collection)
        return clean_release(self, collection)[1], None if poisoned is None else poisoned[1]

    # The error of a release, bin by bin.

    def bias(self, histogram: Counts) -> Floats:
        """float64[d]: the bias E[released - true] of each bin, in users."""
        return np.zeros(histogram.shape)

    @abstractmethod
    def squared_error(self, histogram: Counts | Floats) -> Floats:
        """float64[d]: the mean squared error E(released - true)² of each bin, in users²."""

    @abstractmethod
    def tail(self, histogram: Counts, accuracy: float) -> Floats:
        """float64[d]: the probability Pr[|released - true| > a] for each bin."""

    precision: ClassVar[Precision]
    """The error by ε and the ε by the error."""

    def accuracy(self, alpha: float, bins: int = 1) -> float:
        """The error in users that none of `bins` bins exceeds, with probability 1 - α."""
        return self.precision.accuracy(self.epsilon, alpha, bins, self.neighbours)

    @classmethod
    def epsilon_within(
        cls,
        accuracy: float,
        alpha: float,
        delta: float,  # noqa: ARG003
        bins: int,
        neighbours: Neighbours,
    ) -> float:
        """The ε at which none of `bins` bins is off by more than `accuracy` users, with probability
        1 - α.

        Raises ScenarioError if no ε does that.
        """
        return cls.precision.epsilon(accuracy, alpha, bins, neighbours)

    def moments(
        self, histogram: Counts, fakes: Sequence[tuple[int, Floats]] = ()
    ) -> tuple[Floats, Floats] | None:
        """Mean and variance of each released count, float64[d] each; None if no closed form is
        known.

        fakes : for each kind of fake users their number, and float64[d], the probability that one
            of them sends each item.
        """
        mean, variance = histogram.astype(np.float64), self.squared_error(histogram)
        for count, rates in fakes:
            mean = mean + count * rates
            variance = variance + count * rates * (1 - rates)
        return mean, variance


def _no_reports(*_: object) -> NoReturn:
    raise ScenarioError("must be drawn as counts: a curator is told items", key="law")


@dataclass(frozen=True)
class CuratorSpec(ProtocolSpec, RangeChecked):
    """The base of `[protocol]` tables of curators whose only parameters are the budget and the
    neighbours.
    """

    kind: str
    epsilon: Annotated[float, EPSILON]
    neighbours: Neighbours = "change-one"
