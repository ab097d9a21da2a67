"""Screens of real reports: sizes and repeats against plain counts, and what they promise."""

from __future__ import annotations

from collections import Counter
from math import comb, exp
from typing import Any

import numpy as np
import pytest
from support import budget
from support.kinds import SEVERAL_ITEMS

from ldptui.core.lab.repeats import find_frequent_values, largest, likeliest, marks, too_many
from ldptui.core.law.pure import Reports, Rng, SeedSearch
from ldptui.core.law.together import numbers
from ldptui.core.protocols import KINDS, OLH, OUE
from ldptui.core.reports.screening import CHANCE, ScreeningResult, screen_reports

TARGETS = np.array([3, 8, 11, 15, 19])


def bound(kind: str, domain_size: int = 24) -> Any:
    return KINDS[kind](kind=kind, epsilon=1.0).bind(domain_size)


def verdicts(protocol: Any, reports: Reports) -> ScreeningResult:
    return screen_reports(reports, protocol)


def alarms(found: ScreeningResult) -> dict[str, bool | None]:
    return {each.kind: each.alarm for each in found.screens}


@pytest.mark.parametrize("kind", SEVERAL_ITEMS)
def test_the_number_of_supported_items_has_its_law_whatever_is_held(kind: str, rng: Rng) -> None:
    protocol = bound(kind, 8)
    for item in (0, 5):
        reports = protocol.perturb(np.full(20_000, item), rng)
        sizes = np.bincount(protocol.supports(reports).sum(axis=1), minlength=9)
        assert budget.law(sizes, numbers(protocol, 8, held=True))
        mutant = np.append(numbers(protocol, 7, held=False), 0.0)
        assert not budget.law(sizes, mutant)


@pytest.mark.parametrize("kind", ["oue", "ss"])
def test_no_honest_report_is_likelier_than_its_bound(kind: str) -> None:
    protocol = bound(kind, 6)
    law = protocol.enumerate_reports().probabilities
    assert exp(likeliest(protocol)) == pytest.approx(law.max())


def test_marks_are_equal_for_equal_reports_alone(rng: Rng) -> None:
    protocol = OUE(70, 3.0)
    reports = rng.integers(0, 256, (5000, 9), dtype=np.uint8)
    reports[:, -1] &= 0xFC
    reports[100:140] = reports[7]
    assert len(set(marks(protocol, reports).tolist())) == 5000 - 40
    assert largest(marks(protocol, reports)) == 41
    high = np.zeros((3, 9), dtype=np.uint8)
    high[1, 7] = high[2, 0] = 128  # the highest bit of a word
    assert len(set(marks(protocol, high).tolist())) == 3


def test_so_many_alike_are_as_rare_as_promised(rng: Rng) -> None:
    for users, mark in ((1000, 1 / 4096), (50, 0.01)):
        least = too_many(users, np.log(mark), CHANCE)
        assert comb(users, least) * mark ** (least - 1) <= CHANCE
        assert comb(users, least - 1) * mark ** (least - 2) > CHANCE
        drawn = rng.integers(0, round(1 / mark), (2000, users))
        assert sum(max(Counter(row.tolist()).values()) >= least for row in drawn) <= 8
    assert too_many(100, 0.0, CHANCE) == 101


@pytest.mark.every(6)
@pytest.mark.parametrize("kind", SEVERAL_ITEMS)
def test_honest_reports_raise_no_alarm_that_is_proved(kind: str, rng: Rng) -> None:
    protocol = bound(kind)
    for held in (rng.integers(0, 24, 3000), np.zeros(3000, dtype=np.int64)):
        found = verdicts(protocol, protocol.perturb(held, rng))
        assert not found.alarm
        assert found.suspects.items.size == 0


@pytest.mark.long
@pytest.mark.parametrize("kind", SEVERAL_ITEMS)
def test_a_clean_collection_alarms_in_fewer_than_one_of_200(kind: str, rng: Rng) -> None:
    protocol, raised = bound(kind), 0
    for _ in range(200):
        reports = protocol.perturb(np.minimum(rng.geometric(0.3, 1000), 24) - 1, rng)
        raised += verdicts(protocol, reports).alarm
    assert raised <= 1


def test_each_screen_sees_what_it_is_for_and_names_the_reports(rng: Rng) -> None:
    protocol, users = OLH(24, 1.0), 20_000
    honest = protocol.perturb(rng.integers(0, 24, users), rng)
    found = verdicts(protocol, honest)
    assert not found.alarm
    assert np.array_equal(found.before, found.after)

    same = honest.copy()
    same[:40] = same[0]
    assert alarms(verdicts(protocol, same))["seeds"]
    assert verdicts(protocol, same).rows.tolist() == list(range(40))

    fakes = protocol.craft(TARGETS, 800, SeedSearch(1000), rng)
    found = verdicts(protocol, np.concatenate([fakes, honest]))
    assert found.alarm
    assert alarms(found)["pairs"]
    assert found.suspects.items.tolist() == TARGETS.tolist()
    assert np.isin(np.arange(800), found.rows).mean() > 0.9
    assert abs(found.after[TARGETS].sum() - 5 / 24) < 0.1 < found.before[TARGETS].sum() - 5 / 24


def test_reports_of_one_size_are_an_alarm_and_power_is_foretold(rng: Rng) -> None:
    """MGA pads OUE's reports to one size: one of eight at this share has it."""
    protocol, users = OUE(60, 1.0), 30_000
    honest = protocol.perturb(rng.integers(0, 60, users), rng)
    fakes = protocol.craft(TARGETS, 900, SeedSearch(), rng)
    found = verdicts(protocol, np.concatenate([honest, fakes]))
    assert alarms(found)["sizes"]
    told = {each.kind: each for each in found.screens}
    assert 0 < (told["sizes"].chances[1] or 0) <= 1
    assert told["sizes"].proved


def test_what_comes_often_is_what_is_counted() -> None:
    values = np.random.default_rng(0).integers(0, 9, 40, dtype=np.uint32)
    every, counts = np.unique(values, return_counts=True)
    for least in range(2, 42):
        assert find_frequent_values(values, least).tolist() == every[counts >= least].tolist()
