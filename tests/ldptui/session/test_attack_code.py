"""An attack in Python is written from the workbench: a copy of the example, edited, then run."""

from __future__ import annotations

import contextlib
import subprocess
from pathlib import Path

import pytest
from support.waiting import until
from support.workbench_app import own_home, status, workbench  # noqa: F401

from ldptui import core
from ldptui.core.plugins import CodePermission, permit_code
from ldptui.core.scenario import Scenario
from ldptui.messages import KeyEdited
from ldptui.screens.workbench.attack_pane import AttackPane
from ldptui.session.attack_code import editor_command, find_attack_code, syntax_fault
from ldptui.session.draft import value_of


def test_a_new_attack_is_a_copy_of_the_example_that_runs(tmp_path: Path) -> None:
    path, line, name = find_attack_code(tmp_path, "")
    assert (path, line, name) == (tmp_path / "my_attack.py", 0, "my_attack")
    document = {
        "format": 1, "trials": 2,
        "population": {"kind": "zipf", "items": 16, "users": 1000, "exponent": 1.0},
        "protocol": {"kind": "olh", "epsilon": 1.0},
        "attack": {"kind": "plugin", "name": name, "share": 0.05,
                   "targets": {"pick": "least-frequent", "count": 2}},
    }  # fmt: skip
    experiment = permit_code(
        core.compile(Scenario(document)), permission=CodePermission(files=(path,))
    )
    *_, last = core.run(experiment)
    assert last.results.complete

    path.write_text("\n" + path.read_text(), encoding="utf-8")
    again, line, _ = find_attack_code(tmp_path, name)  # what is there stays
    assert again == path
    assert path.read_text(encoding="utf-8").splitlines()[line - 1].startswith("def my_attack")


@pytest.mark.parametrize(
    ("variables", "command"),
    [
        ({}, ["vi", "+3", "a.py"]),
        ({"EDITOR": "nano"}, ["nano", "+3", "a.py"]),
        ({"EDITOR": "nano", "VISUAL": "code --wait"}, ["code", "--wait", "+3", "a.py"]),
    ],
)
def test_the_editor_is_the_users(
    variables: dict[str, str], command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert editor_command(Path("a.py"), 3) == command


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        (b"def f():\n    pass\n", ""),
        (b"import nothing_like_it\n", ""),
        (b"s = '\\d'\n", ""),
        (b"def f():\n    a = 1\n  b = 2\n", "a.py line 3: unindent does not match"),
        (b"a = 1\0\n", "a.py"),
    ],
)
def test_a_fault_of_syntax_is_said_with_its_line(code: bytes, fault: str, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(code)
    assert syntax_fault(path).startswith(fault)
    assert bool(syntax_fault(path)) == bool(fault)


async def test_e_writes_an_attack_and_runs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edited: list[list[str]] = []
    monkeypatch.chdir(tmp_path)
    code = tmp_path / "my_attack.py"

    def edit(command: list[str], **_: object) -> None:  # a wrong line first, then none
        text = code.read_text(encoding="utf-8")
        wrong = "" if edited else "  wrong\n"
        code.write_text(text.removesuffix("  wrong\n") + wrong, encoding="utf-8")
        edited.append(command)

    monkeypatch.setattr(subprocess, "run", edit)
    async with workbench() as (screen, engine, pilot):
        monkeypatch.setattr(pilot.app, "suspend", contextlib.nullcontext)
        assert not screen.query_one(AttackPane).check_action("write_code", ())
        screen.post_message(KeyEdited("attack.kind", "plugin"))
        await until(pilot, lambda: value_of(screen.draft, "attack.kind") == "plugin")
        await pilot.press("3", "e")
        await until(pilot, lambda: edited)
        assert Path(edited[0][-1]).name == "my_attack.py"
        await until(pilot, lambda: value_of(screen.draft, "attack.name") == "my_attack")
        await until(pilot, lambda: "my_attack.py line" in status(screen))
        assert not engine.requests[-1].full
        await pilot.press("e")
        await until(pilot, lambda: engine.requests[-1].full)
        assert engine.requests[-1].python_code == (("attack", "my_attack"),)
