"""The interface of a pure protocol, and what follows from (p, q) alone.

A protocol is *pure* (Wang, Blocki, Li, Jha, USENIX Security 2017, definition 1) when a report
supports its owner's item with probability p and any other given item with probability q. The
server needs nothing but the support counts. Reports of some protocols also speak against items,
which counts as a support of -1: p and q are then means, and the estimate is the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, Protocol, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import NDArray

from ..base.capability import Capability
from ..base.errors import ScenarioError, got
from ..base.flags import Flags
from ..base.ranges import DOMAIN, EPSILON, check_bounds
from ..base.sampling import Counts, Floats
from .arrays import array_of as array_of
from .arrays import check_padding as check_padding
from .arrays import items_of as items_of
from .doors import Doors
from .law import Items as Items
from .law import Reports as Reports
from .law import Rng as Rng
from .law import Scoring as Scoring
from .law import SeedSearch as SeedSearch
from .support import ItemSupport

BoolArray: TypeAlias = NDArray[np.bool_]
Supports: TypeAlias = NDArray[np.bool_] | NDArray[np.int8]
"""bool[n, d], the items that reports support; int8 with -1 for those that they speak against."""

LEAST_EPSILON: Final = 1e-9
"""Below, less than seven digits of p - q are left in a double."""


@dataclass(frozen=True, eq=False)
class Estimates:
    """The server's conclusions from the counts of several trials.

    frequencies : float64[trials, d].
    detected : bool[trials, d], the items that it takes for held by somebody; None where the
        protocol does not test for that.
    flags : the claims of a defence that looks for fakes; None where none does.
    """

    frequencies: Floats
    detected: BoolArray | None = None
    flags: Flags | None = None


class Mechanism(Doors, Protocol):
    """The interface of everything that a trial of counts can run on, parameters bound.

    Counts are what the server adds up over the users, of whatever shape it has: the support counts
    int64[d] of a pure protocol, bit counts of Bloom filters, a curator's histogram and its noise.
    `targets` is an array of distinct items; the first axis of counts is trials.
    """

    family: ClassVar[str]
    """One word, which its kin share: "direct", "unary", "hashing", …"""

    def __hash__(self) -> int: ...

    @property
    def domain_size(self) -> int: ...

    def sample_counts(self, histogram: Counts, rng: Rng) -> Counts:
        """Counts of honest users. histogram : int64[trials, d], the users of each item."""
        ...

    def unperturbed_counts(self, histogram: Counts, rng: Rng) -> Counts:
        """Counts of fakes who send an item without noise. histogram : int64[trials, d]."""
        ...

    def estimates(self, counts: Counts, users: int) -> Estimates:
        """The frequencies of all items, from counts [trials, …] of n users."""
        ...


class LocalMechanism(Mechanism, Protocol):
    """A mechanism whose users send reports: the first axis of reports is users.

    Each sampler of counts has the law of `support_counts` of such reports.
    """

    @property
    def report_bits(self) -> float:
        """The bits that a report takes: log2 of the number of reports there are."""
        ...

    def perturb(self, values: Items, rng: Rng | None = None) -> Reports:
        """Honest reports of these items: to be sent by real users, or with `rng` simulated.

        Parameters
        ----------
        values
            int64[n], the item of each user.
        rng
            A generator of NumPy; left out, the operating system's cryptographic one draws.

        Raises
        ------
        ScenarioError
            For a value that is no item, with its place.

        Examples
        --------
        >>> import ldptui
        >>> len(ldptui.protocol("grr", items=4, epsilon=1.0).perturb([0, 3, 0]))
        3
        """
        ...

    def unperturbed(self, values: Items, rng: Rng) -> Reports:
        """Reports of these items without noise, as fakes who skip the randomiser send them.

        Parameters
        ----------
        values
            int64[n], the item of each report.
        rng
            A generator of NumPy, for what a report draws besides its noise, as a hash seed.

        Examples
        --------
        >>> import ldptui, numpy as np
        >>> grr = ldptui.protocol("grr", items=4, epsilon=1.0)
        >>> grr.unperturbed(np.array([0, 3]), np.random.default_rng(0)).tolist()
        [0, 3]
        """
        ...

    def support_counts(self, reports: Reports) -> Counts:
        """The number of reports that support each item: int64[d]; RAPPOR counts bits by cohort.

        Parameters
        ----------
        reports
            Reports of `perturb`, the first axis users.

        Examples
        --------
        >>> import ldptui, numpy as np
        >>> grr = ldptui.protocol("grr", items=4, epsilon=1.0)
        >>> grr.support_counts(np.array([0, 3, 0])).tolist()
        [2, 0, 0, 1]
        """
        ...

    def received(self, reports: object, count: int) -> Reports:
        """Reports that a stranger's code made, checked.

        Parameters
        ----------
        reports
            An array of the shape and type that `perturb` returns.
        count
            The number of users.

        Raises
        ------
        ValueError
            With what must hold and what was found: "must be int64[5], got float64[5]".

        Examples
        --------
        >>> import ldptui, numpy as np
        >>> grr = ldptui.protocol("grr", items=4, epsilon=1.0)
        >>> grr.received(np.array([0, 3]), 2).tolist()
        [0, 3]
        """
        ...


@dataclass(frozen=True)
class Total:
    """The sum of the estimates of some targets.

    r : the number of targets. frequency : the sum of their true frequencies. users : n, on which n
    times the variance depends where a curator adds the noise.
    """

    r: int
    frequency: float = 0.0
    users: int = 1


class Supporting(Doors, Protocol):
    """A mechanism of whose reports, one by one, it is known what they support."""

    @property
    def domain_size(self) -> int:
        """The number of items d."""
        ...

    def held_support(self, frequencies: Floats, counted: Items) -> ItemSupport:
        """The support of an honest report whose owner's item is drawn at random.

        It has `rates`, float64[d], the probability that the report supports each item, and
        `variance`, that of the number of counted items that it supports.

        Parameters
        ----------
        frequencies
            float64[d], the probability that each item is the owner's.
        counted
            int64[r], distinct items.

        Examples
        --------
        >>> import ldptui, numpy as np
        >>> grr = ldptui.protocol("grr", items=4, epsilon=1.0)
        >>> grr.held_support(np.full(4, 0.25), np.array([0])).rates.round(12).tolist()
        [0.25, 0.25, 0.25, 0.25]
        """
        ...

    @property
    def epsilon(self) -> float:
        """The privacy budget ε of one report, in nats."""
        ...

    @property
    def p(self) -> float:
        """Probability that a report supports its owner's item."""
        ...

    @property
    def q(self) -> float:
        """Probability that a report supports a given other item."""
        ...

    def total_variance(self, total: Total) -> float:
        """n times the variance of the sum of some targets' estimates from n honest users.

        Of one item it is W17 theorem 2 times n.

        Parameters
        ----------
        total
            `r`, the number of targets; `frequency`, the sum of their true frequencies; `users`, n.

        Examples
        --------
        >>> import ldptui
        >>> from ldptui.core.law.pure import Total
        >>> round(ldptui.protocol("oue", items=4, epsilon=1.0).total_variance(Total(r=1)), 3)
        3.683
        """
        ...


class Unbiased(LocalMechanism, Supporting, Protocol):
    """Estimates are right on average, and their variance is known: see `item_variance`."""


class PureProtocol(Unbiased, Protocol):
    """A pure protocol with its parameters bound: counts are int64[d] support counts."""

    def supports(self, reports: Reports) -> Supports:
        """The items that each report supports: bool[n, d], or int8 with -1 where it speaks against.

        It takes n · d bytes: `support_counts` has the sums of many reports.

        Parameters
        ----------
        reports
            Reports of `perturb`, the first axis users.

        Examples
        --------
        >>> import ldptui, numpy as np
        >>> ldptui.protocol("grr", items=3, epsilon=1.0).supports(np.array([0, 2])).tolist()
        [[True, False, False], [False, False, True]]
        """
        ...


is_pure: Final[Capability[PureProtocol]] = Capability("supports")
"""True where reports support items, so that a server needs their counts alone."""

sends_reports: Final[Capability[LocalMechanism]] = Capability("perturb")
"""True where users send reports; to a trusted curator they tell their items."""


class Scatters(Unbiased, Protocol):
    """The variance of its estimates has a closed form of its own."""

    def unit_variance(self, frequency: Any) -> Any:
        """n times the variance of an estimate, given the true frequency or all of them."""
        ...


scatters: Final[Capability[Scatters]] = Capability("unit_variance")
"""True where the variance of estimates does not follow from p and q."""


def is_unbiased(mechanism: object) -> TypeGuard[Unbiased]:
    """Return whether estimates are right on average, and their variance is known."""
    return is_pure(mechanism) or scatters(mechanism)


@dataclass(frozen=True, eq=False)
class OverItems:
    """The parameters of every protocol that a privacy budget binds: d items, and ε in nats.

    Raises ScenarioError where parameters are out of range, or reports carry no information.
    """

    domain_size: Annotated[int, DOMAIN]
    epsilon: Annotated[float, EPSILON]

    def __post_init__(self) -> None:
        check_bounds(self)
        protocol: Any = self
        if self.epsilon < LEAST_EPSILON or not 0 <= protocol.q < protocol.p <= 1:
            least = f" (at least {LEAST_EPSILON:g})" if self.epsilon < LEAST_EPSILON else ""
            rule = f"must be large enough{least} for p to exceed q, {got(self.epsilon)}"
            raise ScenarioError(rule, key="epsilon")


def on_levels(probability: float, levels: int) -> float:
    """The largest multiple of 1/levels up to a probability, but for rounding; below 1."""
    return min(math.floor(probability * levels + 1e-9), levels - 1) / levels


def spent(odds: float, levels: int) -> float:
    """ε = ln(odds) of a protocol on levels; raises ScenarioError where p is no more than q."""
    epsilon = math.log(odds) if odds > 1 else 0.0
    if epsilon < LEAST_EPSILON:
        raise ScenarioError(f"must be more for p to exceed q, {got(levels)}", key="levels")
    return epsilon


def estimate(counts: Counts, users: int, protocol: Supporting | Oracle) -> Floats:
    """Unbiased frequencies (C/n - q) / (p - q), of the shape of `counts`. W17 equation 1."""
    return (counts / users - protocol.q) / (protocol.p - protocol.q)


def pure_estimates(counts: Counts, users: int, protocol: Supporting | Oracle) -> Estimates:
    """`estimate`, as a mechanism gives it."""
    return Estimates(estimate(counts, users, protocol))


def item_variance(
    protocol: Supporting, users: float, frequency: float | Floats = 0.0
) -> float | Floats:
    """Variance of one estimated frequency, given the true ones. W17 theorem 2, divided by n².

    q(1-q) / (n (p-q)²) + f (1-p-q) / (n (p-q)); with f = 0 it is the approximate Var*/n². Where
    reports also speak against items, that is not so: then the protocol has a `unit_variance`.
    """
    if scatters(protocol):
        variance: float | Floats = protocol.unit_variance(frequency) / users
        return variance
    p, q = protocol.p, protocol.q
    gap = p - q
    return (q * (1 - q) / gap**2 + frequency * (1 - p - q) / gap) / users


def gain_factor(protocol: Supporting) -> float:
    """a = (1-q)/(p-q): fakes who all support a target lift its estimate f by β(a - f).

    e^ε/(e^ε - 1) at least, whatever the pure protocol.
    """
    return (1 - protocol.q) / (protocol.p - protocol.q)


class Oracle(Doors):
    """A family whose estimates follow from p and q; the defaults are those of a pure protocol.

    Of most families the estimates of different items are uncorrelated.
    """

    domain_size: int
    epsilon: float
    p: Any
    q: Any

    def estimates(self, counts: Counts, users: int) -> Estimates:
        return pure_estimates(counts, users, self)

    def held_support(self, frequencies: Floats, counted: Items) -> ItemSupport:
        """The noise of a report, and its item, by the law of total variance."""
        hit = float(frequencies[counted].sum())
        gap, noise = self.p - self.q, self.total_variance(Total(counted.size, hit))
        return ItemSupport(self.q + gap * frequencies, gap**2 * (noise + hit * (1 - hit)))

    def total_variance(self, total: Total) -> float:
        p, q = self.p, self.q
        gap = p - q
        return float(total.r * q * (1 - q) / gap**2 + total.frequency * (1 - p - q) / gap)
