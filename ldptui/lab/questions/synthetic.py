"""The options of the topic synthetic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from ldptui.core.base.ranges import Range

from ..options import Blank, Choices
from .offered import alike, curators, having
from .shared import Budget, Near, Scenario, Seed, Slack, users_of

if TYPE_CHECKING:
    from ...session.draft import Draft


def _rows(draft: Draft) -> int | None:
    users = users_of(draft)
    return None if users is None else min(users, 1_000_000)


def _sources() -> Choices:
    return alike("protocol", *curators())


@dataclass(frozen=True, kw_only=True)
class Options:
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
