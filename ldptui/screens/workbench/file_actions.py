"""Files that the workbench opens and writes: scenarios, exports, the clipboard, the first draft."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ldptui import scenarios
from ldptui.core.base.errors import FileError

from ...catalogue import key_label
from ...messages import LongWork
from ...session import exporting
from ...session.autosave import load_draft
from ...session.draft import mark_saved, open_draft, reopen_draft
from ...session.runs import alike, describe_scenario
from ...terminal.clipboard import copy
from ...terminal.keyboard import UNDO, key_of
from ...terminal.places import current_dir
from ...text.labels import with_labels
from .draft_screen import DraftScreen

if TYPE_CHECKING:
    from ...charts.series import Chart
    from ...engine.replay import RunReplay
    from ...session.draft import Draft
    from ...session.exporting import ExportChoice
    from ...session.runs import Run

FIRST: Final = "^o opens the library and your files · M your own deployment"
"""What the first start says."""


def first_draft(path: Path | None, replay: RunReplay | None) -> tuple[Draft, str, Draft | None]:
    """The draft to start with (of the replayed run, the given file, the last session or the
    quickstart), a sentence for the status line, and the last valid draft if the first has problems.

    Runs in a thread while the first frame is shown, and imports slow libraries.
    """
    from ...charts import draw as chart

    chart.warm_up()
    if replay is not None:
        return reopen_draft(replay.run.document, replay.run.source), "", None
    if path is not None:
        return open_draft(path), "", None
    kept = load_draft()
    if kept is None:
        return open_draft(scenarios.path("quickstart")), FIRST, None
    draft = kept.draft
    elsewhere = draft.folder not in (current_dir(), scenarios.path("quickstart").parent)
    place = f", from {draft.path or draft.folder}," * elsewhere
    wrong = ", with what is wrong in it: ^z takes that back" if kept.valid is not None else ""
    words = f"draft of {kept.time}{place} restored{wrong}; ^o starts afresh"
    return draft, words if draft.is_modified or elsewhere else "", kept.valid


def open_any(screen: DraftScreen, open_other: Callable[[Path], object]) -> None:
    """Show the dialog that opens a file: files of the folder, the user's own scenarios, the bundled
    ones.

    open_other : opens a file that is no scenario.
    """
    from ..dialogs.paths import is_bundled, opens_otherwise
    from ..library_screen import LibraryScreen

    folder = screen.draft.folder if screen.draft else current_dir()

    def open_chosen(path: Path | None) -> None:
        if path is not None and opens_otherwise(path):
            open_other(path)
        else:
            open_path(screen, path)

    screen.app.push_screen(
        LibraryScreen(current_dir() if is_bundled(folder) else folder), open_chosen
    )


def open_path(screen: DraftScreen, path: Path | None) -> None:
    """Open the scenario at a path; None (the dialog was cancelled) does nothing."""
    if path is not None:
        was_edited = screen.draft is not None and screen.draft.is_modified
        opened = open_draft(path)
        screen.open_draft(opened)
        back = f"; {key_of(screen.app, *UNDO)} brings the edited one back" * was_edited
        screen.note("" if opened.problems else f"opened {path.name}{back}")


def save(screen: DraftScreen) -> None:
    """Ask where the scenario is to be saved, and save it."""
    from ..dialogs.paths import SaveScreen

    if screen.draft is not None:
        screen.app.push_screen(SaveScreen(screen.draft), partial(note_saved_path, screen))


def note_saved_path(screen: DraftScreen, path: Path | None) -> None:
    if path is not None and screen.draft is not None:
        screen.draft = mark_saved(screen.draft, path)
        screen.note(f"saved {path}")


def export(screen: DraftScreen, write_trials: Callable[[Run | None, Path], object]) -> None:
    """Show the dialog that exports a run, and write the chosen file.

    write_trials : writes the trials of a stored run to a file.
    """
    from ..dialogs.paths import ExportScreen, own_path

    run, draft = screen.run_list.run(screen.run_list.shown), screen.draft
    same = run is None or (draft is not None and alike(run.document, draft.document or {}))
    stem = own_path(draft).stem if draft is not None and same else "ldptui"
    view = screen.charts.current_chart()
    has_chart = view is not None and view.chart is not None
    dialog = ExportScreen(stem, screen.charts.tab, partial(_check_figure, screen), has_chart)
    screen.app.push_screen(dialog, partial(_export, screen, write_trials))


def _export(
    screen: DraftScreen,
    write_trials: Callable[[Run | None, Path], object],
    choice: ExportChoice | None,
) -> None:
    if choice is None:
        return
    shown = screen.run_list.run(screen.run_list.shown)
    if choice.what == "csv":
        write_trials(shown, choice.path)
    elif (columns := exporting.COLUMNS.get(choice.what)) is not None:
        draw = partial(_draw_of_run, screen, screen.draft, screen.charts.tab, choice.path, columns)
        if _check_figure(screen)[1]:
            screen.action_run()
            screen.pending_figure = draw
        else:
            draw()
    else:
        screen.note(exporting.export(choice, screen.charts, shown), stays=True)


def _check_figure(screen: DraftScreen) -> tuple[str, bool]:
    """A sentence before the shown chart is drawn for paper ("" for none); and True if a run comes
    first, False if it cannot be drawn.
    """
    from ...charts.draw.paper import fault_to_draw

    if fault := fault_to_draw():
        return fault, False
    view, scenario = screen.charts.current_chart(), screen.draft.scenario if screen.draft else None
    for problem in screen.draft.problems if screen.draft else ():
        return f"no figure of wrong settings: {key_label(problem.key)} {problem.message}", False
    if view is None or view.chart is None or scenario is None:
        return "this tab shows no chart to draw", False
    run = screen.run_list.run(screen.run_list.shown)
    is_whole = run is not None and run.snapshot.full and run.status == "done"
    if run is not None and is_whole and alike(run.document, scenario.document):
        return "", False
    return "a figure is of all trials: enter runs them, then draws it", True


def _draw_of_run(
    screen: DraftScreen, draft: Draft | None, tab: str, path: Path, columns: int
) -> bool:
    """Draw the chart of a tab once all trials of a draft are done; returns False while they are
    not.

    Nothing is drawn if the draft was edited meanwhile, or its run stopped.
    """
    run, now = screen.run_list.run(screen.run_list.shown), screen.draft
    if draft is None or now is None or now.document != draft.document:
        screen.note("no figure was drawn: the scenario was edited meanwhile")
        return True
    if run is None or not run.snapshot.full or not alike(run.document, draft.document or {}):
        return False
    if run.status == "done":
        screen.charts.tab = tab
        screen.charts.call_next(_draw_figure, screen, run, path, columns)
    elif run.status != "running":
        screen.note("no figure was drawn: its run has not ended")
    return run.status != "running"


def _draw_figure(screen: DraftScreen, run: Run | None, path: Path, columns: int) -> None:
    """Draw the chart shown for paper, in a thread; a figure of a full run stores its scenario.

    columns : the columns of the paper that the figure spans.
    """
    view = screen.charts.current_chart()
    if run is not None and view is not None and view.chart is not None:
        modified = (
            screen.draft is not None and screen.draft.is_modified
        )  # has the title of the one opened
        title = describe_scenario(run.document) if modified else run.title
        work = partial(_write_figure, view.chart, run, title, path, columns)
        screen.note(f"drawing {path.name} …", stays=True)
        screen.post_message(LongWork("figure", work, partial(screen.note, stays=True)))


def _write_figure(chart: Chart, run: Run, title: str, path: Path, columns: int) -> str:
    """Write the figure; returns a sentence with its path or the error."""
    from ...charts.draw.paper import write_figure

    view, seed = run.snapshot, run.document.get("seed", 0)
    doubts = exporting.warnings_of(view)
    words = exporting.caption(title, seed, view.done, view.digest, view.numpy, doubts)
    try:
        embedded = exporting.embed_scenario(run.document, view.digest, view.numpy)
        chart = with_labels(chart, run.document.get("labels", {}))
        write_figure(chart, path, columns=columns, caption=words, embedded=embedded)
    except FileError as error:
        return str(error)
    except (ImportError, OSError, RuntimeError, ValueError) as error:
        return f"{path} cannot be written: {error}"
    return f"wrote {path}; ldptui replay computes it again"


def copy_shown(screen: DraftScreen) -> None:
    """Copy the chart or table that is shown, as text."""
    copy_text(screen, screen.charts.as_text())


def copy_text(screen: DraftScreen, text: str) -> None:
    screen.note(copy(screen.app, text))
