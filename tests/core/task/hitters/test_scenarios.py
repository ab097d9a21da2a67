"""Scenarios that look for heavy hitters: what is refused, what is written, kept and expected."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.hitters import GRR, hitter_cell_of, hitters_cell

from ldptui.core.base.errors import ScenarioError
from ldptui.core.experiment import compile
from ldptui.core.running.runner import run
from ldptui.core.scenario import Scenario
from ldptui.core.store import begin, open_store
from ldptui.core.store.recording import read_recording, write_recording
from ldptui.core.store.run_replay import replay
from ldptui.core.task.hitters.prefixes import codes_of
from ldptui.core.theory import expected_metrics

COUNTS = [400, 300, 200, 100, 50, 20, 10, 0]
TASK = {"k": 3, "bits": 8, "groups": 4}
MGA = {"kind": "mga", "share": 0.1, "targets": {"items": [7]}, "seeds": 5}


@pytest.mark.parametrize(
    ("task", "sentence"),
    [
        ({"k": 8, "bits": 3}, "task.k must be below 2^bits, 8, got 8"),
        ({"groups": 2, "extension": 2}, "task.groups must be left out where extension is given"),
        ({"k": 3, "bits": 64, "groups": 2}, "task.groups must give at most 2^22 candidates"),
        ({"k": 3, "bits": 64, "extension": 30}, "task.extension must give at most 2^22 candidates"),
        ({"k": 3, "bits": 2, "groups": 2}, "task.bits must give each of the 8 items a code"),
        ({"encoding": "utf-8"}, "task.encoding must be random or index where items"),
        ({"k": 0}, "task.k must be in [1, 2^16], got 0"),
        ({"method": "tree"}, 'task.method must be "pem", got "tree"'),
    ],
)  # fmt: skip
def test_a_task_that_cannot_be_is_refused_in_a_sentence(task: Any, sentence: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        hitters_cell(COUNTS, {"k": 3, "bits": 8, **task})
    assert str(refused.value).removeprefix("scenario: ").startswith(sentence)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"attack": {**MGA, "kind": "mga-a", "subset": 1}}, "attack.kind must be an attack that"),
        ({"defence": [{"kind": "norm-sub"}]}, "defence.0 must be left out with task.kind"),
        ({"campaign": {"rounds": 2}}, "campaign must be left out with task.kind"),
        ({"campaign": {"rounds": 2}, "attack": MGA}, "campaign must be left out with task.kind"),
        ({"attack": {"targets": MGA["targets"], "phase": [
            {"rounds": 2, "share": 0.1, "mix": [{"kind": "mga", "weight": 1}]},
        ]}}, "attack.phase must be left out with task.kind"),
        ({"attack": {**MGA, "targets": {"items": [8]}}}, "attack.targets.items must be items from"),
        ({"attack": {"kind": "mga", "targets": {"items": [7]}}, "goal": {
            "metric": "gain", "at_least": 0.1,
        }}, 'goal.metric must not be "gain" with task.kind = "heavy-hitters"'),
        ({"protocol": {"kind": "laplace", "epsilon": 1.0}}, "protocol.kind must be a pure"),
        ({"simulate": {"path": "reports"}}, 'simulate.path must be "counts" or "auto" with task'),
    ],
)  # fmt: skip
def test_what_has_no_meaning_for_it_is_refused(more: Any, sentence: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        hitters_cell(COUNTS, TASK, **more)
    assert str(refused.value).removeprefix("scenario: ").startswith(sentence)
    wide = {**TASK, "bits": 30, "groups": 12}
    with pytest.raises(ScenarioError, match="must be an oracle that hashes"):
        hitters_cell(COUNTS, wide, protocol=GRR)


def test_words_become_codes(tmp_path: Path) -> None:
    (tmp_path / "words.csv").write_text("word\n" + "ab\n" * 3 + "c\n" + "é\n")
    table = {"kind": "csv", "path": "words.csv", "column": "word"}

    def codes(**task: Any) -> Any:
        task = {"kind": "heavy-hitters", "k": 1, "groups": 2, **task}
        document = {"format": 1, "population": table, "protocol": {"kind": "olh", "epsilon": 1.0},
                    "task": task}  # fmt: skip
        (cell,) = compile(Scenario(document, folder=tmp_path)).cells
        return hitter_cell_of(cell).prefixes.codes.tolist()

    assert codes(bits=20) == [0x61620, 0x63000, 0xC3A90]
    assert len(set(codes(bits=16, encoding="hash"))) == 3
    with pytest.raises(ScenarioError, match=r"task.bits must be at least 16, the bits of the word"):
        codes(bits=8)
    with pytest.raises(ScenarioError, match="must tell all words apart"):
        codes(bits=2, encoding="hash")


def test_a_word_that_nobody_holds_is_a_target_where_it_is_listed(tmp_path: Path) -> None:
    (tmp_path / "words.csv").write_text("word,users\nab,300\nc,20\nzz,0\n")
    document = {
        "format": 1, "protocol": {"kind": "olh", "epsilon": 1.0},
        "population": {"kind": "csv", "path": "words.csv", "column": "word", "count": "users"},
        "task": {"kind": "heavy-hitters", "k": 2, "bits": 16, "groups": 2},
        "attack": {"kind": "mga", "share": 0.5, "targets": {"items": ["zz"]}},
    }  # fmt: skip
    (cell,) = compile(Scenario(document, folder=tmp_path)).cells
    hitters = hitter_cell_of(cell)
    assert cell.population.histogram[cell.targets].tolist() == [0]
    assert hitters.watched.items[hitters.watched.hitters].tolist() == [0, 1]
    document["attack"]["targets"] = {"items": ["zy"]}  # type: ignore[index]
    with pytest.raises(ScenarioError, match='must be labels of the population, got "zy"'):
        compile(Scenario(document, folder=tmp_path))


@pytest.mark.parametrize("bits", [3, 8, 21, 64])
def test_random_codes_are_distinct_and_the_same_for_a_seed(bits: int) -> None:
    population = hitters_cell(COUNTS, {"k": 2, "bits": 8}).population
    codes = codes_of(population, "random", bits, 5)
    assert len({*codes.tolist()}) == 8
    assert max(codes.tolist()) < 2**bits
    assert (codes == codes_of(population, "random", bits, 5)).all()
    assert (codes != codes_of(population, "random", bits, 6)).any()


@pytest.fixture(scope="module")
def finished() -> Any:
    document = {
        "format": 1, "trials": 30, "population": {"kind": "counts", "counts": COUNTS},
        "protocol": {"kind": "olh", "epsilon": 2.0}, "attack": MGA,
        "task": {"kind": "heavy-hitters", **TASK}, "sweep": {"attack.share": [0.02, 0.2]},
    }  # fmt: skip
    experiment = compile(Scenario(document))
    *_, last = run(experiment)
    return experiment, last.results


def test_it_is_kept_shared_and_played_again(finished: Any, tmp_path: Path) -> None:
    experiment, _ = finished
    with open_store(tmp_path / "runs.sqlite3") as store:
        memory = begin(store, experiment, "test")
        *_, last = run(experiment, memory=memory)
        memory.finish(last.results)
        assert replay(store, memory.run).difference == ""
        write_recording(store, memory.run, tmp_path / "run.json")
    with open_store(tmp_path / "others.sqlite3") as other:
        number, known = read_recording(other, tmp_path / "run.json")
        assert not known
        assert replay(other, number).difference == ""


ZIPF = {"kind": "zipf", "items": 300, "users": 400_000, "exponent": 1.3}


def test_a_goal_is_searched_for_by_simulation() -> None:
    """No metric of heavy hitters has a closed form: the answer is found as the cell runs."""
    attack = {"kind": "mga", "targets": {"pick": "least-frequent", "count": 6}}
    goal = {"metric": "targets_in_top_k", "at_least": 6}
    cell = hitters_cell(ZIPF, {"k": 10, "bits": 16, "groups": 6}, attack, goal=goal, trials=40)
    answer = cell.answer
    assert answer is not None
    assert answer.by == "search"
    assert answer.value == pytest.approx(6, rel=0.02)
    assert {*expected_metrics(cell).values()} == {None}
