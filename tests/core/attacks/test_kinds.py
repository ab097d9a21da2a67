"""Every kind of attack in a cell: its closed forms against the enumerated law, and both paths."""

import dataclasses
import itertools
import re
from functools import partial
from typing import Any

import numpy as np
import pytest
from support import budget
from support.cases import CASES, assert_closed_forms, bind, cell, counts
from support.count_laws import Poisoned
from support.kinds import (
    CAO_ATTACKS,
    KNOWN_ATTACKS,
    OF_NUMBERS,
    ONE_OF_EACH,
    UNCONDITIONAL,
    attack_table,
    report_law,
)
from support.report_laws import OF_TARGETS, Case

from ldptui.core.attacks import (
    ListedTargets,
    MaximalGain,
    Reactive,
    View,
)
from ldptui.core.base.errors import ScenarioError
from ldptui.core.bounds import solver
from ldptui.core.cell import Cell
from ldptui.core.law.exchangeable import Exchangeable
from ldptui.core.law.law import Ask, Law, LawName
from ldptui.core.law.numeric_protocol import NumericProtocol
from ldptui.core.law.pure import SeedSearch
from ldptui.core.metrics.ranking import in_top
from ldptui.core.protocols import GRR, OLH, OUE, PROTOCOLS, BitNoise, Rappor, hashing
from ldptui.core.theory import (
    cell_gain,
    expected_estimate,
    expected_metrics,
    fake_support,
)

Rng = np.random.Generator
TARGETS = [1, 4, 2]  # item 4 is held by nobody
SEEDS = 3

LATER = [kind for kind in KNOWN_ATTACKS if kind not in CAO_ATTACKS]
"""The attacks besides the three that Cao, Jia, Gong compare."""

OWN: dict[str, dict[str, Any]] = {
    "input": {"distribution": [1, 2.5, 0.5]},
    "mga-a": {"subset": 2},
    "untargeted": {"size": 3},
}
"""The keys of a kind besides share, targets and seeds, where they are not as a form begins."""

NEEDED: dict[str, LawName] = {"mga-a": "subset", "apa": "disguised", "solved": "solved"}
"""The law that an attack asks a protocol for, where not every protocol has it; "hidden" besides."""


def takes(case: Case, kind: str) -> bool:
    """Return whether a protocol has what an attack of this kind asks it for."""
    if report_law(kind) in OF_NUMBERS:
        return isinstance(bind(case), NumericProtocol)
    if kind == "hidden":
        return isinstance(bind(case), Exchangeable)
    return kind not in NEEDED or isinstance(bind(case).law_of(Ask(NEEDED[kind])), Law)


ALIKE = {type(bind(case)): case for case in reversed(CASES)}
"""One case of each mechanism: enough where the reports depend on p and q alone."""

PAIRS = [
    (case, kind)
    for case, kind in itertools.product(CASES, LATER)
    if takes(case, kind)
    if kind != "solved" or ALIKE[type(bind(case))] == case
]
every_pair = pytest.mark.parametrize(("case", "kind"), PAIRS, ids=str)


def table(kind: str, share: float) -> dict[str, Any]:
    keys = {"targets": {"items": TARGETS}, "seeds": SEEDS, **OWN.get(kind, {})}
    return attack_table(kind, share, **keys)


def poisoned(case: Case, kind: str, share: float, path: str, seed: int) -> tuple[Cell, Poisoned]:
    """A cell, and what the enumerated laws expect of it."""
    n = 10_000 if path == "counts" else 1_000
    histogram = [n // 2, 3 * n // 10, 3 * n // 20, n // 20, 0]
    one = cell(histogram, case, table(kind, share), simulate={"path": path}, seed=seed)
    aims = one.targets.tolist()
    laws = {kind: partial(law, case, aims) for kind, law in OF_TARGETS} | {
        "input": lambda: case.poisoned_input(dict(zip(aims, (1, 2.5, 0.5), strict=True))),
        "mga-a": lambda: case.some(aims, 2, SEEDS, "anchor"),
        "apa": lambda: case.pattern(aims),
        "untargeted": lambda: case.crafted(aims, SEEDS, "anchor"),
        "demote": lambda: case.avoiding(aims, SEEDS),
        "reactive": lambda: case.crafted(aims, SEEDS, "anchor"),
        "solved": lambda: case.composed(
            aims, *solver.list_sizes(one.fakes[0].strategy.programme(one.pure, one.targets))
        ),
        "hidden": lambda: case.hidden(one.fakes[0].strategy.plan(one.pure, one.targets).shift),
    }
    return one, Poisoned(case, histogram, laws[kind](), one.malicious, aims)


@pytest.mark.every(3)
@every_pair
def test_closed_forms_are_those_of_the_law(case: Case, kind: str) -> None:
    for share in (0.0, 0.1, 0.4):
        one, law = poisoned(case, kind, share, "counts", 0)
        assert_closed_forms(one, law)


# S, written down.


def test_demotion_finds_an_empty_bucket_where_there_are_more_buckets_than_targets() -> None:
    assert hashing.fewest_law(3, 4, 1).tolist() == [1, 0, 0, 0]
    # Two targets in two buckets: apart with probability 1/2, each time.
    assert hashing.fewest_law(2, 2, 1) == pytest.approx([1 / 2, 1 / 2, 0])
    assert hashing.fewest_law(2, 2, 5) == pytest.approx([1 - 1 / 32, 1 / 32, 0])


@pytest.mark.parametrize("r", [4, 7, 12])
def test_the_emptiest_bucket_of_the_real_family(r: int, rng: Rng) -> None:
    protocol, targets = OLH(64, 1.0, 3), np.arange(5, 5 + r)
    reports = protocol.avoid(targets, 20_000, SeedSearch(2), rng)
    fewest = protocol.supports(reports)[:, targets].sum(axis=1)
    assert budget.law(np.bincount(fewest, minlength=r + 1), hashing.fewest_law(r, 3, 2))
    assert not budget.law(np.bincount(fewest, minlength=r + 1), hashing.fewest_law(r, 3, 1))


def test_demotion_lowers_every_target_and_leaves_the_rest_honest() -> None:
    for kind in PROTOCOLS:
        document = {"kind": kind, "epsilon": 1.0}
        attack = {"kind": "demote", "share": 0.1, "targets": {"items": [0, 3]}}
        one = cell([400, 300, 200, 100, *[10] * 60], document, attack)
        estimate, truth = expected_estimate(one), one.population.frequencies
        assert estimate is not None
        assert (estimate[one.targets] < truth[one.targets]).all()


# Pairs that make no sense.


@pytest.mark.parametrize(
    ("kind", "protocol", "message"),
    [
        ("mga-a", {"kind": "grr", "epsilon": 1}, "GRR, whose report supports one item"),
        ("mga-a", {"kind": "rappor"}, "RAPPOR's Bloom filters"),
        ("apa", {"kind": "grr", "epsilon": 1}, "GRR, whose report is one item"),
        ("apa", {"kind": "laplace", "epsilon": 1}, "a trusted curator, whom every user tells one"),
        ("mga-a", {"kind": "stability", "epsilon": 1}, "a trusted curator, whom every user"),
        ("apa", {"kind": "olh", "epsilon": 1}, "local hashing"),
        ("apa", {"kind": "rappor"}, "RAPPOR's Bloom filters"),
    ],
)
def test_a_pair_without_sense_says_why(kind: str, protocol: dict[str, Any], message: str) -> None:
    with pytest.raises(ScenarioError, match=f'attack.kind must not be "{kind}" against {message}'):
        cell([5, 4, 3, 2, 1], protocol, table(kind, 0.1))


def test_own_keys_that_do_not_fit_the_targets() -> None:
    for kind, own, message in (
        (
            "mga-a",
            {"subset": 4},
            "attack.subset must be in [1, 3], the number of targets, got 4",
        ),
        ("input", {"distribution": [1, 2]}, "attack.distribution must have one weight for each"),
        ("input", {"distribution": [1, -2, 1]}, "attack.distribution must be weights, at least 0"),
        ("input", {"distribution": [0, 0, 0]}, "attack.distribution must have a positive weight"),
        (
            "untargeted",
            {"size": 6},
            "attack.size must be in [1, 5], the number of items, got 6",
        ),
        ("demote", {"targets": {"items": [0, 1, 2, 3, 4]}}, "attack.targets must leave out an"),
    ):
        protocol = "grr" if kind == "demote" else "oue"
        with pytest.raises(ScenarioError, match=re.escape(message)):
            cell([5, 4, 3, 2, 1], {"kind": protocol, "epsilon": 1}, table(kind, 0.1) | own)


@pytest.mark.parametrize("protocol", ["laplace", "stability"])
@pytest.mark.parametrize("kind", [kind for kind in LATER if kind in UNCONDITIONAL])
def test_a_trusted_curator_hears_one_item_from_each_fake(kind: str, protocol: str) -> None:
    own = {**table(kind, 0.5), **({"size": 2} if kind == "untargeted" else {})}
    one = cell([500, 300, 150, 50, 0], {"kind": protocol, "epsilon": 1}, own)
    clean, attacked = counts(one)
    added = (attacked - clean)[:, 0]
    assert (added.sum(axis=1) == one.malicious).all()
    assert one.attack is not None
    (fakes,) = one.fakes
    law = fakes.strategy.item_support(one.protocol, one.targets, one.targets)  # type: ignore[arg-type]
    assert law is not None
    assert budget.moments(
        added,
        one.malicious * law.rates,
        one.malicious * (np.diag(law.rates) - np.outer(law.rates, law.rates)),
    )
    hit = law.rates[one.targets].sum()
    assert law.variance == pytest.approx(hit * (1 - hit), abs=1e-12)


# The set of the untargeted attack.


def test_the_random_set_is_one_for_all_and_not_the_random_targets() -> None:
    people, document = [10] * 50, {"kind": "oue", "epsilon": 1}
    sets = [
        cell(people, {"kind": kind, "epsilon": 1}, {"kind": "untargeted", "share": s, "size": 9})
        for kind in PROTOCOLS
        for s in (0.1, 0.2)
    ]
    assert len({tuple(chosen.targets.tolist()) for chosen in sets}) == 1
    aimed = {"kind": "mga", "share": 0.1, "targets": {"pick": "random", "count": 9}}
    assert set(cell(people, document, aimed).targets) != set(sets[0].targets)
    again = cell(people, document, {"kind": "untargeted", "share": 0.1, "size": 4})
    assert again.targets.tolist() == sets[0].targets[:4].tolist()


# Reacting to what was published.


def test_reactive_aims_at_what_is_outside_the_top_k(rng: Rng) -> None:
    targets = np.array([2, 5, 7])
    attack = Reactive(0.1, ListedTargets((0,)), 10)
    published = np.array([
        [9.0, 8, 7, 6, 5, 4, 3, 2],  # 2 is inside the top 3
        [0, 0, 9, 0, 0, 8, 0, 7],  # all are inside
        [0, 1, 0, 3, 4, 0, 0, 0],  # none is
    ])  # fmt: skip
    for protocol in (GRR(8, 1), OUE(8, 1), OLH(8, 1), Rappor(8, 16, 2, 4, BitNoise(0.5, 0, 1))):
        aims = [[5, 7], [2, 5, 7], [2, 5, 7]]
        view = View(targets, 1, 5, published, top_k=3)
        drawn = attack.counts(protocol, view, np.full(3, 1000), rng)
        for row, aim in enumerate(aims):
            here = View(targets, 1, 5, published[row], top_k=3)
            reported = protocol.support_counts(attack.reports(protocol, here, 1000, rng))
            only = protocol.find_law(Ask("crafted", np.array(aim), attack.search)).counts(
                np.array([1000]), rng
            )[0]
            if isinstance(protocol, Rappor):
                certain = protocol.target_bits(np.array(aim))
                for found in (drawn[row], reported):
                    assert (found[:, :-1] == found[:, -1:])[certain].all()
                continue
            out = np.setdiff1d(targets, aim)
            for found in (drawn[row], reported, only):
                if isinstance(protocol, GRR):
                    assert found[aim].sum() == 1000
                if out.size:
                    assert found[aim].min() > found[out].max()


def test_reactive_is_mga_until_something_is_published(rng: Rng) -> None:
    targets, protocol = np.array([2, 5, 7]), OUE(32, 1)
    aim = ListedTargets((0,))
    first, other = (
        make(0.1, aim).counts(protocol, View(targets), np.full(3, 99), np.random.default_rng(1))
        for make in (Reactive, MaximalGain)
    )
    assert (first == other).all()
    assert Reactive.reacts
    assert not MaximalGain.reacts


@pytest.mark.parametrize("protocol", ONE_OF_EACH)
def test_what_reactive_does_later_is_not_foreseen(protocol: str) -> None:
    document = {"kind": protocol, **({} if protocol == "rappor" else {"epsilon": 1})}
    aim = {"kind": "reactive", "share": 0.1, "targets": {"items": [1, 2]}}
    whole = cell([50, 40, 30, 20], document, aim, campaign={"rounds": 3})
    first, second, _ = whole.rounds
    assert expected_metrics(first)["gain"] is not None
    for later in (second, whole):
        expected = expected_metrics(later)
        assert expected["gain"] is None
        assert expected["mse"] is None
    mga = cell([50, 40, 30, 20], document, {**aim, "kind": "mga"}, campaign={"rounds": 3})
    assert expected_metrics(mga.rounds[1])["gain"] is not None


# Samplers' laws.


def test_top_k_of_one_estimate_and_of_many() -> None:
    assert in_top(np.array([[3.0, 1, 2]]), 2).tolist() == [[True, False, True]]


def test_the_fakes_of_a_cell_are_derived_from_it() -> None:
    one = cell([5, 4, 3], None, {"kind": "mga", "share": 0.5, "targets": {"items": [1]}})
    (fakes,) = dataclasses.replace(one, malicious=7).fakes
    assert (fakes.count, fakes.targets.tolist()) == (7, [1])
    supported = fake_support(one)
    assert supported is not None
    assert cell_gain(one, supported) == pytest.approx(expected_metrics(one)["gain"])
