"""Strangers' files by every route that reads them: none of their code runs.

What could be run leaves a mark: Python beside the files, a pickle, a command of a shell.
"""

from __future__ import annotations

import base64
import itertools
import json
import os
import pickle
import sqlite3
import subprocess
import sys
import tomllib
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
import tomlkit
from support.commands import TINY, Captured, succeed
from support.forging import parts_of, signed

from ldptui.commands import cli
from ldptui.core.plugins.code_loading import load_method

EXAMPLE = Path(__file__).parents[2] / "examples" / "plugin" / "src" / "ldptui_example"
ASKED: dict[str, Any] = {
    "attack": {"kind": "plugin", "name": "Spread", "share": 0.1, "targets": {"items": [1, 2]},
               "options": {"each": 1}},
    "defence": [{"kind": "plugin", "name": "floor"}],
    "metric": [{"name": "kendall_tau"}],
    "population": {"kind": "plugin", "name": "steps", "items": 8, "users": 500},
    "protocol": {"kind": "plugin", "name": "pairs", "epsilon": 1.0},
}  # fmt: skip
"""Tables that ask for the code of the example, whose files have the tables' names."""

OF_SCENARIOS = (
    "run {file}",
    "run {file} --workers 2",
    "run {file} --shard 1/2",
    "record {file} --out {out}.ldptui",
    "plot {file} --out {out}.txt",
    "scenarios check {file}",
    "scenarios show {file}",
    "scenarios copy {file} {out}",
    "cite {file}",
    "price {file}",
    "choose {file} --trials 2",
    "synthetic {file} --out {out}.csv",
    "replay {file}",
    "runs import {file}",
    "estimate {file}",
)
OF_RUNS = (
    "runs",
    "runs show 1",
    "runs show 1 --format json",
    "runs export 1 --out {out}.ldptui",
    "runs export 1 --format json --out {out}.json",
    "runs export 1 --format csv --out {out}.csv",
    "plot 1 --out {out}.txt",
    "compare 1 1",
    "game 1",
    "replay 1",
    "resume 1",
)
OF_FILES = ("runs import {file}", "replay {file}", "compare {file} {file}", "game {file}")


pytestmark = pytest.mark.usefixtures("nothing_loaded")


@pytest.fixture
def mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that hostile code makes; commands run in the folder of the strangers' files."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / "RAN"


class Touching:
    """A value whose pickle leaves the mark where it is loaded."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
        return os.system, (f"touch {self.mark}",)


def texts(mark: Path) -> list[str]:
    """Texts that some programs run: of Python, of shells, of YAML, of templates."""
    touch = f"touch {mark}"
    return [
        "evil",
        "evil:evil",
        "os:system",
        "evil.py",
        str(mark.with_name("evil.py")),
        f"__import__('os').system('{touch}')",
        f"!!python/object/apply:os.system ['{touch}']",
        f"$({touch})",
        f"| {touch}",
        "{0.__class__.__init__.__globals__}",
        base64.b64encode(pickle.dumps(Touching(mark))).decode(),
    ]


def answers(capsys: Captured, mark: Path, command: str, *more: str, **places: object) -> None:
    """Give a command; it answers in some way, and nothing has run."""
    words = [word.format(out=mark.with_name("out"), **places) for word in command.split(" ")]
    code = cli.main([*words, *more])
    said = capsys.readouterr()
    assert code in (0, 1, 2, 3, 4, 130), (command, said.err)
    assert not mark.exists(), command


def code_of(table: str, mark: Path) -> Path:
    """The file of the example's code for a table, which leaves the mark when it is run."""
    path = mark.with_name("evil.py")
    touch = f"\n\nfrom pathlib import Path\n\nPath({str(mark)!r}).touch()\n"
    path.write_text((EXAMPLE / f"{table}.py").read_text("utf-8") + touch, "utf-8")
    return path


def written(mark: Path, document: dict[str, Any]) -> Path:
    path = mark.with_name("theirs.toml")
    path.write_text(tomlkit.dumps(document), "utf-8")
    return path


# Scenarios.


@pytest.mark.every(4)
@pytest.mark.parametrize("command", OF_SCENARIOS)
@pytest.mark.parametrize("table", ASKED)
def test_no_command_runs_the_code_that_a_scenario_asks_for(
    table: str, command: str, mark: Path, capsys: Captured
) -> None:
    code_of(table, mark)
    scenario = written(mark, tomllib.loads(TINY) | {table: ASKED[table]})
    answers(capsys, mark, command, file=scenario)


@pytest.mark.every(7)
@pytest.mark.parametrize(
    "field",
    [
        "title", "about", "population.kind", "population.name", "population.path",
        "population.column", "protocol.kind", "protocol.name", "attack.kind", "attack.name",
        "attack.targets.pick", "task.kind", "simulate.path", "goal.metric", "metric.name",
        "defence.kind", "defence.name", "sweep.protocol.kind", "sweep.attack.name",
    ],
)  # fmt: skip
def test_no_text_of_a_scenario_is_run(field: str, mark: Path, capsys: Captured) -> None:
    mark.with_name("evil.py").write_text(f"open({str(mark)!r}, 'w')\nevil = print\n")
    table, _, key = field.partition(".")
    for text in texts(mark):
        document = tomllib.loads(TINY)
        if table == "sweep":
            document["sweep"] = {key: ["oue", text]}
        elif not key:
            document[table] = text
        elif table in ("metric", "defence"):
            document[table] = [{"kind": "plugin", "name": "evil"} | {key: text}]
        else:
            path = {"kind": "csv"} if key in ("path", "column") else {}
            named = {"kind": "plugin"} if key == "name" else path
            document[table] = document.get(table, {}) | named | {key.partition(".")[0]: text}
        scenario = written(mark, document)
        for command in ("run {file} --no-store --quiet", "scenarios check {file}"):
            answers(capsys, mark, command, file=scenario)
        plain = mark.with_name("plain.toml")
        plain.write_text(TINY, "utf-8")
        change = f"{field}={json.dumps(text)}"
        answers(capsys, mark, "run {file} --no-store --quiet --set", change, file=plain)


# Stores, recordings, shards, and documents that carry a scenario.


def run_of(table: str, mark: Path, capsys: Captured) -> None:
    """A kept run of code that its maker allowed; the mark of that is gone again."""
    scenario = written(mark, tomllib.loads(TINY) | {table: ASKED[table]})
    allowed = ("--code", str(code_of(table, mark)))
    succeed(capsys, "record", str(scenario), "--out", str(mark.with_name("a.ldptui")), *allowed)
    for number in (1, 2):
        shard = ("--shard", f"{number}/2", "--store", str(mark.with_name(f"{number}.sqlite3")))
        succeed(capsys, "run", str(scenario), "--trials", "40", "--quiet", *shard, *allowed)
    succeed(capsys, "plot", str(scenario), "--out", str(mark.with_name("a.svg")), *allowed)
    assert mark.exists()  # a mutant: code that is allowed
    mark.unlink()
    load_method.cache_clear()


@pytest.mark.every(6)
@pytest.mark.parametrize("table", ASKED)
@pytest.mark.usefixtures("threads")
def test_no_route_of_a_kept_run_runs_its_code(table: str, mark: Path, capsys: Captured) -> None:
    """The code lies where it lay when the run was made."""
    run_of(table, mark, capsys)
    for name in ("a.ldptui", "a.svg", "1.sqlite3"):
        for command in OF_FILES:
            answers(capsys, mark, command, file=mark.with_name(name))
    shards = [str(mark.with_name(f"{number}.sqlite3")) for number in (1, 2)]
    answers(capsys, mark, "runs import", *shards, "--store", str(mark.with_name("all.sqlite3")))
    for command in OF_RUNS:
        answers(capsys, mark, command, "--store", str(mark.with_name("all.sqlite3")))


@pytest.mark.every(3)
@pytest.mark.parametrize("command", ["resume 1", "replay 1", "runs show 1"])
def test_no_pickle_of_a_store_is_loaded(command: str, mark: Path, capsys: Captured) -> None:
    """Each column of each table holds one, as bytes, as text, or as its base64."""
    scenario, store = written(mark, tomllib.loads(TINY)), mark.with_name("theirs.sqlite3")
    kept = ("--store", str(store))
    succeed(capsys, "run", str(scenario), "--quiet", *kept)
    whole, evil = store.read_bytes(), pickle.dumps(Touching(mark))
    with closing(sqlite3.connect(store)) as db:
        tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type='table'")]
        columns = [
            (table, row[1]) for table in tables for row in db.execute(f"PRAGMA table_info({table})")
        ]
    values = itertools.cycle((evil, evil.decode("latin-1"), base64.b64encode(evil).decode()))
    for (table, column), value in zip(columns, values, strict=False):
        store.write_bytes(whole)
        with closing(sqlite3.connect(store)) as db, suppress(sqlite3.Error):
            db.execute(f"UPDATE {table} SET {column} = ?", (value,))
            db.commit()
        answers(capsys, mark, command, *kept)


@pytest.mark.long
def test_no_pickle_of_a_recording_is_loaded(mark: Path, capsys: Captured) -> None:
    scenario, path = written(mark, tomllib.loads(TINY)), mark.with_name("theirs.ldptui")
    succeed(capsys, "record", str(scenario), "--out", str(path), "--quiet")
    parts = parts_of(path.read_bytes())
    for text in texts(mark):
        for key in parts["body"]:
            path.write_bytes(signed({**parts, "body": parts["body"] | {key: text}}))
            answers(capsys, mark, "replay {file}", file=path)
        for key in parts["cells"][0]:
            path.write_bytes(signed({**parts, "cells": [parts["cells"][0] | {key: text}]}))
            answers(capsys, mark, "replay {file}", file=path)
        for name in ("arrivals", "blocks"):
            changed = text if name == "arrivals" else [[*row[:3], text] for row in parts["blocks"]]
            path.write_bytes(signed({**parts, name: changed}))
            answers(capsys, mark, "replay {file}", file=path)


@pytest.mark.every(3)
@pytest.mark.parametrize("name", ["a.toml", "a.csv", "a.json", "a.jsonl", "a.parquet", "a.arrow",
                                  "a.sqlite3", "a.ldptui", "a.svg", "a.npy", "a.pkl"])  # fmt: skip
def test_no_file_of_any_name_is_unpickled(name: str, mark: Path, capsys: Captured) -> None:
    evil = mark.with_name(name)
    evil.write_bytes(pickle.dumps(Touching(mark)))
    law = {"kind": "csv", "path": name, "column": "a"}
    scenario = written(mark, tomllib.loads(TINY) | {"population": law})
    answers(capsys, mark, "run {file} --no-store", file=scenario)
    for command in (*OF_FILES, "run {file}", "estimate {file}", "disclose {file} --quasi a",
                    "perturb {file} --out {out}", "ledger {file}", "plot {file} --out {out}.txt",
                    "runs --store {file}", "resume 1 --store {file}",
                    "run quickstart --trials 1 --cluster {file}"):  # fmt: skip
        answers(capsys, mark, command, file=evil)


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
@pytest.mark.parametrize("command", ["perturb", "estimate"])
def test_no_pickle_of_a_column_is_loaded(
    kind: str, command: str, mark: Path, capsys: Captured
) -> None:
    """Arrow's extension types of Python were pickles in the schema, loaded with the file."""
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    evil, path = pickle.dumps(Touching(mark)), mark.with_name(f"in.{kind}")
    about = {
        b"ARROW:extension:name": b"arrow.py_extension_type",
        b"ARROW:extension:metadata": evil,
    }
    field = pyarrow.field("report", pyarrow.int64(), metadata=about)
    table = pyarrow.Table.from_arrays([pyarrow.array([0, 1])], schema=pyarrow.schema([field]))
    if kind == "parquet":
        parquet.write_table(table, path)
    else:
        with pyarrow.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    agreed = "--protocol grr --epsilon 1 --items 4 --out {out}.csv"
    answers(capsys, mark, f"{command} {{file}} {agreed}", file=path)
    pickle.loads(evil)  # the mark that it would leave
    assert mark.exists()


# Folders.


@pytest.mark.every(2)
@pytest.mark.parametrize("workers", ["2", "1"])
def test_a_strangers_folder_hides_no_module(workers: str, mark: Path) -> None:
    """Python starts workers in the folder that one is in."""
    touch = f"open({str(mark)!r}, 'w')\n"
    for name in ("multiprocessing", "runpy", "socket", "numpy", "json", "evil", "sitecustomize"):
        mark.with_name(f"{name}.py").write_text(touch)
    scenario = written(mark, tomllib.loads(TINY))
    (mark.parent / "bin").mkdir()
    program = mark.parent / "bin" / "ldptui"  # as an installed one: Python looks beside it first
    program.write_text(
        "import sys\nfrom ldptui.__main__ import main\n"
        "if __name__ == '__main__':\n    sys.exit(main())\n"
    )
    done = subprocess.run(
        [sys.executable, str(program), "run", str(scenario), "--no-store", "--quiet",
         "--workers", workers],
        cwd=mark.parent, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert not mark.exists()
