"""Measure an experiment with a line of progress."""

from __future__ import annotations

import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import redirect_stdout
from functools import partial
from multiprocessing import resource_tracker
from queue import Empty, SimpleQueue
from typing import Any, Final, TextIO, TypeAlias

from ldptui.core.base.errors import one_line
from ldptui.core.experiment import Experiment
from ldptui.core.running.child_lifetime import kill_processes
from ldptui.core.running.runner import WHOLE, Memory, Progress, Results, Shard
from ldptui.core.running.runner import run as run_experiment
from ldptui.core.running.searching import Answers, SearchProgress, run_goal_searches
from ldptui.core.running.workers import LostError

from ..terminal.output import encodable, note
from ..text import format as text
from ..text import table

OFTEN: Final = 0.1
"""Least seconds between two drawings."""


Step: TypeAlias = Progress | str | BaseException | None
"""Progress, words about a long trial, what was raised, or the end."""
Steps: TypeAlias = "SimpleQueue[Step]"


def measure(
    experiment: Experiment,
    quiet: bool,
    *,
    workers: int = 1,
    executor: Executor | None = None,
    frequencies: bool = False,
    memory: Memory | None = None,
    shard: Shard = WHOLE,
) -> Results:
    """Run an experiment; what is finished when it is interrupted.

    A thread runs it, so that this one can obey an interrupt at once, in the middle of a long NumPy
    call or while processes start and end. Attacks in Python run in processes of their own.
    """
    apart = any(cell.python_code for cell in experiment.cells)
    steps: Steps = SimpleQueue()
    work = partial(
        run_experiment,
        experiment,
        workers,
        executor,
        frequencies=frequencies,
        memory=memory,
        apart=apart,
        pulse=Beat(steps),
        shard=shard,
    )
    thread = threading.Thread(target=_compute, args=(work, steps, workers > 1 or apart))
    thread.daemon = True
    results = None
    bar = Bar(sys.stderr, experiment, quiet)
    try:
        # Standard output carries the results and nothing else: not what an attack's code prints.
        with redirect_stdout(sys.stderr):
            thread.start()
            while (step := _next(steps, bar)) is not None:
                if isinstance(step, BaseException):
                    raise step
                if isinstance(step, str):
                    bar.say(step)
                    continue
                results = step.results
                bar.show(step)
    except LostError as error:
        note(f"ldptui: {error}")
        if results is None:
            raise
    except KeyboardInterrupt:
        kill_processes(thread)
        if results is None:
            raise
    finally:
        bar.erase()
    assert results is not None
    return results


def _compute(work: Callable[[], Iterator[Progress]], steps: Steps, processes: bool) -> None:
    """Put the progress of a run into a queue, and its end: None, or what it raised."""
    # Ctrl-C reaches the whole terminal, and is for the main thread alone: processes that start
    # here inherit this mask. The resource tracker would lift it when it starts: so it is first.
    if processes:
        resource_tracker.ensure_running()
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        for progress in work():
            steps.put(progress)
        steps.put(None)
    except BaseException as error:
        steps.put(error)


def answered(
    experiment: Experiment, workers: int, limits: bool, quiet: bool, answers: Answers | None
) -> Experiment:
    """The experiment with the goals answered that take a search; a line says how far it is.

    answers : those that are known, which gets the others.
    """
    line = SearchLine(None if quiet else sys.stderr)
    try:
        for step in run_goal_searches(experiment, workers, limits, answers, line):
            line.show(step)
    finally:
        line.erase()
    if step.known and not quiet:
        which = f"{step.known} of {step.total} answers to goals"
        note(f"note: {which} were known (--fresh searches again)")
    return step.experiment


class Line:
    """Words on one line of a terminal that replace each other; nothing where there is none."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream if stream is not None and stream.isatty() else None
        self._drawn, self._due = False, 0.0

    def draw(self, words: str) -> None:
        """Replace the words."""
        if self._stream is not None:
            self._due, self._drawn = time.monotonic() + OFTEN, True
            width = shutil.get_terminal_size().columns - 1
            self._stream.write(f"\r{encodable(words, self._stream)[:width]}\x1b[K")
            self._stream.flush()

    def erase(self) -> None:
        """Leave the line empty, if there is something on it."""
        if self._stream is not None and self._drawn:
            self._stream.write("\r\x1b[K")
            self._stream.flush()


class SearchLine(Line):
    """The progress of a search for goals on one line of a terminal; its pulse as well."""

    def __init__(self, stream: TextIO | None) -> None:
        super().__init__(stream)
        self._words = ""

    def __call__(self) -> None:
        """Nothing stops the work here: an interrupt ends it."""

    def show(self, step: SearchProgress) -> None:
        """Draw the number of answers, unless all are there."""
        self._words = text.searching(step.done, step.total)
        if step.done < step.total:
            self.draw(self._words)

    def tell(self, words: str) -> None:
        """Draw beside it what is tried."""
        if time.monotonic() >= self._due:
            self.draw(f"{self._words}, {words}")


def _next(steps: Steps, bar: Bar) -> Step:
    """The step that comes next; the bar tells how long it takes where it takes long."""
    started = time.monotonic()
    while True:
        try:
            step = steps.get(timeout=1.0)
        except Empty:
            taken = text.duration(round(time.monotonic() - started))
            usual = f" of {text.duration(bar.step_s)}" if bar.step_s > 1 else ""
            bar.say(f"{taken}{usual} in this block")
            continue
        if isinstance(step, Progress) and step.done:
            bar.step_s = time.monotonic() - started
        return step


class Beat:
    """A pulse that stops nothing, and puts what it is told into a queue."""

    def __init__(self, told: SimpleQueue[Any]) -> None:
        self._told, self._due = told, 0.0

    def __call__(self) -> None:
        """Nothing stops the work here: an interrupt ends the process."""

    def tell(self, words: str) -> None:
        now = time.monotonic()
        if now >= self._due:
            self._due = now + OFTEN
            self._told.put(words)


class Bar(Line):
    """A progress bar on one line of a terminal, drawn ten times a second at most.

    Words tell on the same line what is looked at within a long trial. step_s : the seconds that the
    last step took, 0 before there was one.
    """

    def __init__(self, stream: TextIO, experiment: Experiment, quiet: bool) -> None:
        super().__init__(None if quiet else stream)
        self._swept = list(experiment.scenario.sweep)
        self.step_s = 0.0
        self._latest: Progress | None = None

    def show(self, progress: Progress) -> None:
        self._latest = progress
        self.say("")

    def say(self, words: str) -> None:
        """Tell beside the progress so far what is looked at."""
        if self._stream is None or time.monotonic() < self._due or self._latest is None:
            return
        width = shutil.get_terminal_size().columns - 1
        room = width - len(words) - 2 if words else width
        line = progress_line(self._latest, self._swept, room)
        self.draw(one_line(f"{line}  {words}".rstrip()))


def progress_line(progress: Progress, swept: list[str], width: int) -> str:
    """`42% ████░░░░ 84/200  310 trials/s  0.4 s left  oue share=0.05`."""
    share = progress.done / progress.total
    facts = [f"{text.count(progress.done)}/{text.count(progress.total)}"]
    if progress.done and progress.seconds > 0:
        rate = progress.done / progress.seconds
        left = (progress.total - progress.done) / rate
        facts += [text.rate(rate, "trials"), f"{text.duration(left)} left"]
    if progress.latest is not None:
        chosen = progress.latest.parameters
        facts.append(" ".join(value_of_key(key, chosen[key]) for key in swept if key in chosen))
    words = "  ".join(facts)
    size = max(10, min(30, width - len(words) - 6))
    full = int(share * size)
    return f"{int(share * 100):3d}% {'█' * full}{'░' * (size - full)} {words}"


def value_of_key(key: str, value: object) -> str:
    """`share=0.05`; a text alone, `oue`."""
    shown = table.value_text(value)
    return shown if isinstance(value, str) else f"{key.rpartition('.')[2]}={shown}"
