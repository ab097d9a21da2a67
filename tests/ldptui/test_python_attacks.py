"""Attacks in Python, from the outside: commands, the background worker, and strangers' files."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import Captured, fail, succeed
from support.plugin_cases import attack_file, toml

from ldptui.commands import cli
from ldptui.terminal import exits

ROOT = Path(__file__).parents[2]


pytestmark = pytest.mark.usefixtures("nothing_loaded", "no_settings")


# Strangers' files.


def test_nothing_of_the_workbench_runs_it(scenario: str, tmp_path: Path) -> None:
    """Opened, edited, bound and drawn in a process of its own, with the code within its reach."""
    _, mark = attack_file(tmp_path, name="honest.py")
    code = f"""
import sys
from pathlib import Path
from ldptui.charts import curves, figures
from ldptui.explain.formula_list import cell_formulas
from ldptui.explain import report_explanation
from ldptui.screens.workbench import charts, report_view
from ldptui.session import draft, runs
path = Path({scenario!r})
one = draft.draft_of(path.read_text(), path.parent, path)
assert one.cell is not None, one.problems
one = draft.edit_key(one, "attack.share", 0.2)
assert one.cell.malicious == 50, one.problems
print(runs.describe_scenario(one.document))
assert not [formula for formula in cell_formulas(one.cell) if formula.part.startswith("Attack")]
assert "ldptui.core.plugins" not in sys.modules
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert not mark.exists()


def test_scenarios_check_says_what_is_asked_for(
    scenario: str, tmp_path: Path, capsys: Captured
) -> None:
    path, mark = attack_file(tmp_path)
    assert cli.main(["scenarios", "check", scenario]) == exits.DONE
    output = capsys.readouterr()
    assert output.out == f"{scenario}: valid: 1 cell, 20 trials\n"
    assert output.err.startswith(f"note: {scenario}: attack.name needs the attack 'honest'")
    assert cli.main(["scenarios", "check", scenario, "--code", str(path)]) == exits.DONE
    output = capsys.readouterr()
    assert output.err == f"note: the attack 'honest' is in {path}\n"
    assert not mark.exists()


# Allowing.


@pytest.mark.usefixtures("threads")
def test_settings_run_no_code_and_a_refusal_names_the_option(
    scenario: str, tmp_path: Path, capsys: Captured, no_settings: Path
) -> None:
    """A stranger's settings, which the environment names, list a stranger's file."""
    path, mark = attack_file(tmp_path)
    attack_file(tmp_path, "def other(", "broken.py")
    no_settings.write_text('allow_attacks = ["honest"]\nattack_files = ["broken.py", "mine.py"]\n')
    asks = "attack.name needs the attack 'honest', Python code that is not allowed yet"
    how = "--code FILE allows that of a file, --allow NAME that of an installed package"
    told = f"{scenario}: {asks}: {how}"
    out, figure = (("--out", str(tmp_path / name)) for name in ("out.json", "out.svg"))
    for command in (("run",), ("record", *out), ("plot", *figure)):
        assert fail(capsys, exits.USAGE, *command, scenario) == told
    assert succeed(capsys, "scenarios", "check", scenario).endswith("20 trials\n")
    assert not mark.exists()
    given = ("--code", str(path))
    assert "honest" in succeed(capsys, "run", scenario, "--format", "csv", *given)
    assert mark.exists()


def test_a_file_of_attacks_must_exist_even_if_unused(
    scenario: str, tmp_path: Path, capsys: Captured
) -> None:
    missing = tmp_path / "missing.py"
    rule = "must be a Python file that can be read, got"
    words = f"--code {rule} {missing}: no such file or directory"
    for command in (
        ("run", "quickstart"),
        ("run", scenario),
        ("record", "quickstart", "--out", str(tmp_path / "out.json")),
        ("scenarios", "check", scenario),
    ):
        assert fail(capsys, exits.NO_FILE, *command, "--code", str(missing)) == words


def test_a_refusal_names_the_place_that_asks(tmp_path: Path, capsys: Captured) -> None:
    broken, _ = attack_file(tmp_path, "def x(:", "broken.py")
    place = tmp_path / "mixed.toml"
    part = "{ kind = 'plugin', name = 'honest', weight = 1 }"
    other = "{ kind = 'mga', weight = 1 }"
    head, _, rest = toml("honest").partition('kind = "plugin"\nname = "honest"\n')
    place.write_text(f"{head}mix = [{other}, {part}]\n{rest}")
    asks = "needs the attack 'honest', Python code"
    told = fail(capsys, exits.USAGE, "run", str(place))
    assert told.startswith(f"{place}: attack.mix.1.name {asks}")
    swept = place.with_name("swept.toml")
    swept.write_text(place.read_text() + '"attack.mix.1.name" = ["honest", "other"]\n')
    assert ": attack.mix.1.name needs" in fail(capsys, exits.USAGE, "run", str(swept))
    phases = f"[[attack.phase]]\nrounds = 1\nshare = 0.1\nmix = [{other}]\n"
    phases += f"[[attack.phase]]\nrounds = 1\nshare = 0.1\nmix = [{other}, {part}]\n"
    place.write_text(
        head + rest.replace("share = 0.1\n", "").replace("[sweep]", phases + "[sweep]")
    )
    told = fail(capsys, exits.USAGE, "run", str(place))
    assert told.startswith(f"{place}: attack.phase.1.mix.1.name {asks}")
    told = fail(capsys, exits.USAGE, "run", str(place), "--attack-file", str(broken))
    assert told.endswith(f"; {broken} has none of that name"), "the former name of --code"


# The page about it.


def blocks(language: str) -> list[str]:
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", page, flags=re.DOTALL)


def block_with(language: str, words: str) -> str:
    (found,) = [text for text in blocks(language) if words in text]
    return found


@pytest.mark.long
def test_the_page_tells_the_truth(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, steps = block_with("toml", 'name = "half"'), block_with("toml", "few_ones")
    (tmp_path / "my_attacks.py").write_text(block_with("python", "def half"), encoding="utf-8")
    head, _, _ = toml("half").partition("[attack]")
    scenario = tmp_path / "stranger.toml"
    scenario.write_text(head + table.replace("count = 5", "count = 2"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert "attack.name needs the attack 'half'" in fail(
        capsys, exits.USAGE, "run", "stranger.toml"
    )
    printed = succeed(capsys, "run", "stranger.toml", "--code", "my_attacks.py")
    assert "honest" in printed
    defences = block_with("python", "def few_ones")
    (tmp_path / "my_defences.py").write_text(defences, encoding="utf-8")
    scenario.write_text(f"{head}{steps}", encoding="utf-8")
    assert "--code FILE" in fail(capsys, exits.USAGE, "run", "stranger.toml")
    allowed = ("--code", "my_defences.py")
    assert "few_ones then floor" in succeed(capsys, "run", "stranger.toml", *allowed)


@pytest.mark.usefixtures("threads")
def test_the_page_tells_the_truth_of_protocols_and_populations(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    protocols = block_with("python", "class Subsets")
    populations = block_with("python", "def steps")
    protocol = block_with("toml", 'name = "Subsets"')
    population = block_with("toml", 'name = "steps"')
    Path(tmp_path, "my_protocols.py").write_text(protocols, encoding="utf-8")
    Path(tmp_path, "my_populations.py").write_text(populations, encoding="utf-8")
    small = population.replace("items = 64", "items = 8").replace("100_000", "1000")
    Path(tmp_path, "my.toml").write_text(f"format = 1\ntrials = 2\n{small}{protocol}")
    monkeypatch.chdir(tmp_path)
    known = ("--code", "my_protocols.py")
    asks = "population.name needs the population 'steps'"
    assert asks in fail(capsys, exits.USAGE, "run", "my.toml", *known)
    printed = succeed(capsys, "run", "my.toml", *known, "--code", "my_populations.py")
    assert "protocol    Subsets, ε = 1" in printed
    assert "population  steps, d = 8 items, n = 1000 users" in printed
