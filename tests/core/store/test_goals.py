"""The run store and goals: the answer is kept with its cell, and not searched for again."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from support.cases import attack, experiment
from support.stores import change_cell, forge_cells, record

from ldptui import core
from ldptui.core.base.errors import FileError
from ldptui.core.experiment import compile
from ldptui.core.experiment import search as core_search
from ldptui.core.experiment.search import with_fakes
from ldptui.core.metrics.goal import GoalAnswer
from ldptui.core.running.searching import run_goal_searches
from ldptui.core.scenario import Scenario
from ldptui.core.store import KeptAnswers, begin, merge, open_store
from ldptui.core.store.recording import read_recording, write_recording
from ldptui.core.store.run_replay import replay
from ldptui.core.store.run_writer import goal_key

ZIPF = {"kind": "zipf", "items": 8, "users": 500, "exponent": 1.0}


@cache
def searched_work() -> core.Experiment:
    """A goal that a search has answered, which takes longer than all else here."""
    return work(**SEARCHED)


def work(metric: str = "gain", at_least: float = 0.2, **top: Any) -> core.Experiment:
    fakes = attack("mga", 0.1, [3, 4], seeds=5)
    del fakes["share"]
    return experiment(
        ZIPF,
        {"kind": "oue", "epsilon": 1.0},
        fakes,
        **{"trials": 30, "sweep": {"protocol.kind": ["grr", "oue"]}, **top},
        goal={"metric": metric, "at_least": at_least},
    )


SEARCHED = {
    "metric": "targets_in_top_k",
    "at_least": 1.0,
    "simulate": {"top_k": 2},
    "sweep": {"protocol.kind": ["oue"]},
}


@pytest.mark.every(2)
@pytest.mark.parametrize("asked", [{}, SEARCHED], ids=["closed form", "search"])
def test_a_replay_looks_for_the_answer_again(path: Path, asked: dict[str, Any]) -> None:
    with open_store(path) as store:
        there = work(**asked)
        record(store, there)
        assert replay(store, 1).difference == ""
        answer = there.cells[-1].answer
        assert answer is not None
        for other in (replace(answer, value=answer.value + 1e-6), replace(answer, reached=False)):
            change_cell(store, 1, len(there.cells) - 1, answer=other)
            assert replay(store, 1).difference.startswith(
                f"cell {len(there.cells) - 1}: the answer to its goal was "
            )


# Answers that took a search are kept as they are found.


def open_work() -> core.Experiment:
    """Two cells whose goals are searched for, unanswered; few trials show that they are reached."""
    document = work().scenario.document
    goal = {"metric": "targets_in_top_k", "at_least": 1.0}
    there = Scenario({**document, "goal": goal, "simulate": {"top_k": 7}})
    return compile(there, searches=False)


def answers_of(there: core.Experiment) -> list[GoalAnswer | None]:
    return [cell.answer for cell in there.cells]


def test_a_search_that_is_stopped_goes_on_where_it_was(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = open_work()
    *_, whole = run_goal_searches(asked)
    with open_store(path) as store:
        steps = run_goal_searches(asked, answers=KeptAnswers(store))
        assert [next(steps).done for _ in range(2)] == [0, 1]
        steps.close()
    looked_for: list[int] = []
    original = core_search.solve_goal
    monkeypatch.setattr(
        "ldptui.core.running.searching.solve_goal",
        lambda cell, *rest, **more: looked_for.append(cell.index) or original(cell, *rest, **more),
    )
    with open_store(path) as store:
        first, *_, last = run_goal_searches(asked, answers=KeptAnswers(store))
        assert (first.done, first.known, first.total) == (1, 1, 2)
        assert looked_for == [1]
        assert answers_of(last.experiment) == answers_of(whole.experiment)
        (known,) = run_goal_searches(asked, answers=KeptAnswers(store))
        assert (known.done, known.known, looked_for) == (2, 2, [1])
        assert [cell.malicious for cell in known.experiment.cells] == [
            cell.malicious for cell in whole.experiment.cells
        ]
        *_, again = run_goal_searches(asked, answers=KeptAnswers(store, fresh=True))
        assert (again.known, looked_for) == (0, [1, 0, 1])


def test_an_answer_is_of_one_cell_and_goal_alone() -> None:
    """The keys differ wherever the answers may, and not with the fakes that a cell has."""
    one = open_work().cells[0]
    assert one.goal is not None
    others = [
        replace(one, seed=one.seed + 1),
        replace(one, top_k=1),
        replace(one, goal=replace(one.goal, at_least=2.0)),
        replace(one, goal=replace(one.goal, metric="gain")),
        open_work().cells[1],
    ]
    keys = {goal_key(cell, 10**13) for cell in others} | {goal_key(one, 2**62)}
    assert len(keys) == 6
    assert goal_key(one, 10**13) not in keys
    assert goal_key(with_fakes(one, 7), 10**13) == goal_key(one, 10**13)


def test_answers_come_with_a_merge_and_leave_with_the_last_run(path: Path, tmp_path: Path) -> None:
    asked = open_work()
    with open_store(path) as store:
        *_, last = run_goal_searches(asked, answers=KeptAnswers(store))
        record(store, replace(last.experiment, cells=last.experiment.cells[:1]))
    with open_store(tmp_path / "other.db") as other:
        merge(other, path)
        (known,) = run_goal_searches(asked, answers=KeptAnswers(other))
        assert answers_of(known.experiment) == answers_of(last.experiment)
        other.gc()
        first, *_ = run_goal_searches(asked, answers=KeptAnswers(other))
        assert [cell.answer is None for cell in first.experiment.cells] == [False, True]
        other.remove(1)
        other.gc()
        assert next(run_goal_searches(asked, answers=KeptAnswers(other))).known == 0


def test_a_recording_carries_the_answers(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.ldptui"
    there = searched_work()
    with open_store(path) as store:
        record(store, there)
        write_recording(store, 1, file)
    with open_store(None) as other:
        number, _ = read_recording(other, file)
        read = other.experiment(number)
        assert [cell.answer for cell in read.cells] == [cell.answer for cell in there.cells]
        assert [cell.parameters for cell in other.cells(number)] == [
            cell.parameters for cell in there.cells
        ]
        assert replay(other, number).difference == ""


@pytest.mark.every(4)
@pytest.mark.parametrize(
    "change",
    [
        {"reached": 1},
        {"malicious": -1},
        {"malicious": 1.5},
        {"malicious": 7},
        {"share": 2.0},
        {"share": "much"},
        {"value": float("inf")},
        {"low": 0},
        {"by": "magic"},
        {"low": True},
    ],
)
def test_answers_in_a_recording_that_cannot_be(
    path: Path, tmp_path: Path, change: dict[str, Any]
) -> None:
    file = tmp_path / "run.ldptui"
    with open_store(path) as store:
        record(store, work(trials=2))
        write_recording(store, 1, file)
    forge_cells(file, lambda cells: cells[0]["answer"].update(change))
    with open_store(None) as other, pytest.raises(FileError, match=r"run\.ldptui"):
        read_recording(other, file)


def test_fakes_in_a_recording_have_limits(path: Path, tmp_path: Path) -> None:
    scenario = Scenario(work(trials=2).scenario.document)
    there = compile(scenario)
    crowd = tuple(
        replace(
            cell, malicious=10**14, answer=cell.answer and replace(cell.answer, malicious=10**14)
        )
        for cell in there.cells
    )
    file = tmp_path / "run.ldptui"
    with open_store(path) as store:
        begin(store, replace(there, cells=crowd), "test").finish(None)
        write_recording(store, 1, file)
    with open_store(None) as other, pytest.raises(FileError, match=r"more than 10\^13 users"):
        read_recording(other, file)
