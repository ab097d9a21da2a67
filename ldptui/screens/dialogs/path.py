"""The dialog that asks for a file: one to read, or one to write."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from ...terminal.places import is_file, is_folder, is_there
from ...widgets.dialog import Dialog, ModalScreen
from ...widgets.path_field import Ends, PathField


class PathScreen(ModalScreen[Path | None]):
    """Asks for the path of a file whose name ends so; the result is absolute, None when left.

    writes : the file is to be written: one that is there is asked about first. Else it has to be
    there.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Close", id="path.close"),
    ]

    def __init__(
        self, title: str, folder: Path, suffix: Ends, text: str = "", writes: bool = False
    ) -> None:
        super().__init__()
        self._title, self._folder, self._suffix = title, folder, suffix
        self._text, self._writes = text, writes
        self._asked: Path | None = None

    def compose(self) -> ComposeResult:
        verb = "writes" if self._writes else "chooses"
        hint = f"enter {verb} · tab completes · ↑ ↓ choose · esc closes"
        with Dialog(self._title, hint):
            yield PathField(self._folder, self._text, self._suffix, rows=10)

    def on_path_field_changed(self, event: PathField.Changed) -> None:
        event.stop()
        self._asked = None

    def on_path_field_chosen(self, event: PathField.Chosen) -> None:
        event.stop()
        field, path = self.query_one(PathField), event.path
        if not self._writes and not is_file(path):
            field.tell(f"{path} does not exist", refused=True)
        elif self._writes and not is_folder(path.parent):
            field.tell(f"{path.parent} is not a folder", refused=True)
        elif self._writes and is_there(path) and path != self._asked:
            self._asked = path
            field.tell(f"{path} exists; enter again overwrites it", asking=True)
        else:
            self.dismiss(path)
