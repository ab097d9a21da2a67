"""Corrections by themselves: what each promises, and Norm-Sub against a solver."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from core.defences import DEFENCES, Correction, NormSub, corrected
from core.sampling import Floats


def estimates(rng: np.random.Generator, trials: int = 40, d: int = 9) -> Floats:
    """Noisy frequencies, some below zero, of sums around one."""
    return rng.dirichlet(np.ones(d), trials) + rng.normal(0, 0.2, (trials, d))


@pytest.mark.parametrize("kind", DEFENCES)
def test_a_correction_keeps_the_shape_and_its_input(kind: str, rng: np.random.Generator) -> None:
    correction: Correction = DEFENCES[kind]()
    assert correction.kind == kind
    before = estimates(rng)
    given = before.copy()
    after = correction.correct(given)
    assert after.shape == before.shape
    assert np.array_equal(given, before)
    assert np.isfinite(after).all()
    rows = [correction.correct(row[None])[0] for row in before]
    assert np.array_equal(after, rows)  # a trial does not see the others


@pytest.mark.parametrize("kind", DEFENCES)
def test_a_correction_keeps_true_frequencies(kind: str, rng: np.random.Generator) -> None:
    truth = rng.dirichlet(np.ones(9), 20)
    assert DEFENCES[kind]().correct(truth) == pytest.approx(truth, abs=1e-15)


def test_norm_sub_gives_frequencies(rng: np.random.Generator) -> None:
    after = NormSub().correct(estimates(rng))
    assert (after >= 0).all()
    assert (after == 0).any()
    assert after.sum(axis=1) == pytest.approx(1, abs=1e-14)


def test_norm_sub_is_idempotent_and_keeps_the_order(rng: np.random.Generator) -> None:
    before = estimates(rng)
    after = NormSub().correct(before)
    assert NormSub().correct(after) == pytest.approx(after, abs=1e-15)
    order = np.argsort(before, axis=1)
    assert (np.diff(np.take_along_axis(after, order, axis=1), axis=1) >= 0).all()
    assert NormSub().correct(before + 0.7) == pytest.approx(after, abs=1e-14)


def test_norm_sub_is_the_nearest_point_of_the_simplex(rng: np.random.Generator) -> None:
    """The conditions of optimality: one shift for what is kept, no smaller one for what is cut."""
    before = estimates(rng)
    after = NormSub().correct(before)
    for raw, kept in zip(before, after, strict=True):
        shifts = (raw - kept)[kept > 0]
        assert shifts == pytest.approx(shifts[0], abs=1e-14)
        assert (raw[kept == 0] <= shifts[0] + 1e-14).all()


def test_norm_sub_against_a_solver(rng: np.random.Generator) -> None:
    simplex = {"type": "eq", "fun": lambda f: f.sum() - 1}
    for raw in estimates(rng, trials=10, d=6):
        found = minimize(
            lambda f, raw=raw: ((f - raw) ** 2).sum(),
            np.full(raw.size, 1 / raw.size),
            jac=lambda f, raw=raw: 2 * (f - raw),
            bounds=[(0, 1)] * raw.size,
            constraints=[simplex],
            options={"ftol": 1e-15, "maxiter": 500},
        )
        assert found.success
        assert NormSub().correct(raw[None])[0] == pytest.approx(found.x, abs=1e-6)


def test_norm_sub_at_the_edges() -> None:
    correct = NormSub().correct
    assert correct(np.array([[-3.0, -1.0, -2.0]])).tolist() == [[0, 1, 0]]
    assert correct(np.array([[5.0, 0.0, 0.0]])).tolist() == [[1, 0, 0]]
    assert correct(np.array([[2.0, 2.0]])).tolist() == [[0.5, 0.5]]


def test_corrections_follow_each_other() -> None:
    class Doubled:
        kind = "doubled"

        def correct(self, frequencies: Floats) -> Floats:
            return 2 * frequencies

    raw = np.array([[0.9, 0.4, -0.2]])
    first = corrected(raw, [Doubled(), NormSub()])
    assert first == pytest.approx(NormSub().correct(2 * raw))
    assert corrected(raw, [NormSub(), Doubled()]).sum() == pytest.approx(2)
    assert corrected(raw, []) is raw
