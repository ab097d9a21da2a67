"""A run: the parts of a request worked off one after the other, and told of on the way."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import numpy as np
from msgspec.structs import replace

from ldptui.core.base.errors import CellError, LdpError, ScenarioError
from ldptui.core.experiment import Experiment
from ldptui.core.experiment import compile as bind
from ldptui.core.metrics.results import digest
from ldptui.core.running.runner import Results, run
from ldptui.core.running.searching import open_goals, run_goal_searches
from ldptui.core.running.workers import LostError
from ldptui.core.scenario import Scenario
from ldptui.core.view.estimated import MAX_ITEMS, closed_sigmas, frequencies
from ldptui.core.view.redrawn import single_trials

from ...session.snapshot import Request, Snapshot, Status
from ...text.format import searching
from ..wire import News, frame_of, write
from .inbox import Cancelled, Inbox, Superseded
from .keeping import import_for, import_solver
from .part import PartSoFar
from .picture import Picture
from .whole import Whole

if TYPE_CHECKING:
    from ldptui.core.view import Frequencies

    from .keeping import Keeper

CELLS: Final = 16
"""The cells of a frame at most, so that decoding it does not hold up the app."""


class Run:
    """One request being worked off: what was measured so far, and what was sent of it."""

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
        self.parts: dict[str, PartSoFar] = {}
        self.whole: Whole | None = None
        self.keeper: Keeper | None = None
        self.kept = False  # the store was told of the end
        self.asked = sorted(request.parts, key=lambda part: part.name != "base")
        self.sizes = {part.name: 0 for part in self.asked}
        self.latest = ""
        self.picture = Picture()
        self.at_cell: Frequencies | None = None
        """The estimates of the cell at a chart's cursor, until they are sent."""
        self.failed: dict[str, Results] = {}
        """The results of the parts in which cells failed; the other cells went on."""

    def work(self) -> None:
        """Compute and send everything; never raises but for what must end the worker."""
        write(self.out, started=self.request.key)
        try:
            with self.inbox.running(self.request):
                self._work()
        except Superseded:
            self._keep_end()
        except Cancelled:
            self._keep_end()
            self.send("partial")
        except LostError as error:
            self._keep_end(wait=True)
            self.send("partial", str(error))
        except Exception as error:
            known = isinstance(error, LdpError)
            sentence = str(error) if known else f"{type(error).__name__}: {error}".strip(": ")
            sentence = sentence.splitlines()[0]
            self._keep_end(sentence)
            self.send("failed", sentence, "" if known else traceback.format_exc())
        else:
            self._send_end()
        finally:
            self.ends.close()

    def _work(self) -> None:
        folder = Path(self.request.folder)
        scenarios = {part.name: Scenario(dict(part.document), "", folder) for part in self.asked}
        with self.inbox.interruptible():
            self.sizes = {name: trials_asked(scenario) for name, scenario in scenarios.items()}
        write(self.out, snapshot=self._snapshot("running"))
        if self.request.whole is None:
            for name, scenario in scenarios.items():
                self._bind(name, scenario)
                self._work_part(self.parts[name])
            return
        self._begin_whole()
        for name, scenario in scenarios.items():
            self._bind(name, scenario)
        self._bind_rest()
        for part in sorted(self.parts.values(), key=self._is_besides):
            self._work_part(part)
        if self.keeper is not None:
            with self.inbox.interruptible():
                self._keep_end(wait=True)

    def _begin_whole(self) -> None:
        """Bind the scenario that the run belongs to, and start to keep it."""
        from .keeping import Keeper

        request = self.request
        assert request.whole is not None
        if request.store:
            self.keeper = Keeper(Path(request.store), self.inbox.shielded)
        name = Path(request.source).name or "untitled"
        scenario = Scenario(dict(request.whole), name, Path(request.folder))
        import_for(scenario)
        with self.inbox.interruptible():
            if self.keeper is not None and request.resumed is not None:
                experiment = self.allow(self.keeper.kept(request.resumed))
            else:
                experiment = self._bound(scenario)
            self.whole = Whole(experiment)
            if self.cluster is not None:
                from ldptui.core.running.dask_executor import cluster

                self.executor = self.ends.enter_context(cluster(self.cluster))
            if self.keeper is not None:
                self.keeper.begin(experiment, request.source, request.resumed)
        if self.keeper is not None:
            # Its number, now: a worker that is killed before the first block leaves a run.
            write(self.out, snapshot=self._snapshot("running"))

    def _bind(self, name: str, scenario: Scenario) -> None:
        import_for(scenario)
        with self.inbox.interruptible():
            experiment = self._bound(scenario)
            part = PartSoFar(name, experiment, list(scenario.sweep))
            if self.whole is not None:
                part.keys = self.whole.keys_of(experiment)
            self.parts[name] = part
        self.sizes[name] = experiment.trials

    def _bound(self, scenario: Scenario) -> Experiment:
        """The experiment of a scenario, its goals answered: those that take a search, told of."""
        experiment = bind(scenario, searches=False)
        if not open_goals(experiment):
            return self.allow(experiment)
        from .whole import FOUND, Remembered

        answers = FOUND if self.keeper is None else Remembered(self.keeper.answers)
        beat = Beat(self)
        for step in run_goal_searches(experiment, answers=answers, pulse=beat):
            beat.about = searching(step.done, step.total)
            beat.tell("")
        self.latest = ""
        return self.allow(step.experiment)

    def _bind_rest(self) -> None:
        """Bind the cells of the scenario that no other part covers."""
        assert self.whole is not None
        with self.inbox.interruptible():
            covered = {key for part in self.parts.values() for key in part.keys}
            rest = self.whole.without(covered)
            if rest.cells:
                part = PartSoFar("rest", rest, list(rest.scenario.sweep))
                part.keys = self.whole.keys_of(rest)
                self.parts["rest"], self.sizes["rest"] = part, rest.trials

    def _work_part(self, part: PartSoFar) -> None:
        import_solver(part.experiment.cells)
        base, memory, known = part.name == "base", None, False
        pointed = part.name == "cell"
        if self.keeper is not None and self.whole is not None:
            with self.inbox.interruptible():
                positions = self.whole.positions
                memory = self.keeper.memory(part.experiment, positions, frequencies=base)
            known = memory is not None and base and memory.knows(part.experiment.cells[0])
        if base and part.experiment.cells[0].path == "reports" and not known:
            self._peek(part)
        beat = Beat(self)
        steps = run(
            part.experiment,
            executor=self.executor,
            pulse=beat,
            frequencies=base or pointed,
            memory=memory,
        )
        while True:
            with self.inbox.interruptible():
                progress = next(steps, None)
            if progress is None:
                return
            if progress.results.failures:
                self.failed[part.name] = progress.results
            part.update(progress.results.cells)
            with self.inbox.interruptible():
                part.reckon()
                if base and part.measured[0].trials:
                    cell = part.experiment.cells[0]
                    self.picture.reckon(cell)
                    judged = any(each.detection for each in self.asked)
                    self.picture.draw(cell, self.inbox.pulse, judged=judged, listed=self._listed)
                if pointed and part.measured[0].trials:
                    self._look_at(part)
            if progress.latest is not None:
                self.latest = part.words(progress.latest)
                due = time.perf_counter() >= self.sent_at + self.request.interval
                if (
                    due or pointed
                ) and self.trials != self.wanted:  # else the last snapshot follows
                    self.send("running")

    def _look_at(self, part: PartSoFar) -> None:
        """The cell at a chart's cursor: its estimates, and those of single trials where wanted."""
        cell = part.experiment.cells[0]
        measured = part.measured[0]
        seen = frequencies(cell, measured, closed_sigmas(cell), MAX_ITEMS)
        if seen is not None and self._listed:
            seen = replace(seen, by_trial=single_trials(cell, self.inbox.pulse))
        self.at_cell = seen

    @property
    def _listed(self) -> bool:
        """True where the estimates of single trials are wanted."""
        return any(part.by_trial for part in self.asked)

    def _keep_end(self, error: str = "", *, wait: bool = False) -> None:
        """Tell the store that the run has ended. wait : until it knows."""
        if self.keeper is not None and not self.kept:
            results = None if self.whole is None or error else self._whole_results(self.whole)
            self.kept = True
            self.keeper.finish(results, error or (results.error if results else ""), wait=wait)

    def _whole_results(self, whole: Whole) -> Results:
        return whole.results(self.parts.values(), self.failed)

    def _peek(self, part: PartSoFar) -> None:
        """Show one trial of a cell whose first block takes long; the block then replaces it."""
        cell = part.experiment.cells[0]
        with self.inbox.interruptible(), suppress(CellError):  # the run will meet it again
            part.update((cell.block(0, 1, Beat(self)),))
        with self.inbox.interruptible():
            part.reckon()
            self.picture.reckon(cell)
        self.latest = part.words(cell)
        self.send("running")

    def _send_end(self) -> None:
        """Tell that the run is over, and of the cells that failed the first one."""
        for results in self.failed.values():
            self.send("failed", results.error, results.failures[0].details)
            return
        self.send("done")

    def send(self, status: Status, error: str = "", details: str = "") -> None:
        """All that changed since the last time, and where the run stands."""
        for fields in self._news(ended=status != "running"):
            news = News(snapshot=Snapshot(self.request.key, "running", **fields), more=True)
            self.out.write(frame_of(news))
        write(self.out, snapshot=self._snapshot(status, error, details))
        self.sent_at = time.perf_counter()

    def _news(self, *, ended: bool) -> Iterator[dict[str, Any]]:
        """The fields of a snapshot that changed since the last time, few for each frame."""
        for part in self.parts.values():
            changed = part.news()
            for start in range(0, len(changed), CELLS):
                yield {"parts": {part.name: changed[start : start + CELLS]}}
        base = self.parts.get("base")
        if base is not None and base.measured[0].trials:
            yield from self.picture.news(base.experiment.cells[0], base.measured[0], ended)
        if self.at_cell is not None:
            yield {"at_cell": self.at_cell}
            self.at_cell = None

    def _snapshot(self, status: Status, error: str = "", details: str = "") -> Snapshot:
        """Where the run stands."""
        return Snapshot(
            self.request.key,
            status,
            done=self.trials,
            total=self.wanted,
            seconds=round(time.perf_counter() - self.started, 6),
            latest=self.latest,
            digest="" if status == "running" else self._digest(),
            numpy=np.__version__,
            error=error,
            details=details,
            kept=None if self.keeper is None else self.keeper.run,
            reused=0 if self.keeper is None else self.keeper.reused,
            note="" if self.keeper is None else self.keeper.note,
        )

    def _is_besides(self, part: PartSoFar) -> bool:
        """True for a part of which the scenario has no cell: charts want it, and it comes last."""
        assert self.whole is not None
        return part.name != "base" and not any(key in self.whole.positions for key in part.keys)

    @property
    def trials(self) -> int:
        """The trials done: of the scenario's own cells, as the store counts them, or of all."""
        if self.whole is not None:
            return sum(cell.trials for cell in self._whole_results(self.whole).cells)
        return sum(part.trials for part in self.parts.values())

    @property
    def wanted(self) -> int:
        """The trials that there will be, counted as `trials` are."""
        return sum(self.sizes.values()) if self.whole is None else self.whole.experiment.trials

    def _digest(self) -> str:
        """The digest of the cells of all parts in order: the headless run's where there is one."""
        if self.whole is not None:
            return self._whole_results(self.whole).digest
        cells = [cell for part in self.parts.values() for cell in part.measured]
        return digest(cells) if any(cell.trials for cell in cells) else ""


class Beat:
    """The pulse of a run: it stops the work in time, and tells what is looked at.

    about : words that go before those that are told.
    """

    def __init__(self, run: Run) -> None:
        self._run, self.about = run, ""

    def __call__(self) -> None:
        self._run.inbox.pulse()

    def tell(self, words: str) -> None:
        """Show the words beside the trials that are done, no more often than anything else."""
        run = self._run
        if time.perf_counter() < run.sent_at + run.request.interval:
            return
        with run.inbox.shielded():
            run.latest = ", ".join(filter(None, (self.about, words)))
            run.send("running")


def trials_asked(scenario: Scenario) -> int:
    """The number of trials that a scenario asks for, before it is bound; 0 where it is invalid."""
    try:
        sweep = scenario.sweep
    except ScenarioError:
        return 0
    trials = sweep.pop("trials", [scenario.document.get("trials", 20)])
    for values in sweep.values():
        trials = [sum(count for count in trials if isinstance(count, int)) * len(values)]
    return sum(count for count in trials if isinstance(count, int))
