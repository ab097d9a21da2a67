"""The lab's questions to a real worker: answered, refused, stopped, and the worker goes on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import pytest_asyncio
from support.lab_tabs import DOCUMENT, ask
from support.recorded_engine import gone
from support.worker import soon
from textual.message import Message

from ldptui.engine.engine import LAB, Engine
from ldptui.messages import QuestionReply
from ldptui.questions.sheet import decode_answer
from ldptui.questions.topics import starting
from ldptui.session.snapshot import LabQuestion, Reply


class LabEngine:
    """An engine of the lab and the replies that it posted."""

    def __init__(self) -> None:
        self.replies: list[Reply] = []
        self._news = asyncio.Event()
        self.engine = Engine(self._post, LAB, spare=False)

    def _post(self, message: Message) -> None:
        if isinstance(message, QuestionReply):
            self.replies.append(message.reply)
        self._news.set()

    def ask(self, key: int, tab: str, **values: Any) -> None:
        self.engine.run(LabQuestion(key, tab, starting(tab, None) | values, DOCUMENT, "."))

    async def until(self, found: Callable[[Reply], bool]) -> Reply:
        async def wait() -> Reply:
            while True:
                for reply in self.replies:
                    if found(reply):
                        return reply
                self._news.clear()
                await self._news.wait()

        return await soon(wait())

    async def end(self, key: int) -> Reply:
        return await self.until(lambda one: one.key == key and one.status != "running")


pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def started() -> AsyncIterator[LabEngine]:
    """One worker for all: its start takes longer than the answers."""
    posted = LabEngine()
    await posted.engine.start()
    yield posted
    children = posted.engine._children
    pids = [child._process.pid for child in children if child._process is not None]
    await soon(posted.engine.stop())
    assert all(map(gone, pids))


@pytest.fixture
def posted(started: LabEngine) -> LabEngine:
    started.replies.clear()
    return started


async def answered(engine: Engine) -> None:
    while engine._run is not None:
        await asyncio.sleep(0)


async def test_a_first_question_is_worked_on_before_anybody_listens() -> None:
    """Whoever asks it first gets what was said meanwhile; another question takes its place."""
    for first, second in ((True, "accuracy"), (False, "guess")):
        posted = LabEngine()
        asked = LabQuestion(1, "accuracy", starting("accuracy", None), DOCUMENT, ".")
        posted.engine = await Engine.begin(asked)
        await soon(answered(posted.engine))
        posted.engine.listen(posted._post)
        assert posted.replies == []
        posted.ask(1 if first else 2, second)
        answer = (await posted.end(1 if first else 2)).answer
        assert decode_answer(answer) == ask(second)
        assert {reply.key for reply in posted.replies} == {1 if first else 2}
        await soon(posted.engine.stop())


async def test_an_answer_is_that_of_the_tab(posted: LabEngine) -> None:
    posted.ask(1, "choose", trials=20, seed=5)
    reply = await posted.end(1)
    assert reply.status == "done", reply
    assert reply.answer is not None
    assert repr(decode_answer(reply.answer)) == repr(ask("choose", trials=20, seed=5))
    assert any("choosing" in reply.said for reply in posted.replies if reply.status == "running")
    assert len(posted.engine._children) == 1  # no second worker waits


async def test_a_bad_value_names_its_field_and_the_next_question_is_answered(
    posted: LabEngine,
) -> None:
    posted.ask(1, "accuracy", delta=0)
    reply = await posted.end(1)
    assert (reply.status, reply.field) == ("failed", "delta")
    assert reply.error.startswith("must be greater than 0 for the stability mechanism")
    assert not reply.details
    posted.ask(2, "check")
    assert (await posted.end(2)).status == "done"


async def test_long_work_is_stopped_and_superseded(posted: LabEngine) -> None:
    """An audit of minutes leaves its worker alive, whether it is cancelled or replaced."""
    endless: dict[str, Any] = {"audit": True, "samples": 10_000_000, "items": 1024}
    posted.ask(1, "check", **endless)
    await posted.until(lambda one: "going through the reports" in one.said)
    [child] = posted.engine._children
    posted.engine.cancel()
    assert (await posted.end(1)).status == "partial"
    posted.ask(2, "check", **endless)
    await posted.until(lambda one: one.key == 2 and "going through the reports" in one.said)
    posted.ask(3, "accuracy")
    assert (await posted.end(3)).status == "done"
    assert [reply.key for reply in posted.replies if reply.status != "running"] == [1, 3]
    assert posted.engine._children == {child}
