"""The dialog that saves the scenario."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from ldptui.core.base.errors import FileError
from ldptui.core.base.files import write_atomically

from ...terminal import places
from ...widgets.dialog import Dialog, ModalScreen
from ...widgets.path_field import PathField
from .open import home_as_tilde, is_bundled

if TYPE_CHECKING:
    from ...session.draft import Draft


class SaveScreen(ModalScreen[Path | None]):
    """Writes the draft's text; the result is the absolute path it has now, None when left.

    A file that holds something else than the draft began from is only overwritten when enter is
    pressed again. What goes wrong is said in the dialog, which stays.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Close", id="save.close"),
    ]

    def __init__(self, draft: Draft) -> None:
        super().__init__()
        self._draft = draft
        self._goal = default_path(draft)
        self._asked: Path | None = None
        self._field = PathField(folder_of(draft), home_as_tilde(self._goal), ".toml", rows=8)

    def compose(self) -> ComposeResult:
        with Dialog("Save the scenario", "enter saves · tab completes · esc closes"):
            yield self._field

    def on_mount(self) -> None:
        self._say_where(self._goal)

    def on_path_field_changed(self, event: PathField.Changed) -> None:
        self._asked = None
        path = self._field.absolute(event.text)
        if event.text.strip() and not places.is_folder(path):  # enter looks into a folder
            self._say_where(with_suffix(path))

    def _say_where(self, path: Path) -> None:
        self._field.tell(f"→ {path}")

    def on_path_field_chosen(self, event: PathField.Chosen) -> None:
        event.stop()
        path, field = with_suffix(event.path), self._field
        question = reason_to_ask(self._draft, path)
        if question is not None and path != self._asked:
            self._asked = path
            field.tell(f"{question}; enter again saves", asking=True)
            return
        try:
            save_text(path, self._draft.text)
        except FileError as error:
            field.tell(str(error), refused=True)
            return
        self.dismiss(path)


def save_text(path: Path, text: str) -> None:
    """Write a scenario whole or not at all, through links; raises FileError."""
    if places.is_folder(path):
        raise FileError(f"{path} cannot be written: it is a folder")
    try:
        write_atomically(path.resolve(), text)
    except UnicodeEncodeError as error:
        raise FileError(f"{path} cannot be written: the text is not valid Unicode") from error
    except ValueError as error:  # a path that can be none
        raise FileError(f"{path} cannot be written: {error}") from error


def folder_of(draft: Draft) -> Path:
    """The folder where a relative path begins: the scenario's, but never inside the program."""
    return places.current_dir() if is_bundled(draft.folder) else draft.folder


def default_path(draft: Draft) -> Path:
    """The draft's own file; for a bundled scenario or none, one of the user's own by its name."""
    if draft.path is not None and not is_bundled(draft.path):
        return draft.path.absolute()
    if draft.path is not None:
        return places.scenarios_dir() / draft.path.name
    title = str((draft.document or {}).get("title", ""))
    return places.scenarios_dir() / f"{_name_from(title) or 'scenario'}.toml"


def _name_from(title: str) -> str:
    """The first words of a title, as a file's name."""
    words = re.sub(r"[^a-z0-9]+", " ", title.casefold()).split()
    name = ""
    for word in words:
        if len(name) + len(word) >= 40:
            break
        name += f"-{word}" if name else word
    return name


def with_suffix(path: Path) -> Path:
    """The library and the completion look for `.toml`."""
    return path if path.suffix or not path.name else path.with_name(f"{path.name}.toml")


def reason_to_ask(draft: Draft, path: Path) -> str | None:
    """Why saving to this path needs a second thought; None if it does not."""
    if places.is_there(path):
        try:
            saved = path.read_text(encoding="utf-8-sig").replace("\r\n", "\n")
        except (OSError, ValueError):
            return f"{path} exists, and is no text that can be read"
        if saved == draft.text:
            return None
        if path != draft.path:
            return f"{path} exists"
        return f"{path} was changed by another program" if saved != draft.saved_text else None
    population = (draft.document or {}).get("population")
    data = population.get("path") if isinstance(population, dict) else None
    if isinstance(data, str) and data and not Path(data).expanduser().is_absolute():
        moved = path.parent.absolute() != draft.folder.absolute()
        if moved and not places.is_there(path.parent / data):
            return f"the scenario reads {data}, which is not in {path.parent}: copy it there"
    return None
