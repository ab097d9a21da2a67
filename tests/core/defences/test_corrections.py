"""Corrections by themselves: each keeps what it promises, and nothing else is promised."""

from __future__ import annotations

import numpy as np
import pytest
from support.defences import made

from ldptui.core.base.errors import DefenceError, ScenarioError
from ldptui.core.base.sampling import Floats
from ldptui.core.defences import (
    CORRECTIONS,
    Correction,
    ServerKnowledge,
    correct_estimates,
    inform_server,
    project,
)
from ldptui.core.defences.corrections import BaseCut
from ldptui.core.protocols import GRR, OUE

KNOWN = ServerKnowledge(9, 10_000, p=0.5, q=0.25, variance=0.05**2, targets=np.array([3, 4]))

PROMISES = {
    "none": {"truth", "idempotent", "order"},
    "normalise": {"sum", "positive", "idempotent", "order"},
    "norm": {"sum", "truth", "idempotent", "order"},
    "norm-mul": {"sum", "positive", "truth", "idempotent", "order"},
    "norm-cut": {"positive", "truth", "idempotent", "order"},
    "norm-sub": {"sum", "positive", "truth", "idempotent", "order"},
    "base-cut": {"positive", "idempotent", "order"},
    "significance": {"positive", "idempotent", "order"},
    "power": {"positive", "order"},
    "rsn": {"sum", "positive", "truth", "idempotent", "order"},
    "ldprecover": {"sum", "positive", "order"},
    "ldprecover-star": {"sum", "positive"},
    "ml": {"sum", "positive", "truth", "idempotent", "order"},
    "ibu": {"sum", "positive", "order"},
}
"""By kind. truth: frequencies that can be true are left alone. order: items keep theirs."""


def estimates(rng: np.random.Generator, trials: int = 40, d: int = 9) -> Floats:
    """Noisy frequencies with one large item, some below zero, of sums around one."""
    truth = rng.dirichlet(np.full(d, 0.5), trials) / 2
    truth[:, 0] += 0.5
    return truth + rng.normal(0, 0.05, (trials, d))


@pytest.mark.parametrize("kind", CORRECTIONS)
def test_a_correction_keeps_the_shape_and_its_input(kind: str, rng: np.random.Generator) -> None:
    correction: Correction = made(kind)
    assert correction.kind == kind
    correction.check(KNOWN)
    before = estimates(rng)
    given = before.copy()
    after = correction.correct(given, KNOWN)
    assert after.shape == before.shape
    assert np.array_equal(given, before)
    assert np.isfinite(after).all()
    rows = [correction.correct(row[None], KNOWN)[0] for row in before]
    assert np.array_equal(after, rows)  # a trial does not see the others


def kept(kind: str, before: Floats, truth: Floats) -> set[str]:
    """The promises that a correction keeps."""
    correct = made(kind).correct
    after = correct(before, KNOWN)
    order = np.argsort(before, axis=1)
    checks = {
        "sum": np.allclose(after.sum(axis=1), 1, atol=1e-12),
        "positive": (after >= 0).all(),
        "idempotent": np.allclose(correct(after, KNOWN), after, rtol=0, atol=1e-12),
        "truth": np.allclose(correct(truth, KNOWN), truth, rtol=0, atol=1e-12),
        "order": (np.diff(np.take_along_axis(after, order, axis=1), axis=1) >= -1e-15).all(),
    }
    return {name for name, holds in checks.items() if holds}


@pytest.mark.parametrize("kind", CORRECTIONS)
def test_a_correction_keeps_its_promises_and_no_others(kind: str, rng: np.random.Generator) -> None:
    truth = rng.dirichlet(np.ones(9), 20)
    assert kept(kind, estimates(rng), truth) == PROMISES[kind]


def test_corrections_follow_each_other() -> None:
    class Doubled:
        kind = "doubled"

        def check(self, known: ServerKnowledge) -> None:
            pass

        def correct(self, frequencies: Floats, known: ServerKnowledge) -> Floats:
            return 2 * frequencies

    raw = np.array([[0.9, 0.4, -0.2]])
    first = correct_estimates(raw, [Doubled(), made("norm-sub")], KNOWN)
    assert first == pytest.approx(project(2 * raw))
    assert correct_estimates(raw, [made("norm-sub"), Doubled()], KNOWN).sum() == pytest.approx(2)
    assert correct_estimates(raw, [], KNOWN) is raw


NOTHING = {
    "base-cut": [[0.4, 0.3, 0.3], [0.01, 0.0, 0.0]],
    "norm-cut": [[0.4, 0.3, 0.3], [1.5, -0.2, -0.3]],
    "norm-mul": [[0.4, 0.3, 0.3], [-0.5, -0.2, -0.3]],
    "normalise": [[0.4, 0.3, 0.3], [0.2, 0.2, 0.2]],
}
"""Estimates of two trials, of which a correction leaves nothing in the second."""


@pytest.mark.parametrize("kind", NOTHING)
def test_a_correction_says_in_a_sentence_that_nothing_is_left(kind: str) -> None:
    few = ServerKnowledge(3, 100, variance=0.05**2)
    correct = BaseCut(0.05) if kind == "base-cut" else made(kind)
    with pytest.raises(DefenceError, match=f"^{kind} leaves nothing of an estimate: ") as error:
        correct.correct(np.array(NOTHING[kind]), few)
    assert "\n" not in str(error.value)


RATES, NOISE = "with a protocol whose", "whose noise has no closed form"
NEEDED = {
    "base-cut": NOISE,
    "significance": NOISE,
    "power": NOISE,
    "rsn": RATES,
    "ldprecover": RATES,
    "ldprecover-star": RATES,
    "ml": RATES,
    "ibu": RATES,
}
"""The refusal of a correction that needs p and q or the noise, where they are not known."""


@pytest.mark.parametrize("kind", CORRECTIONS)
def test_a_correction_refuses_a_protocol_of_which_it_knows_too_little(kind: str) -> None:
    unknown = ServerKnowledge(9, 100)
    if kind not in NEEDED:
        made(kind).check(unknown)
        return
    with pytest.raises(ScenarioError, match=f'kind must not be "{kind}".*{NEEDED[kind]}'):
        made(kind).check(unknown)


def test_what_is_known_of_a_collection() -> None:
    targets = np.array([1, 5])
    there = inform_server(OUE(20, 1.0), 1000, targets)
    q = 1 / (np.e + 1)
    assert (there.domain_size, there.users, there.p) == (20, 1000, 0.5)
    assert there.q == pytest.approx(q)
    assert there.variance == pytest.approx(q * (1 - q) / (1000 * (0.5 - q) ** 2))
    assert there.targets is targets
    grr = GRR(20, 1.0)
    assert inform_server(grr, 50, targets).variance == pytest.approx(
        grr.q * (1 - grr.q) / (50 * (grr.p - grr.q) ** 2)
    )
