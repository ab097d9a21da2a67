"""A run on a cluster as its user sees it: strangers who reach the scheduler, workers that go."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from support.clusters import scheduled
from support.commands import TWENTY, Captured, succeed

from ldptui.commands import cli
from ldptui.core.base.pulse import Pulse, warn
from ldptui.core.running.crossing import as_bytes, outcomes_in
from ldptui.terminal import exits


def on(monkeypatch: pytest.MonkeyPatch, executor: Executor) -> None:
    """Let this executor be every cluster."""
    place = "ldptui.core.running.cluster.cluster"
    monkeypatch.setattr(place, lambda _: contextlib.nullcontext(executor))


class Hostile(ThreadPoolExecutor):
    """Computes two batches, and sends garbage after that."""

    def __init__(self) -> None:
        super().__init__(1)
        self.sent = 0

    def submit(self, call: Any, /, *args: Any, **_: Any) -> Future[Any]:
        return super().submit(self.crossed, call, args[0])

    def crossed(self, call: Any, batch: Any) -> Any:
        self.sent += 1
        return outcomes_in(as_bytes(call(batch)) if self.sent < 3 else b"\x80\x04.", batch)


def test_garbage_of_a_cluster_is_a_sentence_and_what_came_is_kept(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario, store = tmp_path / "mine.toml", str(tmp_path / "a.sqlite3")
    scenario.write_text(TWENTY, encoding="utf-8")
    with Hostile() as executor:
        on(monkeypatch, executor)
        asked = ("run", str(scenario), "--trials", "100", "--quiet", "--store", store)
        assert cli.main([*asked, "--cluster", "tcp://somewhere:1"]) == exits.NO_FILE
    said = capsys.readouterr()
    assert said.out == ""
    (line,) = said.err.splitlines()
    assert line.startswith("the cluster sent what is no result: ")
    succeed(capsys, "resume", "1", "--store", store, "--quiet")
    assert "100" in succeed(capsys, "runs", "show", "1", "--store", store)


class Deserted(ThreadPoolExecutor):
    """Has no worker until somebody was told so."""

    def __init__(self) -> None:
        super().__init__(1)
        self.back = threading.Event()

    def submit(self, call: Any, /, *args: Any, **_: Any) -> Future[Any]:
        return super().submit(lambda: (self.back.wait(), call(*args))[1])

    def watch(self, pulse: Pulse) -> None:
        if not self.back.is_set():
            warn(pulse, "all workers are gone")
        self.back.set()


def test_a_command_says_that_it_waits_for_workers(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario = tmp_path / "mine.toml"
    scenario.write_text(TWENTY, encoding="utf-8")
    monkeypatch.setattr("ldptui.core.running.workers.WATCH_S", 0.01)
    with Deserted() as executor:
        on(monkeypatch, executor)
        assert cli.main(["run", str(scenario), "--cluster", "tcp://somewhere:1"]) == exits.DONE
    assert capsys.readouterr().err.splitlines() == ["note: all workers are gone"]


STRANGER = """
import pathlib, sys
from distributed import Client
from distributed.protocol.serialize import Serialize, ToPickle

class Evil:
    def __reduce__(self):
        code = "import pathlib, sys; sys.argv[:1] == ['ldptui'] and pathlib.Path(%r).touch()"
        return exec, (code % sys.argv[3],)

def poison(dask_scheduler, how, evil):
    async def gather(keys, serializers=None):
        values = {"value": Serialize(evil), "message": ToPickle(evil), "bytes": b"garbage"}
        return {"status": "OK", "data": {key: values[how] for key in keys}}
    dask_scheduler.handlers["gather"] = gather

with Client(scheduler_file=sys.argv[1]) as client:
    client.run_on_scheduler(poison, how=sys.argv[2], evil=Evil())
"""
"""Somebody else who may use the scheduler: what it hands on to others is his."""


RUN = "import sys; sys.argv[0] = 'ldptui'; from ldptui.__main__ import main; sys.exit(main())"


@pytest.mark.long
@pytest.mark.parametrize("how", ["value", "message", "bytes"])
def test_whoever_reaches_the_scheduler_runs_no_code_here(how: str, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    mark = tmp_path / "ran"
    scenario = tmp_path / "mine.toml"
    scenario.write_text(TWENTY, encoding="utf-8")
    asked = [sys.executable, "-c", RUN, "run", str(scenario), "--no-store", "--quiet", "--cluster"]
    with scheduled(tmp_path) as cluster:
        place = cluster.place
        done = subprocess.run([*asked, str(place)], capture_output=True, text=True, timeout=300)
        assert (done.returncode, done.stderr) == (exits.DONE, "")
        stranger = [sys.executable, "-c", STRANGER, str(place), how, str(mark)]
        subprocess.run(stranger, check=True, timeout=300, stderr=subprocess.DEVNULL)
        done = subprocess.run([*asked, str(place)], capture_output=True, text=True, timeout=300)
    (line,) = done.stderr.splitlines()
    assert line.startswith("the cluster sent what is no result: ")
    assert done.returncode == exits.NO_FILE
    assert not mark.exists()
