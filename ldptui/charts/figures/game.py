"""The map of attacks × defences as a matrix game, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.sampling import Floats
from ldptui.core.bounds.game import solved

from ...text import format as fmt
from ..series import Grid

GAMES: Final = ("gain_after", "gain", "mse_after", "mse")
"""The metrics of which the attacker wants much and the server little."""
LEAST: Final = 5e-4
"""A choice that is played less often is not named."""


def is_game(keys: Sequence[str], metric: str) -> bool:
    """True where one key is the attack's, the other the defence's, and the metric is played for."""
    sides = {key.partition(".")[0] for key in keys}
    return len(keys) == 2 and sides == {"attack", "defence"} and metric in GAMES


def game_words(grid: Grid, attack_down: bool) -> str:
    """The value and both mixtures; "" where a number is missing.

    attack_down : whether the attacks stand down the side.
    """
    values = [[math.nan if value is None else value for value in row] for row in grid.values]
    matrix = np.array(values if attack_down else [*zip(*values, strict=True)])
    names = (grid.rows, grid.columns) if attack_down else (grid.columns, grid.rows)
    try:
        game = solved(matrix)
    except ScenarioError:
        return ""
    attacks, defences = _mixture(names[0], game.rows), _mixture(names[1], game.columns)
    return f"as a game: value {fmt.short(game.value)}; attack {attacks}; defence {defences}"


def _mixture(names: Sequence[str], law: Floats) -> str:
    often = sorted(zip(law, names, strict=True), key=lambda pair: -pair[0])
    return ", ".join(f"{name} {fmt.percent(float(p))}" for p, name in often if p > LEAST)
