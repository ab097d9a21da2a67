"""Nothing that data holds steers the terminal, whichever widget of the app shows it."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.segment import Segment
from rich.text import Text
from support.workbench_app import own_home, workbench
from textual.app import App
from textual.color import Color
from textual.strip import Strip
from textual.widgets import Static

from ldptui.terminal.printable import PrintableFilter

__all__ = ["own_home"]

STEERING = "\x1b[2J\x00\x07\x9b\u202e\u2028\ufeff\ud800"
BLACK = Color(0, 0, 0)


def drawn(app: App[None]) -> str:
    """All text of the screen, as it goes to the terminal."""
    strips = app.screen._compositor.render_strips()
    return "".join(segment.text for strip in strips for segment in strip)


@pytest.mark.parametrize("text", ["abc", f"a{STEERING}b", "漢\u3000字", "a\u00a0b"])
def test_a_line_keeps_its_width(text: str) -> None:
    before = Strip([Segment(text)])
    after = Strip(PrintableFilter().apply([Segment(text)], BLACK))
    assert after.text.isprintable()
    assert Strip([Segment(after.text)]).cell_length == before.cell_length


async def test_no_widget_lets_data_steer_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        'format = 1\ntitle = "T\\u001b[2J\\u202e\\u2028x"\n[population]\nkind = "uniform"\n'
        "items = 8\nusers = 100\n"
        '[protocol]\nkind = "oue"\nepsilon = 1.0\n',
        encoding="utf-8",
    )
    async with workbench(path=path) as (screen, _, pilot):
        for key in ("f2", "ctrl+o"):
            await screen.mount(Static(Text(f"seen {STEERING}")), before=0)
            await pilot.press(key)
            await pilot.pause()
            text = drawn(screen.app)
            assert text.isprintable()
