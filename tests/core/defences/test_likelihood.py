"""Maximum likelihood against a solver, and the iteration that climbs towards it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from support.kinds import CAO_PROTOCOLS

from ldptui.core.base.sampling import Floats
from ldptui.core.defences import ServerKnowledge, inform_server
from ldptui.core.defences.likelihood import BayesianUpdate, MaximumLikelihood, shares, single
from ldptui.core.protocols import PROTOCOLS

KINDS = [*CAO_PROTOCOLS, "sue"]
USERS = 400


def collected(kind: str, rng: np.random.Generator, d: int = 6) -> tuple[ServerKnowledge, Floats]:
    """The knowledge of a small collection, and its noisy estimates of 8 trials."""
    protocol = PROTOCOLS[kind](kind=kind, epsilon=1.0).bind(d)
    histogram = rng.multinomial(USERS, rng.dirichlet(np.full(d, 0.5)), 8)
    counts = protocol.sample_counts(histogram, rng)
    there = inform_server(protocol, USERS, np.array([0]))
    return there, protocol.estimates(counts, USERS).frequencies


def logarithm(f: Floats, c: Floats, there: ServerKnowledge) -> float:
    """The logarithm of the likelihood of one trial, by user."""
    p, q = there.probabilities
    s = q + (p - q) * f
    own = float(c @ np.log(s))
    return own if single(there) else own + float((1 - c) @ np.log(1 - s))


@pytest.mark.parametrize("kind", KINDS)
def test_maximum_likelihood_against_a_solver(kind: str, rng: np.random.Generator) -> None:
    there, raw = collected(kind, rng)
    assert single(there) == (kind == "grr")
    made = MaximumLikelihood().correct(raw, there)
    for c, f in zip(shares(raw, there), made, strict=True):
        found = minimize(
            lambda x, c=c: -logarithm(x, c, there),
            np.full(6, 1 / 6),
            bounds=[(0, 1)] * 6,
            constraints=[{"type": "eq", "fun": lambda x: x.sum() - 1}],
            options={"ftol": 1e-14, "maxiter": 1000},
        )
        assert found.success
        assert logarithm(f, c, there) >= logarithm(found.x, c, there) - 1e-9
        assert f == pytest.approx(found.x, abs=2e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_above_zero_has_one_slope(kind: str, rng: np.random.Generator) -> None:
    """The conditions of optimality, to the last digits; a step away they fail."""
    there, raw = collected(kind, rng, d=30)
    p, q = there.probabilities
    c = shares(raw, there)

    def optimal(f: Floats, c: Floats) -> bool:
        s = q + (p - q) * f
        slope = c / s if single(there) else c / s - (1 - c) / (1 - s)
        top = slope.max(axis=1, keepdims=True)
        return bool(np.allclose(np.where(f > 0, slope, top), top, rtol=1e-9, atol=1e-9))

    made = MaximumLikelihood().correct(raw, there)
    assert (made == 0).any()
    assert optimal(made, c)
    assert not optimal(0.999 * made + 0.001 / 30, c)
    if not single(
        there
    ):  # so few supports that every s_v is above its share: the slope is below -1
        made = MaximumLikelihood().correct((c / 4 - q) / (p - q), there)
        assert optimal(made, c / 4)
        assert not optimal(0.999 * made + 0.001 / 30, c / 4)


@pytest.mark.parametrize("kind", KINDS)
def test_maximum_likelihood_at_the_edges(kind: str) -> None:
    there = inform_server(PROTOCOLS[kind](kind=kind, epsilon=4.0).bind(4), 100, np.array([0]))
    p, q = there.probabilities
    shares_ = np.array([[1.0, 0, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1], [0.9, 0.9, 0, 0]])
    if single(there):
        shares_ = shares_[[0]]
    made = MaximumLikelihood().correct((shares_ - q) / (p - q), there)
    expected = np.array([[1, 0, 0, 0], [0.25] * 4, [0.25] * 4, [0.5, 0.5, 0, 0]])
    assert made == pytest.approx(expected[: len(made)], abs=1e-9)


def test_a_step_of_grr_is_that_of_expectation_maximisation(rng: np.random.Generator) -> None:
    there, raw = collected("grr", rng)
    p, q = there.probabilities
    channel = np.full((6, 6), q) + (p - q) * np.eye(6)
    for c, one, two in zip(
        shares(raw, there),
        BayesianUpdate(1).correct(raw, there),
        BayesianUpdate(2).correct(raw, there),
        strict=True,
    ):
        f = np.full(6, 1 / 6)
        for made in (one, two):
            posterior = f[:, None] * channel / (f @ channel)  # [item, report]
            f = posterior @ c
            assert made == pytest.approx(f, abs=1e-12)


@pytest.mark.parametrize("kind", ["sue", "oue"])
def test_many_updates_end_where_the_slopes_are_one(kind: str, rng: np.random.Generator) -> None:
    there, raw = collected(kind, rng)
    p, q = there.probabilities
    c, f = shares(raw, there), BayesianUpdate(20_000).correct(raw, there)
    s = q + (p - q) * f
    slope = (1 - f) * (c / s - (1 - c) / (1 - s))
    top = slope.max(axis=1, keepdims=True)
    assert np.where(f > 0.01, slope, top) == pytest.approx(np.broadcast_to(top, f.shape), abs=1e-3)
