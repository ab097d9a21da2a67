"""Runs that are kept, listed, tagged, removed and resumed."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from support.commands import TWENTY, Captured, fail, listed, noted, succeed

from ldptui.commands import cli, run_progress
from ldptui.core.store import RunMemory, open_store, store_open
from ldptui.terminal import exits, places

LONG = """\
format = 1
title = "Long"
trials = 60

[population]
kind = "zipf"
items = 64
users = 4000
exponent = 1.0

[protocol]
kind = "oue"
epsilon = 1.0

[simulate]
path = "reports"

[sweep]
"protocol.kind" = ["grr", "oue", "olh"]
"protocol.epsilon" = [0.5, 1.0, 2.0]
"""


# Keeping.


def test_a_run_is_kept_and_shown_again(tiny: str, kept: Path, capsys: Captured) -> None:
    full = ("--format", "json", "--frequencies")
    printed = succeed(capsys, "run", tiny, "--tag", "first", *full)
    assert kept.exists()
    (run,) = listed(capsys)
    assert (run["run"], run["status"], run["done"], run["tags"]) == (1, "done", 20, ["first"])
    assert run["digest"] == json.loads(printed)["digest"]
    assert run["source"] == tiny
    assert succeed(capsys, "runs", "show", "1", *full) == printed
    shown = succeed(capsys, "runs", "show", "last")
    for words in ("run 1: done", "OUE ε=1, MGA β=0.1", "tags: first", "NumPy", run["digest"]):
        assert words in shown


def test_what_is_known_is_not_computed_again(
    tiny: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert noted(capsys, "run", tiny) == ""
    printed = succeed(capsys, "run", tiny, "--format", "csv", "--fresh")
    monkeypatch.setattr("ldptui.core.cell.Cell.block", None)
    assert succeed(capsys, "run", tiny, "--format", "csv") == printed
    words = "note: 20 of 20 trials were known (--fresh computes them again)\n"
    assert noted(capsys, "run", tiny) == words
    assert noted(capsys, "run", tiny, "--quiet") == ""
    assert cli.main(["run", tiny, "--fresh"]) == exits.BUG
    assert cli.main(["run", tiny, "--no-store"]) == exits.BUG
    capsys.readouterr()
    assert [run["status"] for run in listed(capsys)] == ["failed", *["done"] * 5]
    assert "NoneType" in listed(capsys)[0]["error"]


def test_where_runs_are_kept(
    tiny: str, kept: Path, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "else where?" / "#my runs"
    succeed(capsys, "run", tiny, "--no-store")
    succeed(capsys, "run", tiny, "--store", str(elsewhere))
    assert not kept.exists()
    assert len(listed(capsys, "--store", str(elsewhere))) == 1
    assert succeed(capsys, "runs", "--store", str(elsewhere)).count("Tiny") == 1
    monkeypatch.setenv("LDPTUI_STORE", "")
    monkeypatch.setattr(places, "store_file", lambda: tmp_path / "home" / "runs.sqlite3")
    assert succeed(capsys, "runs") == "no runs\n"
    succeed(capsys, "run", tiny)
    assert (tmp_path / "home" / "runs.sqlite3").exists()


def test_a_store_that_cannot_be_used(
    tiny: str, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = tmp_path / "bad"
    bad.write_bytes(b"something else" * 100)
    assert fail(capsys, 3, "run", tiny, "--store", str(bad)) == f"{bad} is not a store of ldptui"
    assert fail(capsys, 3, "runs", "--store", str(bad)) == f"{bad} is not a store of ldptui"
    monkeypatch.delenv("LDPTUI_STORE")
    monkeypatch.setattr(places, "store_file", lambda: bad)
    words = f"note: this run is not kept: {bad} is not a store of ldptui\n"
    assert noted(capsys, "run", tiny) == words
    monkeypatch.setattr(places, "store_file", lambda: bad / "home" / "runs.sqlite3")
    assert "cannot be made" in noted(capsys, "run", tiny)


@pytest.mark.parametrize("shard", [(), ("--shard", "1/1"), ("--shard", "1/2")])
@pytest.mark.parametrize("replaced", [False, True])
def test_a_store_that_is_deleted_in_the_middle(
    tiny: str, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch, replaced: bool,
    shard: tuple[str, ...],
) -> None:  # fmt: skip
    """The results are there all the same, the sentence says what is not, and the code is 3."""
    store, compute = tmp_path / "kept.sqlite3", run_progress.measure

    def losing(*args: Any, **kwargs: Any) -> Any:
        store.rename(tmp_path / "gone")
        if replaced:
            store.write_bytes(b"")
        return compute(*args, **kwargs)

    monkeypatch.setattr(run_progress, "measure", losing)
    assert cli.main(["run", tiny, "--store", str(store), *shard]) == exits.NO_FILE
    output = capsys.readouterr()
    what = "replaced by another file" if replaced else "deleted"
    assert f"not kept, or in part: {store} was {what} while it was in use" in output.err
    assert ("xxh3:" in output.out) == (shard != ("--shard", "1/2"))
    assert "are kept in" not in output.err


def test_a_recording_whose_store_is_deleted_is_exit_code_3(
    tiny: str, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, out, compute = tmp_path / "kept.sqlite3", tmp_path / "out.json", run_progress.measure

    def losing(*args: Any, **kwargs: Any) -> Any:
        store.unlink()
        return compute(*args, **kwargs)

    monkeypatch.setattr(run_progress, "measure", losing)
    asked = ["record", tiny, "--out", str(out), "--store", str(store)]
    assert cli.main(asked) == exits.NO_FILE
    assert f"nothing was written: {store} was deleted while" in capsys.readouterr().err
    assert not out.exists()


def test_ctrl_c_before_any_progress_arrives_says_how_to_go_on(
    tiny: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first block is kept, and the main thread has not heard of anything yet."""
    kept_one, keep = threading.Event(), RunMemory.keep

    def keeping(self: RunMemory, cell: Any, number: int, block: Any) -> None:
        keep(self, cell, number, block)
        kept_one.set()

    def interrupted(*_: object) -> None:
        assert kept_one.wait(30)
        raise KeyboardInterrupt

    monkeypatch.setattr(RunMemory, "keep", keeping)
    monkeypatch.setattr(run_progress, "_next", interrupted)
    assert cli.main(["run", tiny, "--quiet"]) == exits.INTERRUPTED
    said = capsys.readouterr().err.splitlines()
    assert said == ["ldptui: ldptui resume 1 goes on with it", "ldptui: interrupted"]


def test_a_file_name_that_is_not_text(tmp_path: Path, capsys: Captured) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.toml")
    Path(path).write_text(TWENTY.replace('title = "Tiny"', ""), encoding="utf-8")
    succeed(capsys, "run", path)
    (run,) = listed(capsys)
    assert run["title"] == "?.toml"


def test_a_store_on_a_network_home_says_so(
    tiny: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_open, "file_system", lambda _: "nfs4")
    assert "network file system (nfs4): using a rollback journal" in noted(capsys, "run", tiny)


def test_runs_are_filtered_tagged_and_removed(tiny: str, capsys: Captured) -> None:
    succeed(capsys, "run", tiny)
    succeed(capsys, "run", tiny, "--set", "protocol.kind=grr", "--set", "attack.kind=none")
    assert succeed(capsys, "runs", "tag", "2", "plain", "mine") == "tags of run 2: mine, plain\n"
    assert succeed(capsys, "runs", "tag", "2", "mine", "--remove") == "tags of run 2: plain\n"

    def found(*only: str) -> list[int]:
        return [run["run"] for run in listed(capsys, *only)]

    assert found() == [2, 1]
    assert found("--protocol", "grr") == [2]
    assert found("--attack", "mga") == [1]
    assert found("--tag", "plain") == [2]
    assert found("--since", "2000-01-01") == [2, 1]
    assert found("--until", "2000-01-01") == []
    assert found("--until", time.strftime("%Y-%m-%d")) == [2, 1]
    assert "no runs" in succeed(capsys, "runs", "--tag", "nothing")
    assert "run 1 is removed; ldptui runs rm --undo 1" in succeed(capsys, "runs", "rm", "1")
    assert found() == [2]
    assert found("--removed") == [1]
    succeed(capsys, "runs", "rm", "--undo", "1")
    assert found() == [2, 1]
    succeed(capsys, "runs", "rm", "1")
    succeed(capsys, "runs", "star", "2")
    assert "2*" in succeed(capsys, "runs")
    assert succeed(capsys, "runs", "gc", "--before", "2100-01-01").startswith(
        "forgot 1 runs and 1 cells"
    )
    assert found() == [2]
    rows = list(csv.DictReader(io.StringIO(succeed(capsys, "runs", "list", "--format", "csv"))))
    assert rows[0]["protocols"] == "grr"


@pytest.mark.parametrize(
    ("code", "arguments", "words"),
    [
        (2, ("runs", "show", "7"), "there is no run 7"),
        (2, ("runs", "show", "x"), 'RUN must be the number of a run, or "last", got "x"'),
        (2, ("runs", "list", "--since", "soon"), '--since must be a day as 2026-01-31, got "soon"'),
        (2, ("runs", "tag", "1", "a,b"), "--tag must be words without commas"),
        (2, ("run", "quickstart", "--tag", ""), "--tag must be words"),
        (2, ("runs", "fly"), "ACTION: must be one of"),
        (2, ("resume",), "RUN"),
        (2, ("compare", "1", "1", "--metric", "luck"), "--metric must be one of gain,"),
        (2, ("replay", "1", "--workers", "0"), "--workers must be in [1, 1000], got 0"),
        (3, ("runs", "import", "no-such-file"), "no-such-file cannot be read"),
        (3, ("runs", "show", "1", "--store", "/no/such/store"), "there are no runs"),
        (3, ("runs", "export", "1", "--out", "/"), "/ cannot be written: it is a folder"),
    ],
)
def test_a_mistake_is_one_line(
    tiny: str, capsys: Captured, code: int, arguments: tuple[str, ...], words: str
) -> None:
    succeed(capsys, "run", tiny)
    assert words in fail(capsys, code, *arguments)


# Resuming.


@pytest.mark.every(2)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_was_stopped_is_resumed(
    tmp_path: Path, kept: Path, capsys: Captured, number: signal.Signals
) -> None:
    scenario = tmp_path / "long.toml"
    scenario.write_text(LONG, encoding="utf-8")
    whole = succeed(capsys, "run", str(scenario), "--format", "json", "--no-store")
    # A background job's children may ignore SIGINT; a shell's foreground jobs do not.
    program = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "from ldptui.__main__ import main; sys.exit(main())"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program, "run", str(scenario)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if kept.exists():
            with open_store(kept) as there:
                if any(run.done for run in there.runs()):
                    break
        with pytest.raises(subprocess.TimeoutExpired):  # it goes on
            child.wait(0.05)
    child.send_signal(number)
    _, said = child.communicate(timeout=60)
    if number == signal.SIGINT:
        assert child.returncode == 130
        assert "ldptui resume 1 goes on with it" in said
    (run,) = listed(capsys)
    assert run["status"] == ("partial" if number == signal.SIGINT else "interrupted")
    assert 0 < run["done"] < run["total"]
    assert f"{run['done']} of 540" in succeed(capsys, "runs")
    resumed = succeed(capsys, "resume", "last", "--format", "json", "--quiet")
    assert resumed == whole
    (run,) = listed(capsys)
    assert (run["status"], run["done"]) == ("done", 540)


@pytest.mark.parametrize("shard", ["1/99999999999999999999", f"1/{'9' * 5000}"])
def test_a_shard_of_more_than_any_run_has_is_refused(
    tiny: str, capsys: Captured, shard: str
) -> None:
    message = fail(capsys, exits.USAGE, "run", tiny, "--shard", shard)
    assert "--shard must be I/N, as 1/8, of at most nine digits each, got" in message
