"""The dialog that opens a scenario by its path."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from ldptui import scenarios
from ldptui.core.base.errors import FileError, ScenarioError
from ldptui.core.base.files import is_file, is_folder, is_there

from ...session.exporting import DRAWN, carried
from ...terminal.places import current_dir
from ...widgets.dialog import Dialog, ModalScreen
from ...widgets.path_field import PathField

ENDS: Final = (".toml", ".ldptui", ".ldprun", ".svg", ".pdf", ".png")
"""The ends of the names of scenarios, recordings and figures."""


class OpenScreen(ModalScreen[Path | None]):
    """Asks for a file to open; the result is its absolute path, None when left.

    It is a scenario, a recording, or a figure that carries its scenario.

    A file with bad values is opened when enter is pressed twice: its script says what is wrong.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Close", id="open.close"),
    ]

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder if not is_bundled(folder) else current_dir()

    def compose(self) -> ComposeResult:
        place = home_as_tilde(self._folder.absolute())
        with Dialog(f"Open a scenario or a run · from {place}",
                    "enter opens · tab completes · ↑ ↓ choose · esc closes"):  # fmt: skip
            yield PathField(self._folder, suffix=ENDS, rows=12)

    def on_path_field_chosen(self, event: PathField.Chosen) -> None:
        event.stop()
        (problem, curable), field = problem_of(event.path), self.query_one(PathField)
        question = f"{problem} — enter again opens it, to be put right in its script"
        if problem and not curable:
            field.tell(problem, refused=True)
        elif not problem or field.sure(event.path, question):
            self.dismiss(event.path)


def problem_of(path: Path) -> tuple[str | None, bool]:
    """The problem of a file in one sentence, and True if a scenario's script could be mended.

    Where the file is no TOML at all there is nothing to show in the forms: it is not opened.
    """
    from ldptui.core.scenario import load, read_document

    try:
        path.stat()
    except (FileNotFoundError, ValueError):
        return f"{path} does not exist", False
    except OSError:
        pass  # loading it says what is wrong
    if is_there(path) and not (is_file(path) or is_folder(path)):
        return f"{path} is no file but a device or a pipe, which may have no end", False
    try:
        if (other := _other(path)) is not None:
            return other, False
        load(path)
    except FileError as error:
        return str(error), False
    except ScenarioError as error:
        if not error.key:
            return f"not a scenario: {error}", False
        text = path.read_text(encoding="utf-8-sig").replace("\r\n", "\n")
        is_scenario = "format" in read_document(text).document
        return (str(error) if is_scenario else f"not a scenario: {error}"), is_scenario
    return None, False


def opens_otherwise(path: Path) -> bool:
    """True for a file that is no scenario, but has or shows a run."""
    from ldptui.core.store.recording import is_recording

    return path.suffix in DRAWN or is_recording(path)


def _other(path: Path) -> str | None:
    """The problem of a file that is no scenario, "" where it has none; None for a scenario.

    Raises FileError.
    """
    from ldptui.core.store.recording import is_recording

    if is_recording(path):
        return ""
    if path.suffix in DRAWN:
        return "" if carried(path) else f"{path} carries no scenario of ldptui"
    return None


def is_bundled(path: Path) -> bool:
    """True if a file or folder is part of the program, and not the user's."""
    bundled = Path(str(scenarios.__file__)).parent.resolve()
    return path.resolve().is_relative_to(bundled)


def home_as_tilde(path: Path) -> str:
    """A path as people write it."""
    try:
        inside = path.relative_to(Path.home())
    except (ValueError, RuntimeError):
        return str(path)
    return "~" if str(inside) == "." else f"~/{inside}"
