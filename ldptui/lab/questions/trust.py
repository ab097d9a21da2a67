"""The options of the topic trust."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

from ldptui.core.base.ranges import EPSILON, SHARE, Range

from ..options import Blank, Choices
from .offered import alike, local
from .shared import Items, Targets, items_of, targets_of, users_of

if TYPE_CHECKING:
    from ...session.draft import Draft

LADDER: Final = "ladder"
"""In place of a protocol: every way to collect, beside each other."""
ANY: Final = "any"
"""In place of a protocol: the worst one of its ε₀."""
SHUFFLED: Final = Range(2, 10**9)


def _protocols() -> Choices:
    return ((LADDER, "all rungs"), (ANY, "any, shuffled"), *alike(*local()))


def _alone(form: Mapping[str, Any]) -> bool:
    """One shuffled protocol is asked about."""
    return form.get("protocol") != LADDER


def _targets(draft: Draft) -> int | None:
    """The number of the scenario's targets; without any, ten, or all but one of fewer items."""
    items = items_of(draft)
    return targets_of(draft) or (None if items is None else max(1, min(10, items - 1)))


def _all(form: Mapping[str, Any]) -> bool:
    """The ladder is asked for."""
    return form.get("protocol") == LADDER


@dataclass(frozen=True, kw_only=True)
class Options:
    """The ladder of `central` and `delta`; or of a shuffled protocol one of three from the others.

    central : the central ε. epsilon : ε₀ of a report. users : n. gap : between two items.
    top : the rank to which fakes lift the rarest item; None for 10, or the last but one of fewer
    items. weight, aggregators : of secure aggregation. silent : the share of users whose reports
    hide nobody. exponent : of the population, a Zipf law. among : further protocols.
    """

    protocol: Annotated[str, Blank(LADDER, choices=_protocols)] = LADDER
    central: Annotated[float | None, EPSILON, Blank(1.0, optional=True, steps="hundredths")] = None
    epsilon: Annotated[float | None, EPSILON, Blank(optional=True, only=_alone)] = None
    delta: Annotated[float, Range(0, 1, "()"), Blank(1e-8, steps="decades")]
    users: Annotated[
        float | None, SHUFFLED, Blank(1_000_000, users_of, optional=True, steps="ladder")
    ] = None
    items: Items
    share: Annotated[float, SHARE, Blank(0.01, "attack.share", steps="hundredths", only=_all)] = (
        0.01
    )
    targets: Annotated[Targets, Blank(10, _targets, only=_all)] = 10
    gap: Annotated[float, Range(0, 1, "()"), Blank(0.03, steps="hundredths", only=_all)] = 0.03
    top: Annotated[int | None, Range(1)] = None
    weight: Annotated[int, Range(2, 2**20), Blank(3, only=_all)] = 3
    aggregators: Annotated[int, Range(1, 16)] = 2
    exponent: Annotated[float, Range(0, 20)] = 1.0
    silent: Annotated[float, SHARE, Blank(0.0, steps="hundredths", only=_alone)] = 0.0
    among: tuple[str, ...] = ()
