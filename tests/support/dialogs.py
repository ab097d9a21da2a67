"""The dialogs, each over an empty app, in a home with scenarios of each sort."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.content import Content
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input, Static

from ldptui.session.draft import Draft, draft_of
from ldptui.terminal import places
from ldptui.widgets.path_field import PathField
from support.styled_app import StyledApp

GOOD = """# Claim: nothing at all.
# Source: none.
format = 1
title = "A good one"

[population]
kind = "uniform"
items = 16
users = 1000

[protocol]
kind = "oue"
epsilon = 1.0
"""


class Bare(StyledApp):
    """Shows one dialog and keeps what it answered."""

    def __init__(self, dialog: Screen[Any]) -> None:
        super().__init__()
        self.dialog = dialog
        self.answers: list[object] = []

    def on_mount(self) -> None:
        self.push_screen(self.dialog, self.answers.append)

    def said(self) -> str:
        """The sentence under the path."""
        line = self.dialog.query_one(PathField).query_one(Static)
        return line.visual.plain if isinstance(line.visual, Content) else str(line.visual)


@pytest.fixture(name="folder")
def scenario_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a scenario of each sort, and the folder that the user works in."""
    (tmp_path / "notes" / "sub").mkdir(parents=True)
    (tmp_path / "notes" / "good.toml").write_text(GOOD, encoding="utf-8")
    (tmp_path / "notes" / "goods.csv").write_text("a\n", encoding="utf-8")
    bad = GOOD.replace("epsilon = 1.0", "epsilon = 99")
    (tmp_path / "notes" / "bad.toml").write_text(bad, encoding="utf-8")
    (tmp_path / "notes" / "broken.toml").write_text("format = \n", encoding="utf-8")
    (tmp_path / "notes" / "pyproject.toml").write_text("[tool.x]\ny = 1\n", encoding="utf-8")
    (tmp_path / "notes" / "latin.toml").write_bytes(b"title = '\xe9'\n")
    (tmp_path / "notes" / ".hidden.toml").write_text(GOOD, encoding="utf-8")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(places, "scenarios_dir", lambda: tmp_path / "own")
    monkeypatch.chdir(tmp_path / "notes")
    return tmp_path / "notes"


async def type_in(pilot: Pilot[Any], text: str) -> None:
    pilot.app.screen.query_one(Input).value = text
    await pilot.pause()


def draft_in(folder: Path, name: str | None = "good.toml") -> Draft:
    return draft_of(GOOD, folder, folder / name if name else None)
