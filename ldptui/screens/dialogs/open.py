"""The dialog that opens a scenario by its path."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from ldptui import scenarios
from ldptui.core.base.errors import FileError, ScenarioError

from ...terminal.places import current_dir, is_file, is_folder, is_there
from ...widgets.dialog import Dialog, ModalScreen
from ...widgets.path_field import PathField


class OpenScreen(ModalScreen[Path | None]):
    """Asks for a scenario file; the result is its absolute path, None when left.

    A file with bad values is opened when enter is pressed twice: its script says what is wrong.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Close", id="open.close"),
    ]

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder if not is_bundled(folder) else current_dir()
        self._told: Path | None = None

    def compose(self) -> ComposeResult:
        with Dialog(f"Open a scenario · from {home_as_tilde(self._folder.absolute())}",
                    "enter opens · tab completes · ↑ ↓ choose · esc closes"):  # fmt: skip
            yield PathField(self._folder, suffix=".toml", rows=12)

    def on_path_field_changed(self) -> None:
        self._told = None

    def on_path_field_chosen(self, event: PathField.Chosen) -> None:
        event.stop()
        problem, curable = problem_of(event.path)
        if problem is None or (curable and event.path == self._told):
            self.dismiss(event.path)
            return
        self._told = event.path
        more = " — enter again opens it, to be put right in its script" if curable else ""
        self.query_one(PathField).tell(f"{problem}{more}", refused=not curable, asking=curable)


def problem_of(path: Path) -> tuple[str | None, bool]:
    """The problem of a scenario file in one sentence, and True if its script could be mended.

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
