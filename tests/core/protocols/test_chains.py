"""Kinds that keep an answer: the law of two rounds of the same users, by enumeration, and its ε."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support import budget
from support.cases import attack, cell, outcome_counts_of
from support.count_laws import counts_law
from support.report_laws import Case, subset_bits

from ldptui.core.base.arms import ATTACKED, CLEAN
from ldptui.core.base.errors import ScenarioError
from ldptui.core.cell import Cell
from ldptui.core.law.longitudinal import Attendance, Memoising
from ldptui.core.law.mechanism import is_a
from ldptui.core.protocols import KINDS
from ldptui.core.theory import attacked_variance, clean_variance, expected_estimate

Floats = NDArray[np.float64]

EPSILON = 1.5
CHAINS = [
    kind
    for kind, spec in KINDS.items()
    if is_a(spec.mechanism, Memoising) and hasattr(spec, "epsilon_infinity")
]
"""The kinds that perturb a kept answer again; for dBitFlipPM, which does not, see test_dbitflip."""
HASHING = [kind for kind in CHAINS if hasattr(KINDS[kind], "hash_range")]
every_kind = pytest.mark.parametrize("kind", CHAINS)


def made(kind: str, domain_size: int) -> Case:
    """A case of a kind; of hashing with g = 3."""
    return Case(kind, domain_size, EPSILON, 3 if kind in HASHING else None)


def bound(kind: str, domain_size: int, epsilon: float = EPSILON, **keys: Any) -> Any:
    if kind in HASHING and epsilon == EPSILON:
        keys = {"hash_range": 3, **keys}
    return KINDS[kind](kind=kind, epsilon=epsilon, **keys).bind(domain_size)


# The law of the reports that one user sends in several rounds, from the papers.


def first_noise(case: Case) -> tuple[float, float]:
    """p₁ and q₁ of the kept bits, with twice the budget."""
    half, e = math.exp(case.epsilon), math.exp(2 * case.epsilon)
    return (half / (half + 1), 1 / (half + 1)) if case.kind == "l-sue" else (0.5, 1 / (e + 1))


def second_noise(case: Case) -> tuple[float, float]:
    """p₂ and q₂, from what both noises are at one time: p = p₁p₂ + (1-p₁)q₂, and q alike."""
    (p1, q1), both = first_noise(case), np.array([case.p, case.q])
    p2, q2 = np.linalg.solve([[p1, 1 - p1], [q1, 1 - q1]], both)
    return float(p2), float(q2)


def response(answers: int, epsilon: float) -> tuple[Floats, Floats]:
    """Randomised response over g answers with 2ε, and the one after which both are that of ε."""

    def matrix(own: float, other: float) -> Floats:
        return np.full((answers, answers), other) + (own - other) * np.eye(answers)

    def of(budget: float) -> Floats:
        e = math.exp(budget)
        return matrix(e / (e + answers - 1), 1 / (e + answers - 1))

    return of(2 * epsilon), np.linalg.solve(of(2 * epsilon), of(epsilon))


def several_answers(case: Case, item: int, rounds: int) -> Floats:
    """The same where an answer is kept: an item, or a bucket of a kept hash function."""
    d, g = case.domain_size, case.hash_range
    first, second = response(g or d, case.epsilon)
    law = np.zeros(2 ** (d * rounds))
    functions = list(itertools.product(range(g), repeat=d)) if g else [tuple(range(d))]
    for placed in functions:
        sets = [sum(2**v for v in range(d) if placed[v] == answer) for answer in range(g or d)]
        for kept, chance in enumerate(first[placed[item]]):
            for sent in itertools.product(range(g or d), repeat=rounds):
                rate = math.prod(second[kept][answer] for answer in sent)
                at = sum(sets[answer] << (d * t) for t, answer in enumerate(sent))
                law[at] += chance * rate / len(functions)
    return law


def several_reports(case: Case, item: int, rounds: int) -> Floats:
    """The sets that the reports of a user of this item support: float64[2^(d·rounds)].

    Bit t·d + v says that the report of round t supports item v.
    """
    if case.kind == "l-grr" or case.hash_range:
        return several_answers(case, item, rounds)
    (p1, q1), (p2, q2) = first_noise(case), second_noise(case)
    law = np.ones(1)
    for number in range(case.domain_size):
        kept = p1 if number == item else q1
        sent = np.zeros(2**rounds)
        for chance, rate in ((kept, p2), (1 - kept, q2)):
            ones = subset_bits(2**rounds).sum(axis=1)
            sent += chance * rate**ones * (1 - rate) ** (rounds - ones)
        law = np.multiply.outer(law, sent).reshape(-1)
    return _by_round(law, case.domain_size, rounds)


def _by_round(law: Floats, items: int, rounds: int) -> Floats:
    """A law of bits ordered by item, then round, the first in the highest place; by round."""
    axes = [v * rounds + (rounds - 1 - t) for t in range(rounds) for v in range(items)][::-1]
    return law.reshape((2,) * (items * rounds)).transpose(axes).reshape(-1)


def alone(law: Floats, round_: int, d: int) -> Floats:
    """The same of a user who takes part in one of two rounds only."""
    kept = np.zeros_like(law)
    mask = (2**d - 1) << (d * round_)
    np.add.at(kept, np.arange(law.size) & mask, law)
    return kept


@every_kind
@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_epsilon_of_rounds_by_enumeration(kind: str, rounds: int) -> None:
    """The worst ratio of the reports of two items over rounds, exactly; below ε∞ = 2 ε₁."""
    case, protocol = made(kind, 2), bound(kind, 2)
    laws = np.array([several_reports(case, item, rounds) for item in (0, 1)])
    if case.hash_range is None:
        first, second = laws[:, laws.any(axis=0)]
        worst = np.log(first / second).max()
        assert worst == pytest.approx(protocol.epsilon_of_rounds(rounds))
    assert protocol.epsilon_of_rounds(1) == pytest.approx(EPSILON)
    assert protocol.epsilon_of_rounds(rounds) < protocol.epsilon_infinity == 2 * EPSILON
    assert protocol.epsilon_of_rounds(10**6) == pytest.approx(2 * EPSILON)


# Two rounds, simulated on both paths.

TRIALS = 6_000


def drawn(protocol: Any, histograms: list[Any], left: list[Any], rng: Any) -> Floats:
    """Counts [trials, 2 d] of two rounds on the counts path."""
    held = [np.array(users) for users in histograms], [np.array(users) for users in left]
    return np.hstack(list(protocol.memoised_counts(Attendance(*held, TRIALS, rng, lambda _: rng))))


def counted(protocol: Any, histogram: list[int], rng: Any) -> Floats:
    """The same from every user's reports: permanent draws repeat, fresh ones do not."""
    users, d = np.repeat(np.arange(len(histogram)), histogram), protocol.domain_size
    values, state = np.tile(users, TRIALS), rng.integers(2**62)
    counts = []
    for _ in range(2):
        reports = protocol.memoised_reports(values, np.random.default_rng(state), rng)
        counts.append(protocol.supports(reports).reshape(TRIALS, users.size, d).sum(axis=1))
    return np.hstack(counts)


def agrees(counts: Any, users: int, laws: list[Floats], apart: bool = False) -> budget.Verdict:
    """Counts of two rounds follow the law of these users' reports.

    apart : of each item over both rounds, and of both items in each round.
    """
    seen, expected = outcome_counts_of(counts, users), counts_law(laws)
    if not apart:
        return budget.law(seen, expected)
    # Axes are item 0 and 1 in the first round, then in the second.
    pairs = [(1, 3), (0, 2), (2, 3), (0, 1)]
    first, *rest = (budget.law(seen.sum(axis=gone), expected.sum(axis=gone)) for gone in pairs)
    for verdict in rest:
        first = first & verdict
    return first


@pytest.mark.every(3)
@every_kind
def test_two_rounds_of_the_same_users(kind: str, rng: np.random.Generator) -> None:
    """Both paths follow the joint law of both rounds; rounds with new answers do not."""
    held = [2, 1]
    case, protocol = made(kind, 2), bound(kind, 2)
    laws = [several_reports(case, item, 2) for item in np.repeat([0, 1], held)]
    assert agrees(drawn(protocol, [held, held], [[0, 0]] * 2, rng), 3, laws, kind in HASHING)
    assert agrees(counted(protocol, held, rng), 3, laws)
    fresh = [protocol.sample_counts(np.tile(held, (TRIALS, 1)), rng) for _ in range(2)]
    assert not agrees(np.hstack(fresh), 3, laws)


@pytest.mark.every(6)
@every_kind
def test_two_rounds_of_users_who_come_and_go(kind: str, rng: np.random.Generator) -> None:
    """One of two users of item 0 leaves with the answer; a new one of item 1 has one of its own."""
    case, protocol = made(kind, 2), bound(kind, 2)
    stay = [several_reports(case, item, 2) for item in range(2)]
    laws = [*stay, alone(stay[0], 0, 2), alone(stay[1], 1, 2)]
    counts = drawn(protocol, [[2, 1], [1, 2]], [[0, 0], [1, 0]], rng)
    assert agrees(counts, 4, laws, kind in HASHING)
    nobody = (np.arange(16) == 0).astype(float)
    assert not agrees(counts, 4, [stay[0], *stay, nobody])


# Campaigns.

USERS = [400, 300, 200, 60, 40]


def campaign(kind: str, rounds: int, path: str = "counts", **more: Any) -> Cell:
    top = {name: more.pop(name) for name in ("seed",) if name in more}
    table = more.pop("table", None)
    protocol = {"kind": kind, "epsilon": EPSILON, **more.pop("keys", {})}
    changes = {"rounds": rounds, **more}
    return cell(USERS, protocol, table, campaign=changes, simulate={"path": path}, **top)


@pytest.mark.every(16)
@every_kind
@pytest.mark.parametrize(("path", "churn"), [("counts", 0.0), ("counts", 0.3), ("reports", 0.0)])
def test_pooled_estimates_have_the_variance_of_kept_answers(
    kind: str, path: str, churn: float, seed: int
) -> None:
    """Unbiased, attacked or not, and spread as theory says; not as if every round were new."""
    rounds = 15 if path == "counts" and not churn else 3
    table = attack("mga", 0.1, [3, 4], seeds=3)
    one = campaign(kind, rounds, path, churn=churn, seed=seed, table=table)
    blocks = [one.block(number) for number in range(30 if path == "counts" else 10)]
    pool, attacked = clean_variance(one), attacked_variance(one)
    means = np.array([block.arms[CLEAN].mean for block in blocks])
    truth = one.population.frequencies
    assert budget.mean(means, truth, pool / 20)
    assert budget.spread(means, truth, pool / 20)
    after = np.array([block.arms[ATTACKED].mean for block in blocks])
    assert budget.mean(after, expected_estimate(one), attacked / 20)
    assert budget.spread(after, expected_estimate(one), attacked / 20)
    fresh = np.array([clean_variance(each) for each in one.rounds]).sum(axis=0) / rounds**2
    assert (pool > fresh).all()
    if path == "counts" and not churn:
        assert not budget.spread(means, truth, fresh / 20)


@pytest.mark.every(5)
@every_kind
def test_every_round_is_a_collection_of_its_own(kind: str, seed: int) -> None:
    one = campaign(kind, 3, churn=0.2, seed=seed)
    blocks = [one.block(number) for number in range(40)]
    for number, each in enumerate(one.rounds):
        means = np.array([block.rounds.arms[CLEAN].mean[number] for block in blocks])
        variance, truth = clean_variance(each) / 20, each.population.frequencies
        assert budget.mean(means, truth, variance)
        assert budget.spread(means, truth, variance)
        assert not budget.mean(means + 0.05, truth, variance)


@pytest.mark.parametrize("answers", [2, 3, 7])
@pytest.mark.parametrize("epsilon", [0.5, 1.5, 4.0])
def test_calibrations_of_randomised_response(answers: int, epsilon: float) -> None:
    """Tight: both noises together are GRR of ε₁. Published: less, as enumerated."""
    tight, published = (
        bound("l-grr", answers, epsilon, calibration=how) for how in ("tight", "published")
    )
    kept, sent = (
        np.full((answers, answers), other) + (own - other) * np.eye(answers)
        for own, other in ((tight.chain.p1, tight.chain.q1), (tight.chain.p2, tight.chain.q2))
    )
    both = kept @ sent
    assert both[0, 0] / both[0, 1] == pytest.approx(math.exp(epsilon))
    assert tight.epsilon == epsilon
    own, other = published.chain.p2, published.chain.q2
    both = kept @ (np.full((answers, answers), other) + (own - other) * np.eye(answers))
    a, c = math.exp(2 * epsilon), own / other
    assert c == pytest.approx((a * math.exp(epsilon) - 1) / (a - math.exp(epsilon)))
    ratio = (a * c + answers - 1) / (a + c + answers - 2)
    assert (
        both[0, 0] / both[0, 1]
        == pytest.approx(ratio)
        == pytest.approx(math.exp(published.epsilon))
    )
    assert (published.p, published.q) == pytest.approx((both[0, 0], both[0, 1]))
    if answers == 2:
        assert published.epsilon == pytest.approx(epsilon)
    else:
        assert published.epsilon < epsilon - 1e-5


def test_the_loss_of_users_whose_item_changes() -> None:
    """An answer is kept for each item, of hashing for each bucket."""
    for kind in CHAINS:
        answers = 3 if kind in HASHING else 50
        assert bound(kind, 50).epsilon_lifetime == pytest.approx(answers * 2 * EPSILON)


@every_kind
def test_budgets_that_make_no_sense(kind: str) -> None:
    for limit in (0.3, 1.0):
        with pytest.raises(ScenarioError, match="epsilon must be below epsilon_infinity = "):
            campaign(kind, 2, keys={"epsilon": 1.0, "epsilon_infinity": limit})
    for limit in (0.0, 41.0):
        with pytest.raises(ScenarioError, match=r"epsilon_infinity must be in \(0, 40\]"):
            campaign(kind, 2, keys={"epsilon": 1.0, "epsilon_infinity": limit})


@every_kind
def test_users_who_come_and_go_are_refused_on_the_reports_path(kind: str) -> None:
    name = kind.upper()
    with pytest.raises(ScenarioError, match=rf'must be "counts" where users of {name} come and go'):
        campaign(kind, 2, "reports", churn=0.1)


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
@every_kind
def test_one_report_is_that_of_both_noises(kind: str, epsilon: float) -> None:
    for limit in (1.4 * epsilon + 0.2, 2 * epsilon, 3 * epsilon):
        protocol = bound(kind, 5, epsilon, epsilon_infinity=limit)
        chain = protocol.chain
        assert (protocol.p, protocol.q) == pytest.approx((chain.p, chain.q))
        assert 0 <= chain.q2 < chain.p2 <= 1
