"""Discrete Laplace noise: every path of the sampler's coins, and the privacy of what it adds."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from support import budget

from ldptui.core.base.sampling import integers
from ldptui.core.base.sampling.integers import attempts, discrete_laplace
from ldptui.core.lab.audit import check
from ldptui.core.law.enumeration import ReportLaw
from ldptui.core.protocols.she import NoiseGrid

Sampler = Callable[[int, int, Any], Any]
LEAST = 1e-6
"""Paths of a smaller probability are not followed further."""


class AskedError(Exception):
    """The sampler asks for one of some outcomes, with these probabilities."""


class Scripted:
    """A generator that gives the outcomes of a path, and then asks for the next one."""

    def __init__(self, path: tuple[int, ...]) -> None:
        self.path = list(path)

    def chosen(self, chances: list[float]) -> int:
        if len(chances) > 1 and not self.path:
            raise AskedError(chances)
        return self.path.pop(0) if len(chances) > 1 else 0

    def integers(self, low: int, high: int, size: int) -> Any:
        between = high - low
        return np.array([low + self.chosen([1 / between] * between) for _ in range(size)], int)


def coins(numerators: Any, scale: int, rng: Scripted) -> Any:
    """What `exponential_coins` is shown to be: true with probability exp(-numerator / scale)."""
    chances = [math.exp(-number / scale) for number in numerators.tolist()]
    return np.array([rng.chosen([1 - heads, heads]) for heads in chances], dtype=bool)


def enumerated(make: Callable[[Any], Any]) -> tuple[dict[int, float], float]:
    """The probability of each number that is made, and of the paths not followed to their ends."""
    law: dict[int, float] = defaultdict(float)
    paths: list[tuple[tuple[int, ...], float]] = [((), 1.0)]
    left = 0.0
    while paths:
        path, chance = paths.pop()
        if chance <= LEAST:
            left += chance
            continue
        try:
            for number in make(Scripted(path)).tolist():
                law[number] += chance
        except AskedError as choice:
            paths += [((*path, at), chance * part) for at, part in enumerate(choice.args[0])]
    return law, left


@cache
def law_of(sampler: Sampler, scale: int) -> tuple[dict[int, float], float]:
    """The law of an attempt that is not refused, and the part of it that is not known."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(integers, "exponential_coins", coins)
        law, left = enumerated(lambda rng: sampler(scale, 1, rng))
    given = sum(law.values())
    return {number: chance / given for number, chance in law.items()}, left / given


@pytest.mark.parametrize(("numerator", "scale"), [(0, 1), (1, 1), (1, 2), (1, 3), (2, 3), (2, 5)])
def test_every_path_of_a_coin_gives_its_probability(numerator: int, scale: int) -> None:
    def agrees(heads: float) -> bool:
        made, left = enumerated(
            lambda rng: integers.exponential_coins(np.array([numerator]), scale, rng)
        )
        assert left < 1e-3
        return made[True] - 1e-12 <= heads <= made[True] + left + 1e-12

    assert agrees(math.exp(-numerator / scale))
    assert not agrees(math.exp(-(numerator + 1) / (scale + 0.5)))


def exact(scale: int, number: int) -> float:
    return math.tanh(0.5 / scale) * math.exp(-abs(number) / scale)


def doubled(scale: int, count: int, rng: Any) -> Any:
    """A mutant: the number 0 has two signs."""
    kept = attempts(scale, count, rng)
    return kept if kept.size else np.zeros(1, dtype=np.int64)


def narrow(scale: int, count: int, rng: Any) -> Any:
    """A mutant: the coins of the sizes are those of half the scale."""
    return np.sign(made := attempts(scale, count, rng)) * (np.abs(made) // 2)


def agrees(sampler: Sampler, scale: int) -> bool:
    law, left = law_of(sampler, scale)
    return all(
        chance / (1 + left) <= exact(scale, number) * (1 + 1e-12) <= chance + left + 1e-12
        for number, chance in law.items()
        if abs(number) <= 3 * scale
    )


@pytest.mark.parametrize("scale", [1, 2, 3])
def test_every_path_of_the_coins_gives_the_law(scale: int) -> None:
    assert agrees(attempts, scale)
    assert not agrees(doubled, scale)
    assert not agrees(narrow, scale)


@pytest.mark.parametrize("grid", [NoiseGrid(1, 2), NoiseGrid(1, 1), NoiseGrid(2, 3)])
def test_the_privacy_of_two_noisy_cells_is_proved_by_enumeration(grid: NoiseGrid) -> None:
    """Two items differ by 1 in two cells; what a window does not show is put on its edge."""

    def holds(sampler: Sampler) -> bool:
        law, left = law_of(sampler, grid.scale)
        edge = 3 * grid.scale
        cells = np.zeros((2, 2 * edge + 1))
        for held in (0, 1):
            for number, chance in law.items():
                if abs(number) <= edge - grid.steps:
                    cells[held, number + held * grid.steps + edge] += chance
        rows = [np.outer(cells[a], cells[b]).ravel() for a, b in ((1, 0), (0, 1))]
        seen = np.all(rows, axis=0)
        inside = np.array([np.where(seen, row, 0.0) for row in rows])
        whole = np.hstack([inside, 1 - inside.sum(axis=1, keepdims=True)])
        proof = check(ReportLaw(whole, str, str), float(grid.epsilon))
        return bool(proof.epsilon <= proof.claimed + 40 * left)

    assert holds(attempts)
    assert not holds(doubled)


def test_numbers_that_are_drawn_follow_the_law(rng: np.random.Generator) -> None:
    drawn = discrete_laplace(5, 200_000, rng)
    inner = np.abs(drawn) <= 20
    observed = np.bincount(drawn[inner] + 20, minlength=41)
    chances = np.array([exact(5, number) for number in range(-20, 21)])
    observed, chances = np.append(observed, (~inner).sum()), np.append(chances, 1 - chances.sum())
    assert budget.law(observed, chances)
    wrong = np.array([exact(6, number) for number in range(-20, 21)])
    assert not budget.law(observed, np.append(wrong, 1 - wrong.sum()))
    assert budget.mean(drawn, 0.0, 0.5 / math.sinh(0.1) ** 2)
    assert integers.discrete_laplace(5, 0, rng).size == 0
