"""Coded protocols (HR): what the contract test does not ask of every protocol."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import budget
from support.cases import bind
from support.codes import CODES
from support.report_laws import Case

from ldptui.core.base.errors import ScenarioError
from ldptui.core.law.law import Ask
from ldptui.core.protocols import KINDS

Rng = np.random.Generator

SIZES = ((7, 0.3), (20, 1.0), (30, 2.5))
every_code = pytest.mark.parametrize(
    "case", [Case(kind, d, eps) for kind in CODES for d, eps in SIZES], ids=str
)


@every_code
def test_the_code_is_that_of_the_paper(case: Case) -> None:
    protocol: Any = bind(case)
    assert case.code is not None
    supports = protocol.supports(np.arange(protocol.messages, dtype=np.uint32))
    assert (supports.astype(np.int8) == case.code.supports).all()
    law = protocol.enumerate_reports().probabilities
    assert law == pytest.approx(case.code.chances, rel=1e-12)


@every_code
def test_transforms_are_the_matrix(case: Case, rng: Rng) -> None:
    protocol: Any = bind(case)
    assert case.code is not None
    matrix = case.code.supports.astype(np.int64)
    messages = rng.integers(0, 10**12, size=(2, protocol.messages))
    assert (protocol._heard(messages) == messages @ matrix).all()
    weights = rng.random(case.domain_size)
    assert protocol._weigh_messages(weights) == pytest.approx(matrix @ weights)


@pytest.mark.parametrize("case", [Case("hr", d, eps) for d, eps in SIZES], ids=str)
def test_many_users_walk_to_messages_by_their_law(case: Case, rng: Rng) -> None:
    """Given the users of each item: the messages that agree, all alike, each user on its own."""
    protocol: Any = bind(case)
    assert case.code is not None
    agrees = (case.code.supports > 0).T / protocol.agreeing
    for item in (0, case.domain_size - 1):
        users = np.zeros((1, case.domain_size), dtype=np.int64)
        users[0, item] = 10**6
        assert budget.law(protocol._send_truthfully(users, rng)[0], agrees[item])
        assert not budget.law(protocol._send_truthfully(users, rng)[0], agrees[item - 3])


def test_walkers_of_one_item_go_their_own_ways(rng: Rng) -> None:
    """E[N_u N_v] of the messages of three users, two of whom hold one item."""
    case = Case("hr", 8, 1.0)
    protocol: Any = bind(case)
    assert case.code is not None
    agrees = (case.code.supports > 0).T / protocol.agreeing
    mixed = np.outer(agrees[0], agrees[7])
    expected = 2 * (np.outer(agrees[0], agrees[0]) + mixed + mixed.T)
    u, v = np.triu_indices(protocol.messages, 1)

    def apart(sent: Any) -> budget.Verdict:
        products = sent[:, u] * sent[:, v]  # 0, 1 or 2: the mean square is twice the mean at most
        return budget.mean(products, expected[u, v], 2 * expected[u, v])

    def sent(*held: int) -> Any:
        users = np.bincount(held, minlength=8)
        return protocol._send_truthfully(np.broadcast_to(users, (10_000, 8)), rng)

    assert apart(sent(0, 0, 7))
    assert not apart(2 * sent(0) + sent(7))  # both alike


def test_a_code_that_is_too_large_is_refused_in_words() -> None:
    with pytest.raises(ScenarioError, match=r"epsilon must be small enough .* 2\^22 messages"):
        KINDS["hr"](kind="hr", epsilon=20.0).bind(2**22)


@every_code
def test_crafted_reports_are_the_best_of_all(case: Case, rng: Rng) -> None:
    """No message says more for any set of targets."""
    protocol: Any = bind(case)
    assert case.code is not None
    for r in (1, 2, 3, 5):
        targets = rng.choice(case.domain_size, size=r, replace=False)
        said = case.code.supports[:, targets].sum(axis=1)
        (best,) = set(
            protocol.supports(protocol._best(Ask("crafted", targets)))[:, targets]
            .sum(axis=1)
            .tolist()
        )
        assert best == said.max()


@pytest.mark.parametrize(
    ("d", "epsilon", "blocks", "variance"),
    [(1022, 1.0, 2, 5.54), (1023, 1.0, 2, 7.20), (1024, 0.69, 1, 9.08), (1024, 0.7, 2, 14.69)],
)
def test_the_error_of_hadamard_response_has_steps(
    d: int, epsilon: float, blocks: int, variance: float
) -> None:
    """Where the second block is full or all but empty, and where e^ε passes a power of two."""
    protocol: Any = KINDS["hr"](kind="hr", epsilon=epsilon).bind(d)
    assert protocol.blocks == blocks
    variances = protocol.placed_variances(np.full(d, 1 / d))
    assert variances.mean() == pytest.approx(variance, abs=0.01)
