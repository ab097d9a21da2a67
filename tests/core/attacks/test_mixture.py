"""Mixtures: fakes in parts, their closed forms and both paths."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import budget
from support.cases import CASES, assert_closed_forms, cell, counts
from support.count_laws import Moments, Poisoned
from support.report_laws import Case

from ldptui.core.attacks.mixture import split
from ldptui.core.cell import Cell
from ldptui.core.kernels.threads import one_thread
from ldptui.core.theory import (
    expected_bit_counts,
    expected_estimate,
    expected_metrics,
)

# The split of the fakes.


def test_largest_remainders() -> None:
    assert split(10, [1, 1, 1]) == [4, 3, 3]
    assert split(7, [0.8, 0.2]) == [6, 1]
    assert split(0, [1, 2]) == [0, 0]
    assert split(5, [0, 1]) == [0, 5]
    assert split(10**13, [1, 2]) == [3333333333333, 6666666666667]


@given(
    st.integers(0, 10**13),
    st.lists(st.floats(0, 100), min_size=1, max_size=6).filter(lambda w: sum(w) > 0),
)
def test_every_part_gets_its_quota_rounded(total: int, weights: list[float]) -> None:
    counts, exact = split(total, weights), [Fraction(weight) for weight in weights]
    assert sum(counts) == total
    for count, weight in zip(counts, exact, strict=True):
        assert abs(count - total * weight / sum(exact)) < 1


# Laws.


def mixture(case: Case, share: float, path: str, seed: int) -> tuple[Cell, Any]:
    n = 10_000 if path == "counts" else 1_000
    histogram = [n // 2, 3 * n // 10, 3 * n // 20, n // 20, 0]
    attack = {
        "share": share,
        "targets": {"items": [1, 4]},
        "mix": [
            {"kind": "mga", "weight": 5, "seeds": 3, "targets": {"items": [1, 4, 2]}},
            {"kind": "ria", "weight": 3, "targets": {"items": [0, 1]}},
            {"kind": "demote", "weight": 2, "seeds": 3, "targets": {"items": [3]}},
        ],
    }
    one = cell(histogram, case, attack, simulate={"path": path}, seed=seed)
    laws = [case.crafted([1, 4, 2], 3, "anchor"), case.held([0, 1]), case.avoiding([3], 3)]
    moments = [fakes.count * Moments.of(law) for fakes, law in zip(one.fakes, laws, strict=True)]
    return one, Mixed(case, histogram, laws[0], one.malicious, [1, 4], sum_of(moments))


def sum_of(moments: list[Moments]) -> Moments:
    return moments[0] + moments[1] + moments[2]


class Mixed(Poisoned):
    """Fakes of several laws, as many of each as the mixture says."""

    def __init__(self, *of: Any) -> None:
        super().__init__(*of[:-1])
        self.__dict__["fakes"] = of[-1]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_closed_forms_are_those_of_the_parts_together(case: Case) -> None:
    for share in (0.0, 0.1, 0.4):
        one, law = mixture(case, share, "counts", 0)
        assert [fakes.count for fakes in one.fakes] == split(one.malicious, [5, 3, 2])
        assert_closed_forms(one, law)


@pytest.mark.every(7)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_counts_have_the_covariances_of_the_parts(case: Case, seed: int) -> None:
    one, law = mixture(case, 0.5, "counts", seed)
    pairs = [counts(one, block) for block in range(180)]
    fakes = np.concatenate([attacked - clean for clean, attacked in pairs])
    assert budget.moments(fakes, law.fakes.mean, law.fakes.covariance)
    # As if every fake drew its part at random: the means are the same, the spread is not.
    shares = np.array([5, 3, 2]) / 10
    laws = [case.crafted([1, 4, 2], 3, "anchor"), case.held([0, 1]), case.avoiding([3], 3)]
    drawn = one.malicious * Moments.of(shares @ np.array(laws))
    assert not budget.moments(fakes, drawn.mean, drawn.covariance)


def test_pieces_of_a_part_are_on_the_reports_path(seed: int) -> None:
    """Parts end in the middle of a block of users, and are as large as they should be."""
    attack = {
        "share": 0.9,
        "targets": {"items": [0]},
        "mix": [{"kind": "mga", "weight": 0.999}, {"kind": "demote", "weight": 0.001}],
    }
    grr = {"kind": "grr", "epsilon": 1}
    one = cell([9000, 9000, 2000], grr, attack, simulate={"path": "reports"}, seed=seed)
    from ldptui.core.collection.counts import block_counts

    clean, attacked = block_counts(one, 0, 1)
    added = (attacked - clean)[0]
    assert added[0] == one.fakes[0].count == 179_820
    assert added[1:].sum() == one.fakes[1].count == 180


# Targets.


def test_metrics_count_the_given_targets_or_those_of_all_parts() -> None:
    parts = [
        {"kind": "mga", "weight": 1, "targets": {"items": [4, 1]}},
        {"kind": "ria", "weight": 1, "targets": {"items": [0, 4]}},
        {"kind": "untargeted", "weight": 1, "size": 2},
    ]
    one = cell([5, 4, 3, 2, 1], None, {"share": 0.1, "mix": parts})
    wrecked = one.fakes[2].targets.tolist()
    assert one.targets.tolist() == list(dict.fromkeys([4, 1, 0, 4, *wrecked]))
    given = {"share": 0.1, "mix": parts, "targets": {"items": [2]}}
    counted = cell([5, 4, 3, 2, 1], None, given)
    assert counted.targets.tolist() == [2]
    assert [fakes.targets.tolist() for fakes in counted.fakes] == [[4, 1], [0, 4], wrecked]


def test_one_part_alone_is_its_kind(seed: int) -> None:
    """The same law; the draws have an address of their own."""
    alone = {"kind": "mga", "share": 0.1, "targets": {"items": [1, 2]}}
    mixed = {"share": 0.1, "targets": {"items": [1, 2]}, "mix": [{"kind": "mga", "weight": 7}]}
    one, other = (cell([50, 40, 30, 20], None, table, seed=seed) for table in (alone, mixed))
    assert expected_metrics(one) == expected_metrics(other)
    assert one.malicious_address != other.malicious_address


# RAPPOR's Bloom filters.


def test_parts_send_their_bits(seed: int) -> None:
    """Bits, decoded gain and its deviation, with a part that crowds into one cohort."""
    parts = [
        {"kind": "mga", "weight": 2, "cohort": 0.5},
        {"kind": "input", "weight": 1, "distribution": [1, 3]},
        {"kind": "demote", "weight": 1, "targets": {"items": [0]}},
    ]
    table = {"share": 0.5, "targets": {"items": [2, 7]}, "mix": parts}
    rappor = {"kind": "rappor", "form": "one-time", "f": 0.2, "bits": 16, "cohorts": 4}
    one = cell([4000, 3000, 1500, 700, 500, 300, 0, 0], rappor, table, seed=seed)
    assert [fakes.count for fakes in one.fakes] == [5000, 2500, 2500]

    expected = expected_bit_counts(one)
    assert expected is not None
    drawn = np.concatenate([counts(one, block)[1] for block in range(20)])
    # Poisson's variance is more than that of any count here: a bound for the mean.
    error = np.sqrt(expected / len(drawn))
    assert (np.abs(drawn.mean(axis=0) - expected) < 7 * error + 1e-9).all()
    crafted = replace(one, attack=one.fakes[0].strategy)
    wrong = expected_bit_counts(crafted)
    assert wrong is not None
    assert not (np.abs(drawn.mean(axis=0) - wrong) < 7 * error + 1e-9).all()

    with one_thread():
        found = one.protocol.estimates(drawn, one.users + one.malicious).frequencies
    estimate = expected_estimate(one)
    assert estimate is not None
    assert budget.mean(found, estimate, found.var(axis=0))


def test_both_paths_send_the_same_bits(rng: np.random.Generator) -> None:
    parts = [{"kind": "ria-unperturbed", "weight": 1}, {"kind": "demote", "weight": 1}]
    table = {"share": 0.5, "targets": {"items": [2, 3]}, "mix": parts}
    rappor = {"kind": "rappor", "bits": 8, "cohorts": 2}
    one = cell([2000, 1000, 500, 0], rappor, table, simulate={"path": "reports"})
    from ldptui.core.collection.counts import block_counts

    clean, attacked = block_counts(one, 0, 3)
    fakes = (attacked - clean).sum(axis=0)
    rates = sum(
        part.count * part.strategy.bits(one.protocol, part.targets).rates  # type: ignore
        for part in one.fakes
    )
    assert fakes[:, -1].sum() == 3 * one.malicious
    error = np.sqrt(3 * one.malicious)
    assert (np.abs(fakes[:, :-1] - 1.5 * rates) < 7 * error).all()
