"""The interface of a pure protocol, and what follows from (p, q) alone.

A protocol is *pure* (Wang, Blocki, Li, Jha, USENIX Security 2017, definition 1) if a report
supports the user's item with probability p and any other given item with probability q. Estimates
need only the support counts. Reports of some protocols also oppose items, a support of -1: p and q
are then expected supports, and the estimate is the same.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Annotated, Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..base.errors import ScenarioError, got
from ..base.ranges import DOMAIN, EPSILON, check_bounds
from ..base.sampling import Counts, Floats
from .law import Items as Items
from .law import Reports as Reports
from .law import Rng as Rng
from .law import Scoring as Scoring
from .law import SeedSearch as SeedSearch
from .mechanism import BoolArray as BoolArray
from .mechanism import Estimates as Estimates
from .mechanism import LocalMechanism as LocalMechanism
from .mechanism import Mechanism as Mechanism
from .mechanism import is_a as is_a
from .support import ItemSupport

# The checks of arrays that come from elsewhere: the items of users, and reports.


def items_of(values: object, domain_size: int, key: str = "values") -> Items:
    """The users' items as int64[n].

    values : n integers in [0, domain_size), as an array, a list or a column of a table. key : the
    name of the values in messages. Raises ScenarioError for a missing or invalid item.
    """
    if np.ma.is_masked(values):
        raise ScenarioError("must all be there, but some are masked", key=key)
    items = np.asarray(values)
    if items.ndim != 1:
        raise ScenarioError(f"must be one item a user, got {items.ndim} axes", key=key)
    if not items.size:
        return items.astype(np.int64)
    if items.dtype.kind not in "iu":
        whole = [isinstance(item, int | float) and item % 1 == 0 for item in items.tolist()]
        first = whole.index(False) if False in whole else 0
        rule = f"must be integers, the numbers of items in [0, {domain_size})"
        raise ScenarioError(f"{rule}, {_say_value(items, first)}", key=key)
    if items.min() < 0 or items.max() >= domain_size:
        first = int(np.argmax((items < 0) | (items >= domain_size)))
        rule = f"must be items in [0, {domain_size})"
        raise ScenarioError(f"{rule}, {_say_value(items, first)}", key=key)
    return items.astype(np.int64, copy=False)


def _say_value(items: NDArray[Any], at: int) -> str:
    """The value that broke a rule, and where it stands: "got -1 (a missing value?) at 3"."""
    value = items[at : at + 1].tolist()[0]
    missing = value is None or value != value or value == -1
    return f"got {value!r}{' (a missing value?)' * missing} at position {at}"


def array_of(reports: object, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Reports:
    """The reports themselves, if they are an array of this shape and type.

    Raises ValueError otherwise.
    """
    wanted = _array_words(shape, dtype)
    if not isinstance(reports, np.ndarray):
        raise ValueError(f"must be an array, {wanted}, got {type(reports).__name__}")
    if reports.shape != shape or reports.dtype != dtype:
        raise ValueError(f"must be {wanted}, got {_array_words(reports.shape, reports.dtype)}")
    return reports


def _array_words(shape: tuple[int, ...], dtype: np.dtype[Any]) -> str:
    """The shape and type of an array as the documentation writes them: "uint8[100, 16]"."""
    name = f"({', '.join(dtype.names)})" if dtype.names else dtype.name
    return f"{name}[{', '.join(map(str, shape))}]"


def check_padding(packed: Reports, bits: int) -> None:
    """Raise ValueError if packed bits, uint8[n, ceil(bits/8)], have ones after the last bit."""
    if bits % 8 and np.any(packed[:, -1] & np.uint8(0xFF >> bits % 8)):
        raise ValueError(f"must have {bits} bits each, got ones after the last bit")


Supports: TypeAlias = NDArray[np.bool_] | NDArray[np.int8]
"""bool[n, d], the items that reports support; int8 with -1 for those that they speak against."""

LEAST_EPSILON: Final = 1e-9
"""Below, less than seven digits of p - q are left in a double."""


@dataclass(frozen=True)
class Total:
    """The targets whose estimates are summed, as far as the variance of the sum needs them.

    r : the number of targets. frequency : the sum of their true frequencies. users : n; only with a
    curator's noise does n times the variance depend on n.
    """

    r: int
    frequency: float = 0.0
    users: int = 1


class Supporting(Mechanism):
    """The base of mechanisms for which the items supported by each report are known.

    domain_size : the number of items d.
    epsilon : the privacy budget ε of one report, in nats.
    p, q : the probability that a report supports the user's item, and any other given item.

    The methods here hold if estimates follow from p and q, and estimates of different items are
    uncorrelated; other families override them.
    """

    p: Any
    q: Any

    def estimates(self, counts: Counts, users: int) -> Estimates:
        """Unbiased estimates of the frequencies, from support counts.

        Parameters
        ----------
        counts
            int64[..., d], the support counts.
        users
            How many sent a report.

        Examples
        --------
        >>> import ldptui, numpy as np
        >>> oue = ldptui.protocol("oue", items=4, epsilon=1.0)
        >>> oue.estimates(np.array([5, 3, 3, 3]), 10).frequencies.round(2)
        array([1.  , 0.13, 0.13, 0.13])
        """
        return Estimates(estimate(counts, users, self))

    def held_support(self, frequencies: Floats, counted: Items) -> ItemSupport:
        """The support of each item by an honest report of a user whose item is random.

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
        # The noise of a report, and its item, by the law of total variance.
        hit = float(frequencies[counted].sum())
        gap, noise = self.p - self.q, self.total_variance(Total(counted.size, hit))
        return ItemSupport(self.q + gap * frequencies, gap**2 * (noise + hit * (1 - hit)))

    def total_variance(self, total: Total) -> float:
        """n times the variance of the sum of the targets' estimates from n honest users.

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
        p, q = self.p, self.q
        gap = p - q
        return float(total.r * q * (1 - q) / gap**2 + total.frequency * (1 - p - q) / gap)

    def unit_variance(self, frequency: Any) -> Any:
        """n times the variance of one item's estimate, given its true frequency.

        Parameters
        ----------
        frequency
            The true frequency of an item, or float64[...] of several.

        Examples
        --------
        >>> import ldptui
        >>> round(ldptui.protocol("oue", items=4, epsilon=1.0).unit_variance(0.0), 3)
        3.683
        """
        p, q = self.p, self.q
        gap = p - q
        return q * (1 - q) / gap**2 + frequency * (1 - p - q) / gap


class PureProtocol(Supporting, LocalMechanism):
    """The base of pure protocols (Wang et al. 2017) with bound parameters; counts are int64[d]
    support counts.
    """

    @abstractmethod
    def supports(self, reports: Reports) -> Supports:
        """bool[n, d]: whether each report supports each item; int8 with -1 if reports can oppose
        items.

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


class Encodes(Mechanism):
    """The base of protocols that encode an item deterministically and then add noise."""

    @abstractmethod
    def encode_items(self, values: Items) -> Reports:
        """The encoded items, reports without noise. values : int64[n], an item for each report."""

    def encoded_counts(self, histogram: Counts) -> Counts:
        """The support counts [trials, d] of reports without noise, each of which supports its own
        item only.
        """
        return histogram.copy()

    def unperturbed(self, values: Items, rng: Rng) -> Reports:  # noqa: ARG002
        return self.encode_items(values)

    def unperturbed_counts(self, histogram: Counts, rng: Rng) -> Counts:  # noqa: ARG002
        return self.encoded_counts(histogram)


class PlacedItems(Supporting):
    """The base of protocols where the variance of a sum depends on which items are summed.

    A report may be able to support one pair of items together, and not another pair. Closed forms
    that know only the number of targets r assume the first r items.
    """

    @abstractmethod
    def placed_variances(self, frequencies: Floats) -> Floats:
        """float64[d]: n times the variance of each item's estimate, from the true frequencies
        float64[d].
        """

    @abstractmethod
    def placed_sum_variance(self, frequencies: Floats, targets: Items) -> float:
        """n times the variance of the sum of the targets' estimates, from the true frequencies
        float64[d].
        """

    def total_variance(self, total: Total) -> float:
        """n times the variance of the sum of the first r items' estimates.

        The targets have equal frequencies, and so have the other items.
        """
        d, r = self.domain_size, total.r
        frequencies = np.full(d, total.frequency / r)
        if r < d:
            frequencies[r:] = (1 - total.frequency) / (d - r)
        return self.placed_sum_variance(frequencies, np.arange(r))


@dataclass(frozen=True, eq=False)
class OverItems:
    """The base of protocols with the parameters d items and ε in nats.

    Raises ScenarioError for a parameter out of range, and if reports carry no information (p ≤ q).
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


def estimate(counts: Counts, users: int, protocol: Supporting) -> Floats:
    """Unbiased estimates (C/n - q) / (p - q) of frequencies from support counts C, of the shape of
    `counts`. Wang et al. 2017, equation 1.
    """
    return np.asarray((counts / users - protocol.q) / (protocol.p - protocol.q))


def item_variance(
    protocol: Supporting, users: float, frequency: float | Floats = 0.0
) -> float | Floats:
    """The variance of one item's estimate, given its true frequency. Wang et al. 2017, theorem 2,
    divided by n².

    q(1-q) / (n (p-q)²) + f (1-p-q) / (n (p-q)); with f = 0 it is the approximation Var*/n².
    Protocols whose reports also oppose items have another formula, their own `unit_variance`.
    """
    variance: float | Floats = protocol.unit_variance(frequency) / users
    return variance


def gain_factor(protocol: Supporting) -> float:
    """The gain factor a = (1-q)/(p-q) of a pure protocol, at least e^ε/(e^ε - 1).

    A share β of fakes who all support an item with true frequency f raises its expected estimate by
    β(a - f).
    """
    return float((1 - protocol.q) / (protocol.p - protocol.q))
