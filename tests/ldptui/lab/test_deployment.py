"""The topic deployment: its matrix beside scenarios that are run, closed forms and bounds."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.commands import Captured, succeed
from support.lab_tabs import ask

import ldptui
from ldptui.charts.draw import draw
from ldptui.charts.rows import DARK, Look
from ldptui.core.bounds.undetectable import hidden_gain_against
from ldptui.core.defences.defence_kinds import FILTERS
from ldptui.core.experiment import Experiment
from ldptui.core.running.runner import run
from ldptui.core.theory import expected_metrics
from ldptui.questions import deployment_cells as cells
from ldptui.questions import load_question
from ldptui.questions.deployment_answer import ATTACKS, DeploymentAnswer
from ldptui.questions.deployment_cells import FILTERED, NONE, TRIALS, Deployment, Outcome, pick_best
from ldptui.questions.sheet import AnswerSheet
from ldptui.session.draft import edit_keys, open_draft
from ldptui.session.scenario_file import locate

GAINS = (0.01, 0.02, 0.068)
"""Of RPA, RIA and MGA."""
SMALL = {"items": 6, "users": 300, "epsilon": 1.0, "share": 0.1, "targets": 2}


@pytest.fixture(scope="module", autouse=True)
def few_filters() -> Iterator[None]:
    """Two corrections and two filters: all of them take seconds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cells, "PLAIN", ("normalise", "norm-sub"))
        patch.setattr(cells, "FILTERS", {kind: FILTERS[kind] for kind in ("fiad", "conditional")})
        yield


@pytest.fixture(scope="module")
def answer(few_filters: None) -> AnswerSheet:
    return ask("deployment", protocol="oue", **SMALL)


def test_every_bar_opens_as_the_scenario_that_measured_it(answer: AnswerSheet) -> None:
    start = open_draft(locate("fake-accounts"))  # has a goal, and a defence
    bars = {row[1]: row[2:5:2] for row in answer.figures[0].numbers.rows}  # type: ignore[index]
    assert [place for place, _ in answer.choices] == [*bars]
    assert bars.keys() >= {"as it is", "normalise", "norm-sub", "GRR"}
    for place in ("as it is", "GRR", "norm-sub", "fiad"):
        draft = edit_keys(start, answer.proposed_edits(place))
        points, attack = bars[place]
        assert draft.cell is not None, draft.problems
        assert draft.scenario is not None
        assert draft.cell.goal is None
        assert draft.cell.parameters["attack.kind"] == str(attack).lower()
        if place in ("as it is", "GRR"):
            assert points == pytest.approx(100 * expected_metrics(draft.cell)["gain"])
            assert not draft.cell.corrections
            assert not draft.cell.filters
            continue
        trials = FILTERED if place == "fiad" else TRIALS
        *_, last = run(Experiment(draft.scenario, (replace(draft.cell, trials=trials),)))
        measured = last.results.cells[0].metrics["gain_after"]
        assert points == pytest.approx(100 * measured.mean())


def test_the_words_are_those_of_the_matrix(answer: AnswerSheet, capsys: Captured) -> None:
    options = [word for name, value in SMALL.items() for word in (f"--{name}", str(value))]
    printed = json.loads(succeed(capsys, "deployment", *options, "--format", "json"))
    found = [Outcome(**cell) for cell in printed["cells"]]
    own = [cell for cell in found if cell.protocol == "oue"]
    rows = {cell.defence: [each for each in own if each.defence == cell.defence] for cell in own}
    left = {
        name: max(row, key=lambda cell: cell.most)
        for name, row in rows.items()
        if all(cell.gain is not None for cell in row)
    }
    assert printed["worst"] == vars(left[NONE])
    assert printed["worst"]["attack"] == "mga"
    # The bars, the rows and the sentence have them by what is left, what may be the best first.
    tried = {name: cell for name, cell in left.items() if name != NONE}
    surely = min(cell.most for cell in tried.values())
    best_row = min((name for name, cell in tried.items() if cell.least <= surely),
                   key=lambda name: left[name].half)  # fmt: skip
    surely = left[best_row].most
    order = sorted(
        left, key=lambda name: (name != best_row, left[name].least > surely, left[name].most)
    )
    bars = [row[1] for row in answer.figures[0].numbers.rows]
    assert bars[: len(order)] == ["as it is" if name == NONE else name for name in order]
    assert [row[0] for row in answer.table.rows][: len(order)] == [
        "OUE" if name == NONE else f"OUE + {name}" for name in order
    ]
    helps = printed["best_defence"]
    assert helps == best_row
    draft = edit_keys(open_draft(locate("quickstart")), answer.proposed_edits("as it is"))
    assert draft.cell is not None
    cell = draft.cell
    hidden = hidden_gain_against(
        cell.protocol, cell.population.distinct, cell.population.histogram[cell.targets], cell.share
    )
    assert printed["floor"] == pytest.approx(hidden)
    worst, best_left = 100 * left[NONE].gain, 100 * left[helps].gain  # type: ignore[operator]
    numbers = [float(word) for word in re.findall(r"-?[0-9.]+[0-9]", answer.verdict[0])]
    assert numbers[:1] == [10]
    assert numbers[1] == pytest.approx(worst, rel=0.01)
    assert numbers[2] == pytest.approx(best_left, rel=0.01)
    assert numbers[-1] == pytest.approx(100 * hidden, rel=0.01)
    assert answer.verdict[0].startswith("10 % fakes lift 2 items by ")
    assert f"; best defence {helps} leaves " in answer.verdict[0]
    assert "In spite of the fakes OUE finds items of frequency" in " ".join(answer.verdict)


def test_the_verdict_is_the_size_the_cure_and_the_bound() -> None:
    mine = Deployment("oue", 1.0, 6, 300, 0.01, 3)
    known = [
        Outcome("oue", attack, NONE, 9, gain) for attack, gain in zip(ATTACKS, GAINS, strict=True)
    ]
    cure = [
        Outcome("oue", attack, "normalise", 9, gain / 2)
        for attack, gain in zip(ATTACKS, GAINS, strict=True)
    ]
    harm = [Outcome("oue", attack, "norm-cut", 9, 0.4, 0.01, 20) for attack in ATTACKS]
    perhaps = [Outcome("oue", attack, "norm", 9, 0.06, 0.2, 20) for attack in ATTACKS]
    low = [Outcome("oue", attack, "norm", 9, 0.01, 0.005, 20) for attack in ATTACKS]
    rest = [
        Outcome("oue", attack, kind, 9, why="is refused")
        for kind in (*cells.PLAIN, *cells.FILTERS) for attack in ATTACKS
    ]  # fmt: skip
    lift = "1 % fakes lift 3 items by 6.8 percentage points under OUE"
    best = f"{lift}; best defence normalise leaves 3.4"
    hard = "fakes whom no server can tell from honest users"
    for rows, hidden, first in (
        ([*rest, *known, *cure], 0.012, f"{best}; no defence can get below 1.2."),
        (
            [*rest, *known, *cure],
            0.05,
            f"{best} of MGA; {hard} add 5 under any defence.",
        ),
        ([*known, *cure], None, f"{lift}; best defence so far normalise leaves 3.4."),
        ([*rest, *known, *harm, *perhaps], None, f"{lift}; no defence here surely leaves less."),
        (known, None, f"{lift}; defences are still being tried."),
        (
            [*known, *low],
            0.012,
            f"{lift}; best defence so far norm leaves at most 2.05; no defence can get below 1.2.",
        ),
    ):
        assert next(DeploymentAnswer(mine, rows, hidden, ()).sentences) == first
    wide = [Outcome("oue", attack, "ml", 9, 0.03, 0.5, 20) for attack in ATTACKS]
    near = [Outcome("oue", attack, "norm-sub", 9, 0.04, 0.01, 20) for attack in ATTACKS]
    said = [*DeploymentAnswer(mine, [*rest, *known, *cure, *near, *wide], None, ()).sentences]
    assert said[2] == "norm-sub may be as good as normalise."
    other = [Outcome("oue", attack, "rsn", 9, 0.05, 0.001, 20) for attack in ATTACKS]
    answered = DeploymentAnswer(mine, [*known, *cure, *other, *near, *wide], None, ())
    names = [row.defence for row in answered.rows]
    assert names == ["normalise", "norm-sub", "ml", "rsn", NONE]
    far = [Outcome("grr", attack, NONE, 9, 0.7) for attack in ATTACKS]
    sure = [Outcome("oue", attack, "norm-sub", 9, 0.04, 1e-5, 20) for attack in ATTACKS]
    chart = next(DeploymentAnswer(mine, [*known, *sure, *far, *wide], None, ()).figures()).chart
    picture = "\n".join(strip.text.rstrip() for strip in draw(chart, Look(70, 8, DARK)))
    assert re.findall(r"^([a-z -]+) │.*?  +([0-9. ±]+)$", picture, re.MULTILINE) == [
        ("norm-sub", "4.0000 ± 0.0021"), ("as it is", "6.8"),
    ]  # fmt: skip
    assert chart.note == "beyond this axis: GRR 70; too noisy to tell: ml"
    *_, last = DeploymentAnswer(mine, [*known, *harm], None, ()).sentences
    assert last == "norm-cut makes it worse: 40.0 ± 2.1 points."
    exact = [Outcome("oue", attack, "norm-cut", 9, 0.3933245, 0.00041, 20) for attack in ATTACKS]
    *_, last = DeploymentAnswer(mine, [*known, *exact], None, ()).sentences
    assert last == "norm-cut makes it worse: 39.332 ± 0.086 points."


def test_a_filter_is_not_tried_on_users_without_a_fake() -> None:
    mine = Deployment("oue", 1.0, 5000, 100_000, 1e-3, 1)  # 200 users' reports are read
    [found] = [each for each in cells.outcomes(mine, ["mga"], []) if each.defence == "fiad"]
    assert found.gain is None
    assert found.why == "must make at least one fake beside 200 users, got 0.001"


def test_the_best_is_the_most_exact_of_those_that_do_not_differ() -> None:
    rows = [
        Outcome("oue", "mga", "a", 9, 0.30, 0.001, 20),
        Outcome("oue", "mga", "b", 9, 0.25, 0.02, 20),  # at most 0.29, and surely less
        Outcome("oue", "mga", "c", 9, 0.20, 0.1, 20),  # perhaps more, or less, than both
    ]
    for known, name in ((rows, "b"), (rows[::2], "a"), (rows[2:], "c"), ([], None)):
        found = pick_best(known)
        assert (found and found.defence) == name


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
