"""Attacks in Python, from the outside: commands, the background worker, and strangers' files."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import Captured, fail, succeed
from support.kinds import CAO_PROTOCOLS
from support.plugin_cases import HONEST, attack_file, toml

from ldptui.commands import cli
from ldptui.core.plugins import code_loading
from ldptui.terminal import exits

ROOT = Path(__file__).parents[2]

BROKEN = """
def honest(protocol, view, count, rng):
    print("printed by the attack")
    if protocol.q == 1 / (protocol.domain_size - 1 + 2.718281828459045):
        return protocol.random_reports(count + 1, rng)
    if hasattr(protocol, "hash_range"):
        raise LookupError("no seed")
    return protocol.perturb(view.targets[rng.integers(0, 2, count)], rng)
"""


@pytest.fixture(autouse=True)
def nothing_loaded() -> None:
    """Attacks that this process loaded before leave no mark."""
    code_loading.load_method.cache_clear()


@pytest.fixture(autouse=True)
def no_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The settings file of the tests."""
    path = tmp_path / "config.toml"
    path.write_text("")
    monkeypatch.setenv("LDPTUI_CONFIG", str(path))
    return path


@pytest.fixture
def scenario(tmp_path: Path) -> str:
    """A stranger's scenario that asks for "honest"."""
    path = tmp_path / "stranger.toml"
    path.write_text(toml("honest"), encoding="utf-8")
    return str(path)


# Strangers' files.


@pytest.mark.usefixtures("threads")
def test_nothing_runs_the_code_of_a_strangers_scenario(
    scenario: str, tmp_path: Path, capsys: Captured
) -> None:
    """The code lies beside the scenario, is on nobody's list, and leaves a mark when it is run."""
    path, mark = attack_file(tmp_path, name="honest.py")
    recording, csv = str(tmp_path / "shared.json"), str(tmp_path / "out.csv")
    asks = "attack.name asks for the attack 'honest', somebody's Python code"
    for command in (("run",), ("record", "--out", recording)):
        assert asks in fail(capsys, exits.USAGE, *command, scenario)
    assert "valid" in succeed(capsys, "scenarios", "check", scenario)
    assert not mark.exists()

    succeed(capsys, "record", scenario, "--out", recording, "--code", str(path))
    assert mark.exists()
    mark.unlink()
    code_loading.load_method.cache_clear()
    succeed(capsys, "runs", "import", recording)
    for command in (("list",), ("show", "last"), ("show", "last", "--format", "json"),
                    ("export", "last", "--out", csv, "--format", "csv")):  # fmt: skip
        succeed(capsys, "runs", *command)
    succeed(capsys, "compare", recording, recording)
    assert f"the recording: {asks}" in fail(capsys, exits.USAGE, "replay", recording)
    assert asks in fail(capsys, exits.USAGE, "resume", "last")
    assert not mark.exists()

    assert "identical" in succeed(capsys, "replay", recording, "--code", str(path))
    assert mark.exists()


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
    assert output.err.startswith(f"note: {scenario}: attack.name asks for the attack 'honest'")
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
    asks = "attack.name asks for the attack 'honest', somebody's Python code, which is not allowed"
    how = "--code FILE lets that of a file run, --allow NAME that of an installed package"
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
    asks = "asks for the attack 'honest', somebody's Python code"
    told = fail(capsys, exits.USAGE, "run", str(place))
    assert told.startswith(f"{place}: attack.mix.1.name {asks}")
    swept = place.with_name("swept.toml")
    swept.write_text(place.read_text() + '"attack.mix.1.name" = ["honest", "other"]\n')
    assert ": attack.mix.1.name asks" in fail(capsys, exits.USAGE, "run", str(swept))
    phases = f"[[attack.phase]]\nrounds = 1\nshare = 0.1\nmix = [{other}]\n"
    phases += f"[[attack.phase]]\nrounds = 1\nshare = 0.1\nmix = [{other}, {part}]\n"
    place.write_text(
        head + rest.replace("share = 0.1\n", "").replace("[sweep]", phases + "[sweep]")
    )
    told = fail(capsys, exits.USAGE, "run", str(place))
    assert told.startswith(f"{place}: attack.phase.1.mix.1.name {asks}")
    told = fail(capsys, exits.USAGE, "run", str(place), "--attack-file", str(broken))
    assert told.endswith(f"; {broken} has none of that name"), "the former name of --code"


# Failing.


DEADLY = """
import ctypes
import os
def honest(protocol, view, count, rng):
    if hasattr(protocol, "hash_range"):
        os._exit(3)
    if protocol.q == 1 / (protocol.domain_size - 1 + 2.718281828459045):
        ctypes.string_at(0)
    if protocol.p == 0.5:
        return protocol.random_reports(count, rng)
    raise KeyboardInterrupt
"""


ENDS = {
    "olh": "ended the process it ran in (exit code 3)",
    "oue": None,
    "grr": "ended the process it ran in (SIGSEGV)",
    "sue": "raised KeyboardInterrupt",
}
"""The error of the cell of each protocol that the attack tells from the others."""


@pytest.mark.every(2)
@pytest.mark.parametrize("workers", [1, 2])
def test_an_attack_that_ends_its_process_fails_its_cell_alone(
    workers: int, tmp_path: Path, capsys: Captured
) -> None:
    path, _ = attack_file(tmp_path, DEADLY)
    place = tmp_path / "four.toml"
    sweep = tuple(ENDS)[: 4 if workers == 1 else 2]
    place.write_text(toml("honest", sweep=sweep))
    options = ("--code", str(path), "--format", "json", "--workers", str(workers))
    assert cli.main(["run", str(place), *options]) == exits.FAILED
    output = capsys.readouterr()
    result = json.loads(output.out)
    errors = [cell.get("error") for cell in result["cells"]]
    assert errors == [ENDS[kind] and f"attack 'honest' {ENDS[kind]}" for kind in sweep]
    assert [cell["trials"] for cell in result["cells"]] == [0 if error else 20 for error in errors]
    assert f"ldptui: cell 0 (olh) failed: {errors[0]}" in output.err.splitlines()


def test_a_failed_cell_is_reported_and_the_others_go_on(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    capsys = capfd  # what the attack prints comes from another process
    path, _ = attack_file(tmp_path, BROKEN)
    place = tmp_path / "three.toml"
    place.write_text(toml("honest", sweep=CAO_PROTOCOLS))
    code = cli.main(["run", str(place), "--code", str(path), "--format", "json"])
    output = capsys.readouterr()
    assert code == exits.FAILED
    result = json.loads(output.out)
    assert result["status"] == "failed"
    grr, oue, olh = result["cells"]
    assert [cell["trials"] for cell in result["cells"]] == [0, 20, 0]
    assert grr["error"] == (
        "the reports of attack 'honest' must be int64[22], got int64[23] (mine.py, line 2)"
    )
    assert grr["traceback"] == ""
    assert "error" not in oue
    assert oue["metrics"]["gain"]["theory"] is None
    assert olh["error"] == "attack 'honest' raised LookupError: no seed (mine.py, line 7)"
    assert olh["traceback"].splitlines()[-1] == "LookupError: no seed"
    assert f'File "{path}", line 7, in honest' in olh["traceback"]
    lines = output.err.splitlines()
    assert "printed by the attack" in lines
    assert f"ldptui: cell 0 (grr) failed: {grr['error']}" in lines
    assert f"ldptui: cell 2 (olh) failed: {olh['error']}" in lines
    assert "    LookupError: no seed" in lines

    (run, *_) = json.loads(succeed(capsys, "runs", "--format", "json"))
    assert (run["status"], run["done"], run["total"]) == ("failed", 20, 60)
    assert run["error"] == f"cell 0 failed: {grr['error']} (and 1 more of 3 cells)"


@pytest.mark.usefixtures("threads")
def test_a_run_is_not_resumed_with_other_code(tmp_path: Path, capsys: Captured) -> None:
    path, _ = attack_file(tmp_path, BROKEN)
    place = tmp_path / "two.toml"
    place.write_text(toml("honest", sweep=("oue", "olh")))
    allowed = ("--code", str(path))
    assert cli.main(["run", str(place), *allowed]) == exits.FAILED
    assert cli.main(["resume", "last", *allowed]) == exits.FAILED
    capsys.readouterr()
    attack_file(tmp_path, HONEST)
    assert "the code of attack 'honest' is not that of its other trials" in fail(
        capsys, exits.NO_FILE, "resume", "last", *allowed
    )
    succeed(capsys, "run", str(place), *allowed)
    (run, *_) = json.loads(succeed(capsys, "runs", "--format", "json"))
    assert run["status"] == "done"


HANGING = """
import pathlib
def honest(protocol, view, count, rng):
    if count and MARK.exists():
        while True:  # and nothing gets it out of there
            try:
                pathlib.Path(f"{MARK}.hangs").touch()
                while True:
                    pass
            except BaseException:
                pass
    if count:
        MARK.touch()
    return protocol.random_reports(count, rng)
"""


def test_a_script_of_standard_input_computes_in_processes(scenario: str, tmp_path: Path) -> None:
    """Workers would import the script that starts them, and this one has no file."""
    path, _ = attack_file(tmp_path)
    script = f"""
import ldptui
results = ldptui.run({scenario!r}, trials=3, attack_files=[{str(path)!r}], limits=True)
print(len(results.cells), results.trials, results.error)
print(ldptui.run("quickstart", trials=1, workers=2).error)
"""
    done = subprocess.run(
        [sys.executable, "-"], input=script, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout.split("\n") == ["1 3 ", "", ""]


def hanging(folder: Path) -> tuple[Path, Path]:
    """A file whose attack hangs when it is used for the second time, and what it leaves then."""
    mark = folder / "used"
    path = folder / "hanging.py"
    path.write_text(f"import pathlib\nMARK = pathlib.Path({str(mark)!r})\n{HANGING}")
    return path, folder / "used.hangs"


@pytest.mark.every(3)
@pytest.mark.parametrize(("workers", "number"), [(1, signal.SIGINT), (2, signal.SIGINT),
                                                 (2, signal.SIGTERM)])  # fmt: skip
def test_a_signal_gets_out_of_an_attack_that_hangs(
    workers: int, number: signal.Signals, tmp_path: Path
) -> None:
    path, hangs = hanging(tmp_path)
    place = tmp_path / "hang.toml"
    place.write_text(toml("honest"))
    # A background job's children may ignore SIGINT; a shell's foreground jobs do not.
    script = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "from ldptui.__main__ import main; sys.exit(main())"
    )
    command = [sys.executable, "-c", script, "run", str(place), "--code", str(path)]
    process = subprocess.Popen(
        [*command, "--workers", str(workers), "--format", "json", "--no-store"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        wait_for(hangs, process)
        # Ctrl-C reaches every process of the terminal.
        (os.killpg if number == signal.SIGINT else os.kill)(process.pid, number)
        printed, said = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == exits.INTERRUPTED, said
    assert json.loads(printed)["status"] == "partial"
    assert "Warning" not in said  # of semaphores that nobody took down


def wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    """Until a process has made a file; it fails if the process ends."""
    while not path.exists():
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.01)


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
    assert "attack.name asks for the attack 'half'" in fail(
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
    asks = "population.name asks for the population 'steps'"
    assert asks in fail(capsys, exits.USAGE, "run", "my.toml", *known)
    printed = succeed(capsys, "run", "my.toml", *known, "--code", "my_populations.py")
    assert "protocol    Subsets, ε = 1" in printed
    assert "population  steps, d = 8 items, n = 1000 users" in printed
