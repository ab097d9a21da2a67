"""The options of the topics about a trusted curator and the tables that one publishes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ldptui.core.base.ranges import ALPHA, DOMAIN, USERS, Range

from ..options import Argument, Blank, Choices
from .offered import alike, curators, has, having, where
from .shared import (
    EXAMPLES,
    TIMES,
    Budget,
    Curator,
    File,
    LocalBudget,
    Near,
    Neighbours,
    Scenario,
    Seed,
    Slack,
    users_of,
)

if TYPE_CHECKING:
    from ...session.draft import Draft


@dataclass(frozen=True, kw_only=True)
class AccuracyOptions:
    """One of the budget and the accuracy is given; items and users: of the price of locality."""

    goal: Annotated[
        Literal["epsilon", "accuracy"],
        Blank(choices=(("epsilon", "from ε"), ("accuracy", "from a"))),
    ] = "epsilon"
    epsilon: Annotated[
        Budget | None,
        Argument(either=True),
        Blank(1.0, "protocol.epsilon", only=where("goal", "epsilon")),
    ] = None
    accuracy: Annotated[
        float | None,
        Range(0, ends="()"),
        Argument(either=True),
        Blank(10, steps="ladder", only=where("goal", "accuracy")),
    ] = None
    mechanism: Curator = "laplace"
    alpha: Annotated[float, ALPHA, Blank(steps="hundredths")] = 0.05
    bins: int = 1
    delta: Slack = 1e-6
    neighbours: Neighbours = "change-one"
    items: Annotated[int | None, DOMAIN, Argument(renames=("domain_size",))] = None
    users: Annotated[int | None, USERS] = None
    seed: Seed = 0


@dataclass(frozen=True, kw_only=True)
class ChooseOptions:
    """epsilon : that of the scenario, if none is given."""

    scenario: Scenario
    epsilon: LocalBudget | None = None
    trials: Annotated[int, Range(1, 10**6), Blank(200, steps="ladder")] = 1000
    seed: Seed = 0


@dataclass(frozen=True, kw_only=True)
class DiscloseOptions:
    """relation : the two columns of a relation; the form asks for them one by one."""

    what: Annotated[Literal["table", "relation"], Blank()] = "table"
    file: Annotated[File, Blank(EXAMPLES)]
    quasi: Annotated[tuple[str, ...], Blank("age, zip, sex", only=where("what", "table"))] = ()
    sensitive: Annotated[tuple[str, ...], Blank("illness", only=where("what", "table"))] = ()
    relation: tuple[str, ...] = ()
    user: Annotated[str, Blank(only=where("what", "relation"))] = "user"
    attribute: Annotated[str, Blank(only=where("what", "relation"))] = "attribute"
    observed: Annotated[int, Range(1, 8), Blank()] = 2


def release(kind: str, epsilon: float, delta: Any, times: Any) -> str:
    """An entry of the ledger, as it is typed."""
    spent = f"{kind}={epsilon:.6g}"
    if isinstance(delta, int | float) and delta > 0:
        spent += f",{delta:g}"
    return f"{spent}x{times}" if isinstance(times, int) and times > 1 else spent


def value_of(draft: Draft, key: str) -> Any:
    from ...session.draft import value_of as value

    return value(draft, key)


def _rounds(draft: Draft) -> int:
    return int(value_of(draft, "campaign.rounds") or 10)


def _entries(draft: Draft) -> tuple[str, ...] | None:
    epsilon = value_of(draft, "protocol.epsilon")
    if not (isinstance(epsilon, int | float) and epsilon > 0):
        return None
    delta, kind = value_of(draft, "protocol.delta"), str(value_of(draft, "protocol.kind"))
    return (release(kind, epsilon, delta, _rounds(draft)),)


def _noise(draft: Draft) -> str | None:
    """RAPPOR's f, p, q and hashes."""
    if not has(value_of(draft, "protocol.kind"), "hashes"):
        return None
    noise = [value_of(draft, f"protocol.{name}") for name in ("f", "p", "q", "hashes")]
    known = all(isinstance(number, int | float) for number in noise)
    return ", ".join(f"{number:g}" for number in noise) if known else None


def _reports(draft: Draft) -> int | None:
    return None if _noise(draft) is None else _rounds(draft)


@dataclass(frozen=True, kw_only=True)
class LedgerOptions:
    """rappor : f, p, q and hashes, whose memoised reports are bounded for `rounds` rounds."""

    entries: Annotated[
        tuple[str, ...], Argument(positional=True), Blank((), _entries, hint="name=ε,δxN")
    ] = ()
    scenario: str | None = None
    delta: Annotated[Slack, Range(0, 1, "()")] = 1e-6
    people: Annotated[int, TIMES, Blank()] = 1
    tight: Annotated[bool, Argument(renames=("tight accounting",)), Blank()] = False
    rappor: Annotated[
        tuple[float, float, float, float] | None, Blank("0.5, 0.5, 0.75, 2", _noise, optional=True)
    ] = None
    rounds: Annotated[int, TIMES, Blank(30, _reports, steps="ladder")] = 1


@dataclass(frozen=True, kw_only=True)
class PriceOptions:
    """epsilon, users : those of the scenario, if none is given. mechanism : of the verdict."""

    scenario: Scenario
    over: Annotated[
        Literal["users", "epsilon"], Blank(choices=(("users", "over n"), ("epsilon", "over ε")))
    ] = "users"
    epsilon: LocalBudget | None = None
    users: Annotated[int | None, USERS, Blank(10_000, users_of, steps="ladder")] = None
    mechanism: Curator = "laplace"
    delta: Slack = 1e-6
    neighbours: Neighbours = "change-one"


@dataclass(frozen=True, kw_only=True)
class SensitivityOptions:
    """bounds : what every number is known to lie in. bound : where the form clips, or None."""

    file: File
    column: Annotated[str, Argument(renames=("values",)), Blank("income")]
    query: tuple[str, ...] = ()
    bounds: tuple[float, float] | None = None
    bound: Annotated[
        float | None, Range(0, math.inf, "()"), Blank(optional=True, steps="ladder")
    ] = None
    nonnegative: Annotated[bool, Blank(True, choices=((True, "no"), (False, "yes")))] = False
    epsilon: Budget = 1.0
    neighbours: Annotated[Near, Blank("add-remove", bare=True)] = "change-one"


def _rows(draft: Draft) -> int | None:
    users = users_of(draft)
    return None if users is None else min(users, 1_000_000)


def _sources() -> Choices:
    return alike("protocol", *curators())


@dataclass(frozen=True, kw_only=True)
class SyntheticOptions:
    """source : the scenario's protocol, or the curator who releases a histogram instead.

    epsilon, delta, neighbours : of that curator. rows : None for a row per user.
    """

    scenario: Scenario
    source: Annotated[str, Blank(choices=_sources, bare=True)] = "protocol"
    epsilon: Annotated[
        Budget, Blank(1.0, "protocol.epsilon", only=having("source", "neighbours"))
    ] = 1.0
    delta: Annotated[Slack, Blank(1e-6, steps="decades", only=having("source", "delta"))] = 1e-6
    neighbours: Annotated[Near, Blank(bare=True, only=having("source", "neighbours"))] = (
        "change-one"
    )
    out: str
    rows: Annotated[int | None, Range(1, 10**8), Blank(10_000, _rows, steps="ladder")] = None
    column: Annotated[str, Blank()] = "item"
    seed: Seed = 0
