"""Local hashing: the law of the best of K seeds, and the range g of the hashes."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support import budget

from ldptui.core.law.pure import Scoring, SeedSearch
from ldptui.core.protocols import OLH
from ldptui.core.protocols.hashing import crafting, fewest_law, hash_range_for, matched_law

Rng = np.random.Generator


# The law of the best of K seeds.


@pytest.mark.parametrize("scoring", ["anchor", "bucket"])
@pytest.mark.parametrize("seeds", [1, 2, 30, 1000])
@pytest.mark.parametrize(("r", "g"), [(1, 2), (2, 2), (5, 2), (6, 3), (5, 4), (7, 4), (3, 20)])
def test_matched_law_against_enumeration(r: int, g: int, seeds: int, scoring: Any) -> None:
    from support.report_laws import matched_law as enumerated

    exact = enumerated(r, g, seeds, scoring)
    law = matched_law(r, g, SeedSearch(seeds, scoring))
    assert law == pytest.approx(exact, rel=1e-9, abs=1e-12)
    if r > 1 and not exact[-1] > 0.999:
        assert law != pytest.approx(enumerated(r, g, seeds + 1, scoring), abs=1e-9)


@pytest.mark.parametrize(("r", "g"), [(60, 2), (100, 4), (80, 21), (40, 1000)])
def test_the_laws_of_many_targets_are_those_of_few(
    r: int, g: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Convolved, and as a Fourier sum; added up, and by ratios of neighbours."""

    def laws() -> list[NDArray[np.float64]]:
        matched_law.cache_clear()
        fewest_law.cache_clear()
        searches = [SeedSearch(k, s) for k in (1, 50) for s in ("anchor", "bucket")]  # type: ignore[arg-type]
        return [matched_law(r, g, search) for search in searches] + [fewest_law(r, g, 50)]

    convolved = laws()
    monkeypatch.setattr(crafting, "MANY_TERMS", 2)
    monkeypatch.setattr(crafting, "MANY_BALLS", 2)
    for known, found in zip(convolved, laws(), strict=True):
        assert found == pytest.approx(known, rel=0, abs=1e-11)
    matched_law.cache_clear()
    fewest_law.cache_clear()


def test_the_fullest_and_the_emptiest_of_buckets_of_many_targets(rng: Rng) -> None:
    r, g = 1000, 4
    loads = rng.multinomial(r, np.full(g, 1 / g), size=20_000)
    fullest = np.bincount(loads.max(axis=1), minlength=r + 1)
    assert budget.law(fullest, matched_law(r, g, SeedSearch(1, "bucket")))
    assert not budget.law(fullest, matched_law(r, g, SeedSearch(2, "bucket")))
    emptiest = np.bincount(loads.min(axis=1), minlength=r + 1)
    assert budget.law(emptiest, fewest_law(r, g, 1))
    assert not budget.law(emptiest, fewest_law(r, g, 2))


def test_searching_seeds_finds_what_the_law_says(rng: Rng) -> None:
    """The published effort: 1,000 seeds, ten targets, g = 4."""
    protocol, targets = OLH(64, 1.0), np.arange(3, 63, 6)
    scorings: tuple[Scoring, ...] = ("anchor", "bucket")
    for scoring in scorings:
        search = SeedSearch(1000, scoring)
        reports = protocol.craft(targets, 1500, search, rng)
        matched = protocol.supports(reports)[:, targets].sum(axis=1)
        law = matched_law(10, 4, search)
        assert budget.law(np.bincount(matched, minlength=11), law)
        assert not budget.law(
            np.bincount(matched, minlength=11), matched_law(10, 4, replace(search, seeds=500))
        )


@pytest.mark.parametrize(
    ("rule", "expected"),
    [("nearest", [2, 3, 4, 8, 21]), ("ceil", [3, 3, 4, 9, 22]), ("floor", [2, 2, 3, 8, 21])],
)
def test_hash_range_rules(rule: Any, expected: list[int]) -> None:
    assert [hash_range_for(epsilon, rule) for epsilon in (0.1, 0.5, 1, 2, 3)] == expected
    assert hash_range_for(1.0, 7) == 7
