"""The life of one report: every step agrees with the report that the protocol's code made."""

from __future__ import annotations

import copy
import itertools

import numpy as np
import pytest
import xxhash
from support.cases import attack, cell
from support.kinds import CAO_ATTACKS

from ldptui.core import Cell
from ldptui.core.protocols import PROTOCOLS, LocalHashing, Unary, family_of
from ldptui.core.protocols.hashing import matched_law
from ldptui.explain.example_users import fake_report, genuine_report, random_user
from ldptui.explain.report_values import (
    MemberGroup,
    RemainingMembers,
    ReportHistory,
    ReportStep,
    StepBits,
)

KINDS = tuple(PROTOCOLS)
TARGETS = [3, 40, 17]


def bound(kind: str, fakes: str | None = "mga", d: int = 60, **effort: object) -> Cell:
    population = {"kind": "zipf", "items": d, "users": 10_000, "exponent": 1.0}
    protocol = {"kind": kind, "epsilon": 1.0}
    table = None if fakes is None else attack(fakes, 0.05, TARGETS, **effort)
    return cell(population, protocol, table)


def lives(kind: str, fakes: str, rng: np.random.Generator) -> list[tuple[Cell, ReportHistory]]:
    one = bound(kind, fakes)
    genuine = [(one, genuine_report(one, item, rng)) for item in (0, 3, 59)]
    return [*genuine, *((one, fake_report(one, rng)) for _ in range(5))]


def step(of: ReportHistory, name: str) -> ReportStep:
    (found,) = [step for step in of.steps if step.name == name]
    return found


@pytest.mark.parametrize(("kind", "fakes"), list(itertools.product(KINDS, CAO_ATTACKS)))
def test_the_last_bits_are_what_the_report_supports(
    kind: str, fakes: str, rng: np.random.Generator
) -> None:
    for one, of in lives(kind, fakes, rng):
        supported = one.pure.supports(of.report)[0]
        assert of.supports.tolist() == np.flatnonzero(supported > 0).tolist()
        assert of.targets.tolist() == [t for t in sorted(TARGETS) if supported[t] > 0]
        over_items = [s.cells for s in of.steps if s.cells is not None and s.cells.over == "item"]
        assert (over_items[-1].rows[-1][1] == (supported > 0)).all()
        meter = step(of, "Support").meter
        assert meter is not None
        assert (meter.value, meter.total) == (supported[sorted(TARGETS)].sum(), 3)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if family_of(kind) == "hashing"])
def test_hashing_shows_the_hash_of_the_own_item(kind: str, rng: np.random.Generator) -> None:
    one = bound(kind)
    assert isinstance(one.protocol, LocalHashing)
    g = one.protocol.hash_range
    kept = set()
    for _ in range(40):
        of = genuine_report(one, 7, rng)
        seed, sent = int(of.report["seed"][0]), int(of.report["value"][0])
        hashed = xxhash.xxh32((7).to_bytes(4, "little"), seed).intdigest()
        own = hashed * g >> 32
        said = " ".join(step(of, "Encoding").detail)
        assert f"0x{seed:08x}" in said
        assert f"0x{hashed:08x}" in said
        assert f"bucket {own} of {g}" in step(of, "Encoding").text
        assert f"bucket {sent}" in step(of, "Report").text
        cells = step(of, "Support").cells
        assert cells is not None
        assert cells.numbers is not None
        placed = [
            xxhash.xxh32(t.to_bytes(4, "little"), seed).intdigest() * g >> 32 for t in range(60)
        ]
        assert cells.numbers[1].tolist() == placed
        same, other = step(of, "Perturbation").outcomes
        assert (same.probability, other.probability) == (one.protocol.p, one.protocol.q)
        assert (same.outcome == "yes") is (own == sent)
        assert (7 in of.supports) is (own == sent)
        kept.add(own == sent)
    assert kept == {True, False}


def test_a_crafted_unary_report_has_every_target_and_its_padding(rng: np.random.Generator) -> None:
    one = bound("oue")
    assert isinstance(one.protocol, Unary)
    of = fake_report(one, rng)
    assert of.targets.tolist() == sorted(TARGETS)
    assert of.supports.size == 3 + one.protocol.padding(3)
    cells = step(of, "Crafting").cells
    assert cells is not None
    assert cells.rest().ones == (one.protocol.padding(3),)
    q, p = one.protocol.q, one.protocol.p
    assert of.weight == pytest.approx((3 - 3 * q) / (p - q))


def test_a_long_seed_search_is_shortened_and_says_so(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ldptui.explain.report_explanation.SEARCH_WORK", 30)
    one = bound("olh", "mga", seeds=1000)
    assert "10 seeds (the attack: 1000)" in step(fake_report(one, rng), "Crafting").detail[0]
    bucket = bound("olh", "mga", seeds=1000, scoring="bucket")
    assert "5 seeds (the attack: 1000)" in step(fake_report(bucket, rng), "Crafting").detail[0]
    meter = step(fake_report(one, rng), "Support").meter
    assert meter is not None
    assert one.attack is not None
    g = one.protocol.facts()["hash_range"]
    assert isinstance(g, int)
    law = matched_law(3, g, one.attack.search)  # type: ignore[union-attr]
    assert meter.expected == pytest.approx(law @ np.arange(4))


def test_users_are_drawn_from_the_population(rng: np.random.Generator) -> None:
    one = cell([5, 0, 3, 0, 2], {"kind": "oue", "epsilon": 1.0})
    drawn = np.bincount([random_user(one, rng) for _ in range(2000)], minlength=5)
    assert drawn[[1, 3]].tolist() == [0, 0]
    share = np.array([0.5, 0, 0.3, 0, 0.2])
    assert (np.abs(drawn / 2000 - share) < 7 * np.sqrt(0.25 / 2000)).all()


def test_without_an_attack_there_is_no_fake_and_no_weight(rng: np.random.Generator) -> None:
    one = bound("oue", None)
    with pytest.raises(ValueError, match="without an attack"):
        fake_report(one, rng)
    of = genuine_report(one, 0, rng)
    assert [s.name for s in of.steps] == ["Value", "Encoding", "Perturbation", "Report", "Support"]
    assert step(of, "Support").meter is None


def test_labels_name_the_items(rng: np.random.Generator, tmp_path: object) -> None:
    one = bound("grr")
    labelled = copy.copy(one)
    population = copy.copy(one.population)
    object.__setattr__(population, "labels", tuple(f"name-{i}" for i in range(60)))
    object.__setattr__(labelled, "population", population)
    of = genuine_report(labelled, 7, rng)
    assert step(of, "Value").text.startswith("item 7, “name-7”")
    cells = step(of, "Perturbation").cells
    assert cells is not None
    assert cells.label(7) == "name-7"


def test_the_rest_of_the_cells() -> None:
    bits = np.array([1, 0, 1, 1, 0, 0, 1], dtype=bool)
    cells = StepBits(
        "item", (("sent", bits),), (MemberGroup("own", (2,)), MemberGroup("t", (0, 5))), {}
    )
    assert cells.others(2) == (1, 3)
    assert cells.others(9) == (1, 3, 4, 6)
    assert cells.rest() == RemainingMembers(4, (2,))


@pytest.mark.parametrize(("target", "wish"), [(100, "high"), (0, "low")])
def test_fakes_of_a_mean_want_no_item_to_look_frequent(
    target: int, wish: str, rng: np.random.Generator
) -> None:
    population = {"kind": "zipf", "items": 101, "users": 1000, "exponent": 1.0}
    ends = {"low": 0.0, "high": 100.0}
    for task, words in {
        "mean": f"wants the estimated mean to be {wish}",
        "distribution": "wants 1 target to look frequent",
    }.items():
        one = cell(
            population, {"kind": "sw", "epsilon": 1.0}, attack("mga", 0.1, [target]),
            task={"kind": task, **ends},
        )  # fmt: skip
        assert step(fake_report(one, rng), "Value").detail == (words,)
