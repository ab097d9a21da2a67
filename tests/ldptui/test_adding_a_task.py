"""A task costs its folder, its conclusion with metrics, a row of each table, and its words."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

TASK = '''
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from ldptui.core.base.arms import ATTACKED, CLEAN, Arm
from ldptui.core.base.sampling import Floats
from ldptui.core.cell import Task
from ldptui.core.collection.counts import block_counts
from ldptui.core.law.pure import Items
from ldptui.core.metrics import METRICS, Metric, measure
from ldptui.core.metrics.results import CellResults, Fingerprints, Moments
from ldptui.core.task import TASKS


@dataclass(frozen=True, eq=False)
class PeakConclusion:
    """The largest estimate in several trials, by arm, beside the largest frequency."""

    peaks: Mapping[Arm, Floats]
    truth: float
    targets: Items

    @property
    def trials(self):
        return self.peaks[CLEAN].size

    @property
    def arms(self):
        return self.peaks.keys()


@dataclass(frozen=True)
class Peak(Task):
    """The server publishes the largest estimate alone."""

    concludes = PeakConclusion

    times: float = 1.0
    kind: Literal["peak"] = "peak"

    def block(self, cell, work):
        number, marks = work.number, Fingerprints(work.trials)
        made = block_counts(cell, number, work.trials, work.pulse, work.shares)
        counts = dict(zip((CLEAN, ATTACKED), made))
        marks.add(*counts.values())
        users = {CLEAN: cell.users, ATTACKED: cell.users + cell.malicious}
        peaks = {
            arm: self.times * cell.local.estimates(made, users[arm]).frequencies.max(axis=1)
            for arm, made in counts.items()
        }
        truth = self.times * float(cell.population.frequencies.max())
        arms = {arm: Moments.of(values[:, None]) for arm, values in peaks.items()}
        measured = measure(PeakConclusion(peaks, truth, cell.targets))
        return CellResults(measured, marks.values, arms)

    def expected(self, cell):
        return dict.fromkeys(METRICS)


_row = partial(Metric, of=(PeakConclusion,))
for row in (
    _row("peak_error", lambda o: o.peaks[ATTACKED] - o.truth, (ATTACKED,)),
    _row("peak_shift", lambda o: o.peaks[ATTACKED] - o.peaks[CLEAN], (CLEAN, ATTACKED)),
):
    METRICS[row.name] = row
TASKS["peak"] = Peak
'''
"""The files of a task, as one; that of a released task is in `core/task` and `core/metrics`."""

WORK = """format = 1
trials = 4
population = { kind = "zipf", items = 8, users = 10_000, exponent = 1.0 }
protocol = { kind = "oue", epsilon = 2.0 }
attack = { kind = "mga", share = 0.2, targets = { items = [0] } }
task = { kind = "peak", times = 2.0 }
[sweep]
"attack.share" = [0.1, 0.2]
"""

SEEN = """
import json, sys
from pathlib import Path
import peaks
from ldptui.charts.curves import axis_of, success_axes, success_metrics
from ldptui.charts.curves import success_curves
from ldptui.charts.figures import Over, success_plot
from ldptui.core.running.runner import run
from ldptui.core.view.cells import cell_view
from ldptui.screens.workbench.charts.tabs import first_tab, tabs_of
from ldptui.session.draft import draft_of
from ldptui.core.experiment import compile

draft = draft_of(Path(sys.argv[1]).read_text(), Path())
scenario = draft.scenario
*_, last = run(compile(scenario))
axis = axis_of(scenario, success_axes(scenario))
cells = last.results.experiment.cells
views = [cell_view(cell, made) for cell, made in zip(cells, last.results.cells)]
plot = success_plot(Over(success_curves(scenario, axis), views, axis), "peak_shift")
print(json.dumps({
    "problems": [problem.message for problem in draft.problems],
    "tabs": [name for name, _ in tabs_of(draft)],
    "first": first_tab(scenario),
    "metrics": success_metrics(scenario),
    "points": [list(series.y) for series in plot.series if len(series.x)],
    "parameters": views[0].parameters["task.times"],
}))
"""
"""The script of somebody who looks at it in the workbench, without a terminal."""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "peaks.py").write_text(TASK, encoding="utf-8")
    (tmp_path / "work.toml").write_text(WORK, encoding="utf-8")
    return tmp_path


def run(place: Path, code: str, *arguments: str) -> str:
    """The output of Python code in a process of its own, where the task is there from the start."""
    made = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=place, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    return made.stdout


COMMANDS = """
import contextlib, io, json, sys
import peaks
from ldptui.commands.cli import main
said = []
for words in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
        code = main(words)
    said.append((code, out.getvalue()))
print(json.dumps(said))
"""


def commands(place: Path, *commands: str) -> list[tuple[int, str]]:
    """Exit code and output of each of these commands, in one process where the task is."""
    words = [command.split() for command in commands]
    return [(code, said) for code, said in json.loads(run(place, COMMANDS, json.dumps(words)))]


def test_a_new_task_is_run_and_written_in_every_format(place: Path) -> None:
    formats = ("json", "table", "csv")
    made = commands(place, *(f"run work.toml --quiet --format {name}" for name in formats))
    assert [code for code, _ in made] == [0, 0, 0], made
    (_, document), (_, table), (_, rows) = made
    for cell in json.loads(document)["cells"]:
        assert cell["parameters"]["task.kind"] == "peak"
        assert cell["metrics"]["peak_shift"]["mean"] > 0
        assert "gain" not in cell["metrics"]
    assert "peak shift" in table
    assert "peak_shift" in rows.splitlines()[0]


def test_a_new_task_is_seen_in_the_workbench(place: Path) -> None:
    seen = json.loads(run(place, SEEN, "work.toml"))
    assert seen["problems"] == []
    assert seen["first"] == "success"
    assert {"success", "report", "table", "equations"} <= set(seen["tabs"])
    assert not {"frequencies", "gain", "levels"} & set(seen["tabs"])
    assert seen["metrics"] == ["peak_shift", "peak_error"]
    (points,) = seen["points"]
    assert len(points) == 2
    assert points[1] > points[0] > 0
    assert seen["parameters"] == 2.0


def test_what_a_new_task_has_no_meaning_for_is_refused_in_a_sentence(place: Path) -> None:
    refused = {
        '[[defence]]\nkind = "norm-sub"\n': "defence must be left out with task.kind = ",
        "[campaign]\nrounds = 2\n": "campaign must be left out with task.kind = ",
        '[goal]\nmetric = "gain"\nat_least = 0.1\n': 'goal.metric must not be "gain"',
    }
    for number, line in enumerate(refused):
        text = WORK.replace(", share = 0.2", "").split("[sweep]")[0] if "goal" in line else WORK
        (place / f"{number}.toml").write_text(text + line, encoding="utf-8")
    told = commands(place, *(f"run {number}.toml" for number in range(len(refused))))
    for (code, said), words in zip(told, refused.values(), strict=True):
        assert code == 2
        assert words in " ".join(said.split())


ROOT = Path(__file__).parents[2]
MEAN_BY_SR = (
    r"SR|SRSpec|Mean|MeanConclusion|OfNumbers|heard_mean|'sr'|'mean_(shift|estimate|error)'"
    r"|\[(protocol\.sr|task\.mean|\"task\.(low|high)\"|mean_\w+)\]"
)
"""The names of the task of a mean and of its first protocol: kinds in quotes, rows of words."""
OTHERS = (
    r"PM|SW|HM|LocalLaplace|Binned|WAVE|Distribution|DistributionConclusion"
    r"|'(hm|sw|laplace-ldp|wasserstein|distribution)'"
    r"|\[(protocol\.(pm|hm|sw|laplace-ldp)|task\.distribution|\"task\.fit\"|wasserstein)\]"
)
"""Those of the other protocols of numbers, of the task of a distribution, and of its chart."""
OWN_COST = ("core/attacks/", "core/defences/", "ldptui/api/", "ldptui/explain/clients/")
"""Rooms of rows that have a cost of their own: an attack, a defence, a function, a client."""


@cache
def defined_in(path: Path) -> set[str]:
    """The classes, functions and constants of a file of Python."""
    nodes = _nodes_of(path)
    kinds = ast.ClassDef | ast.FunctionDef
    constants = [node.target for node in nodes if isinstance(node, ast.AnnAssign)]
    named = {each.id for each in constants if isinstance(each, ast.Name)}
    return named | {node.name for node in nodes if isinstance(node, kinds)}


@cache
def named_in(path: Path) -> set[str]:
    """The names that a file of Python defines or imports, and its texts, in quotes."""
    if path.suffix == ".toml":
        return set(re.findall(r"^\[.*\]$", path.read_text("utf-8"), re.MULTILINE))
    nodes = _nodes_of(path)
    texts = {f"'{node.value}'" for node in nodes if isinstance(node, ast.Constant)}
    imported = [node.names for node in nodes if isinstance(node, ast.ImportFrom)]
    return defined_in(path) | texts | {each.name for names in imported for each in names}


@cache
def _nodes_of(path: Path) -> list[ast.AST]:
    return [*ast.walk(ast.parse(path.read_text("utf-8") if path.suffix == ".py" else ""))]


def files_of(what: str, found_in: Callable[[Path], set[str]]) -> set[str]:
    """The product files in which a name of a part of the program is found."""
    return {
        path.relative_to(ROOT).as_posix()
        for room in ("core", "ldptui")
        for path in (ROOT / room).rglob("*")
        if path.suffix in (".py", ".toml")
        and not path.relative_to(ROOT).as_posix().startswith(OWN_COST)
        and re.search(rf"^(?:{what})$", "\n".join(found_in(path)), re.MULTILINE)
    }


def test_a_mean_by_one_protocol_costs_eight_files_and_all_others_six_more() -> None:
    """The mechanism, the task, its conclusion, its words, and what it says of itself."""
    first, others = files_of(MEAN_BY_SR, named_in), files_of(OTHERS, named_in)
    chart = {"ldptui/charts/figures/distribution.py"}  # which a row of charts names
    others |= chart
    first -= (files_of(OTHERS, defined_in) | chart) - files_of(MEAN_BY_SR, defined_in)
    assert {"core/protocols/sr.py", "core/task/numbers.py"} <= first
    assert {"core/protocols/line.py", "core/task/distribution.py"} <= others - first
    assert len(first) <= 8, sorted(first)
    assert len(others - first) <= 6, sorted(others - first)
