"""The engine with real workers, and with stub workers that misbehave on purpose."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from support.recorded_engine import Command, RecordedEngine, gone
from support.worker import HALTING, document, soon

from ldptui.engine.child import Child
from ldptui.engine.engine import COMMAND, MAX_DEATHS


@pytest.fixture
async def posted(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[RecordedEngine]:
    """With real workers, or with the stub whose source is the test's parameter."""
    command: Command = COMMAND
    if hasattr(request, "param"):
        script = tmp_path / "stub.py"
        script.write_text(STUB + textwrap.dedent(request.param))
        command = (sys.executable, str(script), str(tmp_path))
    posted = RecordedEngine(command)
    await posted.engine.start()
    yield posted
    pids = posted.pids()
    await soon(posted.engine.stop())
    assert all(map(gone, pids))
    assert not posted.engine._children


def stub(source: str) -> Any:
    """Run a test with workers of which this is the main loop."""
    return pytest.mark.parametrize("posted", [source], indirect=True, ids=["stub"])


STUB = """
import os, signal, sys, time
from ldptui.engine import wire
from ldptui.session.snapshot import Snapshot
def say(**news):
    wire.write(sys.stdout.buffer, **news)
def snapshot(key, status, done):
    say(snapshot=Snapshot(key, status, done=done, total=20, seconds=0.1))
def hang():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(60)
def requests():
    for line in sys.stdin.buffer:
        order = wire.order_in(line)
        if order.quit:
            sys.exit()
        yield order.request and order.request.key, order.cancel
say(ready={"stub": "1"})
"""


async def test_a_real_worker_is_cancelled_replaced_and_refuses(posted: RecordedEngine) -> None:
    """A cancel comes before it is ready; a newer request while a full run is under way."""
    posted.run(1, document())
    posted.engine.cancel()
    assert [(snapshot.key, snapshot.status) for snapshot in posted.snapshots] == [(1, "partial")]
    posted.run(2, document())
    await posted.ended(2)
    assert [snapshot.key for snapshot in posted.snapshots] == [1, 2]

    posted.run(3, HALTING, full=True)
    await posted.until(lambda: posted.snapshots[-1].key == 3)
    posted.run(4, document())
    await posted.ended(4)
    replaced = [snapshot for snapshot in posted.snapshots if snapshot.key == 3]
    assert [snapshot.status for snapshot in replaced][-2:] == ["running", "partial"]
    assert replaced[-1].done == replaced[-2].done > 0

    posted.run(5, document(items=1))
    last = await posted.ended(5)
    assert (last.status, last.details) == ("failed", "")
    assert last.error == "population.items must be in [2, 2^20], got 1"


@pytest.mark.long
async def test_a_worker_that_is_killed_is_replaced(posted: RecordedEngine) -> None:
    await posted.spare()
    posted.run(1, HALTING, full=True)
    await posted.until(lambda: posted.snapshots and posted.snapshots[-1].done == 20)
    assert posted.engine._active is not None
    assert posted.engine._active._process is not None
    posted.engine._active._process.kill()
    last = await posted.ended(1)
    assert last.status == "failed"
    assert "was killed by SIGKILL" in last.error
    assert last.base_cell.trials == 20
    posted.run(2, document())
    assert (await posted.ended(2)).status == "done"
    assert [alive for alive, _ in posted.workers] == [True, False, True]


SILENT = """
    for key, cancelled in requests():
        if key == 1:
            say(started=1)
            snapshot(1, "running", 5)
            hang()
        if key:
            say(started=key)
            snapshot(key, "done", 20)
"""


@stub(SILENT)
async def test_a_silent_worker_is_killed_after_a_cancel(posted: RecordedEngine) -> None:
    await posted.spare()
    posted.run(1, {})
    await posted.until(lambda: posted.snapshots)
    child = posted.engine._active
    posted.engine.cancel()
    last = await posted.ended(1)
    assert (last.status, last.done) == ("partial", 5)
    assert child is not posted.engine._active
    assert child is not None
    await soon(asyncio.shield(child.life))
    assert child._process is not None
    assert gone(child._process.pid)
    posted.run(2, {})
    assert (await posted.ended(2)).status == "done"
    assert [alive for alive, _ in posted.workers] == [True, True]  # it did not die: it was replaced


@stub(SILENT)
async def test_a_silent_worker_is_killed_after_a_newer_request(posted: RecordedEngine) -> None:
    posted.run(1, {})
    await posted.until(lambda: posted.snapshots)
    posted.run(2, {})
    assert (await posted.ended(2)).status == "done"
    assert [(snapshot.key, snapshot.status) for snapshot in posted.snapshots] == [
        (1, "running"),
        (2, "done"),
    ]

    # The fixture stops the engine, and looks.


@stub("""
    for key, cancelled in requests():
        say(started=key)
        snapshot(key - 1, "running", 19)
        snapshot(key - 1, "done", 20)
        snapshot(key, "done", 7)
""")
async def test_late_lines_of_an_older_run_are_ignored(posted: RecordedEngine) -> None:
    posted.run(1, {})
    await posted.ended(1)
    posted.run(2, {})
    await posted.ended(2)
    assert [(snapshot.key, snapshot.done) for snapshot in posted.snapshots] == [(1, 7), (2, 7)]


@stub("""
    for key, cancelled in requests():
        say(started=key)
        snapshot(key, "running", 5)
        if key == 1:
            sys.stderr.write("one line\\nout of luck\\n")
            sys.exit(3)
        snapshot(key, "done", 20)
""")
async def test_a_worker_that_dies_is_reported(posted: RecordedEngine) -> None:
    posted.run(1, {})
    last = await posted.ended(1)
    assert (last.status, last.done) == ("failed", 5)
    assert last.error == "the background worker ended with exit code 3: out of luck"
    assert last.details == "one line\nout of luck\n"
    posted.run(2, {})
    assert (await posted.ended(2)).status == "done"
    assert [alive for alive, _ in posted.workers] == [True, False, True]
    assert posted.workers[1][1].endswith("; another one takes over")


@stub("""
    from pathlib import Path
    for key, cancelled in requests():
        first = Path(sys.argv[1], "first")
        if not first.exists():
            first.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        say(started=key)
        snapshot(key, "done", 20)
""")
async def test_a_run_that_a_dying_worker_had_not_begun_is_for_the_next_one(
    posted: RecordedEngine,
) -> None:
    posted.run(1, {})
    last = await posted.ended(1)
    assert (last.status, last.error) == ("done", "")
    assert [alive for alive, _ in posted.workers] == [True, False, True]


NONSENSE = """
    def framed(body):
        return len(body).to_bytes(wire.HEAD, "little") + body

    for key, cancelled in requests():
        say(started=key)
        os.write(1, {})
        snapshot(key, "done", 20)
"""


@pytest.mark.every(4)
@pytest.mark.parametrize(
    ("posted", "why"),
    [
        (NONSENSE.format(said), why)
        for said, why in {
            'b"nonsense"': "a frame of 1936617326 bytes is announced",
            'b"\\x01\\0\\0\\0\\xc1"': "MessagePack data is malformed",
            "wire.frame_of(wire.News(snapshot=3))": "Expected `object | null`, got `int`",
            "wire.frame_of(wire.News(snapshot=Snapshot(key, 'well')))": "Invalid enum value 'well'",
            "wire.frame_of(wire.News(snapshot=Snapshot(key, 'done', done='x')))": "Expected `int`",
            'b"\\2\\0\\0\\0{["': "Expecting property name",
            'framed(b"\\x81\\xa8snapshot\\x81\\xa8followed" + b"\\x81\\xa1a" * 9**6)': "an object",
        }.items()
    ],
    indirect=["posted"],
)
async def test_a_worker_that_talks_nonsense_is_replaced(posted: RecordedEngine, why: str) -> None:
    """It is told in a sentence, and what it says is never run."""
    posted.run(1, {})
    last = await posted.ended(1)
    assert last.status == "failed"
    assert last.error.startswith("the background worker said what no worker says and was stopped: ")
    assert why in last.error
    assert "\n" not in last.error
    assert last.details == ""
    await posted.alive(2)


@stub("sys.exit('no luck')")
async def test_workers_that_keep_dying_are_given_up(posted: RecordedEngine) -> None:
    posted.run(1, {})
    last = await posted.ended(1)
    assert (last.status, last.error) == (
        "failed", "the background worker ended with exit code 1: no luck",
    )  # fmt: skip
    await posted.watch(lambda: not posted.engine._children)
    # The one that waited may die last, as the one that runs.
    assert [alive for alive, _ in posted.workers].count(False) <= MAX_DEATHS + 1
    posted.run(2, {})  # tries again
    assert (await posted.ended(2)).status == "failed"


async def test_a_command_that_does_not_exist() -> None:
    posted = RecordedEngine(("/nonexistent/python",))
    await posted.engine.start()
    posted.run(1, {})
    last = await posted.ended(1)
    assert "cannot be started" in last.error
    await posted.engine.stop()


async def test_stop_at_once_leaves_no_process() -> None:
    posted = RecordedEngine(COMMAND)
    await posted.engine.start()
    await posted.engine.stop()
    assert not posted.engine._children
    posted.run(1, document())  # comes too late
    await posted.engine.stop()
    assert not posted.messages


async def test_a_dismissed_child_is_not_heard() -> None:
    heard: list[Any] = []
    ended: list[Child] = []
    said = "import os; from ldptui.engine import wire; os.write(1, wire.frame_of(wire.News()))"
    child = Child((sys.executable, "-c", said), lambda *one: heard.append(one), ended.append)
    child.dismiss()
    await soon(child.life)
    assert (heard, ended) == ([], [child])


APP = """
import asyncio, sys
from ldptui.engine.engine import Engine
from ldptui.session.snapshot import Request
from support.worker import HALTING

async def main():
    news = asyncio.Event()
    engine = Engine(lambda message: hasattr(message, "snapshot") and news.set())
    await engine.start()
    engine.run(Request(1, HALTING, ".", full=True))
    await news.wait()
    print(*(child._process.pid for child in engine._children), flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs pidfd_open (Linux)")
async def test_workers_do_not_outlive_a_killed_app() -> None:
    pipe = asyncio.subprocess.PIPE
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    app = await asyncio.create_subprocess_exec(sys.executable, "-c", APP, stdout=pipe, env=env)
    assert app.stdout is not None
    try:
        files = [os.pidfd_open(int(pid)) for pid in (await soon(app.stdout.readline())).split()]
    finally:
        app.kill()
        await soon(app.wait())
    assert len(files) == 2
    loop = asyncio.get_running_loop()
    for file in files:  # it becomes readable when the process ends
        ended = loop.create_future()
        loop.add_reader(file, lambda: ended.done() or ended.set_result(None))  # noqa: B023
        await soon(ended)
        loop.remove_reader(file)
        os.close(file)


def test_the_engine_imports_nothing_heavy() -> None:
    check = """
import sys, ldptui.engine.engine
heavy = {"numpy", "scipy", "pydantic", "plotext", "xxhash", "tomlkit", "ldptui.core.scenario"}
sys.exit(", ".join(heavy & sys.modules.keys()) or None)
"""
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
