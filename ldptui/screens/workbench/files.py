"""Files that the workbench opens and writes: scenarios, exports, the clipboard, the first draft."""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import scenarios

from ...session import exporting
from ...session.autosave import load_draft
from ...session.draft import opened, reopened, saved
from ...terminal.clipboard import copy
from ...terminal.places import current_dir
from .desk import Desk

if TYPE_CHECKING:
    from ...engine.playback import Playback
    from ...session.draft import Draft
    from ...session.exporting import ExportChoice
    from ...session.runs import Run


def first_draft(path: Path | None, playback: Playback | None) -> tuple[Draft, str]:
    """The draft to start with: the playback's or the file asked for, what was being edited, or
    the quickstart; and a sentence where that needs one.

    Runs in a thread while the first frame is shown, and imports what is heavy on the way.
    """
    from ...charts import draw as chart

    chart.warm_up()
    if playback is not None:
        return reopened(playback.run.document, playback.run.source), ""
    if path is not None:
        return opened(path), ""
    recovered = load_draft()
    if recovered is not None:
        back = "your draft of the last session is back; ctrl+l has the library"
        return recovered, back if recovered.modified else ""
    return opened(scenarios.path("quickstart")), ""


def collect_garbage_again() -> None:
    """The search for garbage is off since `start`; what is there by now stays."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


def open_by_path(desk: Desk) -> None:
    """Ask for a path, and open the scenario there."""
    from ..dialogs.open import OpenScreen

    folder = desk.draft.folder if desk.draft else current_dir()
    desk.app.push_screen(OpenScreen(folder), partial(_open, desk))


def open_from_library(desk: Desk) -> None:
    """Show the library, and open the scenario chosen there."""
    from ..library import LibraryScreen

    desk.app.push_screen(LibraryScreen(), partial(_open, desk))


def _open(desk: Desk, path: Path | None) -> None:
    if path is not None:
        desk.open_draft(opened(path))
        desk.note(f"opened {path}")


def save(desk: Desk) -> None:
    """Ask where the scenario is to be saved, and save it."""
    from ..dialogs.save import SaveScreen

    if desk.draft is not None:
        desk.app.push_screen(SaveScreen(desk.draft), partial(_saved, desk))


def _saved(desk: Desk, path: Path | None) -> None:
    if path is not None and desk.draft is not None:
        desk.draft = saved(desk.draft, path)
        desk.note(f"saved {path}")


def export(desk: Desk, write_trials: Callable[[Run | None, Path], object]) -> None:
    """Ask for the content and the place of an export, and write it.

    write_trials : writes the trials of a run, which the store alone has, to a file.
    """
    from ..dialogs.export import ExportScreen

    desk.app.push_screen(ExportScreen(), partial(_export, desk, write_trials))


def _export(
    desk: Desk, write_trials: Callable[[Run | None, Path], object], choice: ExportChoice | None
) -> None:
    if choice is None:
        return
    shown = desk.shelf.run(desk.shelf.shown)
    if choice.what == "csv":
        write_trials(shown, choice.path)
    else:
        desk.note(exporting.export(choice, desk.charts, shown, desk.app))


def copy_shown(desk: Desk) -> None:
    """Copy the chart or table that is shown, as text."""
    copy_text(desk, desk.charts.as_text())


def copy_text(desk: Desk, text: str) -> None:
    desk.note(copy(desk.app, text))
