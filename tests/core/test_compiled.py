"""The compiled loops count what NumPy counts, to the last unit."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from support.cases import attack, experiment

from core import hashing
from core.hashing import LOOPS, WORTH, bucket_counts, sharing
from core.runner import run

compiled = pytest.importorskip("core.compiled")


@pytest.fixture
def loops(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Choose the loops: the compiled ones, or None for NumPy's."""

    def choose(chosen: ModuleType | None) -> None:
        monkeypatch.setattr(LOOPS, "compiled", chosen)
        monkeypatch.setattr(LOOPS, "missing", chosen is None)

    return choose


@pytest.mark.parametrize("hash_range", [2, 3, 4, 149, 2**16, 2**20])
@pytest.mark.parametrize("users", [0, 1, compiled.USERS_PER_BLOCK + 3])
def test_supports_are_counted_alike(loops: Any, users: int, hash_range: int) -> None:
    rng = np.random.default_rng(users)
    seeds = rng.integers(0, 2**32, users, dtype=np.uint32)
    values = rng.integers(0, hash_range, users, dtype=np.uint32)
    values[:1] = hash_range - 1  # the last bucket ends at 2^32
    counted = []
    for chosen in (None, compiled):
        loops(chosen)
        counted.append(bucket_counts(seeds, values, hash_range, 37))
    assert counted[0].tolist() == counted[1].tolist()
    assert users < 2 or counted[0].sum() > 0 or hash_range == 2**20


@pytest.mark.parametrize("hash_range", [2, 21, 2**16])
@pytest.mark.parametrize("own", [True, False])
def test_targets_that_share_a_bucket_are_counted_alike(
    loops: Any, own: bool, hash_range: int
) -> None:
    """own : each fake user has targets of its own, as in MGA-A."""
    rng = np.random.default_rng(hash_range)
    seeds = rng.integers(0, 2**32, (5, 300), dtype=np.uint32)
    values = rng.integers(0, hash_range, seeds.shape, dtype=np.uint32)
    items = rng.integers(0, 1000, (300 if own else 9, 5 if own else 1, 1))
    counted = []
    for chosen in (None, compiled):
        loops(chosen)
        counted.append(sharing(items, seeds, values, hash_range))
    assert counted[0].dtype == counted[1].dtype
    assert counted[0].tolist() == counted[1].tolist()
    assert counted[0].any() or hash_range == 2**16


def test_a_run_has_the_same_digest(loops: Any) -> None:
    work = experiment(
        {"kind": "zipf", "items": 30, "users": 3000, "exponent": 1.0},
        {"kind": "olh", "epsilon": 1.0},
        attack("mga", 0.1, [3, 4, 5], seeds=20),
        trials=3,
        simulate={"path": "reports"},
    )
    digests = set()
    for chosen in (None, compiled):
        loops(chosen)
        *_, last = run(work)
        digests.add(last.results.digest)
    assert len(digests) == 1


def test_they_are_loaded_where_they_are_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = hashing._Loops()
    assert fresh.for_pairs(WORTH) is None
    assert fresh.for_pairs(1) is compiled
    assert fresh.for_pairs(1) is compiled

    def missing(name: str) -> ModuleType:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    without = hashing._Loops()
    assert without.for_pairs(WORTH + 1) is None
    assert without.missing
