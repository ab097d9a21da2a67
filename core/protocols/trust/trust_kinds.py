"""The rows of trust: whom users trust, and so who sees what, and what a fake is held to.

A row changes the mechanism that users are asked by (its ε, its noise, what a proof admits), and
says what fakes are held to and what the server sees. It changes nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias

from ...base.errors import ScenarioError, got
from ...base.ranges import Range, RangeChecked
from ...bounds.shuffle.central import DELTA, SHUFFLED, central_at_most, local_for
from ...law.blanket import why_unshuffled
from ...law.exchangeable import Exchangeable
from ...law.mechanism import LocalMechanism, Mechanism, is_a, name_of
from ..curators.aggregate import AGGREGATORS, SLACK, WEIGHT, Aggregate, Circuit
from ..curators.laplace_geometric import Geometric
from ..python_protocol import awaits_code

CENTRAL_EPSILON: Final = Range(0, 20, "(]")

Bind: TypeAlias = Callable[[Any], Mechanism]
"""The mechanism of a `[protocol]` table; raises ScenarioError at its full key."""


@dataclass(frozen=True)
class TrustRequest:
    """The protocol, population and parameters from which a trust model makes a mechanism.

    spec : the `[protocol]` table. bind : the mechanism of such a table. items, users : d, and n
    genuine users. Equal where the numbers are.
    """

    spec: Any
    bind: Bind = field(compare=False, repr=False)
    items: int
    users: int

    @property
    def mechanism(self) -> Mechanism:
        """The protocol itself, bound to the population."""
        return self.bind(self.spec)

    def at(self, epsilon: float) -> Mechanism:
        """The mechanism of the protocol with another ε."""
        return self.bind(replace(self.spec, epsilon=epsilon))

    def epsilon(self, key: str) -> float:
        """The ε in the protocol's table; raises ScenarioError at `key` if other parameters
        determine ε.
        """
        epsilon: float | None = self.spec.epsilon
        if epsilon is None or "epsilon" not in (each.name for each in fields(self.spec)):
            rule = f"must be left out with {self.spec.kind}, which no privacy budget alone binds"
            raise ScenarioError(rule, key=key)
        return epsilon


class Trust(RangeChecked):
    """The base of `[trust]` tables: whom users trust.

    linked : the server knows which reports are of one user. unread : why no filter reads a report,
    "" where one may. proves : fakes have to run the protocol, and only choose an item. drop_out :
    they may keep a report back. every_task : it makes sense for every task. address : its part of
    the streams of fakes, "" where they draw as without it. blending : δ of the promise that all
    reports keep together; None where each stands alone. target_epsilon : the ε that all reports
    are asked to keep together; None where it follows.
    """

    kind: Any
    linked: ClassVar[bool] = True
    unread: ClassVar[str] = ""
    proves: ClassVar[bool] = False
    every_task: ClassVar[bool] = False
    drop_out: Any = False
    address: Any = ""
    blending: Any = None
    target_epsilon: Any = None

    def bound(self, asked: TrustRequest) -> Mechanism:
        """The mechanism that users run under this trust model; raises ScenarioError with the full
        key.
        """
        if not is_a(asked.spec.mechanism, LocalMechanism):
            rule = f'must be "curator" with {asked.spec.kind}, to whom users tell their items'
            raise ScenarioError(f"{rule}, {got(self.kind)}", key="trust.kind")
        return self.change_mechanism(asked)

    def change_mechanism(self, asked: TrustRequest) -> Mechanism:
        """The mechanism that this trust model makes of a local protocol."""
        return asked.mechanism


@dataclass(frozen=True)
class Local(Trust):
    """The local model: users trust nobody."""

    every_task: ClassVar[bool] = True
    kind: Literal["local"] = "local"


@dataclass(frozen=True)
class Verified(Trust):
    """The trust model of verified reports: users prove that the protocol drew their report from
    some item.

    Kato, Cao, Yoshikawa, DBSec 2021. What is left to fakes is the item that they pretend to hold,
    and, where nobody can be held to it, whether to send the report at all.

    drop_out : users may keep a report back after they have seen it. Fakes send theirs only if it
        supports the item that they pretend to hold.
    """

    proves: ClassVar[bool] = True
    drop_out: bool = False
    kind: Literal["verified"] = "verified"

    @property
    def address(self) -> str:
        # As the defence of old scenarios calls itself: their streams stay.
        return (
            f"VerifiedRandomiser(drop_out={self.drop_out!r}, levels=None, "
            "kind='verified-randomiser')"
        )

    def change_mechanism(self, asked: TrustRequest) -> Mechanism:
        protocol = asked.mechanism
        why = None if awaits_code(protocol) else self.reads(protocol)
        if why is not None:
            raise ScenarioError(f'must not be "{self.kind}" with {why}', key="trust.kind")
        return protocol

    def reads(self, protocol: Mechanism) -> str | None:
        """The reason why a protocol's reports cannot be proved, "GRR, whose …"; None if
        they can.
        """
        if not self.drop_out or is_a(protocol, Exchangeable):
            return None
        why = "of whose reports no law is known where some are kept back: leave out drop_out"
        return f"{name_of(protocol)}, {why}"


@dataclass(frozen=True)
class Shuffled(Trust):
    """The shuffle model: a shuffler removes the senders of the reports.

    delta : δ of the central promise. central_epsilon : the central ε that the shuffled reports
        keep; the protocol's ε₀ is solved for. None: ε₀ is the protocol's own.
    """

    linked: ClassVar[bool] = False
    every_task: ClassVar[bool] = True
    delta: Annotated[float, SLACK] = 1e-6
    central_epsilon: Annotated[float, CENTRAL_EPSILON] | None = None
    kind: Literal["shuffled"] = "shuffled"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.delta not in DELTA:
            raise ScenarioError(f"must be {DELTA} of shuffled reports, {got(self.delta)}", "delta")

    def change_mechanism(self, asked: TrustRequest) -> Mechanism:
        protocol = asked.mechanism
        if awaits_code(protocol):
            return protocol
        why = why_unshuffled(protocol)
        if why is not None:
            raise ScenarioError(f'must not be "{self.kind}" with {why}', key="trust.kind")
        if asked.users not in SHUFFLED:
            rule = f"must be {SHUFFLED} where reports are shuffled, {got(asked.users)}"
            raise ScenarioError(rule, key="population.users")
        if self.central_epsilon is None:
            return protocol
        asked.epsilon("trust.central_epsilon")
        whatever = replace(asked, spec=replace(asked.spec, epsilon=1.0))  # ε₀ takes its place
        return asked.at(_solve_epsilon(whatever, self.delta, self.central_epsilon))

    @property
    def blending(self) -> float | None:
        return self.delta

    @property
    def target_epsilon(self) -> float | None:
        return self.central_epsilon


@dataclass(frozen=True)
class Aggregated(Trust):
    """Secure aggregation (Prio): servers add up secret-shared vectors, each proved valid.

    circuit : what a proof admits of one client: one item, up to `weight` items, or any set of them.
    weight : of `multihot`.
    aggregators : how many servers add noise, each enough alone.
    noise : discrete Laplace or Gaussian noise of every aggregator. delta : δ of Gaussian noise.
    """

    unread: ClassVar[str] = "in secure aggregation, whose servers see sums alone"
    circuit: Circuit = "histogram"
    weight: Annotated[int, WEIGHT] | None = None
    aggregators: Annotated[int, AGGREGATORS] = 2
    noise: Literal["laplace", "gaussian"] = "laplace"
    delta: Annotated[float, SLACK] | None = None
    kind: Literal["aggregated"] = "aggregated"

    def change_mechanism(self, asked: TrustRequest) -> Mechanism:
        epsilon = asked.epsilon("trust.kind")
        weight = self.weight if self.circuit == "multihot" else None  # circuits can be swept
        try:
            return Aggregate(
                asked.items, epsilon, "change-one", self.circuit, weight, self.aggregators,
                self.noise, self.delta if self.noise == "gaussian" else None,
            )  # fmt: skip
        except ScenarioError as error:
            raise error.within("trust") from error


@dataclass(frozen=True)
class TrustedCurator(Trust):
    """The central model: a curator learns every item, and adds noise to a histogram.

    That of the protocol where it is a curator's; of all others geometric noise of the same ε.
    """

    kind: Literal["curator"] = "curator"

    def bound(self, asked: TrustRequest) -> Mechanism:
        if not is_a(asked.spec.mechanism, LocalMechanism):
            return asked.mechanism
        return Geometric(asked.items, asked.epsilon("trust.kind"))


TRUSTS: Final[dict[str, type[Any]]] = {
    "local": Local,
    "verified": Verified,
    "shuffled": Shuffled,
    "aggregated": Aggregated,
    "curator": TrustedCurator,
}
"""Every kind, from the least trust to the most."""


@lru_cache(maxsize=256)
def central(mechanism: Any, users: int, delta: float) -> float:
    """An upper bound on the central ε of n users' shuffled reports at this δ; at most ε₀."""
    return central_at_most(mechanism, mechanism.epsilon, users, delta)


@lru_cache(maxsize=256)
def _solve_epsilon(asked: TrustRequest, delta: float, epsilon: float) -> float:
    """The largest ε₀ whose shuffled reports are (ε, δ)-private."""
    return local_for(asked.at, asked.users, delta, epsilon)


def budgets(trust: Trust, mechanism: Any, users: int) -> dict[str, float]:
    """The central privacy budgets of n users' reports together, by name; empty in the local model.

    Where servers or a curator add the noise, it is that of the protocol's ε; else ε₀ is told, too.
    """
    if awaits_code(mechanism):
        return {}
    if trust.blending is None:
        if isinstance(mechanism, LocalMechanism):
            return {}
        return {"central_epsilon": mechanism.epsilon, "delta": mechanism.delta}
    wanted = trust.target_epsilon
    return {
        "central_epsilon": wanted or central(mechanism, users, trust.blending),
        "delta": trust.blending,
        "local_epsilon": mechanism.epsilon,
    }
