"""Ctrl-C at named points of a command: no traceback, one exit code, wherever it comes."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import TWENTY

# What raises the signal, and in the middle of what.
RAISED = f"signal.raise_signal({int(signal.SIGINT)})"
POINTS = {
    "other error": f"""
class Owner:
    def __set_name__(self, owner, name):
        {RAISED}
type("Named", (), {{"owner": Owner()}})
""",
    "swallowed": f"""
class Dying:
    def __del__(self):
        {RAISED}
Dying()
""",
    "plain": RAISED,
}

PROGRAM = """
import os, signal, sys, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores SIGINT
point, module, function, *sys.argv[1:] = sys.argv[1:]

class AtImport:
    def find_spec(self, name, path, target=None):
        if name == module and not function:
            sys.meta_path.remove(self)
            exec(point, {"signal": signal})

def at_call():
    from importlib import import_module
    *owners, last = function.split(".")
    place = import_module(module)
    for owner in owners:
        place = getattr(place, owner)
    called, done = getattr(place, last), []
    def interrupting(*args, **kwargs):
        if not done:
            done.append(1)
            os.kill(os.getpid(), signal.SIGINT)
        return called(*args, **kwargs)
    setattr(place, last, interrupting)

sys.meta_path.insert(0, AtImport())
if function:
    at_call()
from ldptui.__main__ import main
sys.argv[0] = "ldptui"
sys.exit(main())
"""


def interrupted(tmp_path: Path, point: str, place: str, *more: str) -> tuple[int, str]:
    """The exit code and standard error of a run that is interrupted at a place.

    place : a module when it is imported, or MODULE:FUNCTION when that is called first.
    """
    scenario = tmp_path / "mine.toml"
    scenario.write_text(TWENTY.replace("trials = 20", "trials = 40000"), encoding="utf-8")
    module, _, function = place.partition(":")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, POINTS[point], module, function, "run", str(scenario),
         "--quiet", "--store", str(tmp_path / "runs.sqlite3"), *more],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    return done.returncode, done.stderr


@pytest.mark.every(6)
@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("module", ["ldptui.core.scenario", "sqlite3"])
def test_an_interrupt_while_modules_are_loaded(point: str, module: str, tmp_path: Path) -> None:
    code, said = interrupted(tmp_path, point, module)
    assert "Traceback" not in said, said
    assert code == 130
    assert said.splitlines()[-1].startswith("ldptui: interrupted")


POOLED = (
    "multiprocessing.popen_spawn_posix:Popen._launch",
    "concurrent.futures:ProcessPoolExecutor.submit",
    "ldptui.core.running.workers:Batches.take",
)
ALONE = (
    "ldptui.core.store:RunMemory.keep",
    "ldptui.core.store:RunMemory.finish",
    "ldptui.core.store:Store.close",
    "ldptui.commands.result_output:report",
    "ldptui.commands.run_progress:_next",
    "ldptui.commands.run_progress:ProgressLine.erase",
)


@pytest.mark.long
@pytest.mark.parametrize("place", [*POOLED, *ALONE])
def test_an_interrupt_in_the_middle_of_a_run_in_processes(place: str, tmp_path: Path) -> None:
    quiet_end(place, "2", tmp_path)


@pytest.mark.every(6)
@pytest.mark.parametrize("place", ALONE)
def test_an_interrupt_in_the_middle_of_a_run_alone(place: str, tmp_path: Path) -> None:
    quiet_end(place, "1", tmp_path)


def quiet_end(place: str, workers: str, tmp_path: Path) -> None:
    few = (
        ("--trials", "60")
        if place.rpartition(".")[2] in ("finish", "close", "report", "erase")
        else ()
    )
    code, said = interrupted(tmp_path, "plain", place, "--workers", workers, *few)
    assert "Traceback" not in said, said
    assert code == 130


def test_an_interrupt_when_all_is_done(tmp_path: Path) -> None:
    program = f"""
import atexit, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
atexit.register(signal.raise_signal, {int(signal.SIGINT)})
sys.argv[1:] = ["--version"]
from ldptui.__main__ import main
sys.exit(main())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.startswith("ldptui ")
    assert done.stderr == ""
    assert done.returncode == -signal.SIGINT
