"""Collections in rounds: every round is a cell of its own, and all of them together are one."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support import budget
from support.cases import alike, attack, cell

from ldptui.core.attacks import Fakes, View
from ldptui.core.base.arms import ATTACKED, CLEAN
from ldptui.core.base.errors import ScenarioError
from ldptui.core.cell import Cell
from ldptui.core.law.longitudinal import Attendance
from ldptui.core.law.pure import Total
from ldptui.core.metrics import Measures, empty_measures
from ldptui.core.metrics.results import CellResults, Rounds
from ldptui.core.protocols import BitNoise, Rappor
from ldptui.core.protocols.rappor import epsilon_of_rounds
from ldptui.core.theory import (
    attacked_variance,
    clean_variance,
    expected_estimate,
    expected_metrics,
    privacy_spent,
)
from ldptui.core.theory.campaign import round_theories

Floats = NDArray[np.float64]

USERS = [4000, 3000, 2000, 600, 400]
TARGETS = [3, 4]
MGA = attack("mga", 0.1, TARGETS, seeds=5)
PURE = [
    {"kind": "grr", "epsilon": 1.0},
    {"kind": "oue", "epsilon": 1.0},
    {"kind": "olh", "epsilon": 1.0},
]
BASIC = {"kind": "rappor", "form": "basic", "f": 0.5, "p": 0.4, "q": 0.8}
ONE_TIME = {"kind": "rappor", "form": "basic-one-time", "f": 0.5}
BLOOM_FILTER = {"bits": 8, "hashes": 1, "cohorts": 4}
BLOOM = {"kind": "rappor", "f": 0.5, **BLOOM_FILTER}


def campaign(
    protocol: dict[str, Any], rounds: int, table: Any = MGA, users: Any = None, **more: Any
) -> Cell:
    top = {name: more.pop(name) for name in ("seed", "simulate", "trials") if name in more}
    return cell(users or USERS, protocol, table, campaign={"rounds": rounds, **more}, **top)


def run(one: Cell, blocks: int) -> tuple[Measures, Measures]:
    """Measures [trials] of the pool and [trials, R] of the rounds."""
    done = [one.block(number) for number in range(blocks)]
    rounds = [block.rounds.metrics for block in done if block.rounds is not None]
    return np.concatenate([block.metrics for block in done]), np.concatenate(rounds)


def column(metrics: Measures, name: str) -> Floats:
    return metrics[name]


def of_rounds(block: CellResults) -> Rounds:
    assert block.rounds is not None
    return block.rounds


# The law of a round is that of a collection of its own.


@pytest.mark.every(5)
@pytest.mark.parametrize("protocol", [*PURE, BASIC, ONE_TIME], ids=lambda one: one["kind"])
@pytest.mark.parametrize("churn", [0.0, 0.4])
def test_each_round_follows_its_own_theory(
    protocol: dict[str, Any], churn: float, seed: int
) -> None:
    one = campaign(protocol, 3, seed=seed, churn=churn)
    _, rounds = run(one, 20)
    for number, alone in enumerate(one.rounds):
        truth, r = alone.population.frequencies, len(TARGETS)
        expected = expected_metrics(alone)
        after, before = attacked_variance(alone), clean_variance(alone)
        assert after is not None
        seen = column(rounds[:, number], "target_frequency_clean")
        # The targets' estimates are uncorrelated but for GRR, whose variance is in the theory.
        variance = alone.pure.total_variance(Total(r, truth[TARGETS].sum())) / alone.users
        mean = expected["target_frequency_clean"]
        assert mean is not None
        assert budget.mean(seen, mean, variance)
        assert budget.spread(seen, mean, variance)
        assert not budget.mean(seen, mean + 0.02, variance)
        assert not budget.spread(seen, mean, 2 * variance)
        squares = column(rounds[:, number], "mse_clean")
        assert abs(squares.mean() / before.mean() - 1) < 0.5
    assert column(rounds, "gain").std() > 0


@pytest.mark.parametrize("protocol", [*PURE, BASIC], ids=lambda one: one["kind"])
def test_one_round_is_a_collection_in_law(protocol: dict[str, Any], seed: int) -> None:
    """The same counts law, whatever way they are drawn: moments of the estimates of every item."""
    one, plain = campaign(protocol, 1, seed=seed), cell(USERS, protocol, MGA, seed=seed)
    unmeasured = dict.fromkeys(("robust_low", "robust_high"))  # in campaigns
    expected = expected_metrics(plain) | unmeasured
    assert expected_metrics(one) == pytest.approx(expected, nan_ok=True)
    assert (one.users, one.malicious, one.share) == (plain.users, plain.malicious, plain.share)
    estimate, variance = expected_estimate(plain), attacked_variance(plain)
    assert estimate is not None
    assert variance is not None
    means = np.array([one.block(number).arms[ATTACKED].mean for number in range(40)])
    assert budget.mean(means, estimate, variance / 20)
    assert budget.spread(means, estimate, variance / 20)
    assert not budget.mean(means, estimate + 3 * np.sqrt(variance / 20), variance / 20)


@pytest.mark.parametrize("path", ["counts", "reports"])
@pytest.mark.parametrize("protocol", [*PURE, BASIC, BLOOM], ids=lambda one: one["kind"])
def test_the_pool_is_all_rounds_together(protocol: dict[str, Any], path: str) -> None:
    """Pure estimates are linear: the pool's is the mean of the rounds', by their reports."""
    users = [40, 30, 20, 6, 4]
    one = campaign(protocol, 3, users=users, simulate={"path": path})
    block = one.block(0, 4)
    rounds = of_rounds(block)
    assert one.users == 300
    assert one.malicious == 3 * 11
    assert rounds.metrics.shape == (4, 3)
    assert rounds.arms[ATTACKED].mean.shape == rounds.arms[CLEAN].squares.shape == (3, 5)
    if "bits" not in protocol:
        assert block.arms[ATTACKED].mean == pytest.approx(rounds.arms[ATTACKED].mean.mean(axis=0))
        gains = column(rounds.metrics, "gain").mean(axis=1)
        assert column(block.metrics, "gain") == pytest.approx(gains)
    else:
        assert np.isfinite(rounds.metrics["mse"]).all()


@pytest.mark.every(5)
@pytest.mark.parametrize("protocol", PURE, ids=lambda one: one["kind"])
def test_pooled_estimates_follow_the_theory_of_the_pool(
    protocol: dict[str, Any], seed: int
) -> None:
    """With churn and drift the rounds differ; the pool's closed form is that of all users."""
    drift = {"kind": "counts", "counts": [0, 0, 0, 1, 4]}
    one = campaign(protocol, 4, seed=seed, churn=0.3, drift=drift)
    estimate, variance = expected_estimate(one), attacked_variance(one)
    assert estimate is not None
    assert variance is not None
    shares = [cell.users / one.users for cell in one.rounds]
    truth = sum(s * c.population.frequencies for s, c in zip(shares, one.rounds, strict=True))
    assert one.population.frequencies == pytest.approx(truth)
    weights = np.array([cell.users + cell.malicious for cell in one.rounds], dtype=float)
    weights /= weights.sum()
    each = [expected_estimate(cell) for cell in one.rounds]
    assert estimate == pytest.approx(weights @ np.array(each))
    spreads = np.array([attacked_variance(cell) for cell in one.rounds])
    assert variance == pytest.approx(weights**2 @ spreads)
    means = np.array([one.block(number).arms[ATTACKED].mean for number in range(60)])
    assert budget.mean(means, estimate, variance / 20)
    assert budget.spread(means, estimate, variance / 20)
    first = expected_estimate(one.rounds[0])
    assert not budget.mean(means, first, variance / 20)
    assert not budget.spread(means, estimate, spreads[0] / 20)


# RAPPOR's users keep their permanent bits.

QUIET = {"kind": "rappor", "form": "basic", "f": 0.75, "p": 0.05, "q": 0.95}


@pytest.mark.every(2)
@pytest.mark.parametrize("fresh_bits", [False, True], ids=["kept", "mutant"])
def test_cohorts_and_bits_of_bloom_filters_are_kept(fresh_bits: bool, seed: int) -> None:
    """Variance of the bit counts of two rounds together, of users a third of whom are replaced.

    Who stays has cohort j and sends bit i in both rounds with probability (μ² + κ) / m, where
    κ = (f/2)(1-f/2)(q-p)² is what the permanent bit adds. The mutant draws everything anew.
    """
    noise = BitNoise(0.5, 0.1, 0.9)
    protocol = Rappor(3, 4, 1, 2, noise)
    held, left = np.array([60, 30, 9]), np.array([20, 10, 3])
    rng = np.random.default_rng(seed)
    trials = 1200
    campaign = Attendance([held, held], [0 * held, left], trials, rng, lambda _: rng)
    rounds = list(protocol.memoised_counts(campaign))
    if fresh_bits:
        rounds = [protocol.sample_counts(np.broadcast_to(held, (trials, 3)), rng) for _ in range(2)]
    total = np.add(*rounds)
    bits = (protocol.table[:, :, 0, None] == np.arange(4)).astype(float)  # [item, cohort, bit]
    sent = noise.p_star + noise.gap * bits
    sent = np.concatenate([sent, np.ones((3, 2, 1))], axis=2)  # the users themselves
    kept = np.full((2, 5), noise.f / 2 * (1 - noise.f / 2) * (noise.q - noise.p) ** 2)
    kept[:, -1] = 0
    chance = sent / 2
    single = np.einsum("v,vji->ji", held, chance * (1 - chance))
    both = np.einsum("v,vji->ji", held - left, (sent**2 + kept) / 2 - chance**2)
    mean = 2 * np.einsum("v,vji->ji", held, chance)
    verdict = budget.mean(total, mean, 2 * single + 2 * both) & budget.spread(
        total, mean, 2 * single + 2 * both
    )
    assert bool(verdict) is not fresh_bits


def test_what_reacts_has_no_closed_form_after_the_first_round() -> None:
    table = {"kind": "reactive", "share": 0.1, "targets": {"items": TARGETS}}
    for protocol in (PURE[0], {"kind": "laplace", "epsilon": 1.0}, BLOOM):
        one = campaign(protocol, 3, table)
        expected = [expected_metrics(cell) for cell in one.rounds]
        assert round_theories(one) == expected
        assert [each["gain"] is None for each in expected] == [False, True, True]
        assert [each["mse"] is None for each in expected] == [protocol is BLOOM, True, True]
        assert expected_metrics(one)["gain"] is None
        assert expected_metrics(campaign(protocol, 1, table))["gain"] is not None
        assert (column(of_rounds(one.block(0, 2)).metrics, "gain") != 0).all()


# Privacy.


def test_privacy_of_fresh_reports_adds_up() -> None:
    from ldptui.core.lab.ledger import LedgerEntry, sequential

    spent = privacy_spent(campaign({"kind": "oue", "epsilon": 0.7}, 4))
    assert spent == pytest.approx([0.7, 1.4, 2.1, 2.8])
    for number, total in enumerate(spent, start=1):
        assert sequential([LedgerEntry("round", 0.7, times=number)]).epsilon == pytest.approx(total)


@pytest.mark.parametrize(
    "protocol",
    [BASIC, ONE_TIME, BLOOM],
    ids=lambda one: str(one["form" if "form" in one else "bits"]),
)
def test_privacy_of_memoised_reports_is_bounded(protocol: dict[str, Any]) -> None:
    one = campaign(protocol, 40)
    noise, spent = one.protocol.noise, privacy_spent(one)
    assert isinstance(noise, BitNoise)
    assert spent == [epsilon_of_rounds(noise, one.protocol.hashes, t) for t in range(1, 41)]
    assert spent[0] == pytest.approx(noise.epsilon_one(one.protocol.hashes))
    assert (np.diff(spent) >= -1e-9).all()
    assert spent[-1] <= noise.epsilon_infinity(one.protocol.hashes) + 1e-9
    assert spent[-1] < 40 * spent[0]


# Seeds, parts, what an attacker sees.


@pytest.mark.parametrize("protocol", [PURE[0], QUIET, BLOOM], ids=["grr", "basic", "bloom"])
def test_more_rounds_change_no_earlier_one(protocol: dict[str, Any]) -> None:
    short, long = (of_rounds(campaign(protocol, r, churn=0.2).block(0, 5)) for r in (2, 5))
    assert alike(short.metrics, long.metrics[:, :2])


@pytest.mark.parametrize("path", ["counts", "reports"])
def test_fakes_see_the_round_and_what_was_published_last(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = campaign(PURE[0], 3, users=[40, 30, 20, 6, 4], simulate={"path": path, "top_k": 2})
    seen: list[View] = []

    class Watching:
        cohort = None

        def counts(self, protocol: Any, view: View, count: Any, rng: Any) -> Any:
            seen.append(view)
            return np.zeros((count.size, 5), dtype=np.int64)

        def reports(self, protocol: Any, view: View, count: int, rng: Any) -> Any:
            seen.append(view)
            return protocol.perturb(np.zeros(count, dtype=np.int64), rng)

    strategy: Any = Watching()
    monkeypatch.setattr(
        Cell, "fakes", property(lambda own: (Fakes(strategy, own.targets, own.malicious),))
    )
    block = one.block(0, 2)
    rows = 20 if path == "counts" else 2
    per_round = 1 if path == "counts" else 2
    assert [view.round for view in seen] == sorted([0, 1, 2] * per_round)
    assert all((view.rounds, view.top_k) == (3, 2) for view in seen)
    assert [view.published is None for view in seen] == [view.round == 0 for view in seen]
    published = [view.published for view in seen if view.round == 1]
    if path == "counts":
        assert published[0] is not None
        assert published[0].shape == (rows, 5)
        first = published[0][:2]
    else:
        first = np.array(published)
    assert first.mean(axis=0) == pytest.approx(of_rounds(block).arms[ATTACKED].mean[0])


def test_entry_rounds() -> None:
    metrics = empty_measures(4, 3)
    metrics["targets_in_top_k"] = [[0, 2, 1], [2, 2, 2], [0, 1, 1], [1, 1, 2]]
    rounds = Rounds(metrics, {})
    assert np.array_equal(rounds.entries(2), [1, 0, np.nan, 2], equal_nan=True)


# Refusals.


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({}, "campaign.rounds is required"),
        ({"rounds": 0}, "campaign.rounds must be in [1, 1000], got 0"),
        ({"rounds": 1001}, "campaign.rounds must be in [1, 1000], got 1001"),
        ({"rounds": 2.5}, "campaign.rounds must be an integer in [1, 1000], got 2.5"),
        ({"rounds": 2, "churn": 1.5}, "campaign.churn must be in [0, 1], got 1.5"),
        ({"rounds": 2, "churn": "x"}, 'campaign.churn must be a number in [0, 1], got "x"'),
        ({"rounds": 2, "chrun": 0.1}, "campaign.chrun is not a known key (did you mean churn?)"),
        (
            {"rounds": 2, "drift": {"kind": "csv", "path": "x"}},
            "campaign.drift.kind must be one of zipf, uniform, geometric, normal, beta, ",
        ),
        ({"rounds": 2, "drift": {}}, "campaign.drift.kind is required, one of zipf, "),
        ({"rounds": 2, "drift": {"kind": "zipf"}}, "campaign.drift.exponent is required"),
        (
            {"rounds": 2, "drift": {"kind": "uniform", "users": 7, "items": 5}},
            "campaign.drift.users must be as many as in population, 10000, got 7",
        ),
        (
            {"rounds": 2, "drift": {"kind": "uniform", "users": 10000, "items": 4}},
            "campaign.drift.items must be as many as in population, 5, got 4",
        ),
        (
            {"rounds": 2, "drift": {"kind": "counts", "counts": [1, 2]}},
            "campaign.drift.counts must be as many as in population, 5, got 2",
        ),
        (5, "campaign must be a table, got 5"),
    ],
)
def test_a_bad_campaign_is_one_sentence(table: Any, message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        cell(USERS, PURE[0], MGA, campaign=table)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
