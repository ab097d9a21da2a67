"""Attacks in Python that fail, end their process or hang: what a run says and does then."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import Captured, fail, succeed
from support.kinds import CAO_PROTOCOLS
from support.plugin_cases import HONEST, attack_file, toml

from ldptui.commands import cli
from ldptui.terminal import exits

BROKEN = """
def honest(protocol, view, count, rng):
    print("printed by the attack")
    if protocol.q == 1 / (protocol.domain_size - 1 + 2.718281828459045):
        return protocol.random_reports(count + 1, rng)
    if hasattr(protocol, "hash_range"):
        raise LookupError("no seed")
    return protocol.perturb(view.targets[rng.integers(0, 2, count)], rng)
"""


pytestmark = pytest.mark.usefixtures("nothing_loaded", "no_settings")


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
