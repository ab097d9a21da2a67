"""The frame of the workbench: its title, its keys, the words where a terminal is too small."""

from __future__ import annotations

from typing import Final

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive
from textual.style import Style
from textual.widget import Widget

from ...terminal.keyboard import ALT_DIGITS
from ...widgets.words import cut_at_word

NAMES: Final = {
    1: "Protocol", 2: "Parameters", 3: "Attack", 4: "Charts", 5: "Runs",
}  # fmt: skip
"""The panes by their numbers; 6 is the lab."""
ROOM_FOR_TITLE: Final = 24
"""Columns that a title needs to be told from others; the program's name gives way to it."""


class TitleBar(Widget):
    """The title of the scenario, with ● while it is unsaved; on small screens also the tabs of the
    panes.

    pane : the number of the only visible pane, 0 if all are visible.
    """

    scenario: reactive[str] = reactive("")
    modified: reactive[bool] = reactive(False)
    pane: reactive[int] = reactive(4)

    def render(self) -> Content:
        name, on, muted = "$text-accent bold", "$text-accent bold underline", "$foreground-muted"
        width, tabs = self.size.width, sum(len(pane) + 4 for pane in NAMES.values())
        parts: list[Content] = []
        if not self.pane:
            parts = [Content.styled("ldptui", name), Content.styled(" │ ", muted)]
        elif width >= len("ldptui  ") + tabs + ROOM_FOR_TITLE:
            parts = [Content.styled("ldptui  ", name)]
        for number, pane in NAMES.items() if self.pane else ():
            shown = number == self.pane
            words = f" {pane}" if width >= tabs or shown else ""
            tab = Content.assemble(
                (f"{number}", on if shown else name), (words, on if shown else muted)
            )
            go = Style.from_meta({"@click": f"screen.pane({number})"})
            parts += tab.stylize(go), Content("  ")
        parts += Content.styled("● " * self.modified, name), Content.styled(self.scenario, muted)
        return cut_at_word(Content("").join(parts), width)


KEYS: Final[list[BindingType]] = [
    Binding("enter", "repair", "Repair", priority=True, id="draft.repair"),
    Binding("ctrl+r", "run", "Run", id="run.start"),
    Binding("escape", "cancel", "Stop", id="run.cancel", show=False),
    Binding("ctrl+c", "copy_or_cancel", "Copy what is selected, or cancel", show=False,
            id="run.cancel-too"),
    Binding("ctrl+s", "save", "Save", id="file.save"),
    Binding("ctrl+o,ctrl+l", "open", "Open", id="file.open"),
    Binding("ctrl+e", "export", "Export", priority=True, id="file.export"),
    Binding("6", "lab", "Lab", id="lab.open"),
    Binding(f"f7,alt+6,{ALT_DIGITS[5]}", "lab", "Lab", id="lab.open.anywhere", priority=True),
    Binding("R", "lab('reports')", "Reports", id="reports.open", show=False),
    Binding("M", "lab('deployment')", "My deployment", id="deployment.open"),
    Binding("ctrl+z", "undo", "Undo", id="draft.undo", show=False),
    Binding("ctrl+y", "redo", "Redo", id="draft.redo", show=False),
    Binding("question_mark,f1", "help", "Help", id="help"),
    Binding("z,enter", "zoom", "Zoom", id="pane.zoom"),  # enter is a field's or a list's first
    Binding("alt+z", "zoom", "Zoom", id="pane.zoom.anywhere", priority=True),
    Binding("y", "copy", "Copy", id="chart.copy", show=False),
    # Before the field with the focus hears of it: a key that follows at once is for the next.
    Binding("tab", "app.focus_next", "Next field", show=False, priority=True,
            id="field.next"),
    Binding("shift+tab", "app.focus_previous", "Field before", show=False, priority=True,
            id="field.previous"),
    *(
        Binding(str(number), f"pane({number})", "Panes" if number == 1 else f"Pane {number}",
                show=number == 1, key_display="1…6" if number == 1 else None, id=f"pane.{number}")
        for number in NAMES
    ),
    *(
        Binding(f"alt+{number},f{number + 1},{ALT_DIGITS[number - 1]}", f"pane({number})",
                f"Pane {number}", show=False, priority=True, id=f"pane.{number}.anywhere")
        for number in NAMES
    ),
]  # fmt: skip


SMALLEST: Final = Size(60, 18)


def too_small(size: Size) -> str:
    """The sentence that says how large the terminal must be; "" if it is large enough."""
    if size.width >= SMALLEST.width and size.height >= SMALLEST.height:
        return ""
    return (
        f"ldptui needs {SMALLEST.width} × {SMALLEST.height} characters,\n"
        f"this terminal has {size.width} × {size.height}."
    )
