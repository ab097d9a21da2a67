"""Requests to the engine: previews that follow the hand, and runs, which go first."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from support.fake_engine import FakeEngine, base_snapshot

from ldptui import scenarios
from ldptui.engine.simulation import Simulation
from ldptui.session.draft import Draft, open_draft
from ldptui.session.snapshot import Selection

ONE, OTHER = (Selection({"seed": 1}),), (Selection({"seed": 2}),)


@pytest.fixture(scope="module")
def draft() -> Draft:
    return open_draft(scenarios.path("quickstart"))


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine(lambda message: message)


@pytest.fixture
def simulation(engine: FakeEngine) -> Simulation:
    return Simulation(engine, Path("runs.sqlite3"))  # type: ignore[arg-type]


def test_nothing_is_asked_twice_nor_for_nothing(
    simulation: Simulation, engine: FakeEngine, draft: Draft
) -> None:
    run = simulation.preview(draft, ONE)
    assert run is not None
    assert (run.key, run.snapshot.full, run.title) == (1, False, draft.title)
    assert simulation.preview(draft, ONE) is None
    assert simulation.preview(draft, ()) is None
    assert simulation.preview(draft, OTHER) is not None
    assert [request.key for request in engine.requests] == [1, 2]
    assert (engine.requests[0].full, engine.requests[0].store) == (False, "")


def test_a_preview_waits_for_a_run_and_is_asked_for_after_it(
    simulation: Simulation, engine: FakeEngine, draft: Draft
) -> None:
    run = simulation.run(draft, ONE)
    assert draft.scenario is not None
    assert engine.requests[0].document == draft.scenario.document
    assert engine.requests[0].store == "runs.sqlite3"
    assert simulation.preview(draft, OTHER) is None
    over = base_snapshot(run.key)
    assert not simulation.heard(replace(over, status="running"))
    assert not simulation.heard(base_snapshot(run.key + 1))
    assert simulation.heard(over)
    assert simulation.preview(draft, OTHER) is not None


def test_after_a_run_the_preview_before_it_can_be_asked_for_again(
    simulation: Simulation, draft: Draft
) -> None:
    simulation.preview(draft, ONE)
    run = simulation.run(draft, ONE)
    assert not simulation.heard(base_snapshot(run.key))  # none has waited
    assert simulation.preview(draft, ONE) is not None


def test_a_run_gone_on_with_has_its_number(
    simulation: Simulation, engine: FakeEngine, draft: Draft
) -> None:
    run = simulation.run(draft, ONE, resumed=7)
    assert (run.number, engine.requests[0].resumed) == (7, 7)
