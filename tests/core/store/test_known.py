"""Cells that a store knows: what is not computed again, and what their keys cover."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.cases import alike, results_of, sweep
from support.stores import assert_same, key_of, record

from ldptui import core
from ldptui.core.base.arms import ATTACKED
from ldptui.core.metrics import METRICS, FrequencyConclusion, Metric
from ldptui.core.store import (
    Store,
    cell_address,
)


def test_a_known_cell_is_not_computed_again(
    kept: Store, computed: list[tuple[int, int, int]]
) -> None:
    first, _ = record(kept, sweep(50))
    assert len(computed) == 18
    computed.clear()
    again, recorded = record(kept, sweep(50, title="another title"))
    assert computed == []
    assert recorded.reused == 300
    assert_same(again, first)
    longer, recorded = record(kept, sweep(100))
    assert sorted(computed) == [(c, b, 20) for c in range(6) for b in (2, 3, 4)]
    assert recorded.reused == 240
    assert_same(longer, results_of(sweep(100)))
    assert_same(kept.results(1), first)  # the tail of the shorter run is still there
    computed.clear()
    record(kept, sweep(50), fresh=True)
    assert len(computed) == 18
    computed.clear()
    record(kept, sweep(50, seed=1))
    assert len(computed) == 18


def test_a_part_of_a_known_block_needs_no_computing_without_frequencies(
    kept: Store, computed: list[tuple[int, int, int]]
) -> None:
    record(kept, sweep(20))
    computed.clear()
    shorter, recorded = record(kept, sweep(5), frequencies=False)
    assert computed == []
    assert recorded.reused == 30
    full = results_of(sweep(5))
    assert shorter.digest == full.digest
    assert alike(shorter.cells[1].metrics, full.cells[1].metrics)
    there = kept.measured_cells(recorded.run)
    assert there[1].arms == {}
    assert core.running.runner.digest(there) == full.digest
    computed.clear()
    exact, _ = record(kept, sweep(5))
    assert sorted(computed) == [(c, 0, 5) for c in range(6)]
    assert_same(exact, full)


def test_the_key_covers_everything_that_numbers_depend_on(monkeypatch: pytest.MonkeyPatch) -> None:
    cell = sweep().cells[3]
    key = key_of(cell)
    assert key_of(replace(cell, index=5, trials=7)) == key
    assert key_of(sweep(title="other", trials=3).cells[3]) == key
    population = replace(cell.population, address="other")
    more = cell.population.histogram.copy()
    more[0] += 1
    changed = [
        replace(cell, seed=1),
        replace(cell, malicious=cell.malicious + 1),
        replace(cell, path="reports"),
        replace(cell, top_k=3),
        replace(cell, targets=np.array([3, 5])),
        replace(cell, population=population),
        replace(cell, population=replace(cell.population, histogram=more)),
        sweep().cells[1],
        sweep().cells[2],
    ]
    keys = {key, *(key_of(one) for one in changed)}
    assert len(keys) == len(changed) + 1
    monkeypatch.setattr(cell_address, "SIMULATOR", cell_address.SIMULATOR + 1)
    assert key_of(cell) not in keys


def test_what_has_no_canonical_form_is_no_part_of_a_key() -> None:
    with pytest.raises(TypeError, match="object"):
        cell_address.canonical(object())
    assert cell_address.canonical(tuple(range(65)))[:2] == ["long", 65]
    assert cell_address.canonical(0.1) != cell_address.canonical(0.1 + 2**-56)


def test_what_is_known_stays_known_when_a_metric_comes(
    kept: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, arms = "smallest_estimate", (ATTACKED,)
    row = Metric(
        name,
        lambda o: o.estimates[ATTACKED].frequencies.min(axis=1),
        arms,
        of=(FrequencyConclusion,),
    )
    before, _ = record(kept, sweep(25))
    monkeypatch.setitem(METRICS, name, row)
    after, recorded = record(kept, sweep(25))
    assert recorded.reused == before.trials
    assert after.digest == before.digest
    assert np.isnan(after.cells[0].metrics[name]).all()  # nobody measured it
    assert after.cells[0].estimate(name).mean is None
    assert after.cells[0].estimate("mse") == before.cells[0].estimate("mse")
    fresh, _ = record(kept, sweep(25), fresh=True)
    assert np.isfinite(fresh.cells[0].metrics[name]).all()
