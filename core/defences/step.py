"""A step of the server: what every defence has and may know, and the interface of corrections."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Protocol

import numpy as np

from ..base.capability import Capability
from ..base.errors import DefenceError, ScenarioError
from ..base.ranges import Bounded, Range
from ..base.sampling import Floats
from ..law.capabilities import tells_support
from ..law.pure import Items, Mechanism, Total, is_pure

ETA = Range(0, 10)
"""η = m/n, the number of fake users for each genuine one."""


@dataclass(frozen=True, eq=False)
class Known:
    """The server's knowledge of a collection, besides its estimates.

    users : N, the number of reports, the fakes' included.
    p, q : those of a pure protocol; None for others, whose reports do not support items.
    variance : that of the estimated frequency of an item that nobody holds; None where there is no
        closed form.
    targets : int64[r], for a server that has been told them; empty without an attack.
    before : float64[trials, d], its estimates of the round before; None where there is none.
    """

    domain_size: int
    users: int
    p: float | None = None
    q: float | None = None
    variance: float | None = None
    targets: Items = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    before: Floats | None = None

    @property
    def probabilities(self) -> tuple[float, float]:
        """(p, q), of a collection that `ForPure` has checked."""
        assert self.p is not None
        assert self.q is not None
        return self.p, self.q

    @property
    def std(self) -> float:
        """The standard deviation √variance, of one that `ForKnownNoise` has checked."""
        assert self.variance is not None
        return float(np.sqrt(self.variance))


def known(protocol: Mechanism, users: int, targets: Items) -> Known:
    """The knowledge of a server that has received reports of N users."""
    p, q = (protocol.p, protocol.q) if is_pure(protocol) else (None, None)
    variance = None
    if tells_support(protocol):
        variance = protocol.total_variance(Total(1, users=users)) / users
    return Known(protocol.domain_size, users, p, q, variance, targets)


@dataclass(frozen=True)
class Step(Bounded):
    """A step that can be muted.

    muted : it stays in the scenario and does not act: everything is as it is without it. None
        where nothing is said of that.
    """

    # What a step draws depends on its other fields alone, as it did before steps could be muted.
    muted: bool | None = field(default=None, kw_only=True, repr=False, compare=False)


class Checked(Protocol):
    """The part of every `[[defence]]` table that a collection is held against."""

    @property
    def kind(self) -> str: ...

    @property
    def muted(self) -> bool | None: ...

    def check(self, known: Known) -> None:
        """Raise ScenarioError where it makes no sense for such a collection."""
        ...


class Reader(Checked, Protocol):
    """A step that reads reports of users, and not of every protocol."""

    def reads(self, protocol: Mechanism) -> str | None:
        """The reason why it cannot read such reports, "GRR, whose …"; None if it can."""
        ...


class Correction(Checked, Protocol):
    """A step from estimated frequencies to better ones: the `[[defence]]` table of a scenario."""

    def correct(self, frequencies: Floats, known: Known) -> Floats:
        """The corrected frequencies, float64[trials, d]; a new array, or the one given.

        Raises DefenceError where nothing is left of a trial's.
        """
        ...


is_correction: Final[Capability[Correction]] = Capability("correct")
"""True where a defence changes estimates."""


class Affine(Checked, Protocol):
    """A correction that is affine in the estimates.

    spreads : the share of the missing mass 1 - Σf that it adds, evenly over all items.
    """

    spreads: ClassVar[float]


is_affine: Final[Capability[Affine]] = Capability("spreads")
"""True where the closed forms of a correction follow from the missing mass that it adds."""


class ForAll:
    """The shared part of corrections that make sense for every collection."""

    def check(self, known: Known) -> None:
        """There is nothing to refuse."""


def refused(kind: str, lack: str) -> ScenarioError:
    """The refusal of a step where the protocol lacks what it needs."""
    return ScenarioError(f'must not be "{kind}" with a protocol whose {lack}', key="kind")


class ForPure:
    """The shared part of steps that need (p, q)."""

    kind: Any

    def check(self, known: Known) -> None:
        """Refuse a protocol without them; raises ScenarioError."""
        if known.p is None:
            raise refused(self.kind, "reports do not support items")


class ForKnownNoise:
    """The shared part of steps that need the variance of an estimate."""

    kind: Any

    def check(self, known: Known) -> None:
        """Refuse a protocol whose noise has no closed form; raises ScenarioError."""
        if known.variance is None:
            raise refused(self.kind, "noise has no closed form")


class ByEstimates(ForAll):
    """The shared part of corrections that need to know nothing but the estimates."""

    @abstractmethod
    def corrected(self, frequencies: Floats) -> Floats:
        """The corrected frequencies, float64[trials, d]; raises DefenceError as `correct` does."""

    def correct(self, frequencies: Floats, known: Known) -> Floats:  # noqa: ARG002
        return self.corrected(frequencies)


def require_left(kind: str, left: np.ndarray[Any, Any] | np.bool_, why: str) -> None:
    """Refuse an estimate of which nothing is left; raises DefenceError. left : bool[trials]."""
    if not left.all():
        raise DefenceError(f"{kind} leaves nothing of an estimate: {why}")
