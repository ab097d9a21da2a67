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
from typing import Final, TextIO, TypeAlias

from ldptui.core.base.errors import one_line
from ldptui.core.experiment import Experiment
from ldptui.core.running.child_lifetime import kill_processes
from ldptui.core.running.runner import WHOLE, Memory, Progress, RunResults, Shard
from ldptui.core.running.runner import run as run_experiment
from ldptui.core.running.searching import Answers, run_goal_searches
from ldptui.core.running.workers import LostError

from ..terminal.output import encodable, note
from ..text import format as text
from ..text import table

OFTEN: Final = 0.1
"""Least seconds between two drawings."""


Step: TypeAlias = Progress | BaseException | None
"""Progress, what was raised, or the end."""
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
) -> RunResults:
    """The results of an experiment; after an interrupt, those of the finished trials.

    A thread runs it, so that this one can obey an interrupt at once, in the middle of a long NumPy
    call or while processes start and end. Attacks in Python run in processes of their own.
    """
    apart = any(cell.python_code for cell in experiment.cells)
    steps: Steps = SimpleQueue()
    line, swept = ProgressLine(sys.stderr, quiet), [*experiment.scenario.sweep]
    work = partial(
        run_experiment,
        experiment,
        workers,
        executor,
        frequencies=frequencies,
        memory=memory,
        apart=apart,
        tell=line.tell,
        shard=shard,
    )
    thread = threading.Thread(target=_compute, args=(work, steps, workers > 1 or apart))
    thread.daemon = True
    results = None
    try:
        # Standard output carries the results and nothing else: not what an attack's code prints.
        with redirect_stdout(sys.stderr):
            thread.start()
            while (step := _next(steps, line)) is not None:
                if isinstance(step, BaseException):
                    raise step
                results = step.results
                line.show_progress(step, swept)
    except LostError as error:
        note(f"ldptui: {error}")
        if results is None:
            raise
    except KeyboardInterrupt:
        kill_processes(thread)
        if results is None:
            raise
    finally:
        line.erase()
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


def answer_goals(
    experiment: Experiment, workers: int, limits: bool, quiet: bool, answers: Answers | None
) -> Experiment:
    """The experiment with the smallest attack of each goal found by search; a progress line is
    shown.

    answers : the known answers; new ones are added to it.
    """
    line = ProgressLine(sys.stderr, quiet)
    try:
        for step in run_goal_searches(experiment, workers, limits, answers, line.tell):
            done, total = step.done, step.total
            if done < total:
                words = text.searching(done, total)
                line.show(lambda _, words=words: words)  # type: ignore[misc]
    finally:
        line.erase()
    if step.known and not quiet:
        which = f"{step.known} of {step.total} answers to goals"
        note(f"note: {which} were known (--fresh searches again)")
    return step.experiment


class ProgressLine:
    """A terminal line that shows progress, redrawn at most ten times a second.

    It writes nothing without a terminal, or if `quiet`.
    """

    def __init__(self, stream: TextIO, quiet: bool = False) -> None:
        self._stream = stream if stream.isatty() and not quiet else None
        self._due = 0.0
        self._write: Callable[[int], str] | None = None

    def show(self, write: Callable[[int], str]) -> None:
        """Show the text of a progress line of a given width."""
        self._write = write
        self.tell("")

    def show_progress(self, progress: Progress, swept: list[str]) -> None:
        """Show how many trials of a run are done."""
        self.show(partial(progress_line, progress, swept))

    def tell(self, words: str) -> None:
        """Show what is being computed, if the line is due for an update."""
        if self._stream and self._write and time.monotonic() >= self._due:
            self._due = time.monotonic() + OFTEN
            width = shutil.get_terminal_size().columns - 1
            far = self._write(width - len(words) - 2 if words else width)
            line = encodable(one_line(f"{far}  {words}".rstrip()), self._stream)
            self._stream.write(f"\r{line[:width]}\x1b[K")
            self._stream.flush()

    def erase(self) -> None:
        """Erase the line; nothing is shown afterwards."""
        stream, self._stream = self._stream, None
        if stream is not None and self._due:
            stream.write("\r\x1b[K")
            stream.flush()


def _next(steps: Steps, line: ProgressLine) -> Step:
    """The next step of a run; the line shows the time of a step that takes long."""
    started = time.monotonic()
    while True:
        try:
            return steps.get(timeout=1.0)
        except Empty:
            line.tell(f"{text.duration(round(time.monotonic() - started))} in this block")


def progress_line(progress: Progress, swept: list[str], width: int) -> str:
    """The progress of a run in one line: `42% ████░░░░ 84/200  310 trials/s  0.4 s left  oue
    share=0.05`.
    """
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
    """A key and its value in words: `share=0.05`; of a text the value alone, `oue`."""
    shown = table.value_text(value)
    return shown if isinstance(value, str) else f"{key.rpartition('.')[2]}={shown}"
