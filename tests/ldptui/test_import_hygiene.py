"""The imports of each way to start: `--version` and `--help` must stay cheap."""

from __future__ import annotations

import subprocess
import sys

import pytest
from support.imports import HEAVY, LIGHT, imported


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--version",), 0),
        (("--help",), 0),
        (("run", "--help"), 0),
        (("theory", "--help"), 0),
        (("scenarios", "--help"), 0),
        (("run", "--no-such-option"), 2),
        (("--no-such-option",), 2),
    ],
)
def test_help_imports_nothing_heavy(arguments: tuple[str, ...], code: int) -> None:
    got, names = imported(*arguments)
    assert got == code
    assert "argparse" in names
    assert not names & set(HEAVY)
    assert {name for name in names if name.startswith("ldptui.core.")} <= LIGHT
    assert not {
        name for name in names if name.startswith(("ldptui.session.draft", "ldptui.scenarios"))
    }


def test_a_headless_run_needs_no_screen() -> None:
    code, names = imported("run", "quickstart", "--trials", "1", "--set", "attack.share=0.1")
    assert code == 0
    assert {"numpy", "pydantic"} <= names
    assert not names & {"textual", "rich", "plotext", "scipy"}


@pytest.mark.parametrize(
    "module",
    ["ldptui.core", "ldptui.scenarios", "ldptui", "ldptui.commands.cli", "ldptui.text.format"],
)
def test_a_package_alone_imports_nothing_heavy(module: str) -> None:
    program = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert not set(done.stdout.split()) & set(HEAVY)


def test_the_worker_needs_no_screen() -> None:
    program = "import sys, ldptui.engine.worker.{}, ldptui.engine.worker.{}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program.format("__main__", "run")],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert not set(done.stdout.split()) & {"textual", "rich", "plotext", "asyncio"}


def test_core_never_imports_the_screen() -> None:
    rooms = "ldptui.core.export, ldptui.core.running.runner, ldptui.core.theory"
    program = f"import sys, {rooms}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    names = set(done.stdout.split())
    assert not names & {"textual", "rich", "plotext", "platformdirs"}
    ours = {name for name in names if name.partition(".")[0] == "ldptui"} - {"ldptui"}
    assert {name for name in ours if not f"{name}.".startswith("ldptui.core.")} == set()


FIRST_FRAME = """import sys; from ldptui.app import Workbench
from ldptui.screens.workbench.screen import WorkbenchScreen
from ldptui.terminal.settings import Settings
WorkbenchScreen._begin = lambda screen: screen.app.exit()
Workbench(Settings()).run(headless=True, size=(120, 40))"""
"""The workbench up to its first frame, which nobody waits for longer than half a second."""


@pytest.mark.parametrize(
    ("program", "heavy"),
    [
        (FIRST_FRAME, ("numpy scipy pydantic plotext ldptui.core.scenario ldptui.core.theory "
                      "ldptui.charts.draw")),
        ("import ldptui.explain.equations as e; e.search('x')", "numpy textual plotext pydantic"),
        ("import ldptui.session.draft", "numpy pydantic ldptui.core.scenario plotext tomlkit"),
        ("from ldptui import catalogue as c; c.key_words('seed'); c.families()",
         "numpy textual rich plotext pydantic"),
        ("import ldptui.screens.workbench.report, ldptui.screens.workbench.equations",
         "numpy plotext pydantic scipy"),
        ("import ldptui.app, ldptui.screens.workbench", "ldptui.lab ldptui.screens.lab"),
        ("from ldptui.commands import cli as c; c.parser_of('a.toml'); c.app_parser()",
         "ldptui.lab.topics ldptui.commands.options numpy textual"),
        ("import ldptui.screens.lab.screen", "numpy scipy pydantic plotext"),
        ("import ldptui.charts.draw, ldptui.widgets.plot", "numpy plotext pydantic"),
    ],
)  # fmt: skip
def test_what_opens_between_two_frames_loads_nothing_heavy(program: str, heavy: str) -> None:
    program = f"import sys; {program}\nprint(*(set({heavy.split()}) & sys.modules.keys()))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == ""
