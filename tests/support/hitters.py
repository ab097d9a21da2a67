"""Cells that look for heavy hitters, and the law of their answers by brute force."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldptui import core
from ldptui.core.experiment import compile
from ldptui.core.scenario import Scenario
from ldptui.core.task import HitterCell

OLH = {"kind": "olh", "epsilon": 1.0}
GRR = {"kind": "grr", "epsilon": 1.0}


def hitters_cell(
    population: Any, task: Any, attack: Any = None, protocol: Any = None, **more: Any
) -> core.Cell:
    """One cell; a list of counts is a population of these."""
    if isinstance(population, list):
        population = {"kind": "counts", "counts": population}
    document = {
        "format": 1,
        "population": population,
        "protocol": protocol or OLH,
        "attack": attack or {"kind": "none"},
        "task": {"kind": "heavy-hitters", **task},
        **more,
    }
    (cell,) = compile(Scenario(document)).cells
    return cell


def hitter_cell_of(cell: core.Cell) -> HitterCell:
    """Everything that the trials of a cell need."""
    hitters: HitterCell = cell.task.find_hitter_cell(cell)  # type: ignore[attr-defined]
    return hitters


def answers(hitters: HitterCell, trials: int, attacked: bool = False) -> list[tuple[int, ...]]:
    """The codes that are named in each trial, ascending."""
    named = [
        tuple(trees[attacked][-1].survivors.tolist())
        for block in range(-(-trials // 20))
        for trees in hitters.trees(block, 20)
    ]
    return named[:trials]


Supports = dict[tuple[bool, ...], float]


def hashing_supports(own: int | None, candidates: int, p: float, q: float) -> Supports:
    """The law of what a report supports of the candidates; `own` is the user's place, or None."""
    rates = [p if place == own else q for place in range(candidates)]
    return {
        pattern: float(
            np.prod([r if hit else 1 - r for r, hit in zip(rates, pattern, strict=True)])
        )
        for pattern in itertools.product((False, True), repeat=candidates)
    }


def direct_supports(own: int | None, candidates: int, prefixes: int, epsilon: float) -> Supports:
    """The same of GRR over all prefixes of a level: a report supports one of them."""
    weight = np.exp(epsilon) + prefixes - 1
    law: Supports = defaultdict(float)
    others = prefixes - candidates - (own is None)
    for place in range(candidates):
        pattern = tuple(at == place for at in range(candidates))
        law[pattern] += (np.exp(epsilon) if place == own else 1) / weight
    law[(False,) * candidates] += (others + (np.exp(epsilon) if own is None else 0)) / weight
    return law


def aimed_supports(
    targets: Sequence[int], bits: int, listed: Sequence[int], length: int
) -> Supports:
    """The law of what a fake of MGA supports under GRR: one of the targets' distinct prefixes."""
    law: Supports = defaultdict(float)
    aims = {target >> (bits - length) for target in targets}
    for aim in aims:
        law[tuple(prefix == aim for prefix in listed)] += 1 / len(aims)
    return law


def answer_law(
    codes: Sequence[int],
    bits: int,
    k: int,
    lengths: Sequence[int],
    supports: Any,
    fakes: int = 0,
    faked: Any = None,
) -> dict[tuple[int, ...], float]:
    """The law of the answer, over all groups and reports of these users, one code each.

    supports : of an own place (None outside), the candidates and the length of the prefixes.
    fakes : the number of fake users, whose groups the server draws as well. faked : what one
    supports, of the listed prefixes and their length.
    """
    start = (k - 1).bit_length()
    law: dict[tuple[int, ...], float] = defaultdict(float)
    groups, users = len(lengths), [*codes, *[None] * fakes]
    for chosen in itertools.product(range(groups), repeat=len(users)):
        paths = {tuple(range(2**start)): groups ** -float(len(users))}
        before = start
        for level, length in enumerate(lengths):
            after: dict[tuple[int, ...], float] = defaultdict(float)
            members = [code for code, group in zip(users, chosen, strict=True) if group == level]
            for survivors, likely in paths.items():
                listed = [s << (length - before) | end for s in survivors
                          for end in range(2 ** (length - before))]  # fmt: skip
                counts = {(0,) * len(listed): 1.0}
                for code in members:
                    if code is None:
                        law_of_one = faked(listed, length)
                    else:
                        prefix = code >> (bits - length)
                        own = listed.index(prefix) if prefix in listed else None
                        law_of_one = supports(own, len(listed), length)
                    grown: dict[tuple[int, ...], float] = defaultdict(float)
                    for pattern, chance in law_of_one.items():
                        for count, weight in counts.items():
                            added = tuple(c + hit for c, hit in zip(count, pattern, strict=True))
                            grown[added] += weight * chance
                    counts = grown
                for count, chance in counts.items():
                    ranked = sorted(range(len(listed)), key=lambda at: (-count[at], at))
                    named = tuple(sorted(listed[at] for at in ranked[:k]))
                    after[named] += likely * chance
            paths, before = after, length
        for named, likely in paths.items():
            law[named] += likely
    return law


def observed(found: list[tuple[int, ...]], law: dict[tuple[int, ...], float]) -> NDArray[np.int64]:
    """The number of trials with each answer of a law, then those with another one."""
    counts = [found.count(named) for named in law]
    return np.array([*counts, len(found) - sum(counts)])
