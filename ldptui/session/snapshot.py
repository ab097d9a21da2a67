"""A run, and a question of the lab, as the app knows it: what was asked, and what is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from ldptui.core.view import (
    BitCounts,
    CellView,
    Detection,
    FrequencySummary,
    RoundSummary,
    TrialEstimates,
)

from .cell_table import Cells
from .consent import WHAT, Agreed

Status = Literal["running", "done", "partial", "failed"]


class ChartSelection(Struct, frozen=True):
    """The cells of a scenario that a chart needs: its base with other values, or a sweep.

    values : by dotted keys, for all these cells; None removes a table.
    sweep : by dotted keys, in all combinations; if empty, the one cell of the values.
    estimates : the estimates of the first cell are needed too.
    by_trial : those of single trials.
    detection : the filters' verdict on each report of that cell is needed.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    sweep: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    estimates: bool = False
    by_trial: bool = False
    detection: bool = False

    @property
    def is_base(self) -> bool:
        """True for the cell that a run shows in detail."""
        return not (self.values or self.sweep or self.estimates)


class Request(Struct, frozen=True):
    """A request for a run, sent to the worker under a key.

    document : the scenario.
    selections : the cells that charts show, the most needed first; a preview measures only these,
        with few trials.
    full : True for a run that the user started: all cells, with all trials.
    interval : the least seconds between two progress snapshots (the first and the last come at
        once).
    store : the file that stores a full run ("": none).
    source : the scenario's file, for its record.
    resumed : the number of a stored run to continue, in place of a new one.
    agreed : the Python code that the user has allowed for this session.
    """

    key: int
    document: Mapping[str, Any]
    folder: str
    selections: tuple[ChartSelection, ...] = (ChartSelection(),)
    full: bool = False
    interval: float = 0.25
    store: str = ""
    source: str = ""
    resumed: int | None = None
    agreed: tuple[Agreed, ...] = ()

    @property
    def python_code(self) -> tuple[tuple[str, str], ...]:
        """The tables and names of the Python code in the request's document."""
        return tuple(dict.fromkeys(_code_names(self.document)))


def _code_names(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yields the table and name of each kind in Python: in its table, in a part of a mixture, or
    swept.
    """
    sweep = document.get("sweep", {})
    for key, values in sweep.items():
        table = key.partition(".")[0]
        named = table in WHAT and key.endswith(".name")
        if named and isinstance(values, list):
            yield from ((table, str(value)) for value in values)
    tables: list[tuple[str, Any]] = [(what, document.get(what)) for what in WHAT]
    while tables:
        what, table = tables.pop(0)
        if isinstance(table, list | tuple):
            tables += [(what, part) for part in table]
        elif isinstance(table, Mapping):
            if isinstance(table.get("name"), str):
                yield what, table["name"]
            tables += [(what, table.get(part)) for part in ("mix", "phase")]


class Snapshot(Struct, frozen=True, dict=True):
    """The results of a run so far, complete in itself, so that older snapshots can be dropped.

    cells : those with trials.
    base : the address of the cell that is shown in detail, see `Cells`.
    frequencies, bits, detection, by_trial, rounds : of that cell; detection and by_trial only if a
        chart needs them.
    at_cell : the frequencies of the cell at a chart's cursor, whose address is `at`.
    round_frequencies : those of the base's rounds, by number; of very many rounds only every
        second, third, ….
    followed : the further results of that cell's task, by their JSON names, and the number of
        trials.
    latest : the parameters of the cell in progress.
    error : one sentence if the run failed.
    details : a traceback, if any.
    numpy : the version that drew the numbers, "" if unknown.
    kept : the run's number in the store; None if it is not stored.
    reused : the number of trials that the store had.
    note : the reason why it is not stored, or another remark.
    """

    key: int
    status: Status
    full: bool = False
    done: int = 0
    total: int = 0
    seconds: float = 0.0
    cells: tuple[CellView, ...] = ()
    base: str = ""
    frequencies: FrequencySummary | None = None
    at: str = ""
    at_cell: FrequencySummary | None = None
    bits: BitCounts | None = None
    detection: Detection | None = None
    by_trial: TrialEstimates | None = None
    followed: Mapping[str, Any] | None = None
    rounds: RoundSummary | None = None
    round_frequencies: Mapping[int, FrequencySummary] = field(default_factory=dict)
    latest: str = ""
    digest: str = ""
    numpy: str = ""
    error: str = ""
    details: str = ""
    kept: int | None = None
    reused: int = 0
    note: str = ""

    @cached_property
    def table(self) -> Cells:
        """The cells as a table."""
        return Cells(self.cells, self.base)

    @property
    def base_cell(self) -> CellView | None:
        """The cell shown in detail; None before its first trial."""
        return self.table.base

    @property
    def cell_at_cursor(self) -> CellView | None:
        """The cell at the cursor of a chart that was measured last; None if there is none."""
        return self.table.find(self.at)

    @property
    def levels(self) -> Mapping[str, Any] | None:
        """The levels and items of heavy hitters; None before the first trial."""
        return self.followed if self.followed and self.followed["levels"] else None


DETAILS: Final = (
    "frequencies", "at_cell", "bits", "detection", "by_trial", "followed", "rounds",
)  # fmt: skip
"""The fields of a snapshot that are None until they are measured."""

OF_BASE: Final = ("base", "frequencies", "bits", "followed", "rounds", "round_frequencies")
"""The fields of a snapshot that the trials of its base bring, all together."""


def with_rest(run: Snapshot, other: Snapshot) -> Snapshot:
    """A run's snapshot, completed by cells and details of another snapshot of the same scenario.

    Added are cells at other settings, the whole base while it has no trial, and the details that
    only a preview has.
    """
    own = run.table
    cells = (*run.cells, *(cell for cell in other.cells if own.at(cell.parameters) is None))
    first = run if run.base_cell is not None else other
    at = run if run.at_cell is not None else other
    more = {name: getattr(first, name) for name in OF_BASE}
    for name in ("detection", "by_trial"):
        more[name] = getattr(run, name) or getattr(other, name)
    return replace(run, cells=cells, at=at.at, at_cell=at.at_cell, **more)


class Overlay(Struct, frozen=True):
    """A run laid over the one shown, with legend labels for both."""

    label: str
    snapshot: Snapshot
    under: str = ""


class LabQuestion(Struct, frozen=True):
    """A question of the lab for the worker: the name of a question, and its form's values as typed.

    document : the draft's scenario without its sweep; None without a valid draft.
    folder : where relative paths start.
    """

    key: int
    tab: str
    values: Mapping[str, Any]
    document: Mapping[str, Any] | None
    folder: str


class Reply(Struct, frozen=True):
    """The worker's reply to a question.

    said : the work in progress, in words.
    offers : the words that can complete a field, by field.
    answer : the document of a `ldptui.questions.sheet.AnswerSheet`; an incomplete one while the
        question runs.
    error : one sentence if it failed, about the field of that name ("": about the whole).
    details : a traceback, if any.
    """

    key: int
    status: Status
    said: str = ""
    offers: Mapping[str, tuple[str, ...]] | None = None
    answer: Mapping[str, Any] | None = None
    error: str = ""
    field: str = ""
    details: str = ""
