"""RAPPOR's bit counts on both paths, of honest users and of fakes.

Tiny filters are compared with the enumerated law of the counts of a few users, which is everything
there is to know about them.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import budget
from support.kinds import UNCONDITIONAL, takes_cohort
from support.rappor_cases import bound, every_tiny
from support.rappor_laws import Filters, Law, together

from ldptui.core.attacks import ATTACKS, ListedTargets, View
from ldptui.core.base.errors import ScenarioError
from ldptui.core.law.law import Ask
from ldptui.core.law.pure import SeedSearch
from ldptui.core.protocols import BitNoise, Rappor

Rng = np.random.Generator
SEARCH = SeedSearch()


# The law of the counts, on both paths.


def by_counts(protocol: Rappor, make: str, *what: Any, trials: int, rng: Rng) -> Any:
    if make == "honest":
        histogram = np.bincount(what[0], minlength=protocol.domain_size)
        return protocol.sample_counts(np.broadcast_to(histogram, (trials, histogram.size)), rng)
    fakes = np.full(trials, what[-1])
    if make == "random":
        return protocol.find_law(Ask("random")).counts(fakes, rng)
    return protocol.find_law(Ask("crafted", np.array(what[0]), SEARCH)).counts(fakes, rng)


def by_reports(protocol: Rappor, make: str, *what: Any, trials: int, rng: Rng) -> Any:
    if make == "honest":
        users = len(what[0])
        reports = protocol.perturb(np.tile(what[0], trials), rng)
    else:
        users = what[-1]
        if make == "random":
            reports = protocol.random_reports(users * trials, rng)
        else:
            reports = protocol.craft(np.array(what[0]), users * trials, SEARCH, rng)
    counts = np.zeros((trials, protocol.cohorts, protocol.bits + 1), dtype=np.int64)
    rows, cohorts = np.repeat(np.arange(trials), users), reports["cohort"]
    np.add.at(counts[:, :, :-1], (rows, cohorts), protocol.unpack(reports))
    np.add.at(counts[:, :, -1], (rows, cohorts), 1)
    return counts


def seen(counts: Any, law: Law) -> budget.Verdict:
    """Whole vectors of counts are as likely as the law says."""
    outcomes = {key: place for place, key in enumerate(law)}
    found = np.zeros(len(law) + 1)
    keys, times = np.unique(counts.reshape(len(counts), -1), axis=0, return_counts=True)
    for key, number in zip(keys.tolist(), times.tolist(), strict=True):
        found[outcomes.get(tuple(key), len(law))] += number
    return budget.law(found, [*law.values(), 0.0])


both_paths = pytest.mark.parametrize(
    ("draw", "trials"), [(by_counts, 8_000), (by_reports, 15_000)], ids=["counts", "reports"]
)
Draw = Callable[..., Any]


@pytest.mark.every(8)
@both_paths
@every_tiny
def test_honest_counts_follow_their_joint_law(
    tiny: Filters, draw: Draw, trials: int, rng: Rng
) -> None:
    held = [0, 2, 2]
    law = together([tiny.honest(item) for item in held])
    drawn = draw(bound(tiny), "honest", held, trials=trials, rng=rng)
    assert seen(drawn, law)
    assert not seen(drawn, together([tiny.honest(item) for item in (1, 1, 1)]))
    wrong = Filters(**{**vars(tiny), "f": tiny.f + 0.3})
    assert not seen(draw(bound(wrong), "honest", held, trials=trials, rng=rng), law)


@pytest.mark.every(3)
@both_paths
@every_tiny
def test_random_counts_follow_their_joint_law(
    tiny: Filters, draw: Draw, trials: int, rng: Rng
) -> None:
    law = together([tiny.random()] * 2)
    assert seen(draw(bound(tiny), "random", 2, trials=trials, rng=rng), law)
    honest = together([tiny.random(), tiny.honest(0)])
    assert not seen(draw(bound(tiny), "random", 2, trials=trials, rng=rng), honest)


@pytest.mark.every(3)
@both_paths
@pytest.mark.parametrize("targets", [[1], [3, 0]], ids=str)
@every_tiny
def test_crafted_counts_follow_their_joint_law(
    tiny: Filters, targets: list[int], draw: Draw, trials: int, rng: Rng
) -> None:
    law = together([tiny.crafted(targets)] * 2)
    drawn = draw(bound(tiny), "craft", targets, 2, trials=trials, rng=rng)
    assert seen(drawn, law)
    assert not seen(drawn, together([tiny.crafted(targets), tiny.random()]))


@every_tiny
def test_support_counts_add_up_the_bits_of_each_cohort(tiny: Filters, rng: Rng) -> None:
    protocol = bound(tiny)
    for n in (0, 1, 300):
        reports = protocol.perturb(rng.integers(0, tiny.items, size=n), rng)
        counts = protocol.support_counts(reports)
        assert counts.shape == (tiny.cohorts, tiny.bits + 1)
        bits = protocol.unpack(reports)
        for cohort in range(tiny.cohorts):
            own = reports["cohort"] == cohort
            assert counts[cohort].tolist() == [*bits[own].sum(axis=0).tolist(), int(own.sum())]


@pytest.mark.parametrize("bits", [3, 8, 12, 16])
def test_random_reports_leave_the_unused_places_empty(bits: int, rng: Rng) -> None:
    protocol = Rappor(5, bits, 2, 3, BitNoise(0.5, 0.5, 0.75))
    packed = protocol.random_reports(500, rng)["bits"]
    whole = np.unpackbits(packed, axis=1)
    assert not whole[:, bits:].any()
    assert whole[:, :bits].any(axis=0).all()


def test_noise_that_rounds_to_none_is_refused() -> None:
    with pytest.raises(ScenarioError, match="f must be 1e-15 or more where p = 0 or q = 1"):
        BitNoise(4e-17, 0.0, 1.0)
    assert BitNoise(1e-15, 0.0, 1.0).epsilon_one(1) == pytest.approx(2 * math.log(2e15), rel=0.01)


@pytest.mark.every(3)
@pytest.mark.parametrize("kind", [kind for kind in UNCONDITIONAL if takes_cohort(kind)])
def test_counts_and_reports_have_one_mean_for_every_attack(kind: str, rng: Rng) -> None:
    """The rates that theory uses, on both paths, with and without a crowded cohort."""
    protocol = Rappor(30, 24, 2, 4, BitNoise(0.4, 0.3, 0.8))
    targets, n = np.array([2, 17]), 40_000
    table: dict[str, Any] = {"targets": ListedTargets((2, 17))}
    if kind == "untargeted":
        table = {"size": 2}
    elif kind == "input":
        table["distribution"] = (3.0, 1.0)
    for share in (None, 0.0, 0.3, 1.0):
        attack: Any = ATTACKS[kind](share=0.1, cohort=share, **table)
        law = (
            protocol.cohort_law if share is None else protocol.concentrate_cohorts(share).cohort_law
        )
        rates = attack.bits(protocol, targets).rates
        view = View(targets)
        counted = attack.counts(protocol, view, np.array([n]), rng)[0]
        reported = protocol.support_counts(attack.reports(protocol, view, n, rng))
        for counts in (counted, reported):
            assert counts[:, -1].sum() == n
            assert budget.proportion(counts[:, -1], n, law)
            if share:
                assert not budget.proportion(counts[:, -1], n, protocol.cohort_law)
            if kind == "rpa":
                users = np.broadcast_to(counts[:, -1:], rates.shape)
                assert budget.proportion(counts[:, :-1], users, rates)
            for cohort in np.flatnonzero(counts[:, -1]):
                users = counts[cohort, -1]
                assert budget.proportion(counts[cohort, :-1], users, rates[cohort])
                if share != 1.0:
                    off = np.roll(rates[cohort], 1)
                    if kind != "rpa":
                        assert not budget.proportion(counts[cohort, :-1], users, off)
