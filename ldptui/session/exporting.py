"""Writes what the workbench shows to a file: results, charts, figures for paper, the screen.

The results of a run on the screen are summaries of its cells. Those of each trial are in the store
alone (`engine.store_actions`). Names of columns and keys are those of the headless command.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec import Struct

from ldptui.core.base.errors import FileError, one_line
from ldptui.core.base.files import is_folder, is_there, write_atomically

from .. import __version__
from ..terminal.places import current_dir
from ..text import format as text
from ..text.format import count
from ..text.verdict import VerdictCell, verdict

if TYPE_CHECKING:
    from ldptui.core.view import CellView, FrequencySummary

    from .runs import Run
    from .snapshot import Snapshot


DRAWN: Final = (".svg", ".pdf", ".png")
"""The ends of the names of files that are drawn."""
MARK: Final = "ldptui-scenario:"


def caption(
    title: str, seed: int, trials: int, digest: str, numpy: str, warnings: Sequence[str] = ()
) -> str:
    """The caption below a figure.

    digest : "" if the run has not finished.
    warnings : the reasons to doubt the results.
    """
    source = text.drawn_by(digest, numpy) if digest else "the run has not come to its end"
    drawn = f"{text.count(trials)} trials · {source}"
    doubts = (f"warning: {one_line(each)}" for each in warnings)
    return " · ".join([title, f"seed {seed}", drawn, *doubts])


def embed_scenario(document: Mapping[str, Any], digest: str, numpy: str) -> str:
    """The scenario, digest and NumPy version as text that every figure format can carry."""
    whole = json.dumps({"scenario": document, "digest": digest, "numpy": numpy}, ensure_ascii=True)
    return MARK + base64.b64encode(whole.encode()).decode()


class FigureContent(Struct, frozen=True):
    """The scenario that a figure carries. numpy : the version that drew it, "" in figures of older
    versions.
    """

    document: dict[str, Any]
    digest: str
    numpy: str


def read_figure(path: Path) -> FigureContent | None:
    """The scenario and digest that a figure carries; None if it carries none."""
    try:
        match = re.search(MARK.encode() + rb"([A-Za-z0-9+/]+={0,2})", path.read_bytes())
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}") from None
    if match is None:
        return None
    try:
        # In a PNG a checksum follows: up to four bytes that may look like more of it.
        carried = base64.b64decode(match[1][: len(match[1]) // 4 * 4]).decode("utf-8", "replace")
        whole, _ = json.JSONDecoder().raw_decode(carried)
        return FigureContent(
            dict(whole["scenario"]), str(whole["digest"]), str(whole.get("numpy", ""))
        )
    except (ValueError, KeyError, TypeError):
        raise FileError(f"{path}: the scenario in it is damaged") from None


What = Literal["csv-cells", "csv", "json", "chart-text", "chart-svg", "figure-column", "figure"]
COLUMNS: Final[Mapping[str, int]] = {"figure-column": 1, "figure": 2}
"""The columns of a paper that a figure takes."""


class ExportChoice(Struct, frozen=True):
    """An export that the user chose: its format, and the absolute path of the file."""

    what: What
    path: Path


def export(choice: ExportChoice, charts_pane: Any, run: Run | None) -> str:
    """Write the chosen export; returns a sentence with its path or the error."""
    if choice.what in ("csv-cells", "json"):
        if run is None or not run.snapshot.cells:
            return "there are no results to export yet; ctrl+r runs the scenario"
        text = results_csv(run) if choice.what == "csv-cells" else results_json(run)
        return write(choice.path, text, _remark(run.snapshot))
    text = charts_pane.as_text() if choice.what == "chart-text" else charts_pane.as_svg()
    if not text.strip():
        return "this tab shows no chart to export; nothing was written"
    return write(choice.path, text)


def save_text(path: Path, text: str) -> None:
    """Write a file whole or not at all, through links; raises FileError."""
    if is_folder(path):
        raise FileError(f"{path} cannot be written: it is a folder")
    try:
        write_atomically(path.resolve(), text)
    except UnicodeEncodeError as error:
        raise FileError(f"{path} cannot be written: the text is not valid Unicode") from error
    except ValueError as error:  # a path that can be none
        raise FileError(f"{path} cannot be written: {error}") from error


def write(path: Path, text: str, remark: str = "") -> str:
    """Write a file completely or not at all; returns a sentence with its path or the error."""
    path = path.absolute()
    try:
        save_text(path, text)
    except (FileError, OSError, RuntimeError) as error:
        return str(error)
    return f"wrote {path}{remark}"


def results_json(run: Run) -> str:
    """The results of a run in the JSON of `ldptui run`."""
    from ldptui.core.export import json_text

    snapshot, kept = run.snapshot, run.kept
    own = str(kept.versions["ldptui"]) if kept is not None else __version__
    versions = {"ldptui": own, "numpy": snapshot.numpy}
    status = "partial" if snapshot.status == "running" else snapshot.status
    said = verdict_of(snapshot)
    more = {"verdict": list(said)} if said else {}
    doubts = warnings_of(snapshot)
    more |= {"warnings": list(doubts)} if doubts else {}
    return json_text(versions, status, snapshot.digest or None, run.document, _cells(run), **more)


def verdict_of(snapshot: Snapshot) -> tuple[str, ...]:
    """The sentences about the result of a run's first cell."""
    base = snapshot.base_cell
    return () if base is None else verdict(VerdictCell(base, snapshot.frequencies))


def warnings_of(snapshot: Snapshot) -> tuple[str, ...]:
    """The reasons to doubt the cells of a run, each sentence once."""
    from ldptui.core.base.versions import redrawn_words

    doubts = dict.fromkeys(sentence for cell in snapshot.cells for sentence in cell.warnings)
    return (*doubts, *(redrawn_words({"numpy": snapshot.numpy}) if snapshot.numpy else ()))


def _cells(run: Run) -> list[dict[str, Any]]:
    return [_cell(cell, run) for cell in run.snapshot.cells]


def _cell(view: CellView, run: Run) -> dict[str, Any]:
    """The document of one cell; the base cell's has its rounds, frequencies and levels."""
    from ldptui.core.export import cell_document, estimates_document, rounds_document

    snapshot = run.snapshot
    whole = {key: _whole(run, key, value) for key, value in view.parameters.items()}
    described = cell_document(view, parameters=whole)
    first = view is snapshot.base_cell
    if first and snapshot.rounds is not None:
        described |= rounds_document(snapshot.rounds)
        for number, written in enumerate(described["rounds"]):
            shown = snapshot.round_frequencies.get(number)  # of very many rounds not all are told
            written["frequencies"] = shown and estimates_document(shown, shown.arms)
    if first and snapshot.followed is not None:
        own = ("trials", "users", "malicious")  # the cell has them already
        described |= {key: snapshot.followed[key] for key in snapshot.followed if key not in own}
        described["frequencies"] = None
    if first and snapshot.frequencies is not None:
        described["frequencies"] = _frequencies(snapshot.frequencies)
    return described


def _whole(run: Run, key: str, value: object) -> object:
    """A parameter's value; for a long list, which a cell has in words, the scenario's list."""
    from ldptui.core.scenario import value_at

    known = value_at(run.document, key)
    in_words = isinstance(value, str) and isinstance(known, list)
    return known if in_words and key not in run.document.get("sweep", {}) else value


def results_csv(run: Run) -> str:
    """The results as `ldptui run --format csv-cells` writes them."""
    from ldptui.core.export import cells_csv

    return cells_csv(_cells(run))


def _frequencies(shown: FrequencySummary) -> dict[str, Any]:
    from ldptui.core.export import frequencies_document

    columns = frequencies_document(shown, list(shown.labels), shown.arms)
    if len(shown.items) < shown.domain_size:  # a selection of a very large domain
        columns["indices"] = list(shown.items)
    return columns


def _remark(snapshot: Snapshot) -> str:
    if snapshot.status != "done":
        return f" (partial: {count(snapshot.done)} of {count(snapshot.total)} trials)"
    return "" if snapshot.full else " (of the preview; after ctrl+r, of the whole run)"


def default_path(
    what: str, stem: str = "ldptui", folder: Path | None = None, chart: str = "chart"
) -> Path:
    """A free file name (results.csv, results-2.csv, …) in the folder, by default the current one.

    stem : its beginning.
    chart : the name of the chart on the screen.
    """
    name, ending = {
        "csv-cells": ("results", ".csv"),
        "csv": ("trials", ".csv"),
        "json": ("results", ".json"),
        "chart-text": (chart, ".txt"),
        **dict.fromkeys(COLUMNS, (chart, ".pdf")),
    }.get(what, (chart, ".svg"))
    place = folder or current_dir()
    free = place / f"{stem}-{name}{ending}"
    number = 2
    while is_there(free):
        free = place / f"{stem}-{name}-{number}{ending}"
        number += 1
    return free
