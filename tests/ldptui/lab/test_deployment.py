"""The topic deployment: its matrix beside scenarios that are run, closed forms and bounds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.commands import Captured, fail, succeed
from support.lab_tabs import ask, steps_of

import ldptui
from ldptui.core.bounds.undetectable import hidden_gain_against
from ldptui.core.defences.kinds import FILTERS
from ldptui.core.experiment import Experiment
from ldptui.core.running.runner import run
from ldptui.core.theory import expected_metrics
from ldptui.questions import deployment_cells as cells
from ldptui.questions import load_question
from ldptui.questions.deployment_cells import FILTERED, NONE, TRIALS, Deployment, Outcome, best
from ldptui.questions.deployment_matrix import ATTACKS, verdict_words
from ldptui.questions.deployment_question import DeploymentAnswer
from ldptui.questions.sheet import Answer
from ldptui.session.draft import edit_keys, open_draft
from ldptui.session.scenario_file import locate

SMALL = {"items": 6, "users": 300, "epsilon": 1.0, "share": 0.1, "targets": 2}


@pytest.fixture(scope="module", autouse=True)
def few_filters() -> Iterator[None]:
    """Two corrections and two filters: all of them take seconds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cells, "PLAIN", ("normalise", "norm-sub"))
        patch.setattr(cells, "FILTERS", {kind: FILTERS[kind] for kind in ("fiad", "conditional")})
        yield


@pytest.fixture(scope="module")
def answer(few_filters: None) -> Answer:
    return ask("deployment", protocol="oue", **SMALL)


def test_every_cell_opens_as_the_scenario_that_measured_it(answer: Answer) -> None:
    start = open_draft(locate("fake-accounts"))  # has a goal, and a defence
    assert {place for place, _ in answer.choices} >= {
        "MGA, as it is",
        "RIA, norm-sub",
        "RPA on GRR",
    }
    found = {row[1]: row[2] for row in answer.figures[0].numbers.rows}  # type: ignore[index]
    assert len(found) > 6 * len(ATTACKS)
    for place in ("MGA, as it is", "MGA on GRR", "MGA, norm-sub", "RIA, fiad"):
        draft = edit_keys(start, answer.proposed(place))
        assert draft.cell is not None, draft.problems
        assert draft.scenario is not None
        assert draft.cell.goal is None
        attack, _, rest = place.partition(",")
        assert draft.cell.parameters["attack.kind"] == attack.split()[0].lower()
        if "as it is" in rest or not rest:
            assert found[place] == pytest.approx(expected_metrics(draft.cell)["gain"])
            assert not draft.cell.corrections
            assert not draft.cell.filters
            continue
        trials = FILTERED if "fiad" in rest else TRIALS
        *_, last = run(Experiment(draft.scenario, (replace(draft.cell, trials=trials),)))
        measured = last.results.cells[0].metrics["gain_after"]
        assert found[place] == pytest.approx(measured.mean())


def test_the_words_are_those_of_the_matrix(answer: Answer, capsys: Captured) -> None:
    options = [word for name, value in SMALL.items() for word in (f"--{name}", str(value))]
    printed = json.loads(succeed(capsys, "deployment", *options, "--format", "json"))
    found = [Outcome(**cell) for cell in printed["cells"]]
    own = [cell for cell in found if cell.protocol == "oue"]
    plain = [cell for cell in own if cell.defence == NONE]
    assert printed["worst"]["attack"] == max(plain, key=lambda cell: cell.most).attack == "mga"
    assert answer.verdict[0].startswith("At worst 10 % of fakes with MGA add ")
    assert " of OUE as it is" in answer.verdict[0]
    rows = {cell.defence: [each for each in own if each.defence == cell.defence] for cell in own}
    worst = {
        name: max(cell.most for cell in row)
        for name, row in rows.items()
        if name != NONE and all(cell.gain is not None for cell in row)
    }
    helps = min(worst, key=lambda name: worst[name])
    assert printed["best_defence"] == helps
    assert f"Of the defences {helps} helps most" in answer.verdict[1]
    mga = Deployment("oue", 1.0, 6, 300, 0.1, 2)
    draft = edit_keys(open_draft(locate("quickstart")), answer.proposed("MGA, as it is"))
    assert draft.cell is not None
    cell = draft.cell
    hidden = hidden_gain_against(
        cell.protocol, cell.population.distinct, cell.population.histogram[cell.targets], cell.share
    )
    assert printed["floor"] == pytest.approx(hidden)
    assert mga.smaller() == mga
    assert "planner would" in " ".join(answer.verdict)


def test_a_defence_that_surely_harms_is_in_the_first_sentence() -> None:
    """The bars beside it begin with the largest gain, which may be a defended one."""
    mine = Deployment("oue", 1.0, 6, 300, 0.1, 2)
    rows = [
        Outcome("oue", "mga", NONE, 9, 0.3),
        Outcome("oue", "mga", "norm-cut", 9, 0.4, 0.01, 20),
        Outcome("oue", "mga", "norm", 9, 0.45, 0.2, 20),  # perhaps
        Outcome("grr", "mga", NONE, 9, 2.0),
    ]
    first, *_ = verdict_words(mine, rows, None)
    assert first == (
        "At worst 10 % of fakes with MGA add 0.3 to 2 items of OUE as it is, and 0.400 ± 0.021 "
        "under norm-cut."
    )
    first, *_ = verdict_words(mine, rows[:1], None)
    assert first.endswith(" as it is.")


def test_a_row_with_a_gap_never_helps_most() -> None:
    rows = [
        Outcome("oue", "mga", "a", 9, 0.3),
        Outcome("oue", "ria", "a", 9, 0.1, 0.05, 20),
        Outcome("oue", "mga", "b", 9, 0.1),
        Outcome("oue", "ria", "b", 9, why="is refused"),
        Outcome("oue", "mga", "c", 9, 0.25, 0.1, 20),
        Outcome("oue", "ria", "c", 9, 0.0),
    ]
    found = best(rows)
    assert found is not None
    assert {each.defence for each in found} == {"a"}  # 0.3 for sure, c perhaps more
    assert best(rows[2:4]) is None


def test_it_is_known_in_part_before_it_is_known_whole() -> None:
    steps = steps_of("deployment", protocol="grr", **SMALL)
    first = next(step for step in steps if isinstance(step, Answer))
    assert [row[0] for row in first.table.rows] == ["GRR"]
    assert first.edits
    steps.close()


def test_files_of_reports_tell_users_and_frequencies() -> None:
    steps = steps_of("deployment", protocol="oue", reports=["reports.csv"], items=16, users=None)
    first = next(step for step in steps if isinstance(step, Answer))
    keys = dict(first.edits)
    counts = np.array(keys["population.counts"])
    assert counts.size == 16
    assert counts.sum() == 4000  # the reports, no user more
    assert (counts >= 0).all()


def test_counts_of_named_items_tell_them_too(tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("fig\npear\napple\n", "utf-8")
    grr = ldptui.protocol("grr", 3, labels=["fig", "pear", "apple"], epsilon=1.0)
    reports = np.arange(60, dtype=np.uint32) % 3
    ldptui.counted(reports, grr, ["fig", "pear", "apple"]).write(tmp_path / "all.counts")
    steps = load_question("deployment").work(
        {
            "reports": (str(tmp_path / "all.counts"),),
            "protocol": "grr",
            "domain": str(tmp_path / "names.txt"),
            "targets": 1,
        }
    )
    first = next(step for step in steps if isinstance(step, DeploymentAnswer))
    assert dict(first.edits)["population.counts"] == [20, 20, 20]


def test_refusals(capsys: Captured) -> None:
    for arguments, message in (
        (("--items", "16"), "--users is required, or files of reports"),
        (("--items", "16", "--users", "100", "--share", "0"), "--share must be above 0"),
        (("--items", "4", "--users", "100", "--targets", "4"), "--targets must be in [1, 3]"),
    ):
        assert message in fail(capsys, 2, "deployment", *arguments)
    assert fail(capsys, 3, "deployment", "none.csv", "--items", "4").startswith("none.csv cannot")
