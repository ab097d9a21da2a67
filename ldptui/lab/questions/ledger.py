"""The options of the topic ledger."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from ldptui.core.base.ranges import Range

from ..options import Argument, Blank
from .offered import has
from .shared import TIMES, Slack

if TYPE_CHECKING:
    from ...session.draft import Draft


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
class Options:
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
