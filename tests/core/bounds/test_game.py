"""Games against those whose solution is known, and by what no other strategy does better."""

from __future__ import annotations

import numpy as np
import pytest

from ldptui.core.base.errors import ScenarioError
from ldptui.core.bounds.game import solve_game


def test_known_games() -> None:
    pennies = solve_game(np.array([[1.0, -1.0], [-1.0, 1.0]]))
    assert pennies.value == pytest.approx(0, abs=1e-12)
    assert pennies.rows == pytest.approx([0.5, 0.5])
    assert pennies.columns == pytest.approx([0.5, 0.5])
    # 2 × 2 without a saddle point: (ad − bc)/(a + d − b − c).
    two = solve_game(np.array([[3.0, 1.0], [0.0, 2.0]]))
    assert two.value == pytest.approx(6 / 4)
    assert two.rows == pytest.approx([0.5, 0.5])
    assert two.columns == pytest.approx([0.25, 0.75])
    saddle = solve_game(np.array([[4.0, 2.0, 3.0], [1.0, 0.5, 9.0]]))
    assert saddle.value == pytest.approx(2)
    assert saddle.rows == pytest.approx([1, 0])
    assert saddle.columns == pytest.approx([0, 1, 0])


@pytest.mark.parametrize("shape", [(1, 1), (2, 5), (6, 3), (12, 14)])
@pytest.mark.parametrize("size", [1e-7, 1.0, 1e6])
def test_neither_side_can_do_better(shape: tuple[int, int], size: float) -> None:
    matrix = size * np.random.default_rng(3).normal(size=shape)
    game = solve_game(matrix)
    assert game.rows.sum() == pytest.approx(1)
    assert game.columns.sum() == pytest.approx(1)
    assert (game.rows @ matrix).min() == pytest.approx(game.value, abs=1e-7 * size)
    assert (matrix @ game.columns).max() == pytest.approx(game.value, abs=1e-7 * size)


def test_a_game_needs_every_number() -> None:
    with pytest.raises(ScenarioError, match="sweep must have a number for every pair"):
        solve_game(np.array([[1.0, np.nan]]))
    with pytest.raises(ScenarioError, match="sweep must have at most 4000000 entries"):
        solve_game(np.zeros((2001, 2000)))
