"""RAPPOR's closed forms: privacy over rounds, inference about one user, gains."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from support import budget
from support.cases import attack, cell, metrics
from support.kinds import CAO_ATTACKS
from support.rappor_laws import Filters, held_by_one_of

from ldptui.core import theory
from ldptui.core.law.law import Ask
from ldptui.core.law.pure import item_variance
from ldptui.core.protocols import BitNoise, Rappor
from ldptui.core.protocols import rappor as bloom

Rng = np.random.Generator
NOISES = [BitNoise(0.5, 0.5, 0.75), BitNoise(0.3, 0.1, 0.6), BitNoise(0.4, 0.0, 1.0),
          BitNoise(0.0, 0.25, 0.75), BitNoise(0.2, 0.0, 0.5)]  # fmt: skip
every_noise = pytest.mark.parametrize("noise", NOISES, ids=str)


# Privacy.


def sequences(noise: BitNoise, bit: int, rounds: int) -> dict[tuple[int, ...], float]:
    """The law of the reports of one bit, permanent bit by permanent bit."""
    one = (1 - noise.f) * bit + noise.f / 2
    found = {}
    for sent in itertools.product((0, 1), repeat=rounds):
        high = math.prod(noise.q if s else 1 - noise.q for s in sent)
        low = math.prod(noise.p if s else 1 - noise.p for s in sent)
        found[sent] = one * high + (1 - one) * low
    return found


def worst(one: Any, other: Any) -> float:
    return max(
        math.log(one[s] / other[s]) if other[s] else math.inf for s in one if one[s] or other[s] > 0
    )


@every_noise
@pytest.mark.parametrize("rounds", [1, 2, 3, 6])
def test_epsilon_of_rounds_by_enumeration(noise: BitNoise, rounds: int) -> None:
    """Two values that differ in 2h bits, h in each direction; each bit at its worst."""
    zero, one = sequences(noise, 0, rounds), sequences(noise, 1, rounds)
    for h in (1, 2, 4):
        exact = h * (worst(one, zero) + worst(zero, one))
        assert bloom.epsilon_of_rounds(noise, h, rounds) == pytest.approx(exact)
    assert bloom.epsilon_of_rounds(noise, 1, rounds) != pytest.approx(
        bloom.epsilon_of_rounds(noise, 2, rounds)
    )


@every_noise
def test_the_memoised_guarantee_lies_between_one_report_and_all_of_them(noise: BitNoise) -> None:
    rounds = [1, 2, 5, 20, 100, 1000, 10**6]
    epsilons = [bloom.epsilon_of_rounds(noise, 2, t) for t in rounds]
    naive = [bloom.naive_epsilon_of_rounds(noise, 2, t) for t in rounds]
    assert epsilons[0] == pytest.approx(noise.epsilon_one(2)) == naive[0]
    assert all(a <= b + 1e-9 for a, b in itertools.pairwise(epsilons))
    assert all(a <= b + 1e-9 * b for a, b in zip(epsilons, naive, strict=True))
    if noise.is_memoised:
        assert epsilons[-1] == pytest.approx(noise.epsilon_infinity(2))
        assert epsilons[-1] < naive[-1]
    else:
        assert epsilons == pytest.approx(naive)


# One user.


def test_false_attribution_by_counting(rng: Rng) -> None:
    """Users of an item or not, one report of its two bits each: who shows both."""
    noise, held, n = BitNoise(0.5, 0.5, 0.75), 0.3, 200_000
    holds = rng.random(n) < held
    packed = noise.chain.keep_bits(np.where(holds, 192, 0).astype(np.uint8)[:, None], 2, rng)
    sent = np.unpackbits(noise.chain.send_bits(packed, 2, rng), axis=1, count=2).view(np.bool_)
    both, expected = sent.all(axis=1), bloom.false_attribution(noise, 2, held)
    wrong = (both & ~holds).sum()
    assert budget.proportion(wrong, both.sum(), expected)
    assert not budget.proportion(wrong, both.sum(), expected - 0.05)


# Deviations.


def test_count_std_is_that_of_the_bits_and_of_the_basic_form() -> None:
    noise = BitNoise(0.5, 0.5, 0.75)
    assert bloom.bit_count_std(noise, 10_000) == pytest.approx(396.8626967)
    basic = cell([500, 500], {"kind": "rappor", "form": "basic", "f": 0.5})
    spread = math.sqrt(item_variance(basic.pure, 1000)) * 1000
    assert bloom.count_std(noise, 1, 1000) == pytest.approx(spread)
    assert bloom.count_std(noise, 4, 1000) == pytest.approx(spread / 2)


def test_learnable_items_are_as_many_as_stand_out() -> None:
    """This number of equal items has the smallest count that a test at level α/M notices."""
    noise, users, candidates = BitNoise(0.5, 0.5, 0.75), 10**6, 1000
    most = bloom.learnable_items(noise, users, candidates)
    from scipy.stats import norm

    z = users / most / bloom.bit_count_std(noise, users)
    assert norm.sf(z) == pytest.approx(0.05 / candidates)


# Gains.


def rappor(**others: Any) -> dict[str, Any]:
    return {"kind": "rappor", "bits": 32, "cohorts": 8, **others}


POPULATION = [4000, 3000, 1500, 700, 500, 300, 0, 0]
KINDS = [("rpa", None), ("ria", None), ("mga", None), ("rpa", 0.5), ("ria", 1.0), ("mga", 1.0),
         ("ria-unperturbed", None), ("input", None), ("demote", None), ("demote", 0.5)]  # fmt: skip


def own_keys(kind: str, cohort: float | None) -> dict[str, Any]:
    keys: dict[str, Any] = {} if cohort is None else {"cohort": cohort}
    return keys | ({"distribution": [3, 1]} if kind == "input" else {})


@pytest.mark.every(13)
@pytest.mark.parametrize(("kind", "cohort"), KINDS, ids=str)
@pytest.mark.parametrize("form", ["full", "one-time"])
def test_the_gain_after_decoding_is_that_of_least_squares(
    form: str, kind: str, cohort: float | None, seed: int
) -> None:
    more = own_keys(kind, cohort)
    population = [100 * n for n in POPULATION]
    one = cell(population, rappor(form=form), attack(kind, 0.1, [2, 7], **more), seed=seed)
    measured = metrics(one, 5)
    expected = theory.expected_metrics(one)
    for name in ("gain", "normalised_gain", "target_frequency", "target_frequency_clean"):
        values, wanted = measured(name), expected[name]
        assert wanted is not None
        # A standard error from the data: Student's t with 99 degrees of freedom.
        error = values.std(ddof=1) / math.sqrt(values.size)
        assert abs(values.mean() - wanted) < 7 * error, name
    gain = measured("gain")
    error = gain.std(ddof=1) / math.sqrt(gain.size)
    assert abs(gain.mean() - 1.2 * expected["gain"]) > 7 * error  # type: ignore[operator]


@pytest.mark.parametrize("kind", ["none", *CAO_ATTACKS])
def test_the_bit_counts_of_a_trial_by_enumeration(kind: str) -> None:
    """Mean and variance of each count from the laws of single users, who are independent."""
    table = rappor(bits=3, hashes=2, cohorts=2, f=0.5, p=0.25, q=0.75)
    filters = Filters(3, 3, 2, 2, 0.5, 0.25, 0.75)
    fakes = None if kind == "none" else attack(kind, 0.5, [0, 2])
    one = cell([3, 1, 2], table, fakes)
    laws = [filters.honest(item) for item, held in enumerate([3, 1, 2]) for _ in range(held)]
    fake = {
        "none": [],
        "rpa": [filters.random()],
        "ria": [held_by_one_of([filters.honest(0), filters.honest(2)])],
        "mga": [filters.crafted([0, 2])],
    }[kind]
    laws += fake * one.malicious
    mean, variance = np.zeros(8), np.zeros(8)
    for law in laws:
        chance = sum(np.array(counted) * weight for counted, weight in law.items())
        mean += chance
        variance += chance * (1 - chance)  # each count of one user is 0 or 1
    expected, variances = theory.expected_bit_counts(one), theory.bit_count_variances(one)
    assert expected is not None
    assert variances is not None
    assert expected.ravel() == pytest.approx(mean)
    assert variances.ravel() == pytest.approx(variance)
    alone = cell([3, 1, 2], table)
    assert (theory.bit_count_variances(alone) == variances).all() == (kind == "none")
    assert theory.bit_count_variances(cell(POPULATION)) is None


def test_the_ideal_gain_is_the_mean_over_hash_functions() -> None:
    """Many cohorts, which are as many hash functions."""
    noise, share = BitNoise(0.5, 0.5, 0.75), 0.1
    protocol = Rappor(6, 32, 2, 4000, noise)
    truth, targets = np.array([0.5, 0.3, 0.1, 0.1, 0.0, 0.0]), np.array([2, 4])
    held = float(truth[targets].sum())
    laws: tuple[Any, ...] = ("random", "honest", "crafted")
    for law in laws:
        bits = protocol.find_law(Ask(law, targets)).shape()
        assert bits is not None
        rates = bits.rates
        shares = np.full(4000, share)
        found = bloom.bit_support_gain(protocol, rates, targets, shares, truth)
        ideal = bloom.ideal_bit_support_gain(law, noise, 32, 2, 2, share, held)
        # Two hashes that coincide make the filters of a cohort uneven: within a few percent.
        assert found == pytest.approx(ideal, rel=0.05, abs=0.003)
    c = 1 - (31 / 32) ** 2
    ria = bloom.ideal_bit_support_gain("honest", noise, 32, 2, 2, share, held)
    assert ria == pytest.approx(share * (1 - c) * (1 - held))


def test_there_is_no_closed_form_where_candidates_are_selected_or_alike() -> None:
    crowded = cell([10] * 300, rappor(bits=4), attack("mga", 0.1, [1]))
    assert set(theory.expected_metrics(crowded).values()) == {None}
