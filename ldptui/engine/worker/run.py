"""A run: the cells of a request measured one selection after the other, and told of on the way."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, suppress
from dataclasses import replace as with_fields
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
from msgspec.structs import replace

from ldptui.core.base.errors import CellError, FileError, LdpError
from ldptui.core.cell import Cell
from ldptui.core.experiment import Experiment
from ldptui.core.experiment import compile as bind
from ldptui.core.metrics.results import digest
from ldptui.core.running.runner import RunResults, run
from ldptui.core.running.searching import open_goals, run_goal_searches
from ldptui.core.running.workers import LostError
from ldptui.core.scenario import Scenario
from ldptui.core.store import KeptAnswers, RunMemory, Store, begin, open_store, resume
from ldptui.core.view import FrequencySummary
from ldptui.core.view.estimated import MAX_ITEMS, closed_sigmas, frequencies
from ldptui.core.view.redrawn import single_trials

from ... import __version__
from ...charts.curves import select_cells
from ...session.cell_table import address_of
from ...session.snapshot import ChartSelection, Request, Snapshot, Status
from ...text.format import searching
from ..measured import CellsSoFar, Picture, swept_words
from ..wire import News, frame_of, write
from .inbox import Inbox, NewerRequest, RunCancellation
from .libraries import import_for, import_solver
from .run_scope import ShieldedStore, Whole, shorten_run, trials_of

FOUND: Final = KeptAnswers(None)
"""The answers to goals of this process: a preview asks for them again with every edit."""

CELLS: Final = 16
"""The cells of a frame at most, so that decoding it does not hold up the app."""


class RunningRequest:
    """The computation of one run in the worker: its results so far, and which of them were sent."""

    def __init__(
        self,
        request: Request,
        inbox: Inbox,
        out: BinaryIO,
        allow: Callable[[Experiment], Experiment] = lambda experiment: experiment,
        cluster: str | None = None,
    ) -> None:
        self.request, self.inbox, self.out, self.allow = request, inbox, out, allow
        self.cluster = cluster
        self.executor: Executor | None = None
        self.ends = ExitStack()
        self.started = time.perf_counter()
        self.sent_at = float("-inf")
        name = (Path(request.source).name or "untitled") if request.full else ""
        self.scenario = Scenario(dict(request.document), name, Path(request.folder))
        self.groups: list[CellsSoFar] = []
        self.whole: Whole | None = None
        self.store: Store | None = None
        self.memory: RunMemory | None = None
        self.note = ""  # why the run is not kept, or the first failure
        self.wanted = 0
        self.about = self.latest = ""  # words before those of progress, and all of them
        self.base: CellsSoFar | None = None
        self.picture = Picture()
        self.at = ""
        self.at_cell: FrequencySummary | None = None
        """The estimates of the cell at a chart's cursor, until they are sent."""
        self.failures: list[tuple[CellsSoFar, RunResults]] = []
        """The cells of which some failed, with the results; the other cells went on."""

    def work(self) -> None:
        """Compute and send all results; raises only exceptions that must end the worker."""
        write(self.out, started=self.request.key)
        status: Status | None = "done"
        error = fault = details = ""
        try:
            with self.inbox.running(self.request):
                self._work()
        except NewerRequest:
            status = None
        except RunCancellation:
            status = "partial"
        except LostError as lost:
            status, error = "partial", str(lost)
        except Exception as raised:
            known = isinstance(raised, LdpError)
            fault = str(raised) if known else f"{type(raised).__name__}: {raised}".strip(": ")
            fault = fault.splitlines()[0]
            status, error = "failed", fault
            details = "" if known else traceback.format_exc()
        else:
            if self.failures:  # the other cells went on
                results = self.failures[0][1]
                status, error, details = "failed", results.error, results.failures[0].details
        if self.memory is not None and self.whole is not None:
            whole = None if fault else self._whole_results(self.whole)
            self.memory.finish(whole, fault or (whole.error if whole else ""))
        if status is not None:
            self.send(status, error, details)
        self.ends.close()  # behind the answer: the store then tidies its file

    def _work(self) -> None:
        if self.request.full:
            self._work_whole()
            return
        with self.inbox.interruptible():
            chosen = [shorten_run(select_cells(self.scenario, each))
                      for each in self.request.selections]  # fmt: skip
            sizes = [trials_of(each) for each in chosen]
        self.wanted = sum(sizes)
        write(self.out, snapshot=self._snapshot("running"))
        for number, scenario in enumerate(chosen):
            self._work_selection(self.request.selections[number], scenario)
            done = sum(group.experiment.trials for group in self.groups)
            self.wanted = done + sum(sizes[number + 1 :])

    def _work_selection(self, selection: ChartSelection, scenario: Scenario) -> None:
        """Measure the cells of a selection that no earlier selection has measured."""
        import_for(scenario)
        with self.inbox.interruptible():
            experiment = self._bound(scenario)
        known = {address for group in self.groups for address in group.addresses}
        is_detailed = selection.is_base or selection.estimates
        cells = [
            cell
            for cell in experiment.cells
            if is_detailed or address_of(cell.parameters) not in known
        ]
        self._work_cells(scenario, cells, selection)

    def _work_whole(self) -> None:
        """Measure the base, then all other cells of the scenario, those of charts first."""
        with self.inbox.interruptible():
            self.wanted = trials_of(self.scenario)
        write(self.out, snapshot=self._snapshot("running"))
        whole = self._begin_whole()
        base = select_cells(self.scenario, ChartSelection())
        with self.inbox.interruptible():
            own = address_of(next(base.points()).parameters)
            first = [cell for cell in whole.cells if address_of(cell.parameters) == own][:1]
            besides = len(whole.experiment.cells)  # the number of a base that is not swept
            cells = first or [with_fields(self._bound(base).cells[0], index=besides)]
            wanted = {
                address_of(point.parameters)
                for selection in self.request.selections
                for point in select_cells(self.scenario, selection).points()
            }
        asked = next((each for each in self.request.selections if each.is_base), ChartSelection())
        self._work_cells(base, cells, asked)
        rest = [cell for cell in whole.cells if cell.index != cells[0].index]
        rest.sort(key=lambda cell: address_of(cell.parameters) not in wanted)
        self._work_cells(self.scenario, rest, ChartSelection(sweep=self.scenario.sweep))

    def _begin_whole(self) -> Whole:
        """Bind the scenario, and begin or continue its record in the store."""
        request = self.request
        if request.store:
            with self.inbox.shield_work():
                self._open_store(Path(request.store))
        import_for(self.scenario)
        with self.inbox.interruptible():
            if self.store is not None and request.resumed is not None:
                experiment = self.allow(self.store.experiment(request.resumed))
            else:
                experiment = self._bound(self.scenario)
            self.whole = Whole(experiment)
            self.wanted = experiment.trials
            if self.cluster is not None:
                from ldptui.core.running.dask_executor import cluster

                self.executor = self.ends.enter_context(cluster(self.cluster))
            if self.store is not None:
                with self.inbox.shield_work():
                    self._keep(self.store, experiment)
        if self.memory is not None:
            # Its number, now: a worker that is killed before the first block leaves a run.
            write(self.out, snapshot=self._snapshot("running"))
        return self.whole

    def _open_store(self, path: Path) -> None:
        """Open the store; if that fails, a note says why the run is not stored."""
        try:
            self.store = open_store(path)
        except FileError as error:
            if self.request.resumed is not None:
                raise
            self.note = f"this run is not kept: {error}"
        else:
            self.ends.callback(self.store.close)
            self.note = self.store.note

    def _keep(self, store: Store, experiment: Experiment) -> None:
        """Begin a new record in the store, or continue one."""
        request = self.request
        if request.resumed is not None:
            self.memory = resume(store, request.resumed, experiment=experiment)
            return
        try:
            self.memory = begin(store, experiment, __version__, source=request.source)
        except FileError as error:
            self.note = f"this run is not kept: {error}"

    def _bound(self, scenario: Scenario) -> Experiment:
        """The experiment of a scenario with its goals answered; progress of searches is sent."""
        experiment = bind(scenario, searches=False)
        if not open_goals(experiment):
            return self.allow(experiment)
        answers: Any = FOUND
        if self.store is not None:
            answers = ShieldedStore(
                KeptAnswers(self.store, found=FOUND.found), self.inbox.shield_work
            )
        for step in run_goal_searches(experiment, answers=answers, tell=self.tell):
            self.about = searching(step.done, step.total)
            self.tell("")
        self.about = self.latest = ""
        return self.allow(step.experiment)

    def _work_cells(
        self, scenario: Scenario, cells: Iterable[Cell], selection: ChartSelection
    ) -> None:
        """Measure some cells of a scenario; the first ones of all are those of the base."""
        chosen = tuple(cells)
        if not chosen:
            return
        numbered = tuple(with_fields(cell, index=index) for index, cell in enumerate(chosen))
        numbers = [cell.index for cell in chosen]
        if self.whole is None:
            start = sum(len(group.numbers) for group in self.groups)
            numbers = [start + index for index in range(len(chosen))]
        is_base = self.base is None and selection.is_base
        detailed = (0,) if is_base or selection.estimates else ()
        group = CellsSoFar(Experiment(scenario, numbered), numbers, detailed=detailed)
        if is_base:
            self.base = group
        with self.inbox.interruptible():
            self.groups.append(group)
        self._run_cells(group, selection)

    def _run_cells(self, group: CellsSoFar, selection: ChartSelection) -> None:
        cells, is_base, memory, known = group.experiment.cells, group is self.base, None, False
        import_solver(cells)
        if self.memory is not None and self.whole is not None:
            part = self.memory.part(group.experiment, self.whole.positions, is_base)
            memory = ShieldedStore(part, self.inbox.shield_work)
            known = is_base and memory.knows(cells[0])
        if is_base and cells[0].path == "reports" and not known:
            self._peek(group)
        details = is_base or selection.estimates
        steps = run(
            group.experiment,
            executor=self.executor,
            tell=self.tell,
            frequencies=details,
            memory=memory,
        )
        while True:
            with self.inbox.interruptible():
                progress = next(steps, None)
            if progress is None:
                return
            if progress.results.failures:
                self.failures = [each for each in self.failures if each[0] is not group]
                self.failures.append((group, progress.results))
                self.note = self.note or progress.results.failures[0].error
            group.update(progress.results.cells)
            with self.inbox.interruptible():
                group.reckon()
                if details and group.measured[0].trials:
                    self._look_at(group, selection)
            if progress.latest is not None:
                self.latest = swept_words(progress.latest, group.experiment.scenario.sweep)
                is_due = time.perf_counter() >= self.sent_at + self.request.interval
                is_whole = details and group.measured[0].trials == cells[0].trials
                # The last snapshot follows where all is done.
                if (is_due or is_whole) and self.trials != self.wanted:
                    self.send("running")

    def _look_at(self, group: CellsSoFar, selection: ChartSelection) -> None:
        """Compute the estimates of the first cell, and the details that the selection needs."""
        cell, measured = group.experiment.cells[0], group.measured[0]
        if group is self.base:
            self.picture.reckon(cell)
            self.picture.draw(cell, judged=selection.detection, listed=selection.by_trial)
            return
        seen = frequencies(cell, measured, closed_sigmas(cell), MAX_ITEMS)
        if seen is not None and selection.by_trial:
            seen = replace(seen, by_trial=single_trials(cell))
        self.at, self.at_cell = group.addresses[0], seen

    def _whole_results(self, whole: Whole) -> RunResults:
        return whole.results(self.groups, self.failures)

    def _peek(self, group: CellsSoFar) -> None:
        """Show one trial of a cell whose first block takes long; the block then replaces it."""
        cell = group.experiment.cells[0]
        with self.inbox.interruptible(), suppress(CellError):  # the run will meet it again
            group.update((cell.block(0, 1, self.tell),))
        with self.inbox.interruptible():
            group.reckon()
            self.picture.reckon(cell)
        self.latest = swept_words(cell, group.experiment.scenario.sweep)
        self.send("running")

    def send(self, status: Status, error: str = "", details: str = "") -> None:
        """Send all values that changed since the last message, and the progress of the run."""
        for fields in self._news(ended=status != "running"):
            news = News(snapshot=Snapshot(self.request.key, "running", **fields), more=True)
            self.out.write(frame_of(news))
        write(self.out, snapshot=self._snapshot(status, error, details))
        self.sent_at = time.perf_counter()

    def _news(self, *, ended: bool) -> Iterator[dict[str, Any]]:
        """The fields of a snapshot that changed since the last time, few for each frame."""
        for group in self.groups:
            changed = group.news()
            for start in range(0, len(changed), CELLS):
                yield {"cells": changed[start : start + CELLS]}
        base = self.base
        if base is not None and base.measured[0].trials:
            yield from self.picture.news(base.experiment.cells[0], base.measured[0], ended)
        if self.at_cell is not None:
            yield {"at_cell": self.at_cell}
            self.at_cell = None

    def _snapshot(self, status: Status, error: str = "", details: str = "") -> Snapshot:
        """The snapshot of the run with this status, without the fields that `_news` sends."""
        memory = self.memory
        lost = memory.failure or None if memory is not None else None
        return Snapshot(
            self.request.key,
            status,
            done=self.trials,
            total=self.wanted,
            seconds=round(time.perf_counter() - self.started, 6),
            base="" if self.base is None else self.base.addresses[0],
            at=self.at,
            latest=self.latest,
            digest="" if status == "running" else self._digest(),
            numpy=np.__version__,
            error=error,
            details=details,
            kept=None if memory is None else memory.run,
            reused=0 if memory is None else memory.reused,
            note=self.note if lost is None else f"this run is not kept, or in part: {lost}",
        )

    @property
    def trials(self) -> int:
        """The number of finished trials: those of the scenario's cells, as the store counts them,
        or of all cells.
        """
        if self.whole is not None:
            return sum(cell.trials for cell in self._whole_results(self.whole).cells)
        return sum(group.trials for group in self.groups)

    def _digest(self) -> str:
        """The digest of all cells in order; for a full run the same as without the app."""
        if self.whole is not None:
            return self._whole_results(self.whole).digest
        cells = [cell for group in self.groups for cell in group.measured]
        return digest(cells) if any(cell.trials for cell in cells) else ""

    def tell(self, words: str) -> None:
        """Send progress words beside the number of trials, no more often than other messages."""
        if time.perf_counter() < self.sent_at + self.request.interval:
            return
        with self.inbox.shield_work():
            self.latest = ", ".join(filter(None, (self.about, words)))
            self.send("running")
