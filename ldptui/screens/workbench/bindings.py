"""The keys of the whole workbench screen; panes and fields have their own."""

from __future__ import annotations

from typing import Final

from textual.binding import Binding, BindingType

from ...terminal.keyboard import ALT_DIGITS
from .title import NAMES

KEYS: Final[list[BindingType]] = [
    Binding("ctrl+r", "run", "Run", id="run.start"),
    Binding("escape", "cancel", "Stop", id="run.cancel", show=False),
    Binding("ctrl+c", "copy_or_cancel", "Copy what is selected, or cancel", show=False,
            id="run.cancel-too"),
    Binding("ctrl+s", "save", "Save", id="file.save"),
    Binding("ctrl+o", "open", "Open", id="file.open"),
    Binding("ctrl+l", "library", "Library", id="file.library", show=False),
    Binding("ctrl+e", "export", "Export", id="file.export"),
    Binding("6", "lab", "Lab", id="lab.open"),
    Binding(f"f7,alt+6,{ALT_DIGITS[5]}", "lab", "Lab", id="lab.open.anywhere", priority=True),
    Binding("R", "lab(True)", "Reports", id="reports.open", show=False),
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
        Binding(str(number), f"pane({number})", f"Pane {number}", show=False,
                id=f"pane.{number}")
        for number in NAMES
    ),
    *(
        Binding(f"alt+{number},f{number + 1},{ALT_DIGITS[number - 1]}", f"pane({number})",
                f"Pane {number}", show=False, priority=True, id=f"pane.{number}.anywhere")
        for number in NAMES
    ),
]  # fmt: skip
