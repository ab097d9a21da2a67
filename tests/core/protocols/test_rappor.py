"""RAPPOR's own contract: its encoding, its two noises, its parameters, its privacy."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from support import budget
from support.rappor_cases import TINY, bound, every_tiny
from support.rappor_laws import Filters

from ldptui.core.base.errors import ScenarioError
from ldptui.core.protocols import SUE, BitNoise, Rappor, RapporSpec, Unary
from ldptui.core.protocols.rappor import bloom_bits, solved_f

Rng = np.random.Generator


# Encoding.


@pytest.mark.parametrize(
    ("cohort", "value", "digest"),
    [
        (0, "foo", "66f690e26301fb3fa26206d1443576de"),
        (5, "foo", "7400c62ef6231dfbc8a80bbd54fdcdf5"),
        (256, "42", "421ff8cb5aa3e9e3787578f4eebbe684"),
        (1, "ä", "12127929ac498fdceb88318a7b81f899"),
    ],
)
def test_hashes_are_those_of_the_reference_client(cohort: int, value: str, digest: str) -> None:
    """Digests by md5sum: of the cohort as four bytes, big-endian, and the value in UTF-8."""
    expected = list(bytes.fromhex(digest))
    for bits, hashes in ((256, 16), (128, 2), (16, 2), (7, 5)):
        table = bloom_bits((value, "other"), bits, hashes, cohort + 1)
        assert table[0, cohort].tolist() == [byte % bits for byte in expected[:hashes]]


def test_an_item_without_a_label_hashes_as_its_decimal_index() -> None:
    labels = tuple(map(str, range(50)))
    assert np.array_equal(bloom_bits(50, 32, 2, 4), bloom_bits(labels, 32, 2, 4))
    noise = BitNoise(0.5, 0.5, 0.75)
    named = Rappor(50, 32, 2, 4, noise, labels=labels)
    assert np.array_equal(named.table, Rappor(50, 32, 2, 4, noise).table)
    other = Rappor(50, 32, 2, 4, noise, labels=tuple(map(str, range(1, 51))))
    assert not np.array_equal(named.table, other.table)


@every_tiny
def test_filters_have_the_bits_of_the_item_in_its_cohort(tiny: Filters) -> None:
    protocol = bound(tiny)
    pairs = list(itertools.product(range(tiny.items), range(tiny.cohorts)))
    values, cohorts = np.array(pairs).T
    expected = [list(map(bool, tiny.filter(*pair))) for pair in pairs]
    assert protocol.encode(values, cohorts).tolist() == expected


@every_tiny
def test_the_design_is_what_the_client_sets(tiny: Filters) -> None:
    """Two hashes of an item that coincide are one bit, in the client and in the design alike."""
    protocol = bound(tiny)
    columns = protocol.design.columns.toarray()[:, protocol.design.column_of]
    client = [
        protocol.encode(np.arange(tiny.items), np.full(tiny.items, cohort)).T
        for cohort in range(tiny.cohorts)
    ]
    assert np.array_equal(columns, np.concatenate(client))
    held = np.arange(tiny.items) / tiny.items
    assert protocol.design.bits_of(held).ravel() == pytest.approx(columns @ held)


def test_some_hashes_of_the_tiny_cases_coincide() -> None:
    """Else the tests above would say nothing of it."""
    for tiny in TINY:
        if tiny.hashes > 1:
            sizes = {
                sum(tiny.filter(item, cohort))
                for item in range(tiny.items)
                for cohort in range(tiny.cohorts)
            }
            assert len(sizes) > 1


# Noise: both steps, and that the first is remembered.


@pytest.mark.parametrize("true", [False, True])
def test_two_reports_share_their_permanent_bit(true: bool, rng: Rng) -> None:
    noise, n = BitNoise(0.5, 0.3, 0.8), 100_000
    kept = noise.chain.keep_bits(np.full((n, 1), 128 * true, dtype=np.uint8), 1, rng)
    first, second = (noise.chain.send_bits(kept, 1, rng) >> 7 for _ in range(2))
    kept = kept >> 7
    one = 1 - noise.f / 2 if true else noise.f / 2
    both = one * noise.q**2 + (1 - one) * noise.p**2
    sent = noise.q_star if true else noise.p_star
    assert budget.proportion(kept.sum(), n, one)
    assert budget.proportion(first.sum(), n, sent)
    assert budget.proportion((first & second).sum(), n, both)
    assert not budget.proportion((first & second).sum(), n, sent**2)  # as if drawn afresh


# Parameters.


@pytest.mark.parametrize("hashes", [1, 2, 5])
@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1.0, 2.0])
@pytest.mark.parametrize(("p", "q"), [(0.0, 1.0), (0.1, 0.9), (0.0, 0.6), (0.01, 1.0)])
def test_f_is_solved_for(epsilon: float, hashes: int, p: float, q: float) -> None:
    noise = BitNoise(solved_f(epsilon, hashes, p, q), p, q)
    assert noise.epsilon_one(hashes) == pytest.approx(epsilon, rel=1e-6)
    assert noise.epsilon_one(hashes) != pytest.approx(epsilon * 1.001, rel=1e-6)


REFUSED = [
    ({"f": 1.0}, "f", "must be less than 1, got 1: a permanent bit would say nothing"),
    ({"f": 0.0, "p": 0.0}, "f", "greater than 0 where p = 0, got 0: .* there is no privacy"),
    ({"f": 0.0, "q": 1.0}, "f", "greater than 0 where q = 1, got 0: .* there is no privacy"),
    ({"f": 0.0, "form": "one-time"}, "f", "there is no privacy"),
    ({"f": 0.0, "form": "basic-one-time"}, "f", "there is no privacy"),
    ({"q": 0.5}, "q", r"must exceed p = 0.5, got 0.5: a sent bit would say nothing"),
    ({"q": 0.2}, "q", r"must exceed p = 0.5, got 0.2: .* the reverse of Wang's"),
    ({"q": 0.2, "epsilon": 1.0}, "q", "must exceed p"),
    ({"f": 0.5, "epsilon": 1.0}, "f", "must be left out where epsilon is given"),
    ({"epsilon": 2.2}, "epsilon", "must be at most 2.19722, which f = 0 gives"),
    ({"epsilon": 1.1, "form": "basic"}, "epsilon", "must be at most 1.09861"),
    ({"epsilon": 0.0}, "epsilon", "must be in"),
    ({"epsilon": 1e-300}, "epsilon", "must be large enough"),
    ({"f": 1e-9, "form": "basic-one-time"}, "f", "must give one report an epsilon in"),
    ({"f": -0.1}, "f", "must be in"),
    ({"bits": 257}, "bits", "must be in"),
    ({"bits": 1}, "bits", "must be in"),
    ({"hashes": 17}, "hashes", "must be in"),
    ({"cohorts": 0}, "cohorts", "must be in"),
    ({"alpha": 0.0}, "alpha", "must be in"),
]


@pytest.mark.parametrize(("given", "key", "rule"), REFUSED, ids=str)
def test_what_gives_no_privacy_or_no_information_is_refused(
    given: dict[str, Any], key: str, rule: str
) -> None:
    with pytest.raises(ScenarioError, match=rule) as caught:
        _ = RapporSpec("rappor", **given).noise
    assert caught.value.key == key


def test_without_permanent_noise_the_longitudinal_guarantee_has_no_bound() -> None:
    noise = RapporSpec("rappor", f=0.0).noise
    assert noise.epsilon_infinity(2) == math.inf
    assert not noise.is_memoised
    assert noise.epsilon_one(2) == pytest.approx(2 * math.log(3))


# The basic forms.


def test_basic_forms_are_unary_encodings_with_the_roles_of_p_and_q_exchanged() -> None:
    spec = RapporSpec("rappor", form="basic", f=0.5)
    protocol = spec.bind(10)
    assert isinstance(protocol, Unary)
    assert (spec.noise.p_star, spec.noise.q_star) == (0.5625, 0.6875)
    assert protocol.p == spec.noise.q_star
    assert protocol.q == pytest.approx(spec.noise.p_star, rel=1e-12)
    assert protocol.epsilon == pytest.approx(spec.noise.epsilon_one(1))


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0, 20.0])
def test_basic_one_time_is_symmetric_unary_encoding(epsilon: float) -> None:
    bound = RapporSpec("rappor", form="basic-one-time", epsilon=epsilon).bind(10)
    assert (bound.p, bound.q) == (SUE(10, epsilon).p, SUE(10, epsilon).q)
    assert repr(bound) == repr(SUE(10, epsilon))  # so that it draws the same numbers
    f = 2 / (math.exp(epsilon / 2) + 1)
    by_f = RapporSpec("rappor", form="basic-one-time", f=f).bind(10)
    assert isinstance(by_f, Unary)
    assert by_f.epsilon == pytest.approx(epsilon)
    assert by_f.p == pytest.approx(1 - f / 2)
    assert by_f.q == pytest.approx(f / 2)


# Privacy, by enumeration.


@every_tiny
def test_epsilon_of_one_report_bounds_every_ratio(tiny: Filters) -> None:
    """Reached where two items have no bit in common and each has h of them."""
    laws = [tiny.honest(item) for item in range(tiny.items)]
    worst = max(
        math.log(one[report] / other[report])
        for one, other in itertools.permutations(laws, 2)
        for report in one
    )
    epsilon = bound(tiny).noise.epsilon_one(tiny.hashes)
    assert worst <= epsilon + 1e-12
    disjoint = any(
        sum(tiny.filter(a, c)) == sum(tiny.filter(b, c)) == tiny.hashes
        and not any(map(min, tiny.filter(a, c), tiny.filter(b, c)))
        for a, b in itertools.combinations(range(tiny.items), 2)
        for c in range(tiny.cohorts)
    )
    assert (worst > epsilon - 1e-9) == disjoint


def test_some_tiny_case_reaches_its_epsilon() -> None:
    tiny = Filters(30, 4, 2, 2, 0.5, 0.5, 0.75)
    laws = [tiny.honest(item) for item in range(tiny.items)]
    worst = max(math.log(a[r] / b[r]) for a, b in itertools.permutations(laws, 2) for r in a)
    assert worst == pytest.approx(bound(tiny).noise.epsilon_one(2))


def test_epsilon_is_known_next_to_no_noise() -> None:
    """Where the chance of a stray 1 is so small that its product with another one is 0."""
    smallest = math.ulp(0)
    epsilon = BitNoise(0, smallest, 0.75).epsilon_one(1)
    assert epsilon == pytest.approx(math.log(3) - math.log(smallest))
    near = [BitNoise(0, p, 0.75).epsilon_one(1) for p in (1e-307, 1e-308)]
    assert near[1] - near[0] == pytest.approx(math.log(10))


def test_a_basic_form_knows_what_its_users_keep() -> None:
    """The noise that its bits have is its own fact, and equal draws keep their address."""
    spec = RapporSpec("rappor", form="basic", f=0.3, p=0.2, q=0.7)
    protocol = spec.bind(4)
    assert protocol.facts()["p_star"] == spec.noise.p_star == pytest.approx(protocol.q)
    assert protocol.facts()["epsilon_infinity"] == protocol.epsilon_infinity
    assert protocol.epsilon_of_rounds(1) == pytest.approx(protocol.epsilon)
    assert protocol.epsilon < protocol.epsilon_of_rounds(3) < protocol.epsilon_infinity
    assert protocol.address_fields == {"noise": spec.noise}
    assert repr(protocol) == repr(Unary(4, protocol.epsilon, protocol.p))
    unbounded = RapporSpec("rappor", form="basic", f=0.0).bind(4)
    assert unbounded.facts()["epsilon_infinity"] is None
