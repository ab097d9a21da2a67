"""A step of the server: what every defence has and may know, and the interface of corrections."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from ..base.errors import DefenceError, ScenarioError
from ..base.ranges import Bounded, Range
from ..base.sampling import Floats
from ..law.pure import Items, Mechanism, PureProtocol, Supporting, Total

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
    p, q = (protocol.p, protocol.q) if isinstance(protocol, PureProtocol) else (None, None)
    variance = None
    if isinstance(protocol, Supporting):
        variance = protocol.total_variance(Total(1, users=users)) / users
    return Known(protocol.domain_size, users, p, q, variance, targets)


class KindTable(Bounded):
    """A table of a scenario that has a kind."""

    kind: Any


@dataclass(frozen=True)
class Step(KindTable):
    """A step of the server, the `[[defence]]` table of a scenario; it can be muted.

    muted : it stays in the scenario and does not act: everything is as it is without it. None
        where nothing is said of that.
    needs : what it needs to know of a collection: "pure", (p, q), or "noise", the variance of an
        estimate. asks_twice : it reads two reports of every user, each with half the budget.
    compares_rounds : it needs the estimates of the round before. libraries : what it imports first.
    """

    # What a step draws depends on its other fields alone, as it did before steps could be muted.
    muted: bool | None = field(default=None, kw_only=True, repr=False, compare=False)

    needs: ClassVar[Literal["", "pure", "noise"]] = ""
    asks_twice: ClassVar[bool] = False
    compares_rounds: ClassVar[bool] = False

    def check(self, known: Known) -> None:
        """Raise ScenarioError where it makes no sense for such a collection."""
        if self.needs == "pure" and known.p is None:
            raise self.refusal("reports do not support items")
        if self.needs == "noise" and known.variance is None:
            raise self.refusal("noise has no closed form")

    def refusal(self, why: str) -> ScenarioError:
        """The refusal of a step where the protocol lacks what it needs."""
        return ScenarioError(f'must not be "{self.kind}" with a protocol whose {why}', key="kind")

    def reads(self, protocol: Mechanism) -> str | None:  # noqa: ARG002
        """The reason why it cannot read such reports, "GRR, whose …"; None if it can."""
        return None


class Correction(Step):
    """A step from estimated frequencies to better ones.

    spreads : of one that is affine in the estimates, the share of the missing mass 1 - Σf that it
        adds, evenly over all items; None of others.
    """

    spreads: ClassVar[float | None] = None

    @abstractmethod
    def correct(self, frequencies: Floats, known: Known) -> Floats:
        """The corrected frequencies, float64[trials, d]; a new array, or the one given.

        Raises DefenceError where nothing is left of a trial's.
        """


class ByEstimates(Correction):
    """A correction that needs to know nothing but the estimates."""

    @abstractmethod
    def corrected(self, frequencies: Floats) -> Floats:
        """The corrected frequencies, float64[trials, d]; raises DefenceError as `correct` does."""

    def correct(self, frequencies: Floats, known: Known) -> Floats:  # noqa: ARG002
        return self.corrected(frequencies)


def require_left(kind: str, left: np.ndarray[Any, Any] | np.bool_, why: str) -> None:
    """Refuse an estimate of which nothing is left; raises DefenceError. left : bool[trials]."""
    if not left.all():
        raise DefenceError(f"{kind} leaves nothing of an estimate: {why}")
