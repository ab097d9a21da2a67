"""A store with a field changed by a stranger: one sentence, and the other runs are listed."""

from __future__ import annotations

import math
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import pytest
from support.commands import TINY, Captured, succeed

from ldptui.commands import cli

ODD: Final = (
    "x", b"\xff\x00", None, -1, 2**62, 1e300, "", "[]", "{}", "null", b"", math.inf, "1"
)  # fmt: skip


def tampered(path: Path, copy: Path) -> Iterator[str]:
    """Write a copy of a store for every column and value that differs from it there; say where."""
    with closing(sqlite3.connect(path)) as db:
        tables = [
            name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        columns = [
            (table, row[1], rows)
            for table in tables
            for (rows,) in db.execute(f"SELECT count(*) FROM {table}").fetchall()
            for row in db.execute(f"PRAGMA table_info({table})").fetchall()
            if rows
        ]
    for table, column, rows in columns:
        for value in ODD:
            shutil.copy(path, copy)
            with closing(sqlite3.connect(copy)) as db:
                db.execute("PRAGMA ignore_check_constraints = ON")
                last = f"(SELECT {column} FROM {table} LIMIT 1 OFFSET {rows - 1})"
                with suppress(sqlite3.Error):  # a column that refuses it
                    db.execute(
                        f"UPDATE {table} SET {column} = ? WHERE {column} IS {last}", (value,)
                    )
                    db.commit()
                    yield f"{table}.{column} = {value!r}"


ROWS: Final = ("runs.body", "runs.cells", "runs.arrivals", "blocks.body", "blocks.cell")
"""Columns whose damage leaves every run in the list."""

COMMANDS = (
    "runs show 2",
    "runs export 2 --out {folder}/o",
    "runs export 2 --out {folder}/o.csv",
    "compare 1 2",
    "replay 2",
)


def kept_runs(folder: Path, capsys: Captured) -> Path:
    """A store with two runs; the second one is a campaign over a CSV file."""
    store, first, second = folder / "a.sqlite3", folder / "a.toml", folder / "b.toml"
    (folder / "c.csv").write_text("a\n" + "x\ny\nz\nz\nw\n" * 20, encoding="utf-8")
    law = 'kind = "uniform"\nitems = 8\nusers = 500'
    first.write_text(TINY, encoding="utf-8")
    second.write_text(
        TINY.replace(law, 'kind = "csv"\npath = "c.csv"\ncolumn = "a"')
        + "[campaign]\nrounds = 2\n",
        encoding="utf-8",
    )
    for path in (first, second):
        succeed(capsys, "run", str(path), "--quiet", "--store", str(store))
    return store


def codes(store: Path, folder: Path, capsys: Captured) -> list[int]:
    """The answers of the commands that read a store; none is an error of the program's own."""
    ended = []
    for command in ("runs", *COMMANDS):
        words = command.format(folder=folder).split(" ")
        ended.append(cli.main([*words, "--store", str(store)]))
        said = capsys.readouterr()
        assert ended[-1] in (0, 1, 2, 3), (command, said.err)
        if ended[-1] and words[0] != "replay":  # which prints a table of differences
            assert len(said.err.splitlines()) == 1, (command, said.err)
        if ended[-1] == 3:
            assert "damaged" in said.err or "cannot be used" in said.err
    return ended


def change_each(every: int, folder: Path, capsys: Captured) -> Counter[int]:
    """The answers to each n-th change; runs are listed whatever is in their rows and blocks."""
    store, copy = kept_runs(folder, capsys), folder / "copy.sqlite3"
    ended: Counter[int] = Counter()
    for number, what in enumerate(tampered(store, copy)):
        if number % every:
            continue
        try:
            listed, *others = codes(copy, folder, capsys)
        except AssertionError as error:
            raise AssertionError(what) from error
        ended.update([listed, *others])
        if what.startswith(ROWS):
            assert listed == 0, what
    return ended


def test_a_changed_field_costs_one_sentence(tmp_path: Path, capsys: Captured) -> None:
    ended = change_each(17, tmp_path, capsys)
    assert min(ended[0], ended[3]) > 10


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # 1e300 squared
def test_no_value_in_any_column_raises(tmp_path: Path, capsys: Captured) -> None:
    ended = change_each(1, tmp_path, capsys)
    assert min(ended[0], ended[3]) > 200
