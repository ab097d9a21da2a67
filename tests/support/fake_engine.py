"""An engine without a process: it records what the app asks for, and posts what a test says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from msgspec import structs
from msgspec.structs import replace
from textual.message import Message

from ldptui.core.base.summary import Estimate
from ldptui.core.view import CellView, EstimateSummary, FrequencySummary
from ldptui.messages import QuestionReply, RunProgressed, WorkerChanged
from ldptui.session.cell_table import address_of
from ldptui.session.consent import UnseenCode
from ldptui.session.snapshot import LabQuestion, Reply, Request, Snapshot, Status


class FakeEngine:
    """Has the interface of `ldptui.engine.engine.Engine`.

    requests : what was asked for, in order. cancelled : the keys of the runs that were cancelled.
    active : the request that runs, None where nothing does. code : what is found under the names
    of Python code, which a run asks about.
    """

    def __init__(self, post: Callable[[Message], object], *_: object, **__: object) -> None:
        self._post = post
        self._last: Snapshot | None = None
        self.requests: list[Request] = []
        self.questions: list[LabQuestion] = []
        self.cancelled: list[int] = []
        self.active: Request | None = None
        self.started = self.stopped = False
        self.code: tuple[UnseenCode, ...] = ()

    async def start(self) -> None:
        self.started = True
        self._post(WorkerChanged(True, "fake 1.0"))

    async def find_unseen_code(self, request: Request, find: object) -> tuple[UnseenCode, ...]:
        now = {code.consent_key for code in self.code}
        asked = set(request.python_code) - {each[:2] for each in request.agreed if each in now}
        return tuple(code for code in self.code if (code.what, code.name) in asked)

    def run(self, request: Request | LabQuestion) -> None:
        if isinstance(request, LabQuestion):
            self.questions.append(request)
            return
        if self.active is not None and self.active.full:
            self._end("partial")
        self.requests.append(request)
        self.active, self._last = request, None

    def cancel(self) -> None:
        if self.active is not None:
            self.cancelled.append(self.active.key)
            self._end("partial")

    async def stop(self) -> None:
        self.active, self.stopped = None, True

    # Events that a test causes.

    def progress(self, snapshot: Snapshot) -> None:
        """The worker tells of the active run."""
        self._last = snapshot
        self._post(RunProgressed(snapshot))

    def finish(self, snapshot: Snapshot) -> None:
        """The last snapshot of the active run."""
        assert snapshot.status != "running"
        self.active = None
        self._post(RunProgressed(snapshot))

    def die(self, note: str = "the background worker was killed by SIGKILL") -> None:
        """The worker dies; another one takes over."""
        self._post(WorkerChanged(False, f"{note}; another one takes over"))
        if self.active is not None:
            self._end("failed", note)
        self._post(WorkerChanged(True, "fake 1.0"))

    def _end(self, status: Status, error: str = "") -> None:
        assert self.active is not None
        last = self._last or Snapshot(self.active.key, "running", full=self.active.full)
        self.active, self._last = None, None
        self._post(RunProgressed(replace(last, status=status, error=error)))


class LabEngine:
    """Answers the lab's questions at once, or not before a test lets it.

    questions : what was asked. held : whether answers wait for `answer`. cancelled : their keys.
    """

    def __init__(self, post: Callable[[Message], object], *_: object, **__: object) -> None:
        self._post = post
        self.questions: list[LabQuestion] = []
        self.cancelled: list[int] = []
        self.held = self.stopped = False

    async def start(self) -> None:
        self._post(WorkerChanged(True, "fake 1.0"))

    def run(self, question: LabQuestion) -> None:
        self.questions.append(question)
        if not self.held:
            self.answer()

    def say(self, words: str) -> None:
        self._post(QuestionReply(Reply(self.questions[-1].key, "running", words)))

    def answer(self) -> None:
        """Compute the answer to the newest question, as the worker would."""
        from ldptui.core.base.errors import LdpError, ScenarioError
        from ldptui.questions import asking
        from ldptui.questions import sheet as answer
        from ldptui.questions.inputs import Offers

        question = self.questions[-1]
        steps = asking.steps({**structs.asdict(question), "folder": Path(question.folder)})
        try:
            while True:
                if isinstance(said := next(steps), Offers):
                    self._post(QuestionReply(Reply(question.key, "running", offers=said)))
                elif isinstance(said, answer.AnswerSheet):
                    known = answer.encode_answer(said)
                    self._post(QuestionReply(Reply(question.key, "running", answer=known)))
        except StopIteration as end:
            reply = Reply(question.key, "done", answer=answer.encode_answer(end.value))
        except ScenarioError as error:
            reply = Reply(question.key, "failed", error=error.rule, field=error.key)
        except LdpError as error:
            reply = Reply(question.key, "failed", error=str(error))
        self._post(QuestionReply(reply))

    def cancel(self) -> None:
        self.cancelled.append(self.questions[-1].key)
        self._post(QuestionReply(Reply(self.questions[-1].key, "partial")))

    async def stop(self) -> None:
        self.stopped = True


def base_snapshot(key: int, items: int = 8, targets: tuple[int, ...] = (2, 5)) -> Snapshot:
    """A finished run of the base alone, with plain numbers that a test can recognise."""
    weights = [1 / (item + 1) for item in range(items)]
    true = tuple(weight / sum(weights) for weight in weights)
    attacked = tuple(f + (0.1 if item in targets else -0.01) for item, f in enumerate(true))
    frequencies = FrequencySummary(
        domain_size=items,
        items=tuple(range(items)),
        labels=tuple(str(item) for item in range(items)),
        targets=targets,
        trials=20,
        true=true,
        arms={
            "clean": EstimateSummary(true, (0.01,) * items, (0.01,) * items),
            "attacked": EstimateSummary(attacked, (0.02,) * items, (0.02,) * items),
        },
    )
    cell = CellView(
        index=0,
        parameters={"protocol.kind": "grr", "protocol.epsilon": 1.0, "attack.share": 0.05},
        path="counts",
        users=10_000,
        malicious=526,
        domain_size=items,
        p=0.28,
        q=0.103,
        hash_range=None,
        trials=20,
        wanted=20,
        targets=targets,
        metrics={"gain": Estimate(0.2, 0.001, 0.2), "mse": Estimate(0.003, 0.0001, None)},
    )
    return Snapshot(
        key, "done", done=20, total=20, seconds=0.1, cells=(cell,),
        base=address_of(cell.parameters), frequencies=frequencies, digest="xxh3:0",
    )  # fmt: skip
