"""Several attributes of one user: the laws of messages from the papers, and all that follows.

A message's law is written down here by what it supports, from the laws of reports of one item in
`support.report_laws`, for two attributes with 2 and 3 values.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support import budget
from support.report_laws import Case, independent

import ldptui
from ldptui.core.base.errors import ScenarioError
from ldptui.core.law.law import Ask, SeedSearch
from ldptui.core.law.moments import Collection
from ldptui.core.population import Records
from ldptui.core.population.population import count_records
from ldptui.core.protocols import PROTOCOLS
from ldptui.core.protocols.attributes import SeveralAttributes
from ldptui.core.task.attributes_task import Attributes
from ldptui.core.theory.closed_forms import closed_form

Floats = NDArray[np.float64]

INTEGERS: dict[str, Callable[[float, int], dict[str, Any]]] = {
    "grr": lambda e, d: {},
    "sue": lambda e, d: {},
    "oue": lambda e, d: {},
    "olh": lambda e, d: {"hash_range": round(e + 1)},
    "ss": lambda e, d: {"subset_size": max(1, round(d / (e + 1)))},
}
"""The integers of each kind that is tested, by the rules of the papers from e^ε and d."""
KINDS = tuple(INTEGERS)
FAKES = ("uniform", "zeros", "realistic")
WAYS = [
    *((solution, kind, "uniform") for solution in ("spl", "smp", "pair") for kind in KINDS),
    *(
        ("rs+fd", kind, fake)
        for kind in KINDS
        for fake in FAKES
        if fake != "zeros" or kind not in ("grr", "ss")
    ),
]
"""A solution, or SPL with the joint frequencies; an oracle; what is made up."""
ways = pytest.mark.parametrize("way", WAYS, ids="-".join)
HOLDERS = {("a", "x"): 3, ("a", "z"): 1, ("b", "x"): 1, ("b", "y"): 2}
EPSILON = 1.0


def people(times: int = 1) -> Records:
    """Seven users with two attributes of 2 and 3 values, or as many times that."""
    return count_records({record: times * n for record, n in HOLDERS.items()}, ("one", "two"))


def bound(way: tuple[str, str, str], population: Records | None = None) -> SeveralAttributes:
    solution, kind, fake = way
    joint = ("one", "two") if solution == "pair" else ()
    task = Attributes(
        solution="spl" if joint else solution,  # type: ignore[arg-type]
        fake_data=fake,  # type: ignore[arg-type]
        joint=joint,
    )
    made = task.bound(PROTOCOLS[kind](kind, EPSILON), task.with_items(population or people()))
    assert isinstance(made, SeveralAttributes)
    return made


def part_budget(solution: str) -> float:
    budgets = {
        "spl": EPSILON / 2,
        "pair": EPSILON / 2,
        "smp": EPSILON,
        "rs+fd": math.log(2 * (math.exp(EPSILON) - 1) + 1),
    }
    return budgets[solution]


def case_of(way: tuple[str, str, str], values: int) -> Case:
    """The protocol of one attribute."""
    solution, kind, _ = way
    epsilon = part_budget(solution)
    return Case(kind, values, epsilon, **INTEGERS[kind](math.exp(epsilon), values))


def made_up(way: tuple[str, str, str], at: int) -> Floats:
    """The law of a part that RS+FD makes up."""
    values, (_, kind, fake) = (2, 3)[at], way
    case = case_of(way, values)
    prior = np.full(values, 1 / values)
    if fake == "realistic":
        prior = np.array([[4 / 7, 3 / 7], [4 / 7, 2 / 7, 1 / 7]][at])
    if fake == "zeros":
        return independent(np.full(values, case.q))
    if kind == "grr":  # as it is: uniform values are uniform when they are perturbed
        law = np.zeros(2**values)
        law[2 ** np.arange(values)] = prior
        return law
    return np.asarray(sum(share * case.honest(v) for v, share in enumerate(prior)))


def message_law(way: tuple[str, str, str], record: tuple[int, int]) -> Floats:
    """float64[64]: the chance of a message by what it supports, of 5 items; SMP says 0 or 1 too.

    Entry 32 j + s: with SMP the attribute j is named; s has a bit for each item.
    """
    first, second = (case_of(way, d).honest(v) for d, v in zip((2, 3), record, strict=True))
    law = np.zeros((2, 8, 4))
    if way[0] in ("spl", "pair"):
        law[0] = np.outer(second, first)
    elif way[0] == "smp":
        law[0, 0] = first / 2
        law[1, :, 0] = second / 2
    else:
        law[0] = np.outer(made_up(way, 1), first) / 2 + np.outer(second, made_up(way, 0)) / 2
    return law.reshape(64)


def codes(protocol: SeveralAttributes, reports: Any) -> NDArray[np.int64]:
    """Messages as entries of `message_law`."""
    code = np.zeros(len(reports), dtype=np.int64)
    named = reports["attribute"] if protocol.solution == "smp" else np.zeros(len(reports), int)
    for at, (oracle, first) in enumerate(zip(protocol.oracles, (0, 2), strict=True)):
        rows = (named == at) | (protocol.solution != "smp")
        part = np.ascontiguousarray(reports[str(at)][rows])
        code[rows] += oracle.supports(part) @ 2 ** np.arange(first, first + oracle.domain_size)
    return code + 32 * named


def supports_of(way: tuple[str, str, str]) -> NDArray[np.int64]:
    """int64[64, 7]: what each message adds to the counts; int64[64, 13] with pairs."""
    bits = (np.arange(32)[:, None] >> np.arange(5)) & 1
    reported = np.eye(2, dtype=np.int64) if way[0] == "smp" else np.ones((2, 2), dtype=np.int64)
    pairs = (bits[:, :2, None] * bits[:, None, 2:]).reshape(32, 6)[:, : 6 * (way[0] == "pair")]
    return np.concatenate([np.hstack([bits, pairs, np.tile(row, (32, 1))]) for row in reported])


def users_by_record() -> list[tuple[tuple[int, int], int]]:
    places = {"a": 0, "b": 1, "x": 0, "y": 1, "z": 2}
    return [((places[a], places[b]), n) for (a, b), n in HOLDERS.items()]


@ways
def test_a_message_has_the_law_of_the_papers(way: tuple[str, str, str]) -> None:
    protocol, rng = bound(way), np.random.default_rng(1)
    users = 40_000
    for number, (record, _) in enumerate(users_by_record()):
        reports = protocol.perturb(np.full(users, number), rng)
        seen = np.bincount(codes(protocol, reports), minlength=64)
        assert budget.law(seen, message_law(way, record))
    mixed = (message_law(way, (0, 0)) + message_law(way, (1, 2))) / 2
    assert not budget.law(seen, mixed)


@ways
def test_both_paths_have_the_law_of_three_users(way: tuple[str, str, str]) -> None:
    """Attributes are not independent: two users who share a value are drawn together."""
    protocol, rng, trials = bound(way), np.random.default_rng(2), 20_000
    histogram = np.array([1, 0, 1, 1])
    added = supports_of(way)
    law = Counter({(0,) * added.shape[1]: 1.0})
    for (record, _), users in zip(users_by_record(), histogram, strict=True):
        for _ in range(users):
            sums: Counter[tuple[int, ...]] = Counter()
            for message in np.flatnonzero(message_law(way, record)):
                chance = message_law(way, record)[message]
                for counts, known in law.items():
                    key = tuple(np.add(counts, added[message]).tolist())
                    sums[key] += known * chance
            law = sums
    places = {counts: at for at, counts in enumerate(law)}
    values = np.repeat(np.arange(4), histogram)
    reports = protocol.perturb(np.tile(values, trials // 4), rng).reshape(-1, 3)
    paths = [np.array([protocol.support_counts(row) for row in reports])]
    if way[0] == "pair":
        with pytest.raises(ScenarioError, match="no counts of such reports are drawn"):
            protocol.sample_counts(histogram[None], rng)
    else:
        paths.append(protocol.sample_counts(np.tile(histogram, (trials, 1)), rng))
    for made in paths:
        seen = np.bincount([places[tuple(row)] for row in made.tolist()], minlength=len(places))
        assert budget.law(seen, np.array(list(law.values())))


@ways
def test_the_losses_are_those_of_the_law(way: tuple[str, str, str]) -> None:
    """RS+FD keeps ε between no two records that differ in all attributes."""
    protocol = bound(way)
    laws = {(a, b): message_law(way, (a, b)) for a in range(2) for b in range(3)}
    one, every_attribute = [], []
    for first, law in laws.items():
        for second, other in laws.items():
            sent = law > 0
            loss = float(np.log(law[sent] / other[sent]).max())
            differ = (first[0] != second[0]) + (first[1] != second[1])
            one += [loss] if differ == 1 else []
            every_attribute += [loss]
    assert protocol.attribute_loss() == pytest.approx(max(one), rel=1e-9)
    assert protocol.record_loss() == pytest.approx(max(every_attribute), rel=1e-9)


@ways
def test_moments_are_those_of_the_law(way: tuple[str, str, str]) -> None:
    """Exact with SPL and RS+FD; with SMP the estimate is a ratio of sums, expanded."""
    population = people()
    protocol, truth = bound(way, population), population.frequencies
    if way[0] == "pair":
        population = population.with_pair("one", "two")
        truth = np.concatenate([truth, np.array([3, 0, 1, 1, 2, 0]) / 7])
    means, _ = protocol.means(Collection(population.histogram))
    variances, _ = protocol.variances(Collection(population.histogram))
    assert means == pytest.approx(truth, abs=1e-12)
    added, n = supports_of(way).astype(float), population.users
    law = [(message_law(way, record), users) for record, users in users_by_record()]
    counts = sum(users * added.T @ chances for chances, users in law)
    spread = sum(
        users
        * (added.T @ (chances[:, None] * added) - np.outer(added.T @ chances, added.T @ chances))
        for chances, users in law
    )
    assert protocol.estimates(counts, n).frequencies == pytest.approx(truth)
    items, attribute = np.arange(5), np.repeat([-2, -1], [2, 3])
    rate, reports = counts[:5] / counts[attribute], counts[attribute]
    about = (spread[items, items] - 2 * rate * spread[items, attribute]
             + rate**2 * spread[attribute, attribute])  # fmt: skip
    gap, _ = protocol.scale
    assert variances[:5] == pytest.approx(about / (reports * gap) ** 2, rel=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_variances_of_pairs_are_those_of_the_law(kind: str) -> None:
    """Of users who are given; users who are drawn anew add f(1 - f)/n."""
    way = ("pair", kind, "uniform")
    population = people().with_pair("one", "two")
    protocol, n, f = bound(way, population), population.users, population.frequencies[5:]
    made = np.array([protocol.estimates(row, 1).frequencies[5:] for row in supports_of(way)])
    variances = protocol.variances(Collection(population.histogram))[0][5:]
    laws = [(message_law(way, record), users / n) for record, users in users_by_record()]
    given = sum(share * (law @ made**2 - (law @ made) ** 2) for law, share in laws) / n
    assert variances == pytest.approx(given, rel=1e-9)
    mixed = sum(share * law for law, share in laws)
    drawn = (mixed @ made**2 - (mixed @ made) ** 2) / n
    assert variances + f * (1 - f) / n == pytest.approx(drawn, rel=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("law", ["crafted", "honest"])
def test_fakes_move_a_pair_by_both_of_its_values(kind: str, law: Any) -> None:
    """MGA, RIA on the pair of b and z, with 3 fakes beside 14 users; which is nobody's pair."""
    population, rng, trials = people(2).with_pair("one", "two"), np.random.default_rng(9), 4000
    protocol, targets = bound(("pair", kind, "uniform"), population), np.array([10])
    sent = protocol.find_law(Ask(law, targets, SeedSearch(5)))
    support = sent.support(targets)
    assert support is not None
    collection = Collection(population.histogram, ((3, support),))
    values = np.repeat(np.arange(4), population.groups)
    genuine = protocol.perturb(np.tile(values, trials), rng).reshape(trials, -1)
    fakes = sent.reports(3 * trials, rng).reshape(trials, 3)
    counts = [protocol.support_counts(row) for row in np.hstack([genuine, fakes])]
    made = protocol.estimates(np.array(counts), 17).frequencies
    means, variances = protocol.means(collection)[1], protocol.variances(collection)[1]
    assert means is not None
    assert variances is not None
    assert budget.mean(made, means, variances) & budget.spread(made, means, variances)
    assert not budget.mean(made, protocol.means(collection)[0], variances)
    if law == "crafted" and kind in ("grr", "oue"):  # a report that supports both, always
        (p, q), (p2, q2) = ((o.p, o.q) for o in protocol.oracles)
        lifted = (1 - q) * (1 - q2) / ((p - q) * (p2 - q2))
        assert means[10] == pytest.approx(3 / 17 * lifted)


@pytest.mark.parametrize("kind", KINDS)
def test_ratios_of_smp_are_expanded_well_enough(kind: str) -> None:
    population = people(300)
    protocol, rng = bound(("smp", kind, "uniform"), population), np.random.default_rng(3)
    counts = protocol.sample_counts(np.tile(population.groups, (4000, 1)), rng)
    made = protocol.estimates(counts, population.users).frequencies
    collection = Collection(population.histogram)
    means, variances = protocol.means(collection)[0], protocol.variances(collection)[0]
    assert budget.mean(made, means, variances) & budget.spread(made, means, variances)
    assert not budget.spread(made, means, 1.5 * variances)


@pytest.mark.parametrize(
    ("kind", "fake"), [("grr", "uniform"), ("oue", "zeros"), ("oue", "uniform")]
)
def test_variances_are_those_that_are_printed(kind: str, fake: str) -> None:
    """Arcolezi et al. 2021 draw each user's value anew, which adds f(1 - f)/n."""
    population = people(100)
    protocol, n, d = bound(("rs+fd", kind, fake), population), population.users, 2
    p, q = protocol.oracles[0].p, protocol.oracles[0].q
    f, k = population.frequencies[:2], 2
    sigma = {
        ("grr", "uniform"): (q + f * (p - q) + (d - 1) / k) / d,
        ("oue", "zeros"): (d * q + f * (p - q)) / d,
        ("oue", "uniform"): (f * (p - q) + q + (d - 1) * (p / k + (k - 1) / k * q)) / d,
    }[kind, fake]
    printed = d**2 * sigma * (1 - sigma) / (n * (p - q) ** 2)
    ours = protocol.variances(Collection(population.histogram))[0][:2]
    assert ours + f * (1 - f) / n == pytest.approx(printed, rel=1e-9)


def test_the_error_scatters_as_a_mean_over_values_and_attributes() -> None:
    """The items of OUE are nearly independent, so that the least scatter is the scatter."""
    swept = {"task.solution": "spl", "protocol.kind": "oue"}
    cells = ldptui.compile("attributes").cells
    cell = next(each for each in cells if swept.items() <= each.parameters.items())
    population, rng = cell.population, np.random.default_rng(7)
    counts = cell.local.sample_counts(np.tile(population.groups, (500, 1)), rng)
    errors = cell.local.estimates(counts, population.users).frequencies - population.frequencies
    form = closed_form(cell, "mse_clean")
    assert form is not None
    std = form.std(cell)
    assert std is not None
    scatter = (errors**2 @ population.weights).std() / std
    assert 0.9 < scatter < 1.1
    assert (errors**2).mean(axis=1).std() / std < 0.7


LAWS = ("random", "honest", "unperturbed", "crafted", "avoided")


@ways
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.every(3)
def test_fakes_send_on_both_paths_what_their_law_says(way: tuple[str, str, str], law: Any) -> None:
    protocol, rng, trials = bound(way), np.random.default_rng(4), 20_000
    targets = np.array([1, 4])
    sent = protocol.find_law(Ask(law, targets, SeedSearch(5)))
    support = sent.support(targets)
    assert support is not None
    reports = sent.reports(trials, rng)
    counted = np.array(
        [protocol.support_counts(reports[at : at + 1]) for at in range(trials // 10)]
    )
    paths, rates = [counted], support.rates
    if way[0] != "pair":
        paths.append(sent.counts(np.ones(trials, dtype=np.int64), rng))
    for made in paths:
        assert budget.proportion(made.sum(axis=0), len(made), np.clip(rates, 0, 1))
        hits = made[:, targets].sum(axis=1)
        assert budget.mean(hits, rates[targets].sum(), support.variance)


def test_who_crafts_supports_targets_of_all_attributes_at_once_but_with_smp() -> None:
    """Values of the attacks from the papers: one crafted report supports one target under GRR."""
    targets = np.array([1, 4])
    for way, hits in (("spl", 2.0), ("smp", 1.0), ("rs+fd", 2.0)):
        protocol = bound((way, "grr", "uniform"))
        support = protocol.find_law(Ask("crafted", targets)).support(targets)
        assert support is not None
        assert support.rates[targets].sum() == pytest.approx(hits)
    # With SMP it is the attribute whose estimate a report moves most: the one with more values.
    protocol = bound(("smp", "grr", "uniform"))
    crafted = protocol.find_law(Ask("crafted", targets)).reports(50, np.random.default_rng(5))
    assert set(crafted["attribute"]) == {1}


@pytest.mark.parametrize("way", [way for way in WAYS if way[0] == "rs+fd"], ids="-".join)
def test_the_likeliest_attribute_is_named_as_often_as_by_the_law(way: tuple[str, str, str]) -> None:
    """Over all messages: half the larger of the laws with either attribute true."""
    population = people()
    protocol, rng = bound(way, population), np.random.default_rng(6)
    one = sum(users * case_of(way, 2).honest(a) for (a, _), users in users_by_record()) / 7
    two = sum(users * case_of(way, 3).honest(b) for (_, b), users in users_by_record()) / 7
    first, second = np.outer(made_up(way, 1), one), np.outer(two, made_up(way, 0))
    named = float(np.maximum(first, second).sum() / 2)
    values = rng.choice(4, 100_000, p=population.groups / 7)
    right = protocol.infer_attributes(values, rng)
    ties = np.isclose(first, second, rtol=1e-9)
    if not ties.any():  # argmax names the first of two that are as likely
        assert budget.proportion(right.sum(), right.size, named)
    else:
        best = np.where(ties | (first > second), first, second).sum() / 2
        assert best == pytest.approx(named)
        assert budget.proportion(right.sum(), right.size, named)


@pytest.mark.parametrize(
    ("solution", "joint", "rule"),
    [
        ("smp", ("one", "two"), 'must be left out with task.solution = "smp", whose users do not'),
        ("spl", ("one", "age"), 'must be two of population.columns, got ["one", "age"]'),
        ("spl", ("two", "two"), "must be two of population.columns"),
    ],
)
def test_pairs_that_cannot_be_are_refused(solution: Any, joint: Any, rule: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        Attributes(solution=solution, joint=joint).with_items(people())
    assert f"task.joint {rule}" in str(refused.value)
