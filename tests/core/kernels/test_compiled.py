"""The compiled loops count what NumPy counts, to the last unit."""

from __future__ import annotations

import importlib
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from support.cases import attack, experiment

from ldptui.core.defences.itemsets import sizes_of
from ldptui.core.kernels.hashing import bucket_columns, bucket_counts
from ldptui.core.kernels.loops import LOOPS, WORTH_S, Loops
from ldptui.core.law.law import Ask
from ldptui.core.law.pure import SeedSearch
from ldptui.core.protocols import OLH, OUE
from ldptui.core.running.runner import run

compiled = pytest.importorskip("ldptui.core.kernels.compiled")


@pytest.fixture
def both(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Any]], tuple[Any, Any]]:
    """Do a piece of work with NumPy's loops and with the compiled ones; what came of each."""

    def done(work: Callable[[], Any]) -> tuple[Any, Any]:
        made = []
        for loops in (None, compiled):
            monkeypatch.setattr(LOOPS, "compiled", loops)
            monkeypatch.setattr(LOOPS, "missing", "" if loops else "a test has none")
            made.append(work())
        return made[0], made[1]

    return done


@pytest.mark.parametrize("hash_range", [2, 3, 4, 149, 2**16, 2**20])
@pytest.mark.parametrize("users", [0, 1, compiled.USERS_PER_BLOCK + 3])
def test_supports_are_counted_alike(both: Any, users: int, hash_range: int) -> None:
    rng = np.random.default_rng(users)
    seeds = rng.integers(0, 2**32, users, dtype=np.uint32)
    values = rng.integers(0, hash_range, users, dtype=np.uint32)
    values[:1] = hash_range - 1  # the last bucket ends at 2^32
    plain, fast = both(lambda: bucket_counts(seeds, values, hash_range, 37).tolist())
    assert plain == fast
    assert users < 2 or sum(plain) > 0 or hash_range == 2**20


@pytest.mark.parametrize("hash_range", [2, 4, 149, 2**20])
@pytest.mark.parametrize("users", [0, 1, 77, compiled.USERS_PER_BLOCK + 3])
def test_columns_are_made_alike_and_added_up(both: Any, users: int, hash_range: int) -> None:
    rng = np.random.default_rng(users)
    seeds = rng.integers(0, 2**32, users, dtype=np.uint32)
    values = rng.integers(0, hash_range, users, dtype=np.uint32)

    def made() -> tuple[Any, Any]:
        columns = bucket_columns(seeds, values, hash_range, 37)
        return columns, sizes_of(columns, users)

    (plain, few), (fast, same) = both(made)
    assert (plain == fast).all()
    assert (few == same).all()
    supports = np.unpackbits(fast.view(np.uint8), axis=1, count=users) if users else np.empty(0)
    assert same.tolist() == (supports.sum(axis=0).tolist() if users else [])
    counts = bucket_counts(seeds, values, hash_range, 37)
    assert users == 0 or (supports.sum(axis=1) == counts).all()


@pytest.mark.every(7)
@pytest.mark.parametrize("hash_range", [2, 21, 2**16])
@pytest.mark.parametrize("scoring", ["anchor", "bucket"])
@pytest.mark.parametrize("subset", [1, 5, 9])
def test_seeds_are_chosen_alike(both: Any, scoring: Any, subset: int, hash_range: int) -> None:
    """Also where each fake has targets of its own (MGA-A), and where seeds are equally good."""
    protocol, targets = OLH(1000, 1.0, hash_range), np.arange(0, 900, 100)
    search = SeedSearch(60, scoring)

    def crafted() -> Any:
        rng = np.random.default_rng(hash_range)
        law = protocol.find_law(Ask("subset", targets, search, subset=subset))
        return law.reports(300, rng).tolist()

    plain, fast = both(crafted)
    assert plain == fast
    assert len(set(plain)) > 200


@pytest.mark.parametrize("domain_size", [2, 7, 8, 9, 128, 517])
@pytest.mark.parametrize("users", [0, 1, 255, 600])
def test_bits_are_counted_alike(both: Any, users: int, domain_size: int) -> None:
    rng = np.random.default_rng(users)
    protocol = OUE(domain_size, 1.0)
    reports = protocol.perturb(rng.integers(0, domain_size, users), rng)
    plain, fast = both(lambda: protocol.support_counts(reports).tolist())
    assert plain == fast
    everything = np.full((users, -(-domain_size // 8)), 255, dtype=np.uint8)
    assert protocol.support_counts(everything).tolist() == [users] * domain_size


def test_a_run_has_the_same_digest(both: Any) -> None:
    work = experiment(
        {"kind": "zipf", "items": 30, "users": 3000, "exponent": 1.0},
        {"kind": "olh", "epsilon": 1.0},
        attack("mga", 0.1, [3, 4, 5], seeds=20),
        trials=3,
        simulate={"path": "reports"},
    )

    def digest() -> str:
        *_, last = run(work)
        return last.results.digest

    plain, fast = both(digest)
    assert plain == fast


def test_they_are_loaded_where_they_are_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = Loops()
    assert fresh.after(WORTH_S) is None
    assert fresh.after(1e-9) is compiled
    assert fresh.after(1e-9) is compiled
    assert fresh.words.startswith("compiled by numba ")

    def broken(name: str) -> ModuleType:
        raise RuntimeError("cannot cache function\nno locator")

    monkeypatch.setattr(importlib, "import_module", broken)
    without = Loops()
    assert without.after(WORTH_S + 1e-9) is None
    assert without.words.endswith("does not load: cannot cache function")


COUNT = """
import numpy as np
from ldptui.core.kernels.hashing import bucket_counts
seeds = np.arange(200_000, dtype=np.uint32)
for _ in range(2):
    counts = bucket_counts(seeds, seeds % 4, 4, 1000)
print(counts.sum())
"""


class Forged:
    """A pickle that makes a folder when it is loaded."""

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder)

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (self.folder,)


def test_a_forged_cache_of_the_current_folder_is_not_loaded(tmp_path: Path) -> None:
    """Numba's own settings file there names the cache; its indexes are pickles."""
    pytest.importorskip("yaml")
    cache, loaded = tmp_path / "cache", tmp_path / "loaded"

    def count(**variables: str) -> int:
        command, folder = (sys.executable, "-P", "-c", COUNT), tmp_path
        done = subprocess.run(
            command, cwd=folder, env=os.environ | variables, capture_output=True, check=True
        )
        return int(done.stdout)

    honest = count(NUMBA_CACHE_DIR=str(cache))
    indexes = list(cache.rglob("*.nbi"))
    assert indexes
    for index in indexes:
        index.write_bytes(pickle.dumps(Forged(loaded)))
    (tmp_path / ".numba_config.yaml").write_text("cache_dir: cache\n", encoding="utf-8")
    assert count() == honest
    assert not loaded.exists()


def test_numpy_counts_in_a_folder_with_settings_of_numba(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = Loops()
    fresh.load()
    assert fresh.after(1.0) is compiled
    (tmp_path / ".numba_config.yaml").touch()
    monkeypatch.chdir(tmp_path)
    assert fresh.after(1.0) is None
    assert "would obey .numba_config.yaml in this folder" in fresh.words
    other = Loops()
    other.load()
    assert other.compiled is None
    monkeypatch.undo()
    assert other.after(1.0) is compiled
