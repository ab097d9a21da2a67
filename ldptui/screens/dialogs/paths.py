"""The dialogs that ask for a path: of what is opened, read or written, and of the scenario."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, TypeAlias

from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static
from textual.widgets.option_list import Option

from ldptui import scenarios
from ldptui.core.base.errors import FileError, ScenarioError
from ldptui.core.base.files import is_file, is_folder, is_there

from ...session.exporting import (
    COLUMNS,
    DRAWN,
    ExportChoice,
    What,
    default_path,
    read_figure,
    save_text,
)
from ...terminal import places
from ...terminal.places import current_dir
from ...widgets.dialog import Dialog, ModalScreen
from ...widgets.option_list import LineList
from ...widgets.path_field import Ends, PathField

if TYPE_CHECKING:
    from ...session.draft import Draft


LONGEST: Final = 48
"""The most characters of a name that is made of a title, in whole words if possible."""
Check: TypeAlias = Callable[[Path], tuple[str, bool]]
"""What speaks against a path, "" for nothing; whether enter takes it when it is pressed again."""


class PathScreen(ModalScreen[Path | None]):
    """A dialog that asks for the path of a file; its result is the absolute path, or None if the
    dialog is cancelled.

    check : returns the fault of a path, and whether a second enter takes it anyway.
    verb : what enter does, for the title.
    text : the first path.
    ends : the suffixes of the names that are suggested first.
    """

    help_words = (
        "A path starts at the folder where you are, at / or, with ~, at your home. The files that "
        "it may become are named below it. Enter on a folder goes into it, on a file takes it; "
        "before another file is overwritten it asks for a second enter."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Close", id="path.close"),
    ]

    def __init__(
        self, title: str, folder: Path, check: Check, verb: str, text: str = "", ends: Ends = ""
    ) -> None:
        super().__init__()
        self._heading, self._check, self._verb = title, check, verb
        self.field = PathField(folder, text, ends)

    def compose(self) -> ComposeResult:
        with Dialog(self._heading, f"enter {self._verb} · tab completes · ↑ ↓ files · esc closes"):
            yield self.field

    def on_path_field_path_chosen(self, event: PathField.PathChosen) -> None:
        event.stop()
        self.take(event.path)

    def take(self, path: Path) -> None:
        """Close with this path, or the only file that it begins, if it has no fault, or if enter is
        pressed twice on one that may be taken.
        """
        words, asks = self._check(path)
        if words and not asks and (whole := self.field.only_file):
            path, (words, asks) = whole, self._check(whole)
        if words and not asks:
            self.field.tell(words, refused=True)
        elif not words or self.field.sure(path, f"{words}; enter again {self._verb}"):
            self.dismiss(path)


def fault_to_read(path: Path) -> tuple[str, bool]:
    """The reason why a file cannot be read ("" if it can), and False, since a second enter does not
    help.
    """
    return ("" if is_file(path) else f"{path} does not exist"), False


def fault_to_write(path: Path) -> tuple[str, bool]:
    """The reason why a file is not written, and whether a second enter writes it anyway."""
    if not is_folder(path.parent):
        return f"{path.parent} is not a folder", False
    return (f"{path} exists" if is_there(path) else ""), True


def fault_to_open(path: Path) -> str:
    """The reason why a file is not opened, in one sentence; "" if it is."""
    from ldptui.core.scenario import load

    if not (is_file(path) or is_folder(path)):
        return f"{path} is no file but a device or a pipe, which may have no end"
    try:
        if not opens_otherwise(path):
            load(path)
        elif path.suffix in DRAWN and not read_figure(path):
            return f"{path} carries no scenario of ldptui"
    except FileError as error:
        return str(error)
    except ScenarioError as error:
        return f"not a scenario: {error}"
    return ""


def opens_otherwise(path: Path) -> bool:
    """True if a file is no scenario but contains or shows a run (a recording, a figure)."""
    from ldptui.core.store.recording import is_recording

    return path.suffix in DRAWN or is_recording(path)


def is_bundled(path: Path) -> bool:
    """True if a file or folder is part of the program, and not the user's."""
    bundled = Path(str(scenarios.__file__)).parent.resolve()
    return path.resolve().is_relative_to(bundled)


def home_as_tilde(path: Path) -> str:
    """The path as text, with `~` for the user's home folder."""
    try:
        inside = path.relative_to(Path.home())
    except (ValueError, RuntimeError):
        return str(path)
    return "~" if str(inside) == "." else f"~/{inside}"


def path_from(folder: Path, path: Path) -> str:
    """The path of a file as seen from a folder that it is in, else from the home folder."""
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else home_as_tilde(path)


class SaveScreen(PathScreen):
    """A dialog that saves the draft; the result is its new absolute path, None if cancelled.

    A file that is not the one the draft was read from is overwritten only if enter is pressed
    again. The dialog shows errors and stays open.
    """

    def __init__(self, draft: Draft) -> None:
        self._draft, goal = draft, home_as_tilde(own_path(draft))
        folder = current_dir() if is_bundled(draft.folder) else draft.folder
        title = f"Save the scenario · in {home_as_tilde(folder.absolute())}"
        super().__init__(title, folder, self._doubt, "saves", goal, ".toml")

    def _doubt(self, path: Path) -> tuple[str, bool]:
        return reason_to_ask(self._draft, path) or "", True

    def take(self, path: Path) -> None:
        super().take(path if path.suffix or not path.name else path.with_name(f"{path.name}.toml"))

    def dismiss(self, result: Path | None = None) -> AwaitComplete:
        """Write the file before the dialog closes."""
        try:
            if result is not None:
                save_text(result, self._draft.text)
        except FileError as error:
            self.field.tell(str(error), refused=True)
            return AwaitComplete()
        return super().dismiss(result)


def own_path(draft: Draft) -> Path:
    """The draft's file; for a bundled scenario or an unsaved draft, a path in the user's own
    scenario folder, named after the draft.
    """
    if draft.path is not None and not is_bundled(draft.path):
        return draft.path.absolute()
    if draft.path is not None:
        return places.scenarios_dir() / draft.path.name
    title = str((draft.document or {}).get("title", "")).casefold()
    name = re.sub(r"[^a-z0-9]+", "-", title).strip("-")
    if len(name) > LONGEST:
        name = name[: LONGEST + 1].rpartition("-")[0] or name[:LONGEST]
    return places.scenarios_dir() / f"{name or 'scenario'}.toml"


def reason_to_ask(draft: Draft, path: Path) -> str | None:
    """The reason to confirm saving to this path; None if no confirmation is needed."""
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
    return None


CHOICES: Final[dict[What, tuple[str, str]]] = {
    "figure": ("Figure, 174 mm", "one page: .pdf .svg .png"),
    "figure-column": ("Figure, 84 mm", "one column: .pdf .svg .png"),
    "csv-cells": ("Results, CSV", "a row per cell: metrics ± error"),
    "json": ("Results, JSON", "the same, and all frequencies"),
    "csv": ("Trials, CSV", "a row per trial of a kept run"),
    "chart-text": ("Chart, text", "as wide and high as it is shown"),
    "chart-svg": ("Chart, SVG", "scales, in the theme's colours"),
}


class ExportScreen(ModalScreen[ExportChoice | None]):
    """A dialog that exports a run: up and down choose what is written, the name can be edited,
    enter writes the file.

    The name follows the choice until it is edited; a missing suffix is added. An existing file is
    overwritten only after a second enter. stem : the beginning of the name. chart : the name of the
    chart on the screen. check_figure : returns a sentence about drawing it for paper ("" for none),
    and whether a run comes first or it cannot be drawn. has_chart : False where the tab shows none:
    what draws one cannot be chosen.
    """

    help_words = (
        "Writes the run that is shown. A figure is the chart of the tab for a paper, of all "
        "trials: where these have not run, enter runs them first. Its format is the end of its "
        "name. Results and trials are numbers for other programs. The name follows the choice "
        "until it is edited; before a file is overwritten it asks for a second enter."
    )
    # Not by hand when it is mounted: the app may be ending by then.
    AUTO_FOCUS = "LineList"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Close", id="export.close"),
    ]

    def __init__(
        self,
        stem: str = "ldptui",
        chart: str = "chart",
        check_figure: Callable[[], tuple[str, bool]] = lambda: ("", False),
        has_chart: bool = True,
    ) -> None:
        super().__init__()
        self._stem, self._chart, self._check_figure = stem, chart, check_figure
        self._folder = current_dir()
        drawn = () if has_chart else (*COLUMNS, "chart-svg")
        self._choices = [what for what in CHOICES if what not in drawn]
        self._what = self._choices[0]
        self._said = Static(self._check_figure()[0], markup=False)
        self._said.display = bool(self._said.content)
        self._proposed = ""

    def compose(self) -> ComposeResult:
        with Dialog("Export", "enter exports · ↑ ↓ choose · tab edits the name · esc closes"):
            rows = (
                (f"{name:<16}", Content.styled(about, "$foreground-muted"))
                for name, about in map(CHOICES.__getitem__, self._choices)
            )
            yield LineList(*(Option(Content.assemble(*row)) for row in rows))
            yield self._said
            yield PathField(self._folder)

    def on_option_list_option_highlighted(self, event: LineList.OptionHighlighted) -> None:
        event.stop()
        self._what = self._choices[event.option_index]
        field = self.query_one(PathField)
        if field.text == self._proposed:
            self._proposed = home_as_tilde(self._default)
            field.text = self._proposed

    @property
    def _default(self) -> Path:
        return default_path(self._what, self._stem, self._folder, self._chart)

    def on_option_list_option_selected(self, event: LineList.OptionSelected) -> None:
        event.stop()
        text = self.query_one(PathField).text
        if text.strip():
            self._export(self.query_one(PathField).absolute(text))

    def on_path_field_path_chosen(self, event: PathField.PathChosen) -> None:
        event.stop()
        self._export(event.path)

    def _export(self, path: Path) -> None:
        field = self.query_one(PathField)
        if is_folder(path):
            field.tell(f"{path} is a folder: add a name", refused=True)
            return
        path = path if path.suffix else path.with_suffix(self._default.suffix)
        words, runs = self._check_figure() if self._what in COLUMNS else ("", False)
        exists = f"{path} exists; enter again overwrites it" * is_there(path)
        if words and not runs:
            self._said.display = False  # it stands below the name
            field.tell(words, refused=True)
        elif self._what in COLUMNS and path.suffix not in DRAWN:
            ends = ", ".join(DRAWN)
            field.tell(f"a figure ends in {ends}, got {path.name}", refused=True)
        elif not exists or field.sure(path, exists):
            self.dismiss(ExportChoice(self._what, path))
