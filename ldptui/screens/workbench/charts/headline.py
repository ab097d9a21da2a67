"""The result on the screen, in the border of the pane, and the claim of the scenario."""

from __future__ import annotations

from typing import Final

from rich.cells import cell_len
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import Static

from ....text.prose import first_lines
from ....widgets.words import put, put_or_hide, spelled
from .shown import Shown

ROOM: Final = (19, 27, 40)
"""Rows of the pane from which a line says what the scenario claims, a second and a third one."""


def border_title(pane: Widget, shown: Shown) -> Content:
    """The title of the pane with the run that is shown; one of other settings stands out."""
    name = str(pane.BORDER_TITLE)
    texts = [spelled(pane, text) for text in shown.results]
    if not texts[0]:
        return Content(name)
    room = pane.outer_size.width - len(f"╭─ {name} ·  ─╮")
    text = next((text for text in texts if cell_len(text) <= room), texts[-1])
    style = "$text-warning" if shown.marked else "$foreground"
    return Content.assemble(f"{name} · ", (text, style))


class ClaimLine(Static):
    """The claim of the scenario, or how it begins; nothing where it claims nothing."""

    DEFAULT_CSS = """
    ClaimLine {
        height: auto;
        text-wrap: nowrap;
        text-overflow: ellipsis;
        color: $text-muted;
    }
    """

    def __init__(self) -> None:
        super().__init__(markup=False)

    def show(self, shown: Shown, room: Size) -> int:
        """Say what is claimed, in a pane of this size; the lines that it takes.

        room : without rows where there is no chart.
        """
        most = sum(room.height >= rows for rows in ROOM)
        claim = shown.claim if most else ""
        lines = first_lines(claim, room.width, most) if claim else []
        put_or_hide(self, "\n".join(lines))
        return len(lines)


class Warnings(Static):
    """The reasons to doubt the results, a line each."""

    DEFAULT_CSS = """
    Warnings {
        height: auto;
        max-height: 4;
        color: $text-warning;
        &:ansi { text-style: bold; }
    }
    """

    def __init__(self) -> None:
        super().__init__(id="warnings", markup=False)

    def show(self, shown: Shown, over_charts: bool) -> None:
        """Say them over charts; tables and texts have no room for them."""
        text = "\n".join(f"! {sentence}" for sentence in shown.warnings)
        put(self, text)
        self.display = bool(text) and over_charts
