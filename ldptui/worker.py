"""The background worker: `python -m ldptui.worker`, a child process that speaks JSON lines.

It reads one request a line from standard input, and ends when that ends, so that it never outlives
the app:

    {"run": {…Request}}   run this instead of whatever is running; a Question of the lab likewise
    {"cancel": key}       stop this run; what is finished stays
    {"quit": true}        end at once

(which attacks in Python may run is said on its command line, never by a request)

and writes, to standard output alone:

    {"ready": {"python": …, "numpy": …}}           once, when everything is imported
    {"started": key}                               the request is taken up
    {"key", "part", "shared": {…}}                 what all cells of a part have in common
    {"key", "part", "cells": [[index, own, theory, trials, metrics], …]}
    {"key", "frequencies": {column: values, …}}    of the first cell of the part "base"
    {"key", "rounds": {column: values, …}}         its rounds, where it is a campaign
    {"key", "round", "frequencies": {…}}           those of one round
    {"key", "snapshot": {"status": …, …}}          the lines before it are one consistent state
    {"key", "reply": {"status": …, …}}             of a question
    {"error": sentence}                            a line that is no request

A run that was asked for by hand names the scenario it belongs to as `whole`: what of it no part
covers is simulated last, as the part "rest", and all of it is recorded in the store.

Only what changed since the last line is sent; `ldptui.engine` puts it together. `own` and `theory`
come with a cell's first line and are null after it. Columns of numbers are little-endian float64
(items: int32) in base64: exact, and decoded in no time.
"""

from __future__ import annotations

import _thread
import argparse
import json
import math
import os
import signal
import sys
import threading
import time
import traceback
from base64 import b64encode
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from . import attack_options

if TYPE_CHECKING:
    from core.cell import Cell
    from core.experiment import Experiment
    from core.pure import Items
    from core.results import CellResults, Moments
    from core.runner import Failure, Results
    from core.sampling import Counts, Floats
    from core.scenario import Scenario
    from core.trial import Pulse

    from .keeping import Keeper
    from .timeline import Expected

LINE_BYTES: Final = 1 << 15
"""A line of cells is cut here, so that decoding it does not hold up the app."""

MAX_ITEMS: Final = 4096
"""Frequencies of at most so many items are sent, and at most so many targets of a cell."""

MAX_BITS: Final = 1 << 14
"""So many bit counts are sent at most: those of the first cohorts."""

LONG_LIST: Final = 100
"""Lists among a cell's parameters that are longer are sent as their length, in words."""


class Stop(BaseException):
    """The run being computed is to stop: no Exception, so that nothing on the way catches it."""


class Superseded(Stop):
    """A newer request has come: nobody waits for this one."""


class Cancelled(Stop):
    """What is finished is still wanted."""


class Inbox:
    """The lines of standard input, read by a thread, and what they mean for the current run.

    A line that stops a run also interrupts the main thread as a signal would, between any two
    steps of Python: also where the simulator has no pulse, no piece of work is longer than a call
    into NumPy. Only inside `interruptible` does that stop anything.
    """

    def __init__(self) -> None:
        self.messages: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self._newest: dict[str, Any] | None = None
        self._cancelled: object = None
        self._current: dict[str, Any] | None = None
        self._open = False

    def listen(self, lines: Iterable[bytes]) -> None:
        """Take in lines until they end or one says quit; then end the process at once."""
        for line in lines:
            try:
                message = json.loads(line)
                request = message.get("run")
                if request is not None:
                    message["run"] = request = checked(request)
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
                self.messages.put({"error": f"not a request: {error!r}"})
                continue
            if "quit" in message:
                break
            if request is not None:
                self._newest, self._cancelled = request, None
                self.messages.put(message)
            elif "cancel" in message:
                self._cancelled = message["cancel"]
            else:
                self.messages.put({"error": f"unknown request: {', '.join(message) or 'empty'}"})
            _thread.interrupt_main()
        os._exit(0)

    @contextmanager
    def running(self, request: dict[str, Any]) -> Iterator[None]:
        """Inside, this request is the one that a newer line may stop."""
        self._current, self._open = request, False
        try:
            yield
        finally:
            self._current = None

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Inside, work is done that may be left at any point and then is thrown away."""
        self._open = True
        try:
            self.pulse()
            yield
        finally:
            self._open = False

    def pulse(self) -> None:
        """Stop the current run if its time has come. Takes no lock: a signal handler calls it."""
        request = self._current
        if not self._open or request is None:
            return
        if request is not self._newest:
            raise Superseded
        if request["key"] == self._cancelled:
            raise Cancelled

    @contextmanager
    def shielded(self) -> Iterator[None]:
        """Inside, nothing is left halfway; what came meanwhile stops the run at the end."""
        before, self._open = self._open, False
        try:
            yield
        finally:
            self._open = before
        self.pulse()

    def outdated(self, request: dict[str, Any]) -> bool:
        return request is not self._newest


def checked(request: Mapping[str, Any]) -> dict[str, Any]:
    """A request's fields, with the right types; raises ValueError, TypeError or KeyError."""
    if "tab" in request:
        document = request["document"]
        return {
            "key": int(request["key"]),
            "tab": str(request["tab"]),
            "values": dict(request["values"]),
            "document": None if document is None else dict(document),
            "folder": Path(str(request["folder"])),
        }
    parts = [(str(part["name"]), dict(part["document"])) for part in request["parts"]]
    whole, resumed = request.get("whole"), request.get("resumed")
    return {
        "key": int(request["key"]),
        "parts": sorted(parts, key=lambda part: part[0] != "base"),
        "folder": Path(str(request["folder"])),
        "interval": float(request["interval"]),
        "whole": None if whole is None else dict(whole),
        "store": str(request.get("store", "")),
        "source": str(request.get("source", "")),
        "resumed": None if resumed is None else int(resumed),
    }


class Run:
    """One request being worked off: what was measured so far, and what was sent of it."""

    def __init__(
        self,
        request: dict[str, Any],
        inbox: Inbox,
        out: BinaryIO,
        allow: Callable[[Experiment], Experiment] = lambda experiment: experiment,
    ) -> None:
        self.request, self.inbox, self.out, self.allow = request, inbox, out, allow
        self.started = time.perf_counter()
        self.sent_at = float("-inf")
        self.parts: dict[str, PartSoFar] = {}
        self.whole: Whole | None = None
        self.keeper: Keeper | None = None
        self.kept = False  # the store was told of the end
        self.sizes = {name: 0 for name, _ in request["parts"]}
        self.latest = ""
        self.frequency_trials = self.round_trials = self.round_frequency_trials = 0
        self.picture = Picture()
        self.failed: dict[str, Results] = {}
        """Of the parts in which cells failed; the other cells went on."""

    def work(self) -> None:
        """Compute and send everything; never raises but for what must end the worker."""
        write(self.out, {"started": self.request["key"]})
        try:
            with self.inbox.running(self.request):
                self._work()
        except Superseded:
            self._keep_end()
        except Cancelled:
            self._keep_end()
            self._send("partial")
        except Exception as error:
            from core.errors import LdpError

            known = isinstance(error, LdpError)
            sentence = str(error) if known else f"{type(error).__name__}: {error}".strip(": ")
            sentence = sentence.splitlines()[0]
            self._keep_end(sentence)
            self._send("failed", sentence, "" if known else traceback.format_exc())
        else:
            self._send_end()

    def _work(self) -> None:
        from core.scenario import Scenario

        scenarios = {
            name: Scenario(document, "", self.request["folder"])
            for name, document in self.request["parts"]
        }
        with self.inbox.interruptible():
            self.sizes = {name: trials_of(scenario) for name, scenario in scenarios.items()}
        write(self.out, self._line("running"))
        if self.request["whole"] is None:
            for name, scenario in scenarios.items():
                self._bind(name, scenario)
                self._work_part(self.parts[name])
            return
        self._begin_whole()
        for name, scenario in scenarios.items():
            self._bind(name, scenario)
        self._bind_rest()
        for part in self.parts.values():
            self._work_part(part)
        if self.keeper is not None:
            with self.inbox.interruptible():
                self._keep_end(wait=True)

    def _begin_whole(self) -> None:
        """Bind the scenario that the run belongs to, and start to record it."""
        from core.experiment import compile as bind
        from core.scenario import Scenario

        from .keeping import Keeper

        request = self.request
        if request["store"]:
            self.keeper = Keeper(Path(request["store"]), self.inbox.shielded)
        name = Path(request["source"]).name or "untitled"
        scenario = Scenario(request["whole"], name, request["folder"])
        import_for(scenario)
        with self.inbox.interruptible():
            if self.keeper is not None and request["resumed"] is not None:
                experiment = self.allow(self.keeper.stored(request["resumed"]))
            else:
                experiment = self.allow(bind(scenario))
            self.whole = Whole(experiment)
            if self.keeper is not None:
                self.keeper.begin(experiment, request["source"], request["resumed"])

    def _bind(self, name: str, scenario: Scenario) -> None:
        from core.experiment import compile as bind

        import_for(scenario)
        with self.inbox.interruptible():
            experiment = self.allow(bind(scenario))
            part = PartSoFar(name, experiment, list(scenario.sweep))
            if self.whole is not None:
                part.keys = self.whole.keys_of(experiment)
            self.parts[name] = part
        self.sizes[name] = experiment.trials

    def _bind_rest(self) -> None:
        """What of the scenario no other part covers."""
        assert self.whole is not None
        with self.inbox.interruptible():
            covered = {key for part in self.parts.values() for key in part.keys}
            rest = self.whole.without(covered)
            if rest.cells:
                part = PartSoFar("rest", rest, list(rest.scenario.sweep))
                part.keys = self.whole.keys_of(rest)
                self.parts["rest"], self.sizes["rest"] = part, rest.trials

    def _work_part(self, part: PartSoFar) -> None:
        from core.runner import run

        import_solver(part.experiment.cells)
        base, memory, known = part.name == "base", None, False
        if self.keeper is not None and self.whole is not None:
            with self.inbox.interruptible():
                positions = self.whole.positions
                memory = self.keeper.memory(part.experiment, positions, frequencies=base)
            known = memory is not None and base and memory.knows(part.experiment.cells[0])
        if base and part.experiment.cells[0].path == "reports" and not known:
            self._peek(part)
        steps = run(part.experiment, pulse=self.inbox.pulse, frequencies=base, memory=memory)
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
                    self.picture.reckon(part.experiment.cells[0])
                    self.picture.draw(part.experiment.cells[0], self.inbox.pulse)
            if progress.latest is not None:
                self.latest = part.words(progress.latest)
                finished = self.trials == sum(self.sizes.values())  # the last snapshot follows
                due = time.perf_counter() >= self.sent_at + self.request["interval"]
                if due and not finished:
                    self._send("running")

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
        from core.errors import AttackError
        from core.results import Tally
        from core.trial import run_block

        cell = part.experiment.cells[0]
        tally = Tally()
        with self.inbox.interruptible(), suppress(AttackError):  # the run will meet it again
            tally.add(run_block(cell, 0, 1, self.inbox.pulse))
        part.update((tally.results,))
        with self.inbox.interruptible():
            part.reckon()
            self.picture.reckon(cell)
        self.latest = part.words(cell)
        self._send("running")

    def _send_end(self) -> None:
        """The run is over; of the cells that failed the first one is told of."""
        for results in self.failed.values():
            self._send("failed", results.error, results.failures[0].details)
            return
        self._send("done")

    def _send(self, status: str, error: str = "", details: str = "") -> None:
        """All that changed since the last time, and where the run stands."""
        key = self.request["key"]
        for part in self.parts.values():
            for line in part.changes():
                self.out.write(b'{"key":%d,"part":%b,%b}\n' % (key, encode(part.name), line))
        base = self.parts.get("base")
        if base is not None:
            cell, measured = base.experiment.cells[0], base.measured[0]
            if measured.trials > self.frequency_trials and measured.clean is not None:
                first = self.frequency_trials == 0
                self.frequency_trials = measured.trials
                for columns in frequency_columns(cell, measured, first, self.picture.sigmas):
                    write(self.out, {"key": key, "frequencies": columns})
                if self.picture.bits is not None:
                    write(self.out, {"key": key, "bits": self.picture.bits})
                    self.picture.bits = None  # once is enough
            self._send_rounds(cell, measured, ended=status != "running")
        write(self.out, self._line(status, error, details))
        self.sent_at = time.perf_counter()

    def _send_rounds(self, cell: Cell, measured: CellResults, ended: bool) -> None:
        """What the rounds of a campaign measured; the frequencies of each, which are many, only of
        the first trials and of the last ones.
        """
        from .timeline import round_columns, round_result, rounds_sent

        key, expected, trials = self.request["key"], self.picture.rounds, measured.trials
        if expected is None or measured.rounds is None:
            return
        if trials > self.round_trials:
            self.round_trials = trials
            write(self.out, {"key": key, "rounds": round_columns(cell, measured, expected)})
        last = ended or trials == cell.trials
        if self.round_frequency_trials and not (last and trials > self.round_frequency_trials):
            return
        self.round_frequency_trials = trials
        for number in rounds_sent(cell, MAX_ITEMS):
            one, own = round_result(cell, measured, number)
            columns: dict[str, Any] = {}
            for some in frequency_columns(one, own, True, expected.sigmas[one.round]):
                columns |= some
            write(self.out, {"key": key, "round": one.round, "frequencies": columns})

    def _line(self, status: str, error: str = "", details: str = "") -> dict[str, Any]:
        snapshot = {
            "status": status,
            "done": self.trials,
            "total": sum(self.sizes.values()),
            "seconds": round(time.perf_counter() - self.started, 6),
            "latest": self.latest,
            "digest": "" if status == "running" else self._digest(),
            "error": error,
            "details": details,
            "stored": None if self.keeper is None else self.keeper.run,
            "reused": 0 if self.keeper is None else self.keeper.reused,
            "note": "" if self.keeper is None else self.keeper.note,
        }
        return {"key": self.request["key"], "snapshot": snapshot}

    @property
    def trials(self) -> int:
        return sum(part.trials for part in self.parts.values())

    def _digest(self) -> str:
        """Over the cells of all parts in order: that of the headless run where there is one."""
        from core.results import digest

        if self.whole is not None:
            return self._whole_results(self.whole).digest
        cells = [cell for part in self.parts.values() for cell in part.measured]
        return digest(cells) if any(cell.trials for cell in cells) else ""


class Picture:
    """What goes with the estimates of the first cell of "base": closed forms, RAPPOR's bits.

    sigmas : σ of each item's estimate in one trial, before and after the attack; None where there
    is no closed form. bits : the columns of `BitCounts`, until they are sent. rounds : the closed
    forms of a campaign's rounds.
    """

    def __init__(self) -> None:
        self.sigmas: tuple[Floats, Floats] | None = None
        self.bits: dict[str, Any] | None = None
        self.rounds: Expected | None = None
        self._reckoned = self._drawn = False

    def reckon(self, cell: Cell) -> None:
        """The closed forms, once; may be left at any point, and taken up again."""
        import numpy as np

        from core.theory import estimate_variances

        if self._reckoned:
            return
        variances = estimate_variances(cell)
        if variances is not None:
            before, after = (np.sqrt(np.maximum(one, 0)) for one in variances)
            self.sigmas = before, after
        if cell.rounds:
            from .timeline import Expected

            self.rounds = Expected.of(cell)
        self._reckoned = True

    def draw(self, cell: Cell, pulse: Pulse) -> None:
        """The bit counts of the first trial, once; may be left at any point, and taken up again."""
        if not self._drawn:
            self.bits = bit_columns(cell.first, pulse)
            self._drawn = True


class Whole:
    """The scenario that a run asked for by hand belongs to: its cells and where parts have them.

    keys : of its cells, by what their numbers depend on; positions : of each key, in order.
    """

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.keys = self.keys_of(experiment)
        self.positions: dict[str, list[int]] = {}
        for position, key in enumerate(self.keys):
            self.positions.setdefault(key, []).append(position)

    @staticmethod
    def keys_of(experiment: Experiment) -> list[str]:
        from core.store import cell_keys

        return cell_keys(experiment.cells)

    def without(self, covered: Container[str]) -> Experiment:
        """An experiment of the cells whose keys are not covered, each of them once."""
        from core.experiment import Experiment

        cells = [
            self.experiment.cells[places[0]]
            for key, places in self.positions.items()
            if key not in covered
        ]
        renumbered = tuple(replace(cell, index=index) for index, cell in enumerate(cells))
        return Experiment(self.experiment.scenario, renumbered)

    def results(self, parts: Iterable[PartSoFar], failed: Mapping[str, Results]) -> Results:
        """What was measured of the scenario's cells, and which of them failed, wherever it was."""
        from core.results import Tally
        from core.runner import Results

        found: dict[str, CellResults] = {}
        failures: dict[int, Failure] = {}
        for part in parts:
            for key, cell in zip(part.keys, part.measured, strict=True):
                if key not in found or found[key].trials < cell.trials:
                    found[key] = cell
            for failure in failed[part.name].failures if part.name in failed else ():
                for position in self.positions.get(part.keys[failure.cell], ()):
                    failures[position] = replace(failure, cell=position)
        nothing = Tally().results
        cells = tuple(found.get(key, nothing) for key in self.keys)
        return Results(self.experiment, cells, tuple(failures[at] for at in sorted(failures)))


class Answering:
    """A question of the lab being worked on."""

    def __init__(self, request: dict[str, Any], inbox: Inbox, out: BinaryIO) -> None:
        self.request, self.inbox, self.out = request, inbox, out

    def work(self) -> None:
        """Compute the answer and send it; never raises but for what must end the worker."""
        write(self.out, {"started": self.request["key"]})
        try:
            with self.inbox.running(self.request):
                self._send("done", answer=self._answer())
        except Superseded:
            return
        except Cancelled:
            self._send("partial")
        except Exception as error:
            from core.errors import LdpError, ScenarioError

            if isinstance(error, ScenarioError):
                self._send("failed", error=error.rule, field=error.key)
            elif isinstance(error, LdpError):
                self._send("failed", error=str(error))
            else:
                sentence = f"{type(error).__name__}: {error}".strip(": ").splitlines()[0]
                self._send("failed", error=sentence, details=traceback.format_exc())

    def _answer(self) -> dict[str, Any]:
        """The document of the answer; says on the way what it works on."""
        from core.scenario import Scenario

        from .lab import answer, tabs

        if self.request["document"] is not None:
            scenario = Scenario(self.request["document"], "", self.request["folder"])
            import_for(scenario)
            if "rappor" in kinds(scenario, "protocol"):
                import_module("sklearn.linear_model")
        if self.request["values"].get("tight") == "yes":
            with suppress(ImportError):  # an optional extra: the ledger says so
                import_module("dp_accounting.pld.privacy_loss_distribution")
        steps = tabs.steps(self.request)
        while True:
            try:
                with self.inbox.interruptible():
                    said = next(steps)
            except StopIteration as end:
                return answer.encoded(end.value)
            if isinstance(said, tabs.Offers):
                self._send("running", offers=said)
            else:
                self._send("running", said=said)

    def _send(self, status: str, **more: Any) -> None:
        write(self.out, {"key": self.request["key"], "reply": {"status": status, **more}})


class PartSoFar:
    """One part of a run: its cells, what they measured, and how much of it was sent."""

    def __init__(self, name: str, experiment: Experiment, swept: list[str]) -> None:
        from core.results import Tally

        self.name, self.experiment, self.swept = name, experiment, swept
        self.keys: list[str] = []
        """Of the cells, where the part belongs to a whole."""
        self.measured: list[CellResults] = [Tally().results] * len(experiment.cells)
        self._sent = [0] * len(experiment.cells)
        self._theories: dict[int, list[float | None]] = {}
        described = [described_cell(cell) for cell in experiment.cells]
        first = described[0]
        same = [key for key in first if all(one.get(key) == first[key] for one in described)]
        self._shared = {key: first[key] for key in same}
        self._own = [{k: v for k, v in one.items() if k not in self._shared} for one in described]

    @property
    def trials(self) -> int:
        return sum(cell.trials for cell in self.measured)

    def update(self, cells: Iterable[CellResults]) -> None:
        """Take in newer results; a cell keeps what it has where they hold less."""
        for index, cell in enumerate(cells):
            if cell.trials > self.measured[index].trials:
                self.measured[index] = cell

    def reckon(self) -> None:
        """The closed forms of the cells with trials; may be left at any point, and taken up."""
        from core.theory import expected_metrics

        for index, measured in enumerate(self.measured):
            if measured.trials and index not in self._theories:
                expected = expected_metrics(self.experiment.cells[index])
                self._theories[index] = [finite(one) for one in expected.values()]

    def words(self, cell: Cell) -> str:
        """The swept parameters of a cell, in words: "oue, epsilon 1.5, share 0.05"."""
        said = []
        for key in self.swept:
            value, leaf = cell.parameters.get(key), key.rpartition(".")[2]
            if value is not None:
                number = f"{value:.6g}" if isinstance(value, float) else str(value)
                said.append(number if leaf == "kind" else f"{leaf} {number}")
        return ", ".join(said)

    def changes(self) -> Iterator[bytes]:
        """The inside of the lines that tell what changed since the last call."""
        changed = [
            index for index, cell in enumerate(self.measured) if cell.trials != self._sent[index]
        ]
        if changed and not any(self._sent):
            yield b'"shared":%b' % encode(self._shared)
        entries, size = list[bytes](), 0
        for index in changed:
            entry = encode(self._entry(index))
            self._sent[index] = self.measured[index].trials
            if entries and size + len(entry) > LINE_BYTES:
                yield b'"cells":[%b]' % b",".join(entries)
                entries, size = [], 0
            entries.append(entry)
            size += len(entry) + 1
        if entries:
            yield b'"cells":[%b]' % b",".join(entries)

    def _entry(self, index: int) -> list[Any]:
        from core.metrics import METRICS

        own, theory = None, None
        if not self._sent[index]:  # without closed forms where the run was left meanwhile
            own, theory = self._own[index], self._theories.get(index, [None] * len(METRICS))
        measured = self.measured[index]
        estimates = [measured.estimate(metric) for metric in METRICS]
        metrics = [[finite(one.mean), finite(one.standard_error)] for one in estimates]
        return [index, own, theory, measured.trials, metrics]


def described_cell(cell: Cell) -> dict[str, Any]:
    """What a cell is, flat: the fields of a `CellView`, and its parameters under ":key"."""
    from core.export import rappor_fields
    from core.metrics import METRICS

    parameters = {f":{key}": brief(value) for key, value in cell.parameters.items()}
    return {
        "metrics": METRICS,
        "path": cell.path,
        "users": cell.users,
        "malicious": cell.malicious,
        "domain_size": cell.population.domain_size,
        "p": cell.pure.p if cell.is_pure and not cell.noise else None,
        "q": cell.pure.q if cell.is_pure and not cell.noise else None,
        "hash_range": cell.hash_range,
        "wanted": cell.trials,
        "targets": cell.targets[:MAX_ITEMS].tolist(),
        "answer": answered(cell),
        "rappor": None if cell.noise is None else rappor_fields(cell, cell.noise),
        **parameters,
    }


def answered(cell: Cell) -> dict[str, Any] | None:
    """How many fakes it takes to reach a cell's goal; None without one."""
    if cell.goal is None or cell.answer is None:
        return None
    found = {
        name: finite(v) if isinstance(v, float) else v for name, v in vars(cell.answer).items()
    }
    return {"metric": cell.goal.metric, "at_least": cell.goal.at_least, **found}


def brief(value: Any) -> Any:
    """A parameter as it is sent: a long list as its length, in words."""
    if isinstance(value, float):
        return finite(value)
    long = isinstance(value, list | tuple) and len(value) > LONG_LIST
    return f"{len(value):,} values" if long else value


def finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def trials_of(scenario: Scenario) -> int:
    """How many trials a scenario asks for, before it is bound; 0 if it does not say it well."""
    from core.errors import ScenarioError

    try:
        sweep = scenario.sweep
    except ScenarioError:
        return 0
    trials = sweep.pop("trials", [scenario.document.get("trials", 20)])
    for values in sweep.values():
        trials = [sum(one for one in trials if isinstance(one, int)) * len(values)]
    return sum(one for one in trials if isinstance(one, int))


def import_for(scenario: Scenario) -> None:
    """Import what is heavy and needed: an import that is interrupted may not be repeated."""
    needed = ["scipy.special"] if "normal" in kinds(scenario, "population") else []
    if "rappor" in kinds(scenario, "protocol"):
        needed += ["scipy.linalg", "scipy.sparse", "scipy.special", "threadpoolctl"]
    for name in needed:
        import_module(name)


def import_solver(cells: Iterable[Cell]) -> None:
    """The same for the solver that decodes very many candidates, which takes a second."""
    from core.protocols import Rappor

    if any(isinstance(one.protocol, Rappor) and one.protocol.design.selects for one in cells):
        import_module("sklearn.linear_model")


def kinds(scenario: Scenario, table: str) -> list[Any]:
    """The kinds of a table that a scenario names, before it is bound."""
    place = scenario.document.get(table)
    kind = place.get("kind") if isinstance(place, dict) else None
    return [kind, *scenario.sweep.get(f"{table}.kind", ())]


# Frequencies.


def frequency_columns(
    cell: Cell, measured: CellResults, first: bool, sigmas: tuple[Floats, Floats] | None
) -> Iterator[dict[str, Any]]:
    """The columns of `Frequencies`: those that stay (only at `first`), then those that change.

    Of a very large domain only some items are sent, and which ones changes as well. sigmas : the
    standard deviations of one trial's estimates, where there is a closed form.
    """
    import numpy as np

    clean, attacked = measured.clean, measured.attacked
    assert clean is not None
    assert attacked is not None
    d, truth = cell.population.domain_size, cell.population.frequencies
    items = np.arange(d)
    if d > MAX_ITEMS:
        # Without σ, the errors themselves say what is far from the truth.
        units = sigmas or (np.ones(d), np.ones(d))
        items = chosen_items(
            cell.targets,
            (truth, attacked.mean),
            (
                (clean.mean - truth) / np.maximum(units[0], 1e-300),
                (attacked.mean - truth) / np.maximum(units[1], 1e-300),
            ),
        )
    if first or d > MAX_ITEMS:
        yield {
            "domain_size": d,
            "items": b64encode(items.astype("<i4").tobytes()).decode(),
            "labels": None
            if cell.population.labels is None
            else [shortened(cell.population.labels[item]) for item in items],
            "targets": cell.targets[:MAX_ITEMS].tolist(),
            "true": column(truth[items]),
            "sigma_clean": None if sigmas is None else column(sigmas[0][items]),
            "sigma_attacked": None if sigmas is None else column(sigmas[1][items]),
        }
    yield {
        "trials": measured.trials,
        "clean": column(clean.mean[items]),
        "attacked": column(attacked.mean[items]),
        "clean_std": deviation(clean, items),
        "attacked_std": deviation(attacked, items),
        "detected": None
        if measured.detected is None
        else column(measured.detected[items] / measured.trials),
    }


def bit_columns(cell: Cell, pulse: Pulse) -> dict[str, Any] | None:
    """The columns of `BitCounts`, of the first trial; None where there are no Bloom filters."""
    import numpy as np

    from core.protocols import Rappor
    from core.theory import bit_count_variances, expected_bit_counts
    from core.trial import count_reports, draw_counts

    protocol = cell.protocol
    if not isinstance(protocol, Rappor):
        return None
    draw = draw_counts if cell.path == "counts" else count_reports
    _, drawn = draw(cell, 0, 1, pulse)
    rows = slice(max(1, MAX_BITS // (protocol.bits + 1)))
    expected, variances = expected_bit_counts(cell), bit_count_variances(cell)
    columns = {
        "": drawn[0],
        "expected": expected,
        "std": None if variances is None else np.sqrt(variances),
    }
    found: dict[str, Any] = {
        "cohorts": protocol.cohorts,
        "bits": protocol.bits,
        "p_star": protocol.noise.p_star,
        "q_star": protocol.noise.q_star,
        "held": column(protocol.design.bits_of(cell.population.frequencies)[rows]),
    }
    for name, place in (("users", slice(-1, None)), ("counts", slice(-1))):
        for what, values in columns.items():
            key = {"": name, "expected": f"expected_{name}", "std": f"{name}_std"}[what]
            found[key] = None if values is None else column(values[rows, place])
    return found


def chosen_items(
    targets: Items, levels: tuple[Floats, ...], residuals: tuple[Floats, ...]
) -> Items:
    """At most MAX_ITEMS items of a large domain, ascending.

    All targets (thinned out evenly where they are more than half of MAX_ITEMS), the largest of
    each of `levels`, the largest in size of each of `residuals`, and items evenly spread.

    Parameters
    ----------
    targets : int64[r]. levels, residuals : float64[d] each, d > MAX_ITEMS.
    """
    import numpy as np

    most, d = MAX_ITEMS // 2, levels[0].size
    if targets.size > most:
        targets = targets[evenly(targets.size, most)]
    ranked = [*levels, *(np.abs(one) for one in residuals)]
    share = MAX_ITEMS // 4 // len(ranked)
    largest = [np.argpartition(values, d - share)[d - share :] for values in ranked]
    chosen = np.union1d(targets, np.concatenate(largest))
    return np.union1d(chosen, evenly(d, MAX_ITEMS - chosen.size))


def evenly(size: int, count: int) -> Items:
    """`count` indices spread evenly over [0, size), both ends among them."""
    import numpy as np

    return np.linspace(0, size - 1, count).round().astype(np.int64)


def shortened(label: str) -> str:
    return label if len(label) <= 64 else f"{label[:63]}…"


def column(values: Floats | Counts) -> str:
    """Numbers, of an array row by row."""
    return b64encode(values.astype("<f8").tobytes()).decode()


def deviation(moments: Moments, items: Items) -> str | None:
    std = moments.std
    return None if std is None else column(std[items])


# Lines.


def encode(value: Any) -> bytes:
    """JSON on one line, strictly: a number that is not finite is an error."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False, default=str).encode()


def write(out: BinaryIO, message: Mapping[str, Any]) -> None:
    out.write(encode(message) + b"\n")
    out.flush()


def versions() -> dict[str, str]:
    import numpy as np

    from . import __version__

    python = ".".join(map(str, sys.version_info[:3]))
    return {"ldptui": __version__, "python": python, "numpy": np.__version__}


def main() -> None:
    """Serve until standard input ends."""
    # Standard output carries the protocol and nothing else: stray prints go to standard error.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    inbox = Inbox()
    parser = argparse.ArgumentParser("ldptui.worker")
    parser.add_argument("--lab", action="store_true", help="import what the lab needs as well")
    attack_options.add_to(parser)
    options = parser.parse_args()
    allow = partial(attack_options.permit, options=options)
    signal.signal(signal.SIGINT, lambda *_: inbox.pulse())  # a stray ctrl-c does nothing
    lines = os.fdopen(os.dup(0), "rb")
    threading.Thread(target=inbox.listen, args=(lines,), daemon=True).start()
    import core.experiment
    import core.runner
    import core.scenario
    import core.theory  # noqa: F401

    if options.lab:
        from .lab.forms import TABS

        # Now, as an import that is interrupted may not be repeated.
        for name in ("scipy.special", *(f"ldptui.lab.tabs.{tab}" for tab in TABS)):
            import_module(name)
    try:
        write(out, {"ready": versions()})
        while True:
            message = inbox.messages.get()
            if "error" in message:
                write(out, message)
            elif inbox.outdated(request := message["run"]):
                continue
            elif "tab" in request:
                Answering(request, inbox, out).work()
            else:
                Run(request, inbox, out, allow).work()
    except BrokenPipeError:
        os._exit(0)  # the app is gone


if __name__ == "__main__":
    main()
