"""A matrix game: an attacker who chooses a row and a server who chooses a column, at random.

Against every opponent, the attacker's mixture gains at least the game's value on average, and the
server's loses at most that (von Neumann 1928). Both solve one linear programme.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base.errors import ScenarioError
from ..base.ranges import ENTRIES
from ..base.sampling import Floats


@dataclass(frozen=True, eq=False)
class Game:
    """The solution of a zero-sum game: mixed strategies of both players and the game's value.

    value : the attacker's gain. rows, columns : the probabilities of the attacker's rows, and of
        the server's columns.
    """

    value: float
    rows: Floats
    columns: Floats


def solve_game(matrix: Floats) -> Game:
    """The solution of the zero-sum game whose row player, the attacker, gains matrix[row, column].

    max v subject to Σ_i x_i A_ij ≥ v for every column j, x in the simplex; the server's mixture is
    the programme's dual.

    Raises ScenarioError for a matrix that is too large or has entries that are not finite.
    """
    from scipy.optimize import linprog

    if matrix.size > ENTRIES:
        rule = f"must have at most {ENTRIES} entries to be solved as a game"
        raise ScenarioError(f"{rule}, got {matrix.size}", key="sweep")
    if not np.isfinite(matrix).all():
        raise ScenarioError("must have a number for every pair to be solved as a game", key="sweep")
    rows, columns = matrix.shape
    # Numbers of one size, so that a tolerance means the same for each game.
    scale = float(np.abs(matrix).max()) or 1.0
    answer = linprog(
        np.append(np.zeros(rows), -1.0),
        A_ub=np.hstack([-matrix.T / scale, np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=np.append(np.ones(rows), 0.0)[None, :],
        b_eq=[1.0],
        bounds=[(0, 1)] * rows + [(None, None)],
        method="highs",
    )
    if not answer.success:
        raise ScenarioError(f"must be a game that can be solved: {answer.message}", key="sweep")
    return Game(
        float(answer.x[-1]) * scale,
        _law(answer.x[:rows]),
        _law(-np.asarray(answer.ineqlin.marginals)),
    )


def _law(weights: Floats) -> Floats:
    kept = np.maximum(weights, 0)
    return np.asarray(kept / kept.sum())
