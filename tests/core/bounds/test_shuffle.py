"""Shuffled reports: the bound from above and that from below hold on every small collection."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from ldptui.core.base.sampling import Floats
from ldptui.core.bounds.shuffle import shuffled_delta as grids
from ldptui.core.bounds.shuffle.central import (
    central_at_least,
    central_at_most,
    closed_2021,
    closed_2023,
    least_users,
    local_for,
    variation_delta,
)
from ldptui.core.bounds.shuffle.shuffled_delta import delta_at_least, delta_at_most
from ldptui.core.law.blanket import (
    Blanket,
    blankets_of,
    pairs_of,
    why_unshuffled,
)
from ldptui.core.law.enumeration import every_report
from ldptui.core.protocols import KINDS
from ldptui.core.protocols.dbitflip import BitFlips


def bound(kind: str, items: int, epsilon: float, **keys: Any) -> Any:
    return KINDS[kind](kind=kind, epsilon=epsilon, **keys).bind(items)


KNOWN = {"grr": 9.756, "sue": 9.702, "oue": 10.599}
"""The largest ε₀ for a central (1, 1e-8) with 10^6 users."""

SMALL = [
    ("grr", 3, 1.0, 5, 0.3, {}),
    ("grr", 6, 0.5, 2, 0.3, {}),
    ("grr", 4, 2.0, 5, 0.5, {}),
    ("sue", 3, 1.0, 3, 0.2, {}),
    ("oue", 3, 1.0, 3, 0.2, {}),
    ("oue", 2, 2.0, 4, 0.6, {}),
    ("ss", 4, 1.0, 3, 0.3, {"subset_size": 2}),
    ("ss", 5, 2.0, 2, 0.4, {"subset_size": 2}),
    ("hr", 3, 1.0, 4, 0.3, {}),
    ("the", 2, 1.0, 3, 0.2, {}),
    ("dbitflip", 3, 1.5, 2, 0.3, {"sampled": 2}),
    ("sr", 3, 1.0, 6, 0.3, {}),
]
every_small = pytest.mark.parametrize(
    ("kind", "items", "epsilon", "users", "central", "keys"), SMALL
)


def worst(law: Floats, users: int, epsilon: float) -> float:
    """The δ of the worst pair of data sets: every multiset of reports with its probability."""
    items = len(law)
    most = 0.0
    for others in itertools.combinations_with_replacement(range(items), users - 1):
        bags = [_bags([law[item], *(law[other] for other in others)]) for item in range(items)]
        for first, second in itertools.permutations(bags, 2):
            gap = sum(
                max(0.0, chance - math.exp(epsilon) * second[bag]) for bag, chance in first.items()
            )
            most = max(most, gap)
    return most


def _bags(laws: list[Floats]) -> dict[tuple[int, ...], float]:
    bags: dict[tuple[int, ...], float] = {(): 1.0}
    for law in laws:
        more: dict[tuple[int, ...], float] = defaultdict(float)
        for bag, chance in bags.items():
            for report in np.flatnonzero(law > 0).tolist():
                more[tuple(sorted((*bag, report)))] += chance * law[report]
        bags = more
    return bags


def enumerated(blanket: Blanket, users: int, epsilon: float) -> float:
    """The bound, by every number of blended reports and every number of them in each cell."""
    terms = blanket.first - math.exp(epsilon) * blanket.second
    total = 0.0
    for counts in itertools.product(range(users + 1), repeat=terms.size):
        blended = sum(counts)
        if blended > users:
            continue
        chance = math.factorial(users) / math.factorial(users - blended)
        chance *= (1 - blanket.share) ** (users - blended)
        for count, weight in zip(counts, blanket.weights.tolist(), strict=True):
            chance *= (blanket.share * weight) ** count / math.factorial(count)
        total += chance * max(0.0, float(terms @ np.array(counts)))
    return total / (blanket.share * users)


@every_small
def test_both_bounds_enclose_the_worst_pair_of_data_sets(
    kind: str, items: int, epsilon: float, users: int, central: float, keys: dict[str, Any]
) -> None:
    protocol = bound(kind, items, epsilon, **keys)
    listed = every_report(protocol)
    assert listed is not None
    exact = worst(listed.probabilities, users, central)
    above = max(delta_at_most(blanket, users, central) for blanket in blankets_of(protocol))
    below = max((delta_at_least(pair, users, central) for pair in pairs_of(protocol)), default=0)
    assert below <= exact * (1 + 1e-9) + 1e-12
    assert exact <= above * (1 + 1e-9)
    # A mutant that counts one user more promises too much where the bound is sharp.
    if kind == "grr" and users == 2:
        assert above == pytest.approx(exact, rel=1e-7)
        assert delta_at_most(blankets_of(protocol)[0], users + 1, central) < exact


@every_small
def test_one_user_is_not_hidden_at_all(
    kind: str, items: int, epsilon: float, users: int, central: float, keys: dict[str, Any]
) -> None:
    """With n = 1 the bound is no bound but the law of one report: equal to 1e-8."""
    protocol = bound(kind, items, epsilon, **keys)
    listed = every_report(protocol)
    assert listed is not None
    above = max(delta_at_most(blanket, 1, central) for blanket in blankets_of(protocol))
    exact = worst(listed.probabilities, 1, central)
    assert above == pytest.approx(exact, abs=1e-8)


@pytest.mark.parametrize(
    ("kind", "items", "epsilon", "users", "central"),
    [
        ("grr", 3, 1.0, 9, 0.2),
        ("grr", 8, 2.0, 6, 0.4),
        ("grr", 1024, 4.0, 7, 1.0),
        ("sue", 6, 1.0, 5, 0.3),
        ("oue", 128, 1.0, 6, 0.3),
        ("oue", 5, 3.0, 4, 1.0),
        ("olh", 64, 1.0, 5, 0.25),
        ("blh", 16, 0.5, 6, 0.1),
        ("ss", 9, 1.0, 5, 0.3),
        ("hr", 5, 2.0, 5, 0.6),
        ("hst", 10, 1.0, 5, 0.2),
    ],
)
def test_the_transform_is_the_sum_over_all_cells(
    kind: str, items: int, epsilon: float, users: int, central: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    blanket = blankets_of(bound(kind, items, epsilon))[0]
    exact = enumerated(blanket, users, central)
    assert delta_at_most(blanket, users, central) == pytest.approx(exact, abs=1e-8)
    monkeypatch.setattr(grids, "LISTED", 0)  # on the grid
    on_grid = delta_at_most(blanket, users, central)
    assert exact <= on_grid * (1 + 1e-12)
    assert on_grid == pytest.approx(exact, rel=1e-4, abs=1e-8)
    assert enumerated(blanket, users + 1, central) < exact * (1 - 1e-3)


def test_published_points() -> None:
    assert central_at_most(None, 4.0, 10**5, 1e-6) == pytest.approx(0.118155, abs=5e-6)
    assert closed_2021(4.0, 10**5, 1e-6) == pytest.approx(0.53463, abs=1e-5)
    assert closed_2023(4.0, 10**5, 1e-6) == pytest.approx(0.40779, abs=1e-5)
    assert central_at_least(None, 4.0, 10**5, 1e-6) == pytest.approx(0.11702, abs=1e-5)
    for kind, epsilon, users, expected in (
        ("grr", 0.5, 10**4, 0.0011),
        ("sue", 1.0, 10**4, 0.0405),
        ("olh", 1.0, 10**4, 0.0387),
        ("oue", 2.0, 10**5, 0.0304),
        ("ss", 4.0, 10**4, 0.3467),
    ):
        found = central_at_most(bound(kind, 1024, epsilon), epsilon, users, 1e-8)
        assert found == pytest.approx(expected, abs=6e-5), kind


def test_the_variation_ratio_is_no_upper_bound() -> None:
    """GRR over 6 items, two users, ε₀ = 0.5: the other user holds the second item."""
    variation = math.expm1(0.5) / (math.exp(0.5) + 5)
    ratio = variation_delta(0.5, variation, 2, 0.3)
    assert ratio == pytest.approx(0.006761, abs=1e-6)
    law = every_report(bound("grr", 6, 0.5)).probabilities  # type: ignore[union-attr]
    exact = worst(law, 2, 0.3)
    assert exact > 1.4 * ratio
    assert delta_at_most(blankets_of(bound("grr", 6, 0.5))[0], 2, 0.3) >= exact * (1 - 1e-9)


@pytest.mark.every(4)
@pytest.mark.parametrize("kind", [*KNOWN, "olh"])
def test_inverses_come_back(kind: str) -> None:
    local = local_for(lambda e: bound(kind, 1024, e), 10**6, 1e-8, 1.0)
    protocol = bound(kind, 1024, local)
    central = central_at_most(protocol, local, 10**6, 1e-8)
    assert 1.0 * (1 - 1e-4) < central <= 1.0
    needed = least_users(protocol, local, 1e-8, 1.0)
    assert 10**6 * (1 - 1e-3) < needed <= 10**6
    if kind in KNOWN:
        assert local == pytest.approx(KNOWN[kind], abs=2e-3)


@pytest.mark.every(7)
@pytest.mark.parametrize("users", [2, 10, 10**3, 10**6, 10**9])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 8.0, 20.0])
def test_any_number_of_users_has_ordered_bounds(users: int, epsilon: float) -> None:
    above = central_at_most(None, epsilon, users, 1e-8)
    below = central_at_least(None, epsilon, users, 1e-8, above)
    assert 0 <= below <= above <= epsilon


def test_reports_that_name_their_user_are_not_shuffled() -> None:
    assert "no reports" in str(why_unshuffled(bound("geometric", 8, 1.0)))
    assert "whose they are" in str(why_unshuffled(BitFlips(8, 1.0, 2, "server")))
    assert "whose they are" in str(why_unshuffled(bound("hst", 8, 1.0)))
    assert why_unshuffled(BitFlips(8, 1.0, 2, "client")) is None
