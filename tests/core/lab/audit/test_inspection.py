"""The audit of a client: its bound is one, what is broken is found, and what is not is not."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from support import budget
from support.audits import ended

import ldptui
from ldptui.api.files import sent
from ldptui.core.lab.audit import Asked, Claim, Inspection, Inspector, made
from ldptui.core.lab.audit.power import best_of, events_of, lower_of, naive
from ldptui.core.lab.audit.rounds import FIRST, items_of_round, looks, shares, sizes
from ldptui.core.lab.loss import loss_of
from ldptui.core.law.together import tells_together

D = 8
SURE = 1 - budget.FALSE_ALARM


class Own:
    """A protocol of ours as a client."""

    def __init__(self, kind: str, epsilon: float, items: int = D) -> None:
        self.protocol = ldptui.protocol(kind, items, epsilon=epsilon)

    def perturb(self, values: Any, rng: Any) -> Any:
        return sent(self.protocol, values, rng)


def claim_of(kind: str, epsilon: float = 1.0, items: int = D) -> Claim:
    protocol = ldptui.protocol(kind, items, epsilon=epsilon)
    return Claim(items, epsilon, kind, protocol, partial(sent, protocol))


def audited(
    client: Any, claim: Claim, samples: int = 20_000, fresh: bool = False, **more: Any
) -> Inspection:
    asked = Asked(samples, **{"confidence": SURE, **more})
    return ended(Inspector(made("client", lambda: client, fresh), claim, asked))


HONEST = {
    "grr": 0.3, "oue": 0.3, "olh": 0.3, "ss": 0.3, "hr": 0.2, "dbitflip": 0.1, "hcms": 0.3,
}  # fmt: skip
"""Bounds on ε that honest clients of ε = 1 reach with 20 000 reports."""
SPENDING = {"grr": 2.5, "oue": 2.5, "the": 3.0, "hst": 2.5, "hr": 2.5, "dbitflip": 2.5, "hcms": 2.5}
"""The ε that broken clients spend in the place of 1."""


@pytest.mark.every(3)
@pytest.mark.parametrize("kind", HONEST)
def test_an_honest_client_is_not_refuted(kind: str) -> None:
    found = audited(Own(kind, 1.0), claim_of(kind))
    assert found.verdict == "not-refuted"
    assert found.conforms
    assert found.findings == ()
    assert HONEST[kind] < found.epsilon_low <= 1.0
    assert found.samples == 20_000


@pytest.mark.parametrize("kind", SPENDING)
def test_a_client_that_spends_more_is_broken(kind: str) -> None:
    found = audited(Own(kind, SPENDING[kind]), claim_of(kind))
    assert found.verdict == "broken"
    assert not found.conforms
    assert 1.0 < found.epsilon_low <= SPENDING[kind]
    assert found.findings[0].text.startswith("ε is at least ")


def test_a_client_of_another_protocol_is_not_broken_but_does_not_conform() -> None:
    found = audited(Own("sue", 1.0), claim_of("oue"))
    assert (found.verdict, found.conforms) == ("not-refuted", False)


class Spared:
    """GRR, but for one item, which it never perturbs."""

    def __init__(self, item: int) -> None:
        self.item, self.protocol = item, ldptui.protocol("grr", D, epsilon=1.0)

    def perturb(self, values: Any, rng: Any) -> Any:
        reports = self.protocol.perturb(values, rng)
        return np.where(values == self.item, values, reports)


@pytest.mark.parametrize("item", [0, 5])
def test_one_item_that_is_never_perturbed_is_found(item: int) -> None:
    found = audited(Spared(item), claim_of("grr"))
    assert found.verdict == "broken"
    assert found.bound is not None
    assert item in (found.bound.first, found.bound.second)
    assert any("never perturbed" in finding.text for finding in found.findings)
    assert found.average_low is not None
    assert found.average_low < found.epsilon_low


class Counting:
    """GRR whose coins come from a table, in turn."""

    def __init__(self, length: int) -> None:
        self.coins = np.random.default_rng(1).random(length)
        self.others = np.random.default_rng(2).integers(1, D, length)
        self.used, self.p = 0, ldptui.protocol("grr", D, epsilon=1.0).p  # type: ignore[attr-defined]

    def perturb(self, values: Any, rng: Any) -> Any:
        at = (self.used + np.arange(values.size)) % self.coins.size
        self.used += values.size
        return np.where(self.coins[at] < self.p, values, (values + self.others[at]) % D)


def test_coins_that_come_again_are_found() -> None:
    found = audited(Counting(700), claim_of("grr"))
    assert found.verdict == "broken"
    assert any("come again after 700 reports" in finding.text for finding in found.findings)


class Fixed:
    """GRR with a generator of a fixed seed."""

    def __init__(self, *_: Any) -> None:
        self.rng, self.protocol = np.random.default_rng(5), ldptui.protocol("grr", D, epsilon=1.0)

    def perturb(self, values: Any, rng: Any) -> Any:
        return self.protocol.perturb(values, self.rng)


def test_a_fixed_seed_is_found() -> None:
    found = ended(Inspector(made("client", Fixed), claim_of("grr"), Asked(20_000, SURE)))
    assert found.verdict == "broken"
    assert "fresh starts send the same reports" in found.findings[0].text


class Leaking:
    """GRR that sends the item of the user before now and then."""

    def __init__(self) -> None:
        self.last, self.protocol = 0, ldptui.protocol("grr", D, epsilon=1.0)

    def perturb(self, values: Any, rng: Any) -> Any:
        before = np.concatenate([[self.last], values[:-1]])
        self.last = int(values[-1])
        chosen = rng.random(values.size) < 0.15
        return np.where(chosen, before, self.protocol.perturb(values, rng))


def test_the_item_of_the_user_before_is_found() -> None:
    found = audited(Leaking(), claim_of("grr"))
    assert found.verdict == "broken"
    assert any("of the report before it" in finding.text for finding in found.findings)


def test_rounds_use_up_the_samples_and_the_error() -> None:
    for samples in (1000, 5000, 8000, 123_457, 10**6):
        rounds = sizes(samples)
        assert sum(rounds) == samples
        assert len(rounds) == 2 or rounds[0] >= FIRST
        assert sum(shares(len(rounds))) == pytest.approx(1.0)
        assert sum(looks(len(rounds))) == pytest.approx(1.0)
        assert shares(len(rounds))[0] == 0
    items, others = items_of_round(1000, D, None, np.random.default_rng(0))
    assert (items != others).all()
    assert np.bincount(items).tolist() == [125] * D


NAIVE = {
    "grr": 0.977, "ss": 0.619, "sue": 0.503, "oue": 0.632,
    "blh": 0.374, "olh": 0.657, "the": 0.470,
}  # fmt: skip
"""The naive audit's bounds of the literature: k = 25, ε = 1, N = 10^6, a confidence of 0.995."""


@pytest.mark.parametrize("kind", NAIVE)
def test_the_expected_bounds_of_the_naive_audit(kind: str) -> None:
    """And those of the best events, which no naive audit reaches but that of GRR."""
    protocol = ldptui.protocol(kind, 25, epsilon=1.0)
    chances = naive(protocol)
    assert chances is not None
    lower = lower_of(chances, 10**6, 0.995)
    assert lower == pytest.approx(NAIVE[kind], rel=0.002)
    best, event = best_of(events_of(loss_of(protocol)), 10**6, 0.995)
    assert best >= lower - 1e-9
    assert event.first <= math.exp(1.0 + 1e-9) * event.second
    assert kind == "grr" or best > 1.2 * lower
    assert kind == "the" or best > 0.97


@pytest.mark.every(3)
@pytest.mark.parametrize("kind", NAIVE)
def test_the_naive_attacker_guesses_as_often_as_told(kind: str) -> None:
    protocol: Any = ldptui.protocol(kind, D, epsilon=1.0)
    chances = naive(protocol)
    assert chances is not None
    assert tells_together(protocol) or kind == "grr"
    found = audited(Own(kind, 1.0), claim_of(kind), 30_000).seen
    assert found is not None
    seen = found.supported
    assert budget.proportion([seen.right, seen.wrong], seen.reports,
                             [chances.first, chances.second])  # fmt: skip
    assert not budget.proportion(seen.wrong, seen.reports, chances.first)
