"""A run, and a question of the lab, as the app knows it: what was asked, and what is known."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any, Final, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from ldptui.core.view import BitCounts, CellView, Detection, Frequencies, Rounds, TrialEstimates

from .consent import WHAT, Agreed

Status = Literal["running", "done", "partial", "failed"]


class Part(Struct, frozen=True):
    """One experiment of a request: a name that charts know, and a scenario's document.

    detection : the filters' verdict on each report of its first cell is wanted as well. by_trial :
    its estimates in single trials are.
    """

    name: str
    document: Mapping[str, Any]
    detection: bool = False
    by_trial: bool = False


class Request(Struct, frozen=True):
    """A run that the worker is asked for: parts in order, under one key.

    full : a run asked for by hand, with all trials; else the preview that follows the hand.
    interval : least seconds between two progress snapshots (the first one and the last one
        come at once).
    whole : the scenario that a full run belongs to, with its whole sweep, kept in the file
        `store` ("": nowhere) as coming from the file `source`.
    resumed : the run of the store to go on with, instead of beginning a new one.
    agreed : the Python code that the user has agreed to until the end.
    """

    key: int
    parts: tuple[Part, ...]
    folder: str
    full: bool = False
    interval: float = 0.25
    whole: Mapping[str, Any] | None = None
    store: str = ""
    source: str = ""
    resumed: int | None = None
    agreed: tuple[Agreed, ...] = ()

    @property
    def python_code(self) -> tuple[tuple[str, str], ...]:
        """The Python code that its documents ask for: the table, the name."""
        names = (name for part in self.parts for name in _code_names(part.document))
        return tuple(dict.fromkeys(names))


def _code_names(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Only what is written in Python has a name: in its table, in a part of a mixture, or swept."""
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


IGNORED: Final = ("trials", "simulate.path", "simulate.top_k")
"""Parameters that do not change what a cell is expected to measure."""


class Snapshot(Struct, frozen=True):
    """A run so far: complete in itself, so that any but the newest may be dropped.

    parts : the cells of each part, by its name. frequencies, bits, detection, rounds : of the first
    cell of "base", the detection and by_trial where they were asked for. at_cell : the frequencies
    of the one cell of "cell". round_frequencies : those of the rounds of "base", by number; of very
    many every other one, or every third, …. followed : what the task of that cell measured besides,
    by its JSON names, and the number of trials. latest : the parameters of the cell worked on last.
    error : one sentence when failed; details : a traceback, if any. numpy : the version that drew
    what the digest is of, "" where it is not known. kept : the run's number in the store, None
    where it has none. reused : trials that were there. note : why it is not kept, or more of it.
    """

    key: int
    status: Status
    full: bool = False
    done: int = 0
    total: int = 0
    seconds: float = 0.0
    parts: Mapping[str, tuple[CellView, ...]] = field(default_factory=dict)
    frequencies: Frequencies | None = None
    at_cell: Frequencies | None = None
    bits: BitCounts | None = None
    detection: Detection | None = None
    by_trial: TrialEstimates | None = None
    followed: Mapping[str, Any] | None = None
    rounds: Rounds | None = None
    round_frequencies: Mapping[int, Frequencies] = field(default_factory=dict)
    latest: str = ""
    digest: str = ""
    numpy: str = ""
    error: str = ""
    details: str = ""
    kept: int | None = None
    reused: int = 0
    note: str = ""

    @property
    def levels(self) -> Mapping[str, Any] | None:
        """The levels and items of heavy hitters; None before the first trial."""
        return self.followed if self.followed and self.followed["levels"] else None


DETAILS: Final = (
    "frequencies", "at_cell", "bits", "detection", "by_trial", "followed", "rounds",
)  # fmt: skip
"""The fields of a snapshot that are None until they are measured."""


def over(run: Snapshot, before: Snapshot | None) -> Snapshot:
    """A run so far over what was shown before it: what it has not measured yet stays as it was.

    Only while it is running: a picture that vanishes with every edit cannot be compared. A run
    at its end keeps the cell at a cursor besides, until the next one is measured.
    """
    if before is None or (run.status != "running" and (run.at_cell or run.key != before.key)):
        return run
    if run.status != "running":
        cell = {"cell": before.parts["cell"]} if "cell" in before.parts else {}
        return replace(run, parts={**run.parts, **cell}, at_cell=before.at_cell)
    return going_on(run, before)


def going_on(run: Snapshot, before: Snapshot) -> Snapshot:
    """A run with what it has not measured from one before it."""
    parts = {name: with_unmeasured(cells, before.parts.get(name, ()))
             for name, cells in run.parts.items()}  # fmt: skip
    # A task estimates frequencies, or follows something else: whichever comes, it is measured anew.
    fresh = run if run.frequencies is not None or run.followed is not None else before
    return replace(
        run,
        parts={**before.parts, **parts},
        frequencies=fresh.frequencies,
        at_cell=run.at_cell or before.at_cell,
        bits=fresh.bits,
        detection=run.detection or before.detection,
        by_trial=run.by_trial or before.by_trial,
        followed=fresh.followed,
        rounds=fresh.rounds,
        round_frequencies=fresh.round_frequencies,
    )


def complete_snapshot(run: Snapshot, preview: Snapshot) -> Snapshot:
    """A run with the cells and the details that it lacks, from a preview of its scenario."""
    parts = dict(run.parts)
    for name, cells in preview.parts.items():
        known = parts.get(name, ())
        settings = {_settings(cell) for cell in known}
        parts[name] = (*known, *(cell for cell in cells if _settings(cell) not in settings))
    return replace(
        run,
        parts=parts,
        at_cell=preview.at_cell,
        detection=run.detection or preview.detection,
        by_trial=run.by_trial or preview.by_trial,
    )


def with_unmeasured(
    cells: tuple[CellView, ...], before: tuple[CellView, ...]
) -> tuple[CellView, ...]:
    """The cells of a part so far, then those from before that it has yet to measure.

    These are set apart from the new ones by nothing but what was swept before.
    """
    if not cells or not before:
        return cells
    first = before[0].parameters
    swept = {key for cell in before for key, value in cell.parameters.items()
             if first.get(key) != value}  # fmt: skip

    measured, common = {_settings(cell) for cell in cells}, _settings(cells[0], swept)
    return cells + tuple(
        cell
        for cell in before
        if _settings(cell) not in measured and _settings(cell, swept) == common
    )


def _settings(cell: CellView, left: Container[str] = ()) -> str:
    """All parameters that change what a cell measures, but for those that are left out."""
    kept = {key: value for key, value in cell.parameters.items() if key not in left}
    return repr(sorted((key, kept[key]) for key in kept.keys() - {*IGNORED}))


class Overlay(Struct, frozen=True):
    """A run laid over the one shown, with the name that legends give it."""

    label: str
    snapshot: Snapshot


class Question(Struct, frozen=True):
    """A question of the lab to the worker: a tab, and the values of its form as they were typed.

    document : the scenario without its sweep, whose population and protocol are meant; None while
        there is none that is valid. folder : where relative paths start.
    """

    key: int
    tab: str
    values: Mapping[str, Any]
    document: Mapping[str, Any] | None
    folder: str


class Reply(Struct, frozen=True):
    """The worker's reply to a question.

    said : what it works on, in words. offers : for fields, words that can complete them. answer :
    the document of a `ldptui.questions.sheet.Answer`; while it runs, of what is known so far.
    error : one sentence when failed, about the field of that name ("": about the whole);
    details : a traceback, where there is one.
    """

    key: int
    status: Status
    said: str = ""
    offers: Mapping[str, tuple[str, ...]] | None = None
    answer: Mapping[str, Any] | None = None
    error: str = ""
    field: str = ""
    details: str = ""
