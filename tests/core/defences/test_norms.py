"""Corrections that make the estimates sum to one, against a solver and their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from ldptui.core.base.sampling import Floats
from ldptui.core.defences import DEFENCES, ServerKnowledge, project

NOTHING = ServerKnowledge(9, 1)


def estimates(rng: np.random.Generator, trials: int = 40, d: int = 9) -> Floats:
    """Noisy frequencies, some below zero, of sums around one."""
    return rng.dirichlet(np.ones(d), trials) + rng.normal(0, 0.2, (trials, d))


def correct(kind: str, *rows: list[float]) -> list[list[float]]:
    return DEFENCES[kind]().correct(np.array(rows), NOTHING).tolist()  # type: ignore[no-any-return]


def test_norm_sub_is_the_projection_onto_the_simplex(rng: np.random.Generator) -> None:
    before = estimates(rng)
    assert np.array_equal(DEFENCES["norm-sub"]().correct(before, NOTHING), project(before))


def test_the_projection_does_not_see_what_is_added_to_all(rng: np.random.Generator) -> None:
    before = estimates(rng)
    assert project(before + 0.7) == pytest.approx(project(before), abs=1e-14)


@pytest.mark.parametrize("total", [1.0, 0.3])
def test_the_projection_against_a_solver(rng: np.random.Generator, total: float) -> None:
    simplex = {"type": "eq", "fun": lambda f: f.sum() - total}
    for raw in estimates(rng, trials=10, d=6):
        found = minimize(
            lambda f, raw=raw: ((f - raw) ** 2).sum(),
            np.full(raw.size, total / raw.size),
            jac=lambda f, raw=raw: 2 * (f - raw),
            bounds=[(0, 1)] * raw.size,
            constraints=[simplex],
            options={"ftol": 1e-15, "maxiter": 500},
        )
        assert found.success
        assert project(raw[None], total)[0] == pytest.approx(found.x, abs=1e-6)


def test_the_projection_at_the_edges() -> None:
    assert project(np.array([[-3.0, -1.0, -2.0]])).tolist() == [[0, 1, 0]]
    assert project(np.array([[5.0, 0.0, 0.0]])).tolist() == [[1, 0, 0]]
    assert project(np.array([[2.0, 2.0]])).tolist() == [[0.5, 0.5]]
    apart = np.array([[0.9, 0.2, -np.inf], [0.9, 0.2, 0.1], [-np.inf] * 3])
    both = project(apart, np.array([0.5, 0.0, 0.4]))
    assert both == pytest.approx(np.array([[0.5, 0, 0], [0, 0, 0], [0, 0, 0]]))


def test_the_norms_by_hand() -> None:
    assert correct("norm", [0.8, 0.6, -0.1]) == [pytest.approx([0.7, 0.5, -0.2])]
    assert correct("norm-mul", [0.8, 0.4, -0.1]) == [pytest.approx([2 / 3, 1 / 3, 0])]
    assert correct("normalise", [0.5, 0.3, -0.1]) == [pytest.approx([0.6, 0.4, 0])]
    assert correct("norm-cut", [0.2, 0.7, 0.3, -0.1]) == [[0, 0.7, 0.3, 0]]
    assert correct("norm-cut", [0.2, 0.7, 0.35, -0.1]) == [[0, 0.7, 0, 0]]
    assert correct("norm-cut", [0.2, 0.3, -0.4]) == [[0.2, 0.3, 0]]
