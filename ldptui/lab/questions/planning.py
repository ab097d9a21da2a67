"""The options of the topics about a protocol before it collects: checked, chosen, planned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

from ldptui.core.base.ranges import DOMAIN, Range

from ..options import Argument, Blank, Keys, Option
from .offered import OWN, alike, having, kinds, lacking, local, numbers, where
from .shared import (
    BEST,
    Budget,
    Near,
    Seed,
    Slack,
    items_of,
    keys,
    targets_of,
)

if TYPE_CHECKING:
    from ...session.draft import Draft


CONCLUDED: Final = ("alpha", "adjust")
"""Keys of what the server concludes, on which no report depends."""
NOISE: Final = ("f", "p", "q", "form")
"""The keys of the noise of bits, which is one option."""


def _audited(form: Mapping[str, Any]) -> bool:
    """Samples are drawn by request, and always of one's own mechanism."""
    return bool(form.get("audit")) or form.get("protocol") == OWN


def _audited_keys(known: Iterable[str]) -> Iterator[Option]:
    return keys((*known, *NOISE, "domain_size", *CONCLUDED))


def _checked_kinds() -> tuple[tuple[str, str], ...]:
    return (*alike(*kinds(), "exponential"), (OWN, "your own"))


@dataclass(frozen=True, kw_only=True)
class CheckOptions:
    """epsilon, delta : what is promised. plugin : the place of one's own mechanism, in the form.

    counts : of the exponential mechanism. bits, hashes, cohorts, noise : of Bloom filters. keys :
    the other keys of the protocol. audit, samples, confidence, seed : of reports that are sampled.
    """

    protocol: Annotated[
        str, Argument(positional=True), Blank("oue", "protocol.kind", _checked_kinds, bare=True)
    ]
    plugin: Annotated[str, Blank(only=where("protocol", OWN))] = ""
    epsilon: Annotated[
        Budget | None,
        Range(0),
        Blank(1.0, "protocol.epsilon", only=lacking("protocol", "f", "exponential", OWN)),
    ] = None
    items: Annotated[
        int | None,
        DOMAIN,
        Argument(renames=("domain_size",)),
        Blank(8, steps="ladder", only=lacking("protocol", "neighbours", OWN)),
    ] = None
    delta: Annotated[Slack, Blank(1e-6, steps="decades", only=having("protocol", "delta", OWN))] = (
        0.0
    )
    neighbours: Annotated[Near, Blank(bare=True, only=having("protocol", "neighbours"))] = (
        "change-one"
    )
    counts: Annotated[str | None, Blank("5, 3, 1", only=where("protocol", "exponential"))] = None
    bits: Annotated[int, Blank(steps="ladder", only=having("protocol", "bits"))] = 8
    hashes: Annotated[int, Blank(only=having("protocol", "hashes"))] = 2
    cohorts: Annotated[int, Blank(steps="ladder", only=having("protocol", "cohorts"))] = 4
    noise: Annotated[
        tuple[float, float, float],
        Argument(renames=NOISE),
        Blank("0.5, 0.5, 0.75", only=having("protocol", "f")),
    ] = (0.5, 0.5, 0.75)
    keys: Annotated[Mapping[str, str], Keys(_audited_keys)]
    audit: Annotated[bool, Blank()] = False
    samples: Annotated[int, Range(1000, 10**8), Blank(steps="ladder", only=_audited)] = 200_000
    confidence: Annotated[float, Range(0, 1, "()"), Blank(steps="hundredths", only=_audited)] = (
        0.999
    )
    seed: Annotated[Seed, Blank(0, only=_audited)] = 0


def dials() -> tuple[str, ...]:
    """The kinds whose p, g or w is chosen."""
    from ldptui.core.protocols import DIALS

    return tuple(DIALS)


def kind_of_draft(draft: Draft) -> Any:
    """The kind of the draft's protocol, where it is a pure one."""
    kind = None if draft.cell is None else draft.cell.parameters.get("protocol.kind")
    return kind if kind in local() else None


MEAN: Final = "mean"
"""The task of a plan whose users hold numbers."""


def planned_kinds() -> tuple[str, ...]:
    """The protocols that a plan can be for."""
    return (BEST, *local(), *numbers())


def task_of_draft(draft: Draft) -> str | None:
    """What the draft's users hold, where its protocol says so."""
    if draft.cell is None:
        return None
    kind = draft.cell.first.parameters["protocol.kind"]
    return MEAN if kind in numbers() else "frequencies"


def within_of_draft(draft: Draft) -> float | None:
    """A twentieth of the draft's range of numbers."""
    if draft.cell is None or task_of_draft(draft) != MEAN:
        return None
    protocol: Any = draft.cell.first.protocol
    return float(f"{(protocol.high - protocol.low) / 20:.2g}")


def rungs() -> tuple[str, ...]:
    """The rungs of trust that a plan can be for."""
    from ldptui.core.lab.rungs import RUNGS

    return tuple(RUNGS)


def is_shuffled(form: Mapping[str, Any]) -> bool:
    """Return whether the promise has a δ."""
    return form.get("trust") == "shuffled" and form.get("task") == "frequencies"


def targets_or_ten(draft: Draft) -> int | None:
    """The number of the scenario's targets; without any, ten, or all but one of fewer items."""
    items = items_of(draft)
    return targets_of(draft) or (None if items is None else max(1, min(10, items - 1)))
