"""The options of the topics about a protocol before it collects: checked, chosen, planned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from ..options import Option
from .offered import OWN, alike, kinds, local, numbers
from .shared import (
    BEST,
    Near,
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


def is_audited(form: Mapping[str, Any]) -> bool:
    """Return whether samples are drawn: by request, and always of one's own mechanism."""
    return bool(form.get("audit")) or form.get("protocol") == OWN


def checked_keys(known: Iterable[str]) -> Iterator[Option]:
    """An option for each key of a protocol on which its reports depend."""
    return keys((*known, *NOISE, "domain_size", *CONCLUDED))


def checked_kinds() -> tuple[tuple[str, str], ...]:
    return (*alike(*kinds(), "exponential"), (OWN, "your own"))


@dataclass(frozen=True, kw_only=True)
class CheckRequest:
    """The options of a check, as its parameters say them. keys : the other keys of the protocol."""

    protocol: str
    epsilon: float | None = None
    items: int | None = None
    delta: float = 0.0
    neighbours: Near = "change-one"
    counts: str | None = None
    bits: int = 8
    hashes: int = 2
    cohorts: int = 4
    noise: tuple[float, float, float] = (0.5, 0.5, 0.75)
    audit: bool = False
    samples: int = 200_000
    confidence: float = 0.999
    seed: int = 0
    keys: Mapping[str, str] = field(default_factory=dict)


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
