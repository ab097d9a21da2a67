"""The dialogs that write a file: one saves the scenario, one exports."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets.option_list import Option

from ldptui.core.base.errors import FileError
from ldptui.core.base.files import is_folder, is_there

from ...session.exporting import COLUMNS, DRAWN, ExportChoice, What, default_path, save_text
from ...terminal import places
from ...terminal.places import current_dir
from ...widgets.dialog import Dialog, ModalScreen
from ...widgets.option_list import LineList
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
        self._goal = own_path(draft)
        self._field = PathField(folder_of(draft), home_as_tilde(self._goal), ".toml", rows=8)

    def compose(self) -> ComposeResult:
        with Dialog("Save the scenario", "enter saves · tab completes · esc closes"):
            yield self._field

    def on_mount(self) -> None:
        self._say_where(self._goal)

    def on_path_field_changed(self, event: PathField.Changed) -> None:
        path = self._field.absolute(event.text)
        if event.text.strip() and not is_folder(path):  # enter looks into a folder
            self._say_where(with_suffix(path))

    def _say_where(self, path: Path) -> None:
        self._field.tell(f"→ {path}")

    def on_path_field_chosen(self, event: PathField.Chosen) -> None:
        event.stop()
        path, field = with_suffix(event.path), self._field
        question = reason_to_ask(self._draft, path)
        if question is not None and not field.sure(path, f"{question}; enter again saves"):
            return
        try:
            save_text(path, self._draft.text)
        except FileError as error:
            field.tell(str(error), refused=True)
            return
        self.dismiss(path)


def folder_of(draft: Draft) -> Path:
    """The folder where a relative path begins: the scenario's, but never inside the program."""
    return places.current_dir() if is_bundled(draft.folder) else draft.folder


def own_path(draft: Draft) -> Path:
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
    if is_there(path):
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
        if moved and not is_there(path.parent / data):
            return f"the scenario reads {data}, which is not in {path.parent}: copy it there"
    return None


CHOICES: Final[dict[What, tuple[str, str]]] = {
    "csv-cells": ("Results, CSV", "a row per cell: metrics ± error"),
    "json": ("Results, JSON", "the same, and all frequencies"),
    "csv": ("Trials, CSV", "a row per trial of a kept run"),
    "chart-text": ("Chart, text", "as wide and high as it is shown"),
    "chart-svg": ("Chart, SVG", "scales, in the theme's colours"),
    "figure-column": ("Figure, 84 mm", "one column: .pdf .svg .png"),
    "figure": ("Figure, 174 mm", "one page: .pdf .svg .png"),
    "screen-svg": ("Screen, SVG", "everything that is on the screen"),
}


class ExportScreen(ModalScreen[ExportChoice | None]):
    """Choose what with up and down, change the name if need be, and press enter.

    The name follows the choice until it is edited, and has its suffix where it is left out. An
    existing file is asked about first. stem : the beginning of names. chart : the chart shown.
    why_no_figure : why it cannot be drawn for paper, which is said in the dialog.
    """

    # Not by hand when it is mounted: the app may be ending by then.
    AUTO_FOCUS = "LineList"

    DEFAULT_CSS = """
    ExportScreen {
        & > Dialog > LineList {
            height: auto;
            margin: 0 1 1 1;
        }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Close", id="export.close"),
        Binding("j", "cursor('down')", "Next", show=False, id="export.next"),
        Binding("k", "cursor('up')", "Previous", show=False, id="export.previous"),
    ]

    def __init__(
        self, stem: str = "ldptui", chart: str = "chart", why_no_figure: Callable[[], str] = str
    ) -> None:
        super().__init__()
        self._stem, self._chart, self._why_no_figure = stem, chart, why_no_figure
        self._folder = current_dir()
        self._what: What = "csv-cells"
        self._proposed = ""

    def compose(self) -> ComposeResult:
        with Dialog("Export", "enter exports · ↑ ↓ choose · tab edits the name · esc closes"):
            yield LineList(
                *(
                    Option(
                        Content.assemble(
                            f"{name:<16}", Content.styled(explained, "$foreground-muted")
                        ),
                        id=what,
                    )
                    for what, (name, explained) in CHOICES.items()
                ),
            )
            yield PathField(self._folder, rows=4)

    def on_mount(self) -> None:
        for choices in list(self.query(LineList))[:1]:  # none where the app ends meanwhile
            choices.highlighted = 0

    def on_option_list_option_highlighted(self, event: LineList.OptionHighlighted) -> None:
        event.stop()
        self._what = next(what for what in CHOICES if what == event.option_id)
        field = self.query_one(PathField)
        if field.text == self._proposed:
            self._proposed = home_as_tilde(self._default)
            field.text = self._proposed

    @property
    def _default(self) -> Path:
        return default_path(self._what, self._stem, self._folder, self._chart)

    def on_path_field_changed(self, event: PathField.Changed) -> None:
        if event.text.strip():
            field = self.query_one(PathField)
            field.tell(f"→ {field.absolute(event.text)}")

    def on_option_list_option_selected(self, event: LineList.OptionSelected) -> None:
        event.stop()
        text = self.query_one(PathField).text
        if text.strip():
            self._export(self.query_one(PathField).absolute(text))

    def on_path_field_chosen(self, event: PathField.Chosen) -> None:
        event.stop()
        self._export(event.path)

    def _export(self, path: Path) -> None:
        field = self.query_one(PathField)
        if is_folder(path):
            field.tell(f"{path} is a folder: add a name", refused=True)
            return
        path = path if path.suffix else path.with_suffix(self._default.suffix)
        if self._what in COLUMNS and (reason := self._why_no_figure()):
            field.tell(reason, refused=True)
        elif self._what in COLUMNS and path.suffix not in DRAWN:
            ends = ", ".join(DRAWN)
            field.tell(f"a figure ends in {ends}, got {path.name}", refused=True)
        elif not is_there(path) or field.sure(path, f"{path} exists; enter again overwrites it"):
            self.dismiss(ExportChoice(self._what, path))

    def action_cursor(self, way: str) -> None:
        options = self.query_one(LineList)
        (options.action_cursor_down if way == "down" else options.action_cursor_up)()
