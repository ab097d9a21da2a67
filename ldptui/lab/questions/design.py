"""The options of the topic design."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from ldptui.core.base.ranges import EPSILON, SHARE, USERS

from ..options import Argument, Blank, Choices
from .offered import alike, local
from .shared import BEST, SEEDS, Items, Targets, Trials, users_of

if TYPE_CHECKING:
    from ...session.draft import Draft


def _dials() -> Choices:
    from ldptui.core.protocols import DIALS

    return alike(BEST, *DIALS)


def _protocols() -> Choices:
    return alike(*local())


def _kind(draft: Draft) -> Any:
    kind = None if draft.cell is None else draft.cell.parameters.get("protocol.kind")
    return kind if kind in local() else None


def _weighted(form: Mapping[str, Any]) -> bool:
    """Return whether something is weighted, and so what a report gives away."""
    return bool(form.get("weights"))


def _informed(form: Mapping[str, Any]) -> bool:
    """Return whether a table tells what an observer knows."""
    return _weighted(form) and bool(form.get("prior"))


@dataclass(frozen=True, kw_only=True)
class Options:
    """weights : of the error, the gain, the guess and the bits; None: the worst case counts.

    prior, column, given : a table of what an observer knows beforehand, as for a guess. check,
    trials, seed : of a simulation.
    """

    among: Annotated[str, Blank(BEST, choices=_dials, bare=True)] = BEST
    beside: Annotated[str, Blank("oue", _kind, _protocols)] = "oue"
    items: Items
    users: Annotated[int, USERS, Blank(1_000_000, users_of, steps="ladder")]
    epsilon: Annotated[float, EPSILON, Blank(1.0, "protocol.epsilon")]
    share: Annotated[float, SHARE, Blank(0.01, "attack.share", steps="hundredths")] = 0.01
    targets: Targets = 1
    weights: Annotated[
        tuple[float, float, float, float] | None,
        Argument(renames=("mse", "gain", "guessed", "bits")),
        Blank(optional=True),
    ] = None
    prior: Annotated[str | None, Blank(optional=True, only=_weighted)] = None
    column: Annotated[str, Blank("item", only=_informed)] = "item"
    given: Annotated[str | None, Blank(optional=True, only=_informed)] = None
    check: bool = False
    trials: Trials = 1000
    seed: Annotated[int, SEEDS] = 0
