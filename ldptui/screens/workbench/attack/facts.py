"""The facts that the attack's form shows beside its fields: problems, phases, m, r and f_T."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from ....catalogue import kind_words
from ....session.draft import attack_script as script
from ....session.draft import keys_of, kind_of, sweep_of
from ....session.draft.attack_script import Table
from ....text.format import MISSING, count, short
from .phase_strip import Stretch

if TYPE_CHECKING:
    from ....session.draft import Draft

NARROWEST: Final = 38
"""Cells that words in the form have where all panes stand on one screen."""


def hashes(draft: Draft) -> bool:
    """True if users hash their items, so that an attacker searches for seeds."""
    values = sweep_of(draft).get("protocol.kind")
    kinds = values if isinstance(values, list) else [kind_of(draft, "protocol")]
    return any(kind_words("protocol", kind).family == "hashing" for kind in map(str, kinds))


def problem(draft: Draft, key: str) -> str:
    """The problem of a key in a sentence, "" if it has none."""
    fault = draft.problem(key)
    return fault.message if fault is not None else ""


def stretches(draft: Draft, phases: list[Table]) -> Iterator[Stretch]:
    """The phases as the last valid scenario has bound them."""
    rounds = draft.cell.rounds if draft.cell is not None else ()
    for at, phase in enumerate(phases):
        first, last = script.span(phases, at)
        shares = tuple(cell.share for cell in rounds[first : last + 1])
        off = phase.get("muted") is True
        yield Stretch(
            shares or (0.0,) * max(0, last - first + 1),
            script.described_mix(script.parts_of(phase)),
            off,
        )


def facts(draft: Draft) -> str:
    """The numbers of the attack in the last valid scenario: m, r and f_T."""
    cell = draft.cell
    if cell is None or (cell.attack is None and not cell.targets.size):
        return ""
    held = MISSING if cell.population.awaited else short(cell.target_frequency, 3)
    many = "m as the goal takes" if cell.goal is not None else f"m = {count(cell.malicious)} fakes"
    if not cell.targets.size:
        return many
    first = f"{many}   r = {cell.targets.size}"
    gap = "   " if len(first) + len(held) <= NARROWEST - 9 else "\n"  # never inside a number
    return f"{first}{gap}f_T = {held}"


def keys_of_kind(kind: object) -> frozenset[str]:
    """The keys that a kind of attack has."""
    return frozenset(keys_of("attack", kind)) if isinstance(kind, str) else frozenset()
