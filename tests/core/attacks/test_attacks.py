"""The items that are attacked, the number of fakes, and the fakes of each attack."""

from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from support import budget
from support.cases import (
    CASES,
    attack,
    bind,
    cell,
    experiment,
    outcomes_of,
    subset_counts_of,
)
from support.count_laws import counts_law
from support.kinds import CAO_PROTOCOLS, KNOWN_ATTACKS, OF_NUMBERS, report_law
from support.report_laws import OF_TARGETS, Case, subset_bits

from ldptui.core.attacks import (
    ATTACKS,
    Demotion,
    Hiding,
    InputPoisoning,
    ListedTargets,
    MaximalGain,
    PatternAttack,
    PickTargets,
    RandomItem,
    RandomReport,
    Reactive,
    SolvedGain,
    Solving,
    SubsetGain,
    Untargeted,
    View,
    malicious_users,
)
from ldptui.core.base.errors import ScenarioError
from ldptui.core.bounds import solver
from ldptui.core.experiment import compile
from ldptui.core.law.exchangeable import Exchangeable
from ldptui.core.law.pure import PlacedItems
from ldptui.core.population import CSVColumn, Explicit, Population, Uniform
from ldptui.core.population.targets import KEPT, RandomSet
from ldptui.core.protocols.unary import IndependentBits
from ldptui.core.running.runner import run
from ldptui.core.scenario import parse

Rng = np.random.Generator


def population(*counts: int) -> Population:
    return Explicit(counts).bind(0, Path())


# Targets.


def test_least_and_most_frequent_with_ties_to_the_lower_index() -> None:
    people = population(5, 1, 9, 1, 5, 9, 1)
    least = [PickTargets("least-frequent", r).resolve(people, 0).tolist() for r in (1, 2, 4)]
    most = [PickTargets("most-frequent", r).resolve(people, 0).tolist() for r in (1, 2, 3)]
    assert least == [[1], [1, 3], [1, 3, 6, 0]]
    assert most == [[2], [2, 5], [2, 5, 0]]


def test_random_targets_are_nested_and_uniform() -> None:
    people = population(5, 1, 9, 1)
    picked = [PickTargets("random", r).resolve(people, 3).tolist() for r in (1, 2, 3, 4)]
    assert all(picked[3][: r + 1] == picked[r] for r in range(4))
    assert sorted(picked[3]) == [0, 1, 2, 3]
    first = [PickTargets("random", 1).resolve(people, seed)[0] for seed in range(4000)]
    assert budget.law(np.bincount(first, minlength=4), np.full(4, 1 / 4))
    assert not budget.law(np.bincount(first, minlength=4), [0.35, 0.25, 0.2, 0.2])


def test_random_targets_depend_on_the_population() -> None:
    picked = {
        tuple(PickTargets("random", 3).resolve(population(*range(1, 30 + n)), 0)) for n in range(8)
    }
    assert len(picked) > 4


@pytest.mark.parametrize("pick", ["random", "least-frequent", "most-frequent"])
def test_targets_are_those_of_the_whole_order_however_many(pick: Any) -> None:
    """The first of an order are kept from one call to the next, all of it is not."""
    people = Uniform(2 * KEPT, 10 * KEPT).bind(0, Path())
    whole = PickTargets(pick, 2 * KEPT).resolve(people, 7)
    assert sorted(whole.tolist()) == list(range(2 * KEPT))
    for count in (1, 10, KEPT, KEPT + 1):
        assert PickTargets(pick, count).resolve(people, 7).tolist() == whole[:count].tolist()
    apart = RandomSet(KEPT).resolve(people, 7)
    assert apart.tolist() == RandomSet(2 * KEPT).resolve(people, 7)[:KEPT].tolist()
    assert apart.tolist() != PickTargets("random", KEPT).resolve(people, 7).tolist()


def test_more_targets_than_items() -> None:
    for pick in ("random", "least-frequent", "most-frequent"):
        with pytest.raises(ScenarioError, match=r"count must be in \[1, 3\], the number of items"):
            PickTargets(pick, 4).resolve(population(1, 2, 3), 0)


def test_listed_targets(tmp_path: Any) -> None:
    (tmp_path / "fruit.csv").write_text("name\npear\napple\npear\nfig\n")
    fruit = CSVColumn("fruit.csv", "name").bind(0, tmp_path)
    assert ListedTargets(("pear", 0, "fig")).resolve(fruit, 0).tolist() == [2, 0, 1]


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ((0, 2, 0), "items must be distinct, got 0 twice"),
        ((3,), "items must be items from 0 to 2, got 3"),
        ((-1,), "items must be items from 0 to 2, got -1"),
        (("pear",), 'items must be indices, as this population has no labels, got "pear"'),
    ],
)
def test_bad_listed_targets(items: tuple[int | str, ...], message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        ListedTargets(items).resolve(population(1, 2, 3), 0)


ONE = 'kind = "mga"\nshare = 0.1\ntargets = {{ items = [{0}] }}'
MIX = 'share = 0.1\nmix = [{{ kind = "ria", weight = 1.0, targets = {{ items = [{0}] }} }}]'
BESIDE = 'targets = {{ items = [{0}] }}\nmix = [{{ kind = "mga", weight = 1.0 }}]\nshare = 0.1'
PHASE = 'phase = [{{ rounds = 2, share = 0.1, mix = [{{ kind = "mga", weight = 1.0 }}] }}]'


PHASED = f"targets = {{{{ items = [{{0}}] }}}}\n{PHASE}"


@pytest.mark.parametrize("table", [ONE, MIX, BESIDE, PHASED])
def test_an_item_by_its_label_or_its_number_is_one_target(table: str, tmp_path: Path) -> None:
    (tmp_path / "fruit.csv").write_text("name\n" + "pear\napple\npear\nfig\n" * 50)
    tables = """format = 1
trials = 2
population = { kind = "csv", path = "fruit.csv", column = "name" }
protocol = { kind = "grr", epsilon = 1.0 }
"""
    digests = set()
    for items in ('"fig"', "1"):
        scenario = parse(f"{tables}[attack]\n{table.format(items)}", "my.toml", tmp_path)
        *_, last = run(compile(scenario))
        digests.add(last.results.digest)
    assert len(digests) == 1


def test_unknown_labels_and_an_item_given_twice(tmp_path: Any) -> None:
    (tmp_path / "fruit.csv").write_text("name\npear\napple\n")
    fruit = CSVColumn("fruit.csv", "name").bind(0, tmp_path)
    with pytest.raises(ScenarioError, match='must be labels of the population, got "plum"'):
        ListedTargets(("plum",)).resolve(fruit, 0)
    with pytest.raises(ScenarioError, match="distinct"):
        ListedTargets(("pear", 1)).resolve(fruit, 0)


def test_no_targets() -> None:
    with pytest.raises(ScenarioError, match="at least one target"):
        ListedTargets(())
    with pytest.raises(ScenarioError, match=r"count must be in \[1, 2\^20\], got 0"):
        PickTargets("random", 0)


# The number of fakes.


@pytest.mark.parametrize(
    ("users", "share", "expected"),
    [(1000, 0.0, 0), (950, 0.05, 50), (1000, 0.05, 53), (1, 0.5, 1), (3, 0.1, 0), (10, 0.99, 990)],
)
def test_malicious_users(users: int, share: float, expected: int) -> None:
    assert malicious_users(users, share) == expected == round(users * share / (1 - share))


def test_the_realised_share_and_frequency() -> None:
    one = cell([600, 300, 100, 0], None, attack("ria", 0.05, [1, 3]))
    assert (one.users, one.malicious) == (1000, 53)
    assert one.share == 53 / 1053
    assert one.target_frequency == pytest.approx(0.3)
    alone = cell([600, 400])
    assert (alone.malicious, alone.share, alone.target_frequency) == (0, 0, 0)
    assert alone.targets.size == 0


@pytest.mark.parametrize("kind", [RandomReport, RandomItem, MaximalGain])
@pytest.mark.parametrize("share", [-0.1, 1.0, 1.5, float("nan")])
def test_a_share_out_of_range(kind: Any, share: float) -> None:
    with pytest.raises(ScenarioError, match=r"share must be in \[0, 1\)"):
        kind(share, PickTargets("random", 1))


# The fakes' reports and counts, through the attack.


def strategies(case: Case) -> list[tuple[Any, Any]]:
    """Every attack with the law of one of its fakes' reports."""
    return [
        (strategy, law)
        for strategy, law in laws_of(case, [3, 0], 1)
        if not refused(strategy, bind(case), np.array([3, 0]))
    ]


HIDDEN_AMONG = population(1000, 300, 0, 500, 150)


def laws_of(case: Case, targets: list[int], subset: int) -> list[tuple[Any, Any]]:
    aim = ListedTargets(tuple(targets))
    weights = [1.0, 3.0, 0.5, 2.0, 0.0][: len(targets)]
    found: list[tuple[Any, Any]] = [
        (RandomReport(0.1, aim), case.random()),
        *((ATTACKS[kind](share=0.1, targets=aim), law(case, targets)) for kind, law in OF_TARGETS),
        (InputPoisoning(0.1, aim), case.held(targets)),
        (
            InputPoisoning(0.1, aim, tuple(weights)),
            case.poisoned_input(dict(zip(targets, weights, strict=True))),
        ),
        (MaximalGain(0.1, aim, 2), case.crafted(targets, 2, "anchor")),
        (Untargeted(0.1, len(targets), 2), case.crafted(targets, 2, "anchor")),
        (Reactive(0.1, aim, 2), case.crafted(targets, 2, "anchor")),
        (SubsetGain(0.1, aim, subset, 2), case.some(targets, subset, 2, "anchor")),
    ]
    hiding = Hiding(HIDDEN_AMONG, 300)
    if not refused(hiding, bind(case), np.array(targets)):
        plan = hiding.plan(cast("Exchangeable", bind(case)), np.array(targets))
        found.append((hiding, case.hidden(plan.shift)))
    solving = Solving(HIDDEN_AMONG, 400, SolvedGain(0.2, aim))
    if not refused(solving, bind(case), np.array(targets)):
        programme = solving.programme(cast("IndependentBits", bind(case)), np.array(targets))
        found.append((solving, case.composed(targets, *solver.list_sizes(programme))))
    if not case.one_item or len(targets) < case.domain_size:
        found.append((Demotion(0.1, aim, 2), case.avoiding(targets, 2)))
    if case.hash_range:
        found += [
            (MaximalGain(0.1, aim, 2, "bucket"), case.crafted(targets, 2, "bucket")),
            (SubsetGain(0.1, aim, subset, 2, "bucket"), case.some(targets, subset, 2, "bucket")),
        ]
    elif not case.one_item:
        found.append((PatternAttack(0.1, aim), case.pattern(targets)))
    return found


def refused(strategy: Any, protocol: Any, targets: Any) -> bool:
    try:
        strategy.check(protocol, targets)
    except ScenarioError:
        return True
    return False


def test_every_attack_of_a_scenario_is_tested() -> None:
    tested = {strategy.kind for case in CASES for strategy, _ in strategies(case)}
    assert tested == {kind for kind in KNOWN_ATTACKS if report_law(kind) not in OF_NUMBERS}


@pytest.mark.every(5)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_one_report_supports(case: Case) -> None:
    """S, the rate of every item, and the variance of any set, against enumeration."""
    protocol, bits = bind(case), subset_bits(case.random().size)
    for aims, subset in (([3, 0], 1), ([3, 0], 2), ([2], 1), ([4, 0, 1], 2), ([0, 1, 2, 3, 4], 4)):
        targets = np.array(aims)
        for strategy, law in laws_of(case, aims, subset):
            if refused(strategy, protocol, targets):
                continue
            rates = law @ bits
            if hasattr(strategy, "support") and not isinstance(protocol, PlacedItems):
                towards = strategy.support(protocol, targets.size)
                assert towards.target * targets.size == pytest.approx(rates[targets].sum()), (
                    strategy
                )
                assert towards.variance == pytest.approx(variance(law, bits, aims), abs=1e-12)
            for counted in (aims, [0], [1, 2], [0, 3], [0, 1, 2, 3, 4], []):
                found = strategy.item_support(protocol, targets, np.array(counted, dtype=np.int64))
                assert found.rates == pytest.approx(rates, abs=1e-12), strategy
                expected = variance(law, bits, counted)
                assert found.variance == pytest.approx(expected, abs=1e-12), (strategy, counted)
                each = law @ bits**2 - rates**2
                assert found.variances == pytest.approx(each, abs=1e-12), strategy


def variance(law: Any, bits: Any, counted: list[int]) -> float:
    """The law of the number of these items that a report supports."""
    hits = bits[:, counted].sum(axis=1)
    return float(law @ hits**2 - (law @ hits) ** 2)


@pytest.mark.every(10)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_fakes_follow_the_law_of_their_attack_on_both_paths(case: Case, rng: Rng) -> None:
    protocol, targets = bind(case), np.array([3, 0])
    wrong = case.honest(1)
    for strategy, law in strategies(case):
        reports = strategy.reports(protocol, View(targets), 40_000, rng)
        seen = subset_counts_of(protocol.supports(reports))
        drawn = strategy.counts(protocol, View(targets), np.full(20_000, 2), rng)
        outcomes = outcomes_of(case, drawn, 2)
        assert budget.law(seen, law), strategy
        assert budget.law(outcomes, counts_law([law, law])), strategy
        assert not budget.law(seen, wrong), strategy
        assert not budget.law(outcomes, counts_law([law, wrong])), strategy


@pytest.mark.parametrize("case", CASES, ids=str)
def test_no_fakes(case: Case, rng: Rng) -> None:
    protocol, view = bind(case), View(np.array([3, 0]))
    for strategy, _ in strategies(case):
        assert len(strategy.reports(protocol, view, 0, rng)) == 0
        assert strategy.counts(protocol, view, np.zeros(3, np.int64), rng).tolist() == [[0] * 5] * 3


def test_mga_under_every_name_of_a_scenario() -> None:
    """Seeds and scoring reach the search, and only hashing is touched by them."""
    work = experiment(
        [50, 30, 20],
        None,
        attack("mga", 0.5, [0, 1]),
        sweep={
            "protocol.kind": list(CAO_PROTOCOLS),
            "attack.seeds": [1, 1000],
            "attack.scoring": ["anchor", "bucket"],
        },
    )
    rates: dict[str, list[float]] = {}
    for one in work.cells:
        assert isinstance(one.attack, MaximalGain)
        kind = str(one.parameters["protocol.kind"])
        rates.setdefault(kind, []).append(one.attack.support(one.protocol, 2).target)
    assert rates["grr"] == [0.5] * 4
    assert rates["oue"] == [1.0] * 4
    # One seed: 1/2 + 1/(2g) by a fixed target; the fullest of g buckets is no better for two.
    assert rates["olh"] == pytest.approx([0.625, 0.625, 1, 1])
