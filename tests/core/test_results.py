"""Blocks add up to what all trials together give, in whatever order they come."""

import itertools
import math

import numpy as np
import pytest
import xxhash
from numpy.typing import NDArray
from support.cases import attack, cell

from ldptui.core.base.arms import ATTACKED, CLEAN
from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.summary import Estimate
from ldptui.core.metrics import METRICS, empty_measures, plain
from ldptui.core.metrics.results import CellResults, Fingerprints, Moments, Tally, digest

ONE = cell([50, 30, 20, 0], None, attack("mga", 0.2, [1, 3]), trials=70)
BLOCKS = [ONE.block(number, min(20, 70 - 20 * number)) for number in range(4)]


def tallied(numbers: list[int]) -> CellResults:
    tally = Tally()
    for number in numbers:
        tally.add(number, BLOCKS[number])
    return tally.results


def same(one: CellResults, other: CellResults) -> bool:
    """Equal to the last bit."""
    pairs = [
        (plain(one.metrics), plain(other.metrics)),
        (one.fingerprints, other.fingerprints),
        (one.arms[CLEAN].mean, other.arms[CLEAN].mean),
        (one.arms[CLEAN].squares, other.arms[CLEAN].squares),
        (one.arms[ATTACKED].mean, other.arms[ATTACKED].mean),
        (one.arms[ATTACKED].squares, other.arms[ATTACKED].squares),
    ]
    return all(np.array_equal(*pair, equal_nan=True) for pair in pairs)


def test_the_order_of_the_blocks_changes_nothing() -> None:
    whole = tallied([0, 1, 2, 3])
    assert whole.trials == 70
    for order in itertools.permutations(range(4)):
        assert same(tallied(list(order)), whole)


def test_only_trials_without_a_gap_are_shown() -> None:
    tally = Tally()
    shown = []
    for number in (2, 0, 3, 1):
        tally.add(number, BLOCKS[number])
        shown.append(tally.results.trials)
    assert shown == [0, 20, 20, 70]


def test_nothing_yet() -> None:
    empty = Tally().results
    assert empty.trials == 0
    assert empty.arms == {}
    assert empty.estimate("gain", 0.5) == Estimate(None, None, 0.5)


@pytest.mark.parametrize("parts", [[1, 1], [5, 1, 30], [20, 20, 20], [7]])
def test_moments_of_parts_add_up(parts: list[int], rng: np.random.Generator) -> None:
    values = rng.normal(1e6, 1.0, size=(sum(parts), 3))  # far from 0: no cancellation
    edges = np.cumsum([0, *parts])
    first, *rest = (Moments.of(values[a:b]) for a, b in itertools.pairwise(edges))
    total = sum(rest, start=first)
    assert total.trials == len(values)
    assert total.mean == pytest.approx(values.mean(axis=0), rel=1e-13)
    assert total.std == pytest.approx(values.std(axis=0, ddof=1), rel=1e-6)


def test_one_trial_has_no_deviation() -> None:
    assert Moments.of(np.ones((1, 3))).std is None
    results = tallied([0])
    single = CellResults(results.metrics[:1], results.fingerprints[:1])
    estimate = single.estimate("gain", 0.3)
    assert estimate.mean == single.metrics["gain"][0]
    assert estimate.standard_error is None
    assert estimate.z is None


def test_estimates_are_mean_and_standard_error() -> None:
    results = tallied([0, 1, 2, 3])
    for name in METRICS:
        estimate = results.estimate(name, 0.25)
        column = results.metrics[name]
        if np.isnan(column).all():
            assert (estimate.mean, estimate.standard_error, estimate.z) == (None, None, None)
            continue
        assert estimate.mean == pytest.approx(np.mean(column))
        error = math.sqrt(sum((column - column.mean()) ** 2) / 69 / 70)
        assert estimate.standard_error == pytest.approx(error)
        z = (np.mean(column) - 0.25) / error if error else None
        assert estimate.z == (None if z is None else pytest.approx(z))


def test_undefined_estimates() -> None:
    alone = cell([50, 50]).block(0)
    assert alone.estimate("gain") == Estimate(None, None, None)
    assert alone.estimate("mse").mean is not None
    assert Estimate(1.0, 0.0, 1.0).z is None
    assert Estimate(1.0, 0.5, None).z is None
    assert Estimate(1.0, 0.5, 0.0).z == 2.0


def fingerprint(*counts: NDArray[np.int64]) -> int:
    """The fingerprint of one trial: clean and attacked counts of one round after the other."""
    marks = Fingerprints(1)
    for at in range(0, len(counts), 2):
        marks.add(counts[at][None], counts[at + 1][None])
    return int(marks.values[0])


def test_fingerprints_see_every_count() -> None:
    clean, attacked = np.array([1, 2, 3]), np.array([4, 5, 6])
    mark = fingerprint(clean, attacked)
    assert 0 <= mark < 2**64
    assert mark == fingerprint(clean.astype(">i8"), attacked.astype(np.int64))
    others = {fingerprint(clean + np.eye(3, dtype=int)[v], attacked) for v in range(3)}
    others |= {fingerprint(clean, attacked + np.eye(3, dtype=int)[v]) for v in range(3)}
    others |= {fingerprint(attacked, clean)}
    others |= {fingerprint(clean, attacked, clean, attacked)}
    assert len(others | {mark}) == 9
    assert mark == xxhash.xxh3_64_intdigest(np.array([clean, attacked]).tobytes())


def test_the_digest_sees_which_trial_is_which() -> None:
    whole = tallied([0, 1])
    swapped = CellResults(whole.metrics, whole.fingerprints[::-1].copy())
    digests = {digest([whole]), digest([swapped]), digest([whole, whole]), digest([tallied([0])])}
    assert len(digests) == 4
    assert all(digest.startswith("xxh3:") and len(digest) == 37 for digest in digests)


def test_an_unknown_metric_is_refused_in_words() -> None:
    results = CellResults(empty_measures(0), np.zeros(0, dtype=np.uint64))
    with pytest.raises(ScenarioError, match=r'metric must be one of gain, .*, got "gainn"'):
        results.estimate("gainn")


def test_results_add_up_as_a_tally_does() -> None:
    first, second, *_ = BLOCKS
    both = first + second
    assert same(both, tallied([0, 1]))
    assert same(both.first(20).telling(first), first)
    assert both.first(0).arms is both.arms
    assert (both + second.bare).arms == {}
