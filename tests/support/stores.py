"""Runs that are recorded in a store, and results that are the same."""

from __future__ import annotations

from typing import Any

import numpy as np

from ldptui import core
from ldptui.core.base.arms import UNDEFENDED
from ldptui.core.store import Run, RunMemory, Store, begin, cell_keys

from .cases import alike, results_of


def record(
    to: Store, work: core.Experiment, workers: int = 1, frequencies: bool = True, **how: Any
) -> tuple[core.Results, RunMemory]:
    kept = begin(to, work, "test", frequencies=frequencies, **how)
    results = results_of(work, workers=workers, frequencies=frequencies, memory=kept)
    kept.finish(results)
    return results, kept


def listed(number: int, **known: Any) -> Run:
    """A run as a store lists it, of 20 trials."""
    made = {"uid": "", "title": "there", "document": {}, "seed": 0, "metrics": (), "total": 20,
            "versions": {"ldptui": "0.1", "numpy": "2.0", "python": "3.11"}, "status": "done",
            "started": float(number)}  # fmt: skip
    return Run(id=number, **made | known)


def key_of(cell: core.Cell) -> str:
    return cell_keys([cell])[0]


def assert_same(one: core.Results, other: core.Results) -> None:
    """To the last bit."""
    assert one.digest == other.digest
    for a, b in zip(one.cells, other.cells, strict=True):
        assert alike(a.metrics, b.metrics)
        np.testing.assert_array_equal(a.fingerprints, b.fingerprints)
        for before, after in ((a.arms[arm], b.arms[arm]) for arm in UNDEFENDED):
            assert before is not None
            assert after is not None
            assert before.trials == after.trials
            np.testing.assert_array_equal(before.mean, after.mean)
            np.testing.assert_array_equal(before.squares, after.squares)
        np.testing.assert_array_equal(np.asarray(a.detected), np.asarray(b.detected))
