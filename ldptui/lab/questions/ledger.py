"""The options of the topic ledger."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from ldptui.core.base.ranges import Range

from ..options import Argument, Blank, Option, Topic
from .offered import has
from .shared import SLACK, TIMES

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


LEDGER: Final = Topic(
    "ledger",
    "Ledger",
    "ledger ENTRY …",
    "what several releases cost together",
    "Add up what several releases about the same people cost together.",
    "ENTRY is [NAME=]EPSILON[,DELTA][@NOISE][xTIMES]; ε = 0 is post-processing. NOISE,\n"
    "laplace or geometric, is of a number that one person changes by 1; --tight uses it.\n"
    "example: ldptui ledger daily=0.1x30 census=0.5,1e-8 --delta 1e-6 --people 4",
    (
        Option(
            "entries",
            "rows",
            argument=Argument("ENTRY", positional=True),
            blank=Blank((), _entries),
        ),
        Option(
            "scenario",
            "text",
            argument=Argument("NAME", "also the rounds of a scenario: a file, or a bundled one"),
        ),
        replace(SLACK, range=Range(0, 1, "()")).argued(words="δ that all may cost (1e-6)"),
        Option(
            "people",
            "integer",
            TIMES,
            argument=Argument("K", "people protected together (1)", 1),
            blank=Blank(),
        ),
        Option(
            "tight",
            "flag",
            renames=("tight accounting",),
            argument=Argument(words="also by the library dp_accounting (an extra)", default=False),
            blank=Blank(),
        ),
        Option(
            "rappor",
            "numbers",
            size=4,
            argument=Argument("F,P,Q,H", "RAPPOR's memoised rounds: f, p, q and hashes"),
            blank=Blank("0.5, 0.5, 0.75, 2", _noise, optional=True),
        ),
        Option(
            "rounds",
            "integer",
            TIMES,
            argument=Argument("T", "its reports (1)", 1),
            blank=Blank(30, _reports, steps="ladder"),
        ),
    ),
    group="privacy",
)
