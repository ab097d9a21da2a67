"""Heavy hitters: the levels of PEM, and the users of a group."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Final, cast

import numpy as np

from ldptui.core.cell import Cell
from ldptui.core.task import PEM
from ldptui.core.task.hitters.prefixes import candidate_counts, start_length

from ..text.format import count
from .family_explanation import TaskExplanation
from .formula import Formula, KnownNumbers
from .formula_inputs import FormulaSetting, bound

LEVELS: Final = "Levels"
MOST_PREFIXES: Final = 2**32
"""Those that a protocol can be bound to; to one that is asked one by one they are all the same."""
SHOWN: Final = 8
"""Levels whose numbers are listed; of more the first ones and the last."""


def _task(cell: Cell) -> PEM:
    return cast("PEM", cell.task)


def _setting(cell: Cell, spec: Any = None) -> FormulaSetting:
    """The setting of formulas for the last group, which estimates most prefixes, with its users."""
    task = _task(cell)
    chosen = task.oracle if spec is None else spec
    task.bound(chosen, cell.population)
    settings = task.settings
    prefixes = min(2**settings.bits, MOST_PREFIXES)
    return bound(chosen, prefixes, users=max(1, round(cell.users / len(settings.lengths))))


def _remark(cell: Cell) -> str:
    """The groups, their users and their prefixes, in a line."""
    lengths = _task(cell).settings.lengths
    users = count(cell.users / len(lengths), 9)
    added = sorted({*_count_added_bits(cell)})
    bits = f"{lengths[0]} to {lengths[-1]}" if lengths[0] < lengths[-1] else str(lengths[0])
    each = " or ".join(map(str, added)) if len(added) < 3 else f"{added[0]} to {added[-1]}"
    if len(lengths) == 1:
        return f"1 group of {users} users: {bits} bits"
    return f"{len(lengths)} groups of {users} users: {bits} bits, {each} a level"


def _count_added_bits(cell: Cell) -> list[int]:
    """The bits that each level adds."""
    settings = _task(cell).settings
    return np.diff(settings.lengths, prepend=start_length(settings.k)).tolist()


_of_levels = partial(Formula, source="WLJ")
_of_estimate = partial(Formula, source="CJG")

START: Final = _of_levels(
    "Bits whose prefixes all are candidates before the first level", "c = ⌈log₂ k⌉"
)
GROUPS: Final = _of_levels("Groups, from the bits e that each level adds", "G = ⌈(γ − c) / e⌉")
LENGTHS: Final = _of_estimate(
    "Bits of the prefixes that group j reports, with the full ε", "λⱼ = c + ⌈j (γ − c) / G⌉",
    put="{c} + ⌈j · {γ − c} / {G}⌉, j = 1 … {G}",
)  # fmt: skip
EXTENDED: Final = replace(
    LENGTHS, text="λⱼ = min(c + j e, γ)", put="min({c} + j · {e}, {γ}), j = 1 … {G}"
)
CANDIDATES: Final = _of_levels(
    "Candidates, the most at level {level}: all extensions of the survivors before",
    "|Cⱼ| = |Rⱼ₋₁| 2^(λⱼ − λⱼ₋₁),  |R₀| = 2^c,  |Rⱼ| = min(k, |Cⱼ|)", put="{before} · 2^{added}",
)  # fmt: skip
USERS: Final = _of_estimate("Genuine users of a group, on average", "n / G")


def _formulas(cell: Cell) -> Iterator[Formula]:
    """Yields the lengths, the candidates and the users of the groups."""
    settings = _task(cell).settings
    k, bits, lengths = settings.k, settings.bits, settings.lengths
    counts, added = candidate_counts(lengths, k), _count_added_bits(cell)
    most, start = int(np.argmax(counts)), start_length(k)
    before = 2**start if most == 0 else min(k, counts[most - 1])
    known = KnownNumbers(_setting(cell), **{
        "k": k, "γ": bits, "G": len(lengths), "c": start,
        "λⱼ": bits, "|Cⱼ|": counts[most], "before": before, "added": added[most],
        "n": cell.users,
    })  # fmt: skip
    if settings.extension is not None:
        known["e"] = settings.extension
    texts = [str(length) for length in lengths]
    shown = ", ".join(texts if len(texts) <= SHOWN + 2 else [*texts[:SHOWN], "…", texts[-1]])
    extended = settings.extension is not None
    rows = (
        START,
        *((GROUPS,) if extended else ()),
        replace(EXTENDED if extended else LENGTHS, said=shown),
        replace(CANDIDATES, title=CANDIDATES.title.format(level=most + 1)),
        USERS,
    )
    yield from known.fill(rows, LEVELS)


TASK: Final = TaskExplanation(_setting, _formulas, _remark, "in a group")
