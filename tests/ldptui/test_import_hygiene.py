"""The imports of each way to start: `--version` and `--help` must stay cheap."""

from __future__ import annotations

import pytest
from support.imports import HEAVY, LIGHT, imported, printed

from ldptui.commands.command_list import MODULES


def test_help_imports_nothing_heavy() -> None:
    named = (*MODULES, "check")
    commands = [*((name, "--help") for name in named), ("--version",), ("--help",)]
    wrong = [("run", "--no-such-option"), ("--no-such-option",)]
    given = [*commands, *wrong]
    found = list(imported(*given))
    assert [code for code, _ in found] == [0] * len(commands) + [2] * len(wrong)
    for arguments, (_, names) in zip(given, found, strict=True):
        assert "argparse" in names
        assert not names & {*HEAVY, "sqlite3", "ldptui.core.store"}, arguments
        assert {name for name in names if name.startswith("ldptui.core.")} <= LIGHT, arguments
        late = ("ldptui.session.draft", "ldptui.scenarios")
        assert not {name for name in names if name.startswith(late)}, arguments


def test_a_headless_run_needs_no_screen() -> None:
    ((code, names),) = imported(("run", "quickstart", "--trials", "1", "--set", "attack.share=0.1"))
    assert code == 0
    assert {"numpy", "pydantic"} <= names
    assert not names & {"textual", "rich", "plotext", "scipy"}


def test_a_package_alone_imports_nothing_heavy() -> None:
    """None of them does where all of them together do not."""
    packages = "ldptui.core, ldptui.scenarios, ldptui, ldptui.commands.cli, ldptui.text.format"
    assert not set(printed(f"import sys, {packages}; print(*sys.modules)").split()) & set(HEAVY)


def test_neither_the_core_nor_the_worker_needs_a_screen() -> None:
    core, worker = printed("""import sys
import ldptui.core.export, ldptui.core.running.runner, ldptui.core.theory
print(*sys.modules)
import ldptui.engine.worker.__main__, ldptui.engine.worker.run
print(*sys.modules)""").splitlines()
    assert not set(worker.split()) & {"textual", "rich", "plotext", "asyncio"}
    names = set(core.split())
    assert not names & {"textual", "rich", "plotext", "platformdirs"}
    ours = {name for name in names if name.partition(".")[0] == "ldptui"} - {"ldptui"}
    assert {name for name in ours if not f"{name}.".startswith("ldptui.core.")} == set()


FIRST_FRAME = """from ldptui.app import Workbench
from ldptui.screens.workbench.screen import WorkbenchScreen
from ldptui.terminal.settings import Settings
WorkbenchScreen._begin = lambda screen: screen.app.exit()
Workbench(Settings()).run(headless=True, size=(120, 40))"""
"""The workbench up to its first frame, which nobody waits for longer than half a second."""

WITHOUT_A_SCREEN = {
    "import ldptui.explain.equation_list as e; e.search('x')": "numpy textual plotext pydantic",
    "from ldptui import catalogue as c; c.key_words('seed'); c.families()":
        "numpy textual rich plotext pydantic",
    "from ldptui.commands import cli as c, help_parser as h; h.app_parser()":
        "ldptui.questions.topics ldptui.commands.option_groups numpy textual",
    "c.parser_of('run'); c.parser_of('serve')":
        "ldptui.questions.topics ldptui.questions.collection ldptui.charts.kinds "
        "ldptui.commands.runs_commands ldptui.commands.run_lookup numpy textual",
    "import ldptui.commands.reports_opening as o, ldptui.engine.engine; "
    "o.load_question(o.FIRST).check({'reports': 'x'}); o.starting(o.FIRST, None)":
        "numpy pydantic plotext",
    "import ldptui.session.draft": "numpy pydantic ldptui.core.scenario plotext tomlkit",
}  # fmt: skip
BETWEEN_FRAMES = {
    "import ldptui.app, ldptui.screens.workbench": "ldptui.screens.lab",
    FIRST_FRAME:
        "numpy scipy pydantic plotext ldptui.core.scenario ldptui.core.theory ldptui.charts.draw",
    "import ldptui.screens.lab.lab_screen": "numpy scipy pydantic plotext",
    "import ldptui.screens.workbench.report_view, ldptui.screens.workbench.equations_view":
        "numpy plotext pydantic scipy",
    "import ldptui.charts.draw, ldptui.widgets.plot": "numpy plotext pydantic",
}  # fmt: skip
"""A command, and the modules that are not there after it and all before it."""


@pytest.mark.parametrize("opened", [WITHOUT_A_SCREEN, BETWEEN_FRAMES])
def test_what_opens_between_two_frames_loads_nothing_heavy(opened: dict[str, str]) -> None:
    """In one process, which starts Python once; a mutant at the end is seen."""
    steps = [*opened.items(), ("import plotext", "plotext")]
    program = ["import sys"]
    for step, heavy in steps:
        program += [step, f"print(*(set({heavy.split()}) & sys.modules.keys()))"]
    loaded = printed("\n".join(program)).splitlines()
    assert dict(zip(dict(steps), loaded, strict=True)) == {
        step: "plotext" if step == "import plotext" else "" for step, _ in steps
    }
