"""Defences in Python: asked for by name, run where that is allowed, and checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cases import alike, attack, experiment, results_of

from ldptui import core
from ldptui.core.base.errors import ScenarioError
from ldptui.core.metrics import METRICS
from ldptui.core.plugins import CodePermission, code_locations, permit_code, published_names

CODE = """
import numpy as np
from dataclasses import dataclass
from ldptui.core.defences import Verdict, project

def trimmed(frequencies, known, *, shift=0.0):
    return project(frequencies + shift)

def untouched(received):
    return np.ones(received.users, dtype=bool)

@dataclass(frozen=True)
class Busy:
    most: int = 8

    def sift(self, received):
        ones = received.protocol.supports(received.reports).sum(axis=1)
        return Verdict(kept=ones <= self.most, score=ones.astype(float), alarm=True)

def broken(frequencies, known):
    raise ValueError("no good")

def short(frequencies, known):
    return frequencies[:, 1:]

def words(frequencies, known):
    return "many"

def infinite(frequencies, known):
    return np.full_like(frequencies, np.inf)

def nothing(received):
    return Verdict()

def numbers(received):
    return np.arange(received.users)
"""


def work(*steps: dict[str, Any], **more: Any) -> core.Experiment:
    users = {"kind": "zipf", "items": 12, "users": 900, "exponent": 1.0}
    protocol, table = {"kind": "oue", "epsilon": 1.0}, attack("mga", 0.1, [3, 6, 9])
    return experiment(users, protocol, table, trials=2, defence=[*steps], **more)


def asks(name: str, kind: str = "plugin", **options: Any) -> dict[str, Any]:
    return {"kind": kind, "name": name, **({"options": options} if options else {})}


@pytest.fixture
def allowed(tmp_path: Path) -> CodePermission:
    path = tmp_path / "mine.py"
    path.write_text(CODE)
    return CodePermission(files=(path,))


def test_a_correction_rewritten_is_the_built_in_one(allowed: CodePermission) -> None:
    made = permit_code(work(asks("trimmed")), allowed)
    (mine,), (built,) = results_of(made).cells, results_of(work({"kind": "norm-sub"})).cells
    assert all(alike(mine.metrics[name], built.metrics[name]) for name in METRICS)
    assert made.cells[0].path == "counts"
    assert [source.name for source in code_locations(made, allowed)] == ["trimmed"]


def test_options_are_swept_and_reach_the_code(allowed: CodePermission) -> None:
    swept = work(asks("trimmed"), sweep={"defence.0.options.shift": [0.0, 0.2]})
    first, second = results_of(permit_code(swept, allowed)).cells
    gains = [cell.estimate("mse_after").mean for cell in (first, second)]
    assert gains[0] == pytest.approx(gains[1])  # a shift cancels in the projection
    assert swept.cells[1].parameters["defence.0.options.shift"] == 0.2


def test_a_filter_reads_every_report(allowed: CodePermission) -> None:
    made = permit_code(work(asks("Busy", "plugin-filter", most=4), {"kind": "norm-sub"}), allowed)
    assert made.cells[0].path == "reports"
    (cell,) = results_of(made).cells
    assert (cell.metrics["reports_kept"] < 1000).all()
    assert cell.estimate("auc").mean is not None
    assert (cell.metrics["alarm_rate"] == 1).all()
    (all_kept,) = results_of(permit_code(work(asks("untouched", "plugin-filter")), allowed)).cells
    assert alike(all_kept.metrics["gain_after"], all_kept.metrics["gain"])


def test_the_same_numbers_in_a_process_of_its_own(allowed: CodePermission) -> None:
    made = permit_code(work(asks("trimmed")), allowed)
    *_, last = core.run(made, apart=True)
    assert last.results.digest == results_of(made).digest
    assert alike(
        last.results.cells[0].metrics["gain_after"], results_of(made).cells[0].metrics["gain_after"]
    )


def test_what_is_not_allowed_is_refused(tmp_path: Path) -> None:
    made = work({"kind": "norm-sub"}, asks("trimmed"))
    with pytest.raises(ScenarioError) as error:
        permit_code(made, CodePermission())
    assert str(error.value) == (
        "test: defence.1.name needs the defence 'trimmed', Python code that is "
        "not allowed yet: --code FILE allows that of a file, --allow NAME that of an installed "
        "package"
    )
    with pytest.raises(ScenarioError, match="must be the defence of an installed package"):
        permit_code(made, CodePermission(names=("trimmed",)))
    assert "trimmed" not in published_names("defence")
    assert results_of(made).error == "defence 'trimmed' is somebody's code and not allowed"


def test_a_muted_one_asks_for_nothing() -> None:
    made = work({**asks("trimmed"), "muted": True})
    assert permit_code(made, CodePermission()) is made


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        (asks("broken"), "defence 'broken' raised ValueError: no good"),
        (
            asks("short"),
            "defence 'short' must return finite numbers of shape [2, 12], got float64[2, 11]",
        ),
        (asks("words"), "defence 'words' must return finite numbers of shape [2, 12], got str"),
        (
            asks("infinite"),
            "defence 'infinite' must return finite numbers of shape [2, 12], got inf",
        ),
        (asks("trimmed", unknown=1), "defence 'trimmed' raised TypeError: "),
        (
            asks("nothing", "plugin-filter"),
            "defence 'nothing' must return which reports are kept, got nothing",
        ),
        (
            asks("numbers", "plugin-filter"),
            "defence 'numbers' must return true or false for each report as kept of shape [900],",
        ),
    ],
)
def test_whatever_it_does_wrong_fails_its_cell_in_one_sentence(
    step: dict[str, Any], sentence: str, allowed: CodePermission
) -> None:
    results = results_of(permit_code(work(step), allowed))
    assert results.error.startswith(sentence)
    assert "\n" not in results.error
    if "raised" in sentence:
        assert "Error: " in results.failures[0].details


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ScenarioError, match=r"defence\.0.name must be the name of a defence"):
        work(asks(" "))
    with pytest.raises(ScenarioError, match=r"defence\.0.name is required"):
        work({"kind": "plugin"})
    goal = {"metric": "gain_after", "at_least": 0.1}
    users = {"kind": "zipf", "items": 12, "users": 900, "exponent": 1.0}
    with pytest.raises(ScenarioError, match="goal must be left out with a defence in Python"):
        experiment(
            users, {"kind": "oue", "epsilon": 1.0}, {"kind": "mga", "targets": {"items": [3]}},
            goal=goal, defence=[asks("trimmed")],
        )  # fmt: skip


def test_estimates_are_a_copy(allowed: CodePermission, tmp_path: Path) -> None:
    path = tmp_path / "writes.py"
    path.write_text("def writes(f, known):\n    f[:] = 0.1\n    return f\n")
    (cell,) = results_of(permit_code(work(asks("writes")), CodePermission(files=(path,)))).cells
    (plain,) = results_of(work({"kind": "none"})).cells
    assert alike(cell.metrics["gain"], plain.metrics["gain"])
    assert (cell.metrics["gain_after"] == 0).all()
    assert np.isfinite(cell.metrics["mse_after"]).all()
