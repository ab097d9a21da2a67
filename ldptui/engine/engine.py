"""The engine: hands requests to workers, waits for them, and replaces one that has died."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Final

from textual.message import Message

from ..messages import WorkerChanged
from ..session.consent import UnseenCode
from ..session.snapshot import LabQuestion, Request, Status
from .child import Child, QuestionSoFar, RunSoFar
from .wire import News, Order

COMMAND: Final = (sys.executable, "-P", "-m", "ldptui.engine.worker")
"""-P: what lies in the folder that the app was started in is not imported. Attacks in Python that
may run are named after it, see `ldptui.session.attack_options`."""

LAB: Final = (*COMMAND, "--lab")
"""A worker that imports what other questions need as soon as the first one is answered."""

PATIENCE: Final = 0.15
"""Seconds in which a worker must react to a cancel or a newer request; then it is killed."""

LAST_CALL: Final = 0.02
"""Seconds of it in which lines that came meanwhile are read."""

PARTING: Final = ((0.2, 0), (0.1, signal.SIGTERM), (0.15, signal.SIGKILL))
"""Seconds that a worker is given to end after quit, then after each signal."""

MAX_DEATHS: Final = 3
"""Workers that may die in a row, with no run moving on, before no more are started."""


class Engine:
    """Runs requests in worker processes; `post` receives RunProgressed, QuestionReply and
    WorkerChanged.

    A run's last RunProgressed has the status done, partial or failed. A run that a newer request
    replaces is dropped silently; one started by the user, or being cancelled, is posted as partial.
    The same holds for a question and its QuestionReply. spare : True if a second worker stands by
    for the case that the first has to be killed.
    """

    def __init__(
        self,
        post: Callable[[Message], object],
        command: Sequence[str] = COMMAND,
        spare: bool = True,
    ) -> None:
        self._post, self._command, self._keeps_spare = post, command, spare
        self._active: Child | None = None
        self._spare: Child | None = None
        self._children: set[Child] = set()
        self._run: RunSoFar | QuestionSoFar | None = None
        self._alarm: asyncio.TimerHandle | None = None
        self._deaths = 0
        self._stopping = False
        self._early: LabQuestion | None = None
        self._kept, self._listener = list[Message](), post

    @classmethod
    async def begin(cls, question: LabQuestion) -> Engine:
        """An engine that computes the answer of a question before `listen` is called.

        Its messages are kept until the first request: if that is the same question, they are posted
        then.
        """
        kept = list[Message]()
        engine = cls(kept.append, LAB, spare=False)
        engine._early, engine._kept = question, kept
        engine._run = QuestionSoFar(question)
        engine._promote()
        assert engine._active is not None
        await engine._active.started.wait()
        return engine

    def listen(self, post: Callable[[Message], object]) -> None:
        """Send further messages to another receiver, from the next request on."""
        self._listener = post

    async def start(self) -> None:
        """Start the first worker, without waiting for it; the spare follows once it is ready."""
        self._promote()

    def run(self, request: Request | LabQuestion) -> None:
        """Start a request in place of the current one, as soon as a worker is ready."""
        if self._stopping:
            return
        early, self._early, self._post = self._early, None, self._listener
        if early is not None and request == early:
            for message in self._kept:
                self._post(message)
            return
        self._leave_run()
        self._run = RunSoFar(request) if isinstance(request, Request) else QuestionSoFar(request)
        if self._active is None:
            self._deaths = 0
            self._promote()
        elif self._active.ready:
            self._submit(self._active)

    def cancel(self) -> None:
        """Cancel the run; its finished trials are posted as partial within 0.2 s."""
        run, child = self._run, self._active
        if run is None or run.cancelling:
            return
        run.cancelling = True
        if child is None or not child.busy:
            self._finish("partial")
        else:
            child.send(Order(cancel=run.request.key))
            self._expect_answer()

    async def stop(self) -> None:
        """End all workers, at first by a message, then by a signal; takes at most half a second."""
        self._stopping = True
        self._run = None
        self._disarm()
        for child in self._children:
            child.dismiss()
        lives = {child.life for child in self._children}
        for seconds, number in PARTING:
            for child in self._children if number else ():
                child.send_signal(number)
            if lives:
                _, lives = await asyncio.wait(lives, timeout=seconds)

    async def find_unseen_code(
        self, request: Request, find: Callable[[Request, Sequence[str]], tuple[UnseenCode, ...]]
    ) -> tuple[UnseenCode, ...]:
        """The plug-in code of a request that needs the user's permission.

        find : finds the code, given the arguments of the worker; it is called in a thread.
        """
        return await asyncio.to_thread(find, request, self._command[len(COMMAND) :])

    # Messages of runs.

    def _submit(self, child: Child) -> None:
        assert self._run is not None
        interrupts = child.busy
        child.busy = True
        request = self._run.request
        child.send(Order(ask=request) if isinstance(request, LabQuestion) else Order(run=request))
        if interrupts:
            self._expect_answer()

    def _leave_run(self) -> None:
        """Drop the current run for a newer request; one that the user started is posted
        as partial.
        """
        if self._run is not None and (self._run.cancelling or self._run.asked_for):
            self._finish("partial")
        self._run = None

    def _finish(self, status: Status, error: str = "", details: str = "") -> None:
        """Post the last snapshot of the run with this status, which the worker did not send."""
        run, self._run = self._run, None
        self._disarm()
        if run is not None:
            run.end(status, error, details)
            self._post(run.message)

    def _expect_answer(self) -> None:
        """Start the timer after which a silent worker is replaced, unless it runs already."""
        if self._alarm is None:
            loop = asyncio.get_running_loop()
            self._alarm = loop.call_later(PATIENCE - LAST_CALL, self._listen_once_more)

    def _listen_once_more(self) -> None:
        """Give the event loop a last chance to read the answer before the worker is replaced."""
        loop = asyncio.get_running_loop()
        self._alarm = loop.call_later(LAST_CALL, self._lose_patience)

    def _disarm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _lose_patience(self) -> None:
        """Replace a silent worker by another one."""
        self._alarm = None
        child, self._active = self._active, None
        if child is not None:
            child.dismissed = True
            child.send_signal(signal.SIGKILL)
        if self._run is not None and self._run.cancelling:
            self._finish("partial")
        self._promote()

    # Messages of workers.

    def _promote(self) -> None:
        """Make the spare the active worker, or start one, if there is none."""
        if self._active is not None:
            return
        self._active, self._spare = self._spare or self._start_child(), None
        if self._active.ready:
            self._put_to_work(self._active)

    def _start_child(self) -> Child:
        child = Child(self._command, self._heard, self._end_child, self._early)
        self._children.add(child)
        return child

    def _put_to_work(self, child: Child) -> None:
        self._post(WorkerChanged(True, child.note))
        if self._run is not None and self._run.request is not child.first_question:
            self._submit(child)
        if self._keeps_spare and self._spare is None and self._deaths < MAX_DEATHS:
            self._spare = self._start_child()

    def _heard(self, child: Child, news: News) -> None:
        if child.dismissed:
            return
        if news.ready is not None:
            child.ready = True
            child.note = ", ".join(f"{name} {value}" for name, value in news.ready.items())
            if child is self._active:
                self._put_to_work(child)
            return
        run = self._run
        if child is not self._active or run is None:
            return
        if news.started is not None:
            self._disarm()
            child.began = news.started
            if run.cancelling or child.began != run.request.key:
                self._expect_answer()
        elif run.take(news):
            self._deaths = 0
            if run.has_ended:
                child.busy = False
                self._run = None
                self._disarm()
            elif run.cancelling or not run.tells:
                return
            self._post(run.message)

    def _end_child(self, child: Child) -> None:
        """Handle the end of a child's process, after its last message."""
        self._children.discard(child)
        if child.dismissed or self._stopping:
            return
        self._deaths += 1
        again = self._deaths < MAX_DEATHS
        if child is self._spare:
            self._spare = self._start_child() if again else None
            return
        self._active = None
        again = again or self._spare is not None
        what = f"the background worker {child.how_it_ended()}"
        run = self._run
        begun = run if run is not None and run.request.key == child.began else None
        if begun is not None:
            what += over(begun.request)
        self._post(WorkerChanged(False, f"{what}; another one takes over" if again else what))
        if run is not None and run.cancelling:
            self._finish("partial")
        elif begun is not None or not again:  # one that it had not begun yet is for the next worker
            self._finish("failed", what, child.errors)
        if again:
            self._promote()


def over(request: Request | LabQuestion) -> str:
    """The plug-in code that may have crashed a worker, in words; "" if the request has none."""
    code = request.python_code if isinstance(request, Request) else ()
    names = " or ".join(f"{what} {name!r}" for what, name in code)
    return f" while it ran the Python {names}" if names else ""
