"""A kept run as the workbench shows it: whole at once, or played back as it happened.

Nothing is simulated: all numbers come from the blocks in the store. The lines that the worker would
have written are made from them, and are put together as the engine does it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from ldptui.core.base.errors import LdpError
from ldptui.core.cell import Cell
from ldptui.core.experiment import Experiment, bound
from ldptui.core.metrics.results import CellResults, Rounds
from ldptui.core.population import STATED, Population
from ldptui.core.scenario import Point, Scenario
from ldptui.core.store import Arrival, Store, cell_keys, open_store

from ..charts import curves
from ..session.snapshot import Frequencies, Part, Request, Snapshot
from ..text import format as fmt
from .sums import Blocks, Sums
from .wire import RoundFrequencies, RunSoFar
from .worker.columns import MAX_ITEMS, frequency_columns
from .worker.part import PartSoFar
from .worker.picture import Picture
from .worker.rounds import Expected, round_columns, round_result, rounds_sent

PLAYED: Final = "played back, nothing is simulated"


@dataclass(frozen=True)
class Beat:
    """A moment of a playback at which something came; what a transport steps through.

    seconds : since the run began. blocks : how many are there, this one among them. round : the
    round of a campaign that it was, from 0; None: the whole block.
    """

    seconds: float
    blocks: int
    round: int | None = None


class Playback:
    """One run of an open store, which it closes. For one thread at a time.

    company : show besides the run's own cells what the store knows of the same charts.
    """

    def __init__(self, store: Store, number: int, key: int, *, company: bool = False) -> None:
        self._store, self.run = store, store.run(number)
        self._experiment = store.experiment(number)
        self._measured = store.measured(number)
        self._arrivals = store.arrivals(number)
        self._blocks = [Blocks() for _ in self._experiment.cells]
        for count, arrival in enumerate(self._arrivals, start=1):
            self._blocks[arrival.position].arrivals[arrival.number] = count, arrival
        for blocks in self._blocks:
            blocks.line_up()
        self._at: dict[str, int] = {}
        for position, name in enumerate(cell_keys(self._experiment.cells)):
            self._at.setdefault(name, position)
        self._others: dict[str, CellResults] = {}
        self._parts = self._made(company)
        self._sums = Sums(store, number)
        self._so_far = RunSoFar(Request(key, (), "", True))
        self._picture = Picture()
        self._told = 0  # trials of the frequencies shown
        self._round_frequencies: Mapping[int, Frequencies] = {}
        self.beats = tuple(self._beats())

    def close(self) -> None:
        self._store.close()

    @property
    def kept(self) -> bool:
        """True for a run of a store on the disk, where its number means something."""
        return self._store.path is not None

    def beat(self, come: int) -> Beat:
        """The last of the first `come` beats; the start where none has come."""
        return self.beats[come - 1] if come else Beat(0.0, 0)

    def words(self, beat: Beat) -> str:
        """The place of a beat in the playback, in words: round, trials and seconds of the run."""
        done = sum(arrival.trials for arrival in self._arrivals[: beat.blocks])
        count = len(self._parts["base"].experiment.cells[0].rounds)
        rounds = "" if beat.round is None else f", round {beat.round} of 0–{count - 1}"
        return (
            f"block {beat.blocks} of {len(self._arrivals)}{rounds} · {fmt.count(done)} of "
            f"{fmt.count(self.run.total)} trials · {fmt.duration(beat.seconds)}"
        )

    def frame(self, blocks: int | None = None) -> Snapshot:
        """The snapshot after the first `blocks` blocks; None: after all of them."""
        count = len(self._arrivals) if blocks is None else blocks
        for part in self._parts.values():
            for index, name in enumerate(part.keys):
                part.measured[index] = self._known(name, count)
            part.reckon()
            for line in part.changes():
                self._so_far.take(json.loads(b'{"part":"%b",%b}' % (part.name.encode(), line)))
        shown = self._tell_frequencies(count)
        over = count == len(self._arrivals)
        status = self.run.status if self.run.status in ("done", "failed") else "partial"
        latest = self._arrivals[count - 1] if count else None
        self._so_far.take({"snapshot": {
            "status": status if over else "running",
            "done": sum(arrival.trials for arrival in self._arrivals[:count]),
            "total": self.run.total,
            "seconds": self.run.seconds if over else latest.seconds if latest else 0.0,
            "latest": self._words(latest),
            "digest": self.run.digest if over else "",
            "numpy": str(self.run.versions["numpy"]),
            "error": self.run.error if over else "",
            "kept": self.run.id if self.kept else None,
            "note": PLAYED,
        }})  # fmt: skip
        if not shown:
            return replace(self._so_far.snapshot, frequencies=None, rounds=None)
        return replace(self._so_far.snapshot, round_frequencies=self._round_frequencies)

    def _beats(self) -> Iterator[Beat]:
        """A beat for each block; and for the rounds of the first one of a campaign.

        The rounds of a block are drawn one after the other, until all of it comes.
        """
        base = self._parts["base"]
        name, rounds = base.keys[0], len(base.experiment.cells[0].rounds)
        arrivals = self._blocks[self._at[name]].arrivals if name in self._at else {}
        first, _ = arrivals.get(0, (0, None))
        before = 0.0
        for count, arrival in enumerate(self._arrivals, start=1):
            for number in range(rounds if count == first else 0):
                share = (number + 1) / (rounds + 1)
                yield Beat(before + share * max(0.0, arrival.seconds - before), count, number)
            yield Beat(arrival.seconds, count)
            before = arrival.seconds

    # The view.

    def _made(self, company: bool) -> dict[str, PartSoFar]:
        """The parts that charts know, with the cells that have results."""
        scenario, parts = self._experiment.scenario, dict[str, PartSoFar]()
        cells = self._experiment.cells
        populations: dict[object, Population] = {
            (point.population, point.seed): cell.population.drawn or cell.population
            for point, cell in zip(scenario.points(), cells, strict=True)
        }

        def bound(part: Part | None) -> list[Cell]:
            return [] if part is None else list(_bound(part, scenario, populations))

        base = _or_none(lambda: bound(curves.base_part(scenario)))

        def along(
            axes: Callable[[Scenario], Iterable[curves.Variable]],
            part: Callable[[Scenario, curves.Variable], Part | None],
        ) -> list[Cell]:
            bound_cells = []
            for axis in _or_none(lambda: axes(scenario)):
                bound_cells += _or_none(partial(lambda x: bound(part(scenario, x)), axis))
            return bound_cells

        gain = along(curves.axes, curves.gain_part)
        error = along(curves.error_axes, curves.error_part)
        success = along(curves.success_axes, curves.success_part)
        known = self._those_known(base, company, frequencies=True)
        parts["base"] = self._part("base", known or [_nearest(cells, base)])
        for name, wanted in (("gain", gain), ("error", error), ("success", success)):
            known = self._those_known(wanted, company)
            if known:
                parts[name] = self._part(name, known)
        pairs = _or_none(lambda: bound(curves.map_part(scenario)))
        if known := self._those_known(pairs, company):
            parts["map"] = self._part("map", known)
        if answered := [cell for cell in cells if cell.answer is not None]:
            parts["answer"] = self._part("answer", answered)
        covered = {name for part in parts.values() for name in part.keys}
        rest = [cells[position] for name, position in self._at.items() if name not in covered]
        if rest:
            parts["rest"] = self._part("rest", rest)
        return parts

    def _part(self, name: str, cells: Iterable[Cell]) -> PartSoFar:
        numbered = tuple(replace(cell, index=index) for index, cell in enumerate(cells))
        scenario = self._experiment.scenario
        part = PartSoFar(name, Experiment(scenario, numbered), list(scenario.sweep))
        part.keys = cell_keys(numbered)
        return part

    def _those_known(
        self, cells: list[Cell], company: bool, frequencies: bool = False
    ) -> list[Cell]:
        """The cells that the run has, and in company those that the store has, each once."""
        known = dict[str, Cell]()
        for name, cell in zip(cell_keys(cells), cells, strict=True):
            if name in known:
                continue
            if name not in self._at and company:
                number = self._store.cell_number(name)
                if number is not None:
                    stored = self._store.measured_cell(
                        number, cell.trials, frequencies, cell.task.size(cell)
                    )
                    if stored.trials:
                        self._others[name] = stored
            if name in self._at or name in self._others:
                known[name] = cell
        return list(known.values())

    def _known(self, name: str, count: int) -> CellResults:
        """The results of a cell after the first `count` blocks of the run."""
        if name not in self._at:
            return self._others[name]
        position = self._at[name]
        whole, trials = self._measured[position], self._blocks[position].trials(count)
        rounds = whole.rounds and Rounds(whole.rounds.metrics[:trials], {})
        marks = whole.fingerprints[:trials]
        return CellResults(whole.metrics[:trials], marks, rounds=rounds)

    def _tell_frequencies(self, count: int) -> bool:
        """Hand on the frequencies of the base, and its rounds; False where there are none."""
        base = self._parts["base"]
        name, cell = base.keys[0], base.experiment.cells[0]
        measured = base.measured[0]
        if name in self._at:
            blocks = self._blocks[self._at[name]]
            sums = self._sums.after(blocks, blocks.ready(count))
            if sums is None:
                return False
            measured = sums.of(measured)
        if not measured.trials or not measured.arms:
            return False
        if measured.trials != self._told:
            self._picture.reckon(cell)
            for line in self._picture.estimates(cell, measured, self._told == 0):
                self._so_far.take(line)
            self._tell_rounds(cell, measured)
            self._told = measured.trials
        return True

    def _tell_rounds(self, cell: Cell, measured: CellResults) -> None:
        expected, rounds = self._picture.rounds, measured.rounds
        if expected is not None and rounds is not None and rounds.arms:
            self._so_far.take({"rounds": round_columns(cell, measured, expected)})
            columns = _RoundColumns(cell, measured, expected)
            self._round_frequencies = RoundFrequencies(columns)

    def _words(self, latest: Arrival | None) -> str:
        if latest is None:
            return ""
        return next(iter(self._parts.values())).words(self._experiment.cells[latest.position])


@dataclass(frozen=True, eq=False)
class _RoundColumns(Mapping[int, Mapping[str, Any]]):
    """The columns of the frequencies of each round, made when they are looked at."""

    cell: Cell
    measured: CellResults
    expected: Expected

    def __getitem__(self, number: int) -> Mapping[str, Any]:
        cell, results = round_result(self.cell, self.measured, number)
        columns: dict[str, Any] = {}
        for chunk in frequency_columns(cell, results, True, self.expected.sigmas[number]):
            columns |= chunk
        return columns

    def __iter__(self) -> Iterator[int]:
        return iter(rounds_sent(self.cell, MAX_ITEMS))

    def __len__(self) -> int:
        return len(rounds_sent(self.cell, MAX_ITEMS))


def _bound(part: Part, scenario: Scenario, populations: dict[object, Population]) -> Iterator[Cell]:
    """The cells of a part; a cell of a file or of code only where the run has its users."""
    made = Scenario(dict(part.document), scenario.name, scenario.folder)

    def population_of(_: int, point: Point) -> Population | None:
        drawn = (point.population, point.seed)
        if drawn not in populations and point.population.kind in STATED:
            populations[drawn] = point.population.bind(point.seed, scenario.folder)
        return populations.get(drawn)

    return bound(tuple(made.points()), population_of, limits=False)


def _nearest(cells: tuple[Cell, ...], base: list[Cell]) -> Cell:
    """The cell that has the most values of the base."""
    if not base:
        return cells[0]
    wanted: Mapping[str, Any] = base[0].parameters

    def alike(cell: Cell) -> int:
        return sum(cell.parameters.get(key) == value for key, value in wanted.items())

    return max(cells, key=alike)


def _or_none(make: Callable[[], Iterable[Any]]) -> list[Any]:
    """The list that a function makes; empty where the scenario does not allow it."""
    try:
        return list(make())
    except LdpError:
        return []


def kept_playback(path: Path, number: int, key: int, *, company: bool) -> Playback:
    """The playback of a run of a store. Raises FileError, ScenarioError."""
    store = open_store(path, write=False)
    try:
        return Playback(store, number, key, company=company)
    except BaseException:
        store.close()
        raise


def kept_snapshot(path: Path, number: int, key: int) -> Snapshot:
    """A run of a store, whole, with what the store knows of its charts besides."""
    playback = kept_playback(path, number, key, company=True)
    try:
        return replace(playback.frame(), note="")
    finally:
        playback.close()
