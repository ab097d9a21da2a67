"""Writers of runs: a row when a run begins, a short transaction for each of its blocks.

The answers to goals that took a search are stored as they are found, for every later search.
"""

from __future__ import annotations

import contextlib
import json
import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..base.code import kind_of_table
from ..base.errors import FileError, one_line
from ..base.processes import describe_process, process_address
from ..base.streams import digest
from ..base.versions import differing, versions
from ..cell import Cell
from ..experiment import Experiment
from ..experiment.search import measured_alone, with_fakes
from ..metrics.goal import GoalAnswer
from ..metrics.results import BLOCK_TRIALS, CellResults
from ..population import STATED
from ..running.runner import RunResults
from ..view.cells import metric_names
from .block_store import corruption_context
from .cell_address import addresses, canonical, cell_keys, histogram_digests
from .run_records import (
    Arrival,
    RunCell,
    RunRecord,
    decode_answer,
    encode_answer,
)
from .store import Store


def begin(
    store: Store,
    experiment: Experiment,
    ldptui: str = "",
    *,
    tags: Iterable[str] = (),
    source: str = "",
    fresh: bool = False,
    frequencies: bool = True,
) -> RunMemory:
    """The writer of a new run in a store, for `core.running.runner.run`.

    fresh : whether to compute everything again. frequencies : whether to store the moments of every
    item, as for `run`. Raises FileError.
    """
    scenario, marks = experiment.scenario, histogram_digests(experiment.cells)
    run = RunRecord(
        uid=uuid.uuid4().hex,
        # Not where the file is: a recording is shared.
        title=one_line(str(scenario.document.get("title") or Path(scenario.name).name)),
        document=scenario.document,
        source=one_line(source),
        seed=experiment.cells[0].seed,
        protocols=kinds_in(experiment.cells, "protocol"),
        attacks=kinds_in(experiment.cells, "attack"),
        metrics=tuple(metric_names(experiment.cells)),
        versions=versions(ldptui),
        status="running",
        started=time.time(),
        total=experiment.trials,
        tags=tuple(sorted({*tags})),
        warnings=experiment.warnings,
        owner=process_address(),
    )
    with store.writing():
        cells = [
            _describe_cell(store, cell, mark)
            for cell, mark in zip(experiment.cells, marks, strict=True)
        ]
        number = store.insert_run(run, cells, ())
    return RunMemory(store, number, cells, fresh, frequencies)


def kinds_in(cells: Iterable[Cell | RunCell], table: str) -> tuple[str, ...]:
    """The kinds of a table that the cells have; "mix" or "phase" for attacks of several kinds.

    A plug-in has the name of its code.
    """
    kinds = dict.fromkeys(
        kind_of_table(cell.parameters, table)
        or ("phase" if f"{table}.phase.0.rounds" in cell.parameters else "mix")
        for cell in cells
    )
    return tuple(kinds)


def _describe_cell(store: Store, cell: Cell, histogram: str) -> RunCell:
    """What a run keeps of a cell; its population is kept too if the scenario does not state it.

    histogram : its digest.
    """
    stated = cell.parameters["population.kind"] in STATED
    key, genuine = addresses(cell, histogram)
    return RunCell(
        position=cell.index,
        trials=cell.trials,
        parameters=cell.parameters,
        users=cell.first.population.users,
        malicious=cell.malicious,
        domain_size=cell.task.size(cell.first),
        genuine=genuine,
        histogram=histogram,
        population=None if stated else store.put_population(cell.first.population),
        answer=cell.answer,
        key=key,
    )


def resume(
    store: Store, run: int, frequencies: bool = True, experiment: Experiment | None = None
) -> RunMemory:
    """The writer of a stored run that is continued; missing and damaged blocks are computed again.

    experiment : the run's, if it has plug-in code, which must be unchanged. Raises FileError if the
    run is running, or if code or versions have changed.
    """
    with store.writing():
        cells, stored = store.cells(run), store.run(run)
        if stored.status == "running":
            raise FileError(f"run {run} is running, in process {describe_process(stored.owner)}")
        other = differing(stored.versions) or _other_code(cells, experiment)
        if other:
            raise FileError(
                f"run {run} cannot be resumed, its other trials would not be of one kind: "
                f"{other}; run it again instead"
            )
        arrivals = store.arrivals(run)
        store.update_run(run, arrivals, status="running", error="", owner=process_address())
    return RunMemory(store, run, cells, False, frequencies, arrivals)


def _other_code(cells: Sequence[RunCell], experiment: Experiment | None) -> str:
    """A sentence about cells that are missing, or code that has changed; "" where all is there."""
    if experiment is None:
        return ""
    if len(cells) != len(experiment.cells):
        return f"it has {len(cells)} of its {len(experiment.cells)} cells"
    keys = cell_keys(experiment.cells)
    for cell, key, before in zip(experiment.cells, keys, cells, strict=True):
        code = [*cell.python_code] + [
            (what, str(cell.parameters[f"{what}.name"]))
            for what in ("protocol", "population")
            if f"{what}.name" in cell.parameters
        ]
        if key != before.key and code:
            return "the code of {} {!r} is not that of its other trials".format(*code[0])
    return ""


class RunPart:
    """The memory of an experiment that has some of a run's cells.

    The run's own cells count as blocks of the run. The others are stored for later use, until
    `Store.gc`.

    keys : of the cells. positions : for each cell its positions in the run, possibly none.
    """

    def __init__(
        self,
        memory: RunMemory,
        keys: Sequence[str],
        positions: Sequence[Sequence[int]],
        frequencies: bool,
    ) -> None:
        self._run, self._keys, self._frequencies = memory, keys, frequencies
        self._positions = positions

    def knows(self, cell: Cell) -> bool:
        """Whether the store has a usable first block of a cell; False if the store cannot
        be read.
        """
        trials, key = min(BLOCK_TRIALS, cell.trials), self._keys[cell.index]
        try:
            return bool(self._run.store.get_block(key, 0, trials, self._frequencies))
        except FileError:
            return False  # computing it will say why

    def find(self, cell: Cell, number: int, trials: int) -> CellResults | None:
        """The stored block; None if it is absent or damaged."""
        run, key = self._run, self._keys[cell.index]
        if run._fresh or run.failure:
            return None
        try:
            block = run.store.get_block(key, number, trials, self._frequencies)
        except FileError as error:
            run.failure = str(error)
            return None
        if block is not None:
            if (key, number) not in run._computed:
                run.reused += trials
            run._note(self._positions[cell.index], number, trials)
        return block

    def keep(self, cell: Cell, number: int, block: CellResults) -> None:
        """Store a finished block at once; no effect after a failure."""
        run, key = self._run, self._keys[cell.index]
        if run.failure:
            return
        run._computed.add((key, number))
        run._note(self._positions[cell.index], number, block.trials)
        try:
            with run.store.writing(now=False):
                run.store.put_block(key, number, block)
        except FileError as error:
            run.failure = str(error)


class RunMemory(RunPart):
    """The writer of a run in progress: stores all blocks of its cells.

    A store that can no longer be written does not stop the run: `failure` says what happened. The
    order of the blocks is stored at the end: of a run that is killed it is not known.

    reused : the number of trials that were in the store before the run.
    """

    def __init__(
        self,
        store: Store,
        run: int,
        cells: Sequence[RunCell],
        fresh: bool,
        frequencies: bool,
        arrivals: Sequence[Arrival] = (),
    ) -> None:
        keys = [cell.key for cell in cells]
        super().__init__(self, keys, [(at,) for at in range(len(cells))], frequencies)
        self.store, self.run = store, run
        self.failure, self.reused = "", 0
        self._fresh = fresh
        self._computed: set[tuple[str, int]] = set()
        self._arrivals = {(each.position, each.number): each for each in arrivals}
        self._started = time.monotonic() - (arrivals[-1].seconds if arrivals else 0.0)

    def part(
        self, experiment: Experiment, positions: Mapping[str, Sequence[int]], frequencies: bool
    ) -> RunPart:
        """The memory of another experiment that is computed for the same run.

        positions : the run's positions of each cell, by the cell's key. frequencies : as for `run`.
        """
        keys = cell_keys(experiment.cells)
        return RunPart(self, keys, [positions.get(key, ()) for key in keys], frequencies)

    def _note(self, positions: Sequence[int], number: int, trials: int) -> None:
        for position in positions:
            arrival = Arrival(self._seconds, position, number, trials)
            self._arrivals.setdefault((position, number), arrival)

    def finish(self, results: RunResults | None = None, error: str = "") -> None:
        """Record the end of the run as done, partial, or failed with this error.

        After a failure of the store the run counts as interrupted.
        """
        complete = results is not None and results.complete
        stopped = results is not None and not results.has_ended
        if self.failure:
            nobody = " " * len(process_address())  # as long: a full disk has no room for a change
            with contextlib.suppress(FileError), self.store.writing():
                self.store.update_run(self.run, owner=nobody)
            return
        arrivals = [*self._arrivals.values()]
        ended: dict[str, Any] = {
            "status": "done" if complete else "failed" if error and not stopped else "partial",
            "error": error,
            "digest": results.digest if results is not None and complete else "",
            "seconds": self._seconds,
            "done": sum(arrival.trials for arrival in arrivals),
            "owner": "",
        }
        try:
            with self.store.writing():
                self.store.update_run(self.run, arrivals, **ended)
        except FileError as reason:
            self.failure = str(reason)
            self.finish()

    @property
    def _seconds(self) -> float:
        return time.monotonic() - self._started


class KeptAnswers:
    """The memory of searched answers: in a store, or in this process alone if the store is None.

    fresh : whether to ignore stored answers. found : answers known before. A store that cannot be
    read or written stops no search: `failure` says what happened.
    """

    def __init__(
        self, store: Store | None, fresh: bool = False, found: dict[str, GoalAnswer] | None = None
    ) -> None:
        self._store, self._fresh = store, fresh
        self.found = {} if found is None else found
        self.failure = ""

    def find(self, cell: Cell, most: int) -> GoalAnswer | None:
        """The stored answer to a cell's goal; None if there is none."""
        key = goal_key(cell, most)
        if key in self.found or self._fresh or self._store is None or self.failure:
            return self.found.get(key)
        try:
            body = self._store.get_bytes(f"answer {key}")
            with corruption_context(self._store.path):
                return None if body is None else decode_answer(body)
        except FileError as error:
            self.failure = str(error)
            return None

    def keep(self, cell: Cell, most: int) -> None:
        """Store a cell's answer at once."""
        assert cell.answer is not None
        key = goal_key(cell, most)
        self.found[key] = cell.answer
        if self._store is None or self.failure:
            return
        try:
            with self._store.writing():
                self._store.put_bytes(encode_answer(cell.answer), f"answer {key}")
        except FileError as error:
            self.failure = str(error)


def goal_key(cell: Cell, most: int) -> str:
    """The address of a goal's search: the xxh3_128 hash of all inputs of its answer.

    These are the cell without its fakes, the goal, and `most`, the largest number of users that the
    search may try.
    """
    (key,) = cell_keys([measured_alone(with_fakes(cell, 0))])
    return digest(json.dumps([key, canonical(cell.goal), most]).encode())
