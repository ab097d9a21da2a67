"""The kinds of trust: whom users trust, and so who sees what, and what a fake is forced to do.

A kind changes the mechanism that users run (its ε, its noise, the vectors that a proof admits), and
says what fakes are forced to do and what the server sees. It changes nothing else.
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

    spec : the `[protocol]` table. bind : the function that makes the mechanism of a table; not
    compared. items, users : d, and n genuine users.
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
        """The protocol's mechanism with another ε."""
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

    linked : whether the server knows which reports are of one user. unread : why no filter can read
    a report, "" if one can. proves : whether fakes have to run the protocol, and only choose an
    item. drop_out : whether fakes may keep a report back. every_task : whether the model makes
    sense for every task. address : the part of the address of fakes' random streams, "" if they
    draw as without the model. blending : δ of the guarantee for all reports together; None if each
    has its own. target_epsilon : the ε requested for all reports together; None if it follows from
    the protocol's.
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

    def bound(self, request: TrustRequest) -> Mechanism:
        """The mechanism that users run under this trust model.

        Raises ScenarioError at the key `trust.kind` for a protocol that needs a trusted curator,
        and as `change_mechanism` does.
        """
        if not is_a(request.spec.mechanism, LocalMechanism):
            rule = f'must be "curator" with {request.spec.kind}, to whom users tell their items'
            raise ScenarioError(f"{rule}, {got(self.kind)}", key="trust.kind")
        return self.change_mechanism(request)

    def change_mechanism(self, request: TrustRequest) -> Mechanism:
        """The mechanism that this trust model makes of a local protocol: the protocol itself unless
        overridden.

        Raises ScenarioError, with the key of the scenario, if the protocol does not fit.
        """
        return request.mechanism


@dataclass(frozen=True)
class Local(Trust):
    """The local model: users trust nobody."""

    every_task: ClassVar[bool] = True
    kind: Literal["local"] = "local"


@dataclass(frozen=True)
class Verified(Trust):
    """The trust model of verified reports: users prove that the protocol drew their report from
    some item.

    Kato, Cao, Yoshikawa, DBSec 2021. Fakes choose only the item that they pretend to have, and, if
    users can drop out, whether to send the report.

    drop_out : users may keep a report back after seeing it. Fakes send theirs only if it
        supports the item that they pretend to have.
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

    def change_mechanism(self, request: TrustRequest) -> Mechanism:
        protocol = request.mechanism
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

    delta : δ of the central guarantee. central_epsilon : the central ε of the shuffled reports,
        from which the protocol's ε₀ is solved. None: ε₀ is the protocol's own.
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

    def change_mechanism(self, request: TrustRequest) -> Mechanism:
        protocol = request.mechanism
        if awaits_code(protocol):
            return protocol
        why = why_unshuffled(protocol)
        if why is not None:
            raise ScenarioError(f'must not be "{self.kind}" with {why}', key="trust.kind")
        if request.users not in SHUFFLED:
            rule = f"must be {SHUFFLED} where reports are shuffled, {got(request.users)}"
            raise ScenarioError(rule, key="population.users")
        if self.central_epsilon is None:
            return protocol
        request.epsilon("trust.central_epsilon")
        whatever = replace(request, spec=replace(request.spec, epsilon=1.0))  # ε₀ takes its place
        return request.at(_solve_epsilon(whatever, self.delta, self.central_epsilon))

    @property
    def blending(self) -> float | None:
        return self.delta

    @property
    def target_epsilon(self) -> float | None:
        return self.central_epsilon


@dataclass(frozen=True)
class Aggregated(Trust):
    """Secure aggregation (Prio): servers add up secret-shared vectors, each proved valid.

    circuit : the vectors that a proof admits: one item, up to `weight` items, or any set of items.
    weight : of `multihot`.
    aggregators : the number of servers, each of which adds noise that suffices alone.
    noise : discrete Laplace or Gaussian noise of every aggregator. delta : δ of Gaussian noise.
    """

    unread: ClassVar[str] = "in secure aggregation, whose servers see sums alone"
    circuit: Circuit = "histogram"
    weight: Annotated[int, WEIGHT] | None = None
    aggregators: Annotated[int, AGGREGATORS] = 2
    noise: Literal["laplace", "gaussian"] = "laplace"
    delta: Annotated[float, SLACK] | None = None
    kind: Literal["aggregated"] = "aggregated"

    def change_mechanism(self, request: TrustRequest) -> Mechanism:
        epsilon = request.epsilon("trust.kind")
        weight = self.weight if self.circuit == "multihot" else None  # circuits can be swept
        try:
            return Aggregate(
                request.items, epsilon, "change-one", self.circuit, weight, self.aggregators,
                self.noise, self.delta if self.noise == "gaussian" else None,
            )  # fmt: skip
        except ScenarioError as error:
            raise error.within("trust") from error


@dataclass(frozen=True)
class TrustedCurator(Trust):
    """The central model: a curator learns every item, and adds noise to a histogram.

    The noise of the protocol if it is a curator's; else geometric noise of the protocol's ε.
    """

    kind: Literal["curator"] = "curator"

    def bound(self, request: TrustRequest) -> Mechanism:
        if not is_a(request.spec.mechanism, LocalMechanism):
            return request.mechanism
        return Geometric(request.items, request.epsilon("trust.kind"))


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
def _solve_epsilon(request: TrustRequest, delta: float, epsilon: float) -> float:
    """The largest ε₀ whose shuffled reports are (ε, δ)-private."""
    return local_for(request.at, request.users, delta, epsilon)


def budgets(trust: Trust, mechanism: Any, users: int) -> dict[str, float]:
    """The central privacy budgets of n users' reports together, by name; empty in the local model.

    central_epsilon, delta : of all reports. local_epsilon : ε₀ of one report, if reports are
    shuffled.
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
