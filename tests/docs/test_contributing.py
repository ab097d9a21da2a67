"""What CONTRIBUTING.md adds to the program, added to a copy of it: each kind is there and runs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.S)
ROWS = re.findall(r"```toml\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.S)
WORDS = f'name = "n"\nreason = "r"\ntext = "{"t" * 61}"\nformula = "f"\nsource = "ours"\n'


def insert(path: Path, mark: str, text: str) -> None:
    """Put a text before the first line of a file that begins with the mark."""
    old = path.read_text("utf-8")
    assert f"\n{mark}" in old, mark
    path.write_text(old.replace(f"\n{mark}", f"\n{text}{mark}", 1), "utf-8")


def row(block: str) -> str:
    """The line of a table that a block shows."""
    return f"    {block.strip()},\n"


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the program with an oracle, an attack, a defence, a metric, a chart, a question."""
    there = tmp_path_factory.mktemp("copy")
    ignore = shutil.ignore_patterns("__pycache__")
    for folder in ("core", "scenarios", "ldptui", "tests"):
        shutil.copytree(ROOT / folder, there / folder, symlinks=True, ignore=ignore)
    shutil.copy(ROOT / "pyproject.toml", there)
    oracle, oracle_law, attack, attack_law, defence, metric, chart, chart_row, question = BLOCKS
    insert(there / "tests/support/cases.py", '        "lh": [', f"    {row(oracle_law)}")
    insert(there / "tests/support/report_laws.py", '    ("ria", ', row(attack_law))
    (there / "core/protocols/halfway.py").write_text(oracle, "utf-8")
    insert(there / "core/attacks/crafted.py", "KINDS = (\n", f"{attack}\n\n")
    insert(there / "core/attacks/crafted.py", "    RandomReport,\n", "    FirstTarget,\n")
    with (there / "core/defences/corrections.py").open("a") as file:
        file.write(f"\n\n{defence}")
    kinds = there / "core/defences/defence_kinds.py"
    insert(kinds, "    BaseCut,\n", "    Clip,\n")
    insert(kinds, '    "norm-mul": NormMul,\n', '    "clip": Clip,\n')
    insert(
        there / "core/metrics/conclusions/frequency_conclusion.py",
        '    _one("l1_error"',
        row(metric),
    )
    (there / "ldptui/charts/figures/trials_done.py").write_text(chart, "utf-8")
    insert(there / "ldptui/charts/kinds.py", '    ChartKind("levels"', row(chart_row))
    (there / "ldptui/questions/fakes_question.py").write_text(question, "utf-8")
    with (there / "ldptui/catalogue/kinds.toml").open("a") as file:
        file.write(f"\n{ROWS[0]}\n[attack.first]\n{WORDS}\n[defence.clip]\n{WORDS}")
    metrics = there / "ldptui/catalogue/metrics.toml"
    insert(metrics, "[l1_error]", '[l2_error]\nname = "n"\ncolumn = "c"\nmeaning = "m."\n\n')
    tabs = there / "ldptui/catalogue/tabs.toml"
    insert(tabs, "[levels]", '[done]\nshows = "Trials."\nreading = "One a cell."\n\n')
    return there


TESTED = (
    "tests/core/attacks", "tests/core/protocols", "tests/core/theory",
    "tests/ldptui/explain/test_equation_numbers.py",
)  # fmt: skip
OF_ALL_KINDS = (
    "tests/ldptui/catalogue/test_catalogue.py", "tests/ldptui/commands/test_theory.py",
    "tests/ldptui/screens/test_attack_pane.py", "tests/ldptui/screens/test_protocol_pane.py",
)  # fmt: skip


def done(copy: Path, *words: str, program: str = "ldptui") -> str:
    """The output of a command of the copy."""
    env = {**os.environ, "PYTHONPATH": str(copy), "COLUMNS": "80"}
    command = [sys.executable, "-m", program, *words]
    made = subprocess.run(command, cwd=copy, env=env, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr or made.stdout[-3000:]
    return made.stdout


@pytest.mark.long
def test_the_oracle_attack_defence_and_metric_agree_with_theory(copy: Path) -> None:
    kinds = {"protocol": "halfway", "attack": "first", "defence": "clip"}
    options = [f"--set={table}.kind={kind}" for table, kind in kinds.items()]
    share = "--set=attack.share=0.05"
    out = done(
        copy, "run", "quickstart", "--no-store", "--quiet", "--format", "json", share, *options
    )
    (cell,) = json.loads(out)["cells"]
    assert cell["p"] == pytest.approx((1 / (1 + 2.718281828**-0.5) + 0.5) / 2)
    assert abs(cell["metrics"]["gain"]["z"]) < 6
    assert cell["metrics"]["l2_error"]["mean"] > cell["metrics"]["max_error"]["mean"]
    assert cell["metrics"]["mse_clean_after"]["mean"] < cell["metrics"]["mse_clean"]["mean"]


@pytest.mark.long
def test_the_chart_and_the_question_are_there(copy: Path) -> None:
    done(copy, "plot", "quickstart", "--trials", "2", "--chart", "done", "--out", "done.txt")
    assert "Trials of each cell" in (copy / "done.txt").read_text("utf-8")
    answer = json.loads(done(copy, "fakes", "--items", "64", "--epsilon", "1", "--rise", "0.01",
                             "--format", "json"))  # fmt: skip
    assert answer["share"] == pytest.approx(0.01 * (0.5 - 0.2689414) / 0.7310586)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["halfway", "first"])
def test_the_tests_of_the_oracle_and_of_the_attack_pass(copy: Path, kind: str) -> None:
    """Those that take their kinds from the tables, which the page says to run."""
    done(copy, "-q", "-k", kind, *TESTED, program="pytest")


@pytest.mark.long
def test_the_tests_of_all_kinds_pass(copy: Path) -> None:
    """Their catalogue is whole, and no screen or table counts on the kinds there were before."""
    done(copy, "-q", "-m", "not long", *OF_ALL_KINDS, program="pytest")
