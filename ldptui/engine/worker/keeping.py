"""Keeps a run of the workbench in the store, without the worker ever waiting for the disk.

Everything that writes goes through one thread. It may be a few blocks behind what is on the screen,
no more: those are what a power loss or a kill takes, and a resumed run computes them again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy.ma  # noqa: F401  np.unique imports it at its first call

from ldptui.core.base.errors import FileError
from ldptui.core.cell import Cell
from ldptui.core.experiment import Experiment
from ldptui.core.metrics.goal import Answer
from ldptui.core.metrics.results import CellResults
from ldptui.core.running.runner import Memory, Results
from ldptui.core.scenario import KINDS, Scenario
from ldptui.core.store import KeptAnswers, RunMemory, RunPart, Store, begin, open_store, resume

from ... import __version__

T = TypeVar("T")

BEHIND: Final = 4
"""Blocks that may wait to be written; more are not computed meanwhile."""


class Keeper:
    """One run being kept. Methods are for one thread, and an interrupt may come in any of them.

    shield : inside, no interrupt comes: handing something to the thread is done whole.
    note : why the run is not kept, or what else a user should know; "" if nothing.
    """

    def __init__(self, path: Path, shield: Callable[[], AbstractContextManager[None]]) -> None:
        self._path, self._shield = path, shield
        self._thread = ThreadPoolExecutor(1, "keeper")
        self._waiting: deque[Future[Any]] = deque()
        self._store: Store | None = None
        self._run_memory: RunMemory | None = None
        self._note = ""

    @property
    def note(self) -> str:
        failure = self._run_memory.failure if self._run_memory is not None else ""
        return f"this run is not kept, or in part: {failure}" if failure else self._note

    @property
    def run(self) -> int | None:
        """The number of the run in the store; None where there is none."""
        return self._run_memory.run if self._run_memory is not None else None

    @property
    def reused(self) -> int:
        """Trials that came from the store."""
        return self._run_memory.reused if self._run_memory is not None else 0

    @property
    def answers(self) -> DelayedAnswers:
        """The answers to goals that the store knows, and gets."""
        return DelayedAnswers(self)

    def kept(self, run: int) -> Experiment:
        """The experiment of a run that is to be resumed; raises FileError."""
        return self._do(lambda: self._opened().experiment(run)).result()

    def begin(self, experiment: Experiment, source: str, again: int | None) -> None:
        """Start to keep a run, or go on with the run `again`, which raises FileError if it cannot.

        A store that cannot be written leaves the run unkept, and `note` says why.
        """

        def work() -> None:
            if again is not None:
                self._run_memory = resume(self._opened(), again, experiment=experiment)
                return
            try:
                store = self._opened()
                self._run_memory = begin(store, experiment, __version__, source=source)
                self._note = store.note
            except FileError as error:
                self._note = f"this run is not kept: {error}"

        self._do(work).result()

    def memory(
        self, experiment: Experiment, positions: Mapping[str, Sequence[int]], frequencies: bool
    ) -> DelayedMemory | None:
        """The memory of one part of the run; None where nothing is kept."""
        if self._run_memory is None:
            return None
        return DelayedMemory(self, self._run_memory.part(experiment, positions, frequencies))

    def finish(self, results: Results | None, error: str = "", *, wait: bool) -> None:
        """The run has ended. wait : until the store knows it."""

        def work() -> None:
            if self._run_memory is not None:
                self._run_memory.finish(results, error)
            if self._store is not None:
                self._store.close()

        end = self._do(work)
        self._thread.shutdown(wait=False)
        if wait:
            end.result()

    def keep(self, memory: Memory, cell: Cell, number: int, block: CellResults) -> None:
        """Hand a block over, and wait while too many wait."""
        with self._shield():
            self._waiting.append(self._thread.submit(memory.keep, cell, number, block))
        while len(self._waiting) > BEHIND:
            self._waiting[0].result()
            self._waiting.popleft()

    def find_answer(self, cell: Cell, most: int) -> Answer | None:
        """The answer to a cell's goal, where the store knows it."""
        return self._do(lambda: self._answers().find(cell, most)).result()

    def keep_answer(self, cell: Cell, most: int) -> None:
        """Hand the answer that a cell has over."""
        self._do(lambda: self._answers().keep(cell, most))

    def _answers(self) -> KeptAnswers:
        try:
            return KeptAnswers(self._opened())
        except FileError:  # told when the run begins
            return KeptAnswers(None)

    def _do(self, work: Callable[[], T]) -> Future[T]:
        with self._shield():
            return self._thread.submit(work)

    def _opened(self) -> Store:
        if self._store is None:
            self._store = open_store(self._path)
        return self._store


class DelayedAnswers:
    """Answers to goals that are read and written by the keeper's thread."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper

    def find(self, cell: Cell, most: int) -> Answer | None:
        return self._keeper.find_answer(cell, most)

    def keep(self, cell: Cell, most: int) -> None:
        self._keeper.keep_answer(cell, most)


class DelayedMemory:
    """A memory whose blocks are written by the keeper's thread."""

    def __init__(self, keeper: Keeper, memory: RunPart) -> None:
        self._keeper, self._memory = keeper, memory

    def knows(self, cell: Cell) -> bool:
        """True where the first block of a cell is kept and need not be computed."""
        return self._memory.knows(cell)

    def find(self, cell: Cell, number: int, trials: int) -> CellResults | None:
        return self._memory.find(cell, number, trials)

    def keep(self, cell: Cell, number: int, block: CellResults) -> None:
        self._keeper.keep(self._memory, cell, number, block)


def import_for(scenario: Scenario) -> None:
    """Import the libraries that a scenario needs to be bound and run."""
    for name in _declared(scenario, "libraries"):
        import_module(name)
    if "goal" in scenario.document:
        import_module("scipy.special")
    for spec in KINDS["defence"].values() if "defence" in scenario.document else ():
        for name in getattr(spec, "libraries", ()):
            import_module(name)


def import_solver(cells: Iterable[Cell]) -> None:
    """The solver that decodes very many candidates: it takes a second."""
    solvers = {getattr(cell.protocol, "solver", None) for cell in cells}
    import_extras(filter(None, solvers))


def import_extras(names: Iterable[str]) -> None:
    """Import optional libraries; where one is not installed, the cell that needs it says so."""
    for name in names:
        with suppress(ImportError):
            import_module(name)


def extras(scenario: Scenario) -> Iterator[str]:
    """The optional libraries that a scenario may need."""
    return _declared(scenario, "extras")


def _declared(scenario: Scenario, name: str) -> Iterator[str]:
    """The libraries that the kinds of a scenario declare under a name; it need not be bound."""
    for table in ("population", "protocol", "task"):
        place = scenario.document.get(table)
        kind = place.get("kind") if isinstance(place, dict) else None
        for named in (kind, *scenario.sweep.get(f"{table}.kind", ())):
            spec = KINDS[table].get(named) if isinstance(named, str) else None
            yield from getattr(getattr(spec, "mechanism", spec), name, ())
