"""The counts of scenarios, to the last user: digests recorded once for each minor version of NumPy.

The scenarios are those of digests.toml and, in `make test-long`, the bundled ones, with 2 trials. A
change of the program that is meant to change no number changes none of these. To record what is not
recorded yet, of new scenarios or for another NumPy:

    python tests/core/test_digests.py

It names what differs from what is recorded and leaves it alone; `--replace` records it anew, which
belongs with a change of `core.store.SIMULATOR` and a word in the changelog.
"""

from __future__ import annotations

import json
import sys
import tomllib
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from ldptui import scenarios
from ldptui.core import Scenario, compile, load, parse, run
from ldptui.core.kernels.loops import LOOPS
from ldptui.core.metrics.results import digest
from ldptui.core.plugins import CodePermission, permit_code

HERE = Path(__file__).parent
RECORDED = HERE / "digests.json"
NUMPY = ".".join(np.__version__.split(".")[:2])
MOST_CELLS = 24
"""Scenarios of more cells have only the digest of all of them recorded."""

TEXTS = {
    entry["name"]: entry["text"]
    for entry in tomllib.loads((HERE / "digests.toml").read_text("utf-8"))["scenario"]
}
NAMES = [*TEXTS, *(f"bundled: {name}" for name in scenarios.names())]


def recorded() -> dict[str, dict[str, str]]:
    """By minor version of NumPy and name of the scenario, what `measured` gave."""
    return json.loads(RECORDED.read_text("utf-8")) if RECORDED.exists() else {}


def scenario_of(name: str) -> Scenario:
    """A scenario of `NAMES`."""
    if name in TEXTS:
        return parse(TEXTS[name], name)
    path = scenarios.path(name.removeprefix("bundled: "))
    return load(path).with_value("trials", 2)


def measured(scenario: Scenario) -> str:
    """The digest that `ldptui run` prints, then the first digits of the digest of each cell."""
    experiment = permit_code(compile(scenario), CodePermission(("one_by_one",)))
    *_, last = run(experiment)
    assert not last.results.error
    cells = last.results.cells if len(last.results.cells) <= MOST_CELLS else ()
    marks = (digest([cell]).removeprefix("xxh3:")[:8] for cell in cells)
    return " ".join([last.results.digest, *marks])


def differences(scenario: Scenario, before: str, after: str) -> list[str]:
    """The swept values of the cells that differ; of others the digests of all cells."""
    marks = list(zip(before.split(), after.split(), strict=False))
    different = [number for number, (old, new) in enumerate(marks[1:]) if old != new]
    if before.count(" ") != after.count(" ") or not different:
        return [] if before == after else [f"{before} is now {after}"]
    points = list(scenario.points())
    return [
        f"cell {number}: "
        + ", ".join(f"{key} = {points[number].parameters.get(key)}" for key in scenario.sweep)
        for number in different
    ]


@pytest.mark.parametrize(
    "name",
    [name if name in TEXTS else pytest.param(name, marks=pytest.mark.long) for name in NAMES],
)
def test_a_scenario_keeps_its_digest(name: str) -> None:
    known = recorded()
    if NUMPY not in known:
        pytest.skip(f"no digests are recorded for NumPy {NUMPY}, only for {', '.join(known)}")
    assert name in known[NUMPY], f"record it: python {Path(__file__).name}"
    scenario = scenario_of(name)
    assert differences(scenario, known[NUMPY][name], measured(scenario)) == []


@pytest.mark.parametrize("name", ["every local protocol", "every attack"])
def test_compiled_loops_keep_the_digest(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = pytest.importorskip("ldptui.core.kernels.compiled")
    scenario = scenario_of(name).with_value("simulate.path", "reports")
    monkeypatch.setattr(LOOPS, "compiled", None)
    monkeypatch.setattr(LOOPS, "missing", "not now")
    plain = measured(scenario)
    monkeypatch.setattr(LOOPS, "compiled", compiled)
    assert measured(scenario) == plain


def test_only_scenarios_that_are_there_are_recorded() -> None:
    assert {name for known in recorded().values() for name in known} <= set(NAMES)


def test_a_difference_is_noticed_and_its_cells_are_named() -> None:
    scenario = scenario_of("rappor, every form and cohort")
    before = measured(scenario)
    other = measured(scenario.with_value("attack.share", 0.101))
    assert differences(scenario, before, before) == []
    assert differences(scenario, before, other) == [
        f"cell {number}: protocol.form = {form}, attack.cohort = {cohort}"
        for number, (form, cohort) in enumerate(product(*scenario.sweep.values()))
    ]
    assert differences(scenario, before, before.replace("xxh3:", "xxh3:0"))


def record(replace: bool) -> int:
    """Record what is not recorded yet, and with `replace` what differs; 1 where that was left."""
    every = recorded()
    known, left = every.setdefault(NUMPY, {}), 0
    for name in [name for name in known if name not in NAMES]:
        print(f"{name}: no longer there")
        del known[name]
    for name in NAMES:
        scenario = scenario_of(name)
        now = measured(scenario)
        changed = differences(scenario, known[name], now) if name in known else ["new"]
        if not changed:
            continue
        print(*(f"{name}: {one}" for one in changed), sep="\n")
        if name in known and not replace:
            left += 1
        else:
            known[name] = now
    text = json.dumps({minor: every[minor] for minor in sorted(every)}, indent=1)
    RECORDED.write_text(f"{text}\n", encoding="utf-8")
    print(f"NumPy {NUMPY}: {len(known)} scenarios; {left} differ and are left as recorded")
    return bool(left)


if __name__ == "__main__":
    sys.exit(record("--replace" in sys.argv[1:]))
