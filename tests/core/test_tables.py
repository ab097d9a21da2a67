"""Tables in files: the quick and the exact way read the same, and other formats as CSV is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldptui.core.base.errors import FileError, ScenarioError
from ldptui.core.base.tables import Batch, Columns, table_rows
from ldptui.core.lab.columns import read_columns
from ldptui.core.population import CSVColumn

PLAIN = "user,item\n" + "".join(f"{user},{user % 3}\n" for user in range(9))


def ways(path: Path, names: tuple[str, ...] = ("item",), rows: int = 4) -> tuple[list[Any], int]:
    """The numbers of columns, row by row, and the number of batches that took the quick way."""
    quickly = 0

    def exact(batch: Batch) -> Any:
        return [tuple(map(int, row)) for row in zip(*batch.cells, strict=True)]

    def quick(cells: Any) -> Any:
        nonlocal quickly
        if (cells[cells.dtype.names[0]] > 7).any():
            return None
        quickly += 1
        return cells.tolist()

    columns = Columns(path, names, "column", rows)
    made = [row for part in columns.read(exact, quick, ["i8"] * len(names)) for row in part]
    return made, quickly


def written(folder: Path, text: str, name: str = "data.csv") -> Path:
    (folder / name).write_bytes(text.encode())
    return folder / name


@pytest.mark.parametrize(
    ("text", "quickly"),
    [
        (PLAIN, 3),
        (PLAIN.replace("\n", "\r\n"), 3),
        (PLAIN.replace(",", "\t"), 3),
        ("﻿" + PLAIN, 3),
        (PLAIN.rstrip(), 3),
        (PLAIN.replace("4,1\n", "4,1\n\n\n"), 3),  # eleven lines, two of them empty
        (PLAIN.replace("4,1", "4, 1 "), 3),
        (PLAIN.replace("5,", "fünf,"), 3),
        (PLAIN.replace("5,", '"a\nb",'), 1),  # a cell of two lines, and all that follows it
        (PLAIN.replace("5,", '"a,""b",'), 3),
        (PLAIN.replace(",2", ',"2"'), 3),
        (PLAIN.replace("5,2", "5,2,"), 2),  # an empty cell too many is none
    ],
)
def test_both_ways_read_the_same(text: str, quickly: int, tmp_path: Path) -> None:
    assert ways(written(tmp_path, text)) == ([(user % 3,) for user in range(9)], quickly)


def test_the_order_of_columns_is_that_of_their_names(tmp_path: Path) -> None:
    path = written(tmp_path, PLAIN)
    found, quickly = ways(path, ("item", "user"))
    assert found == [(user % 3, user) for user in range(9)]
    assert quickly == 3
    assert ways(path, ("user", "item"))[1] == 2  # the last user is no number that is taken quickly


WRONG = [
    ("5,2", "5", "line 7 has 1 cells, its header has 2"),
    ("5,2", "5,2,1", "at most as many cells in a row as in its header, 2, got 3 in line 7"),
    ('4,1\n5,2', '"a\nb",1\n5', "line 8 has 1 cells"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "sentence"), WRONG)
def test_a_row_of_another_width_is_refused_with_its_line(
    before: str, after: str, sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(ScenarioError, match=sentence):
        ways(written(tmp_path, PLAIN.replace(before, after)))


# Parquet and Arrow.

FRAMES = ["data.parquet", "data.arrow", "data.feather", "stream.ipc"]


def framed(folder: Path, name: str, columns: dict[str, list[Any]]) -> Path:
    pyarrow = pytest.importorskip("pyarrow", reason="the extra `parquet`")
    parquet = pytest.importorskip("pyarrow.parquet")
    names = [name.strip() for name in columns]  # " fruit" beside "fruit" is the same name
    table, path = pyarrow.table([*columns.values()], names), folder / name
    if name.endswith(".parquet"):
        parquet.write_table(table, path)
        return path
    new = pyarrow.ipc.new_stream if name.startswith("stream") else pyarrow.ipc.new_file
    with new(path, table.schema) as writer:
        writer.write_table(table)
    return path


@pytest.mark.parametrize("name", FRAMES)
def test_other_formats_are_read_as_csv_is(name: str, tmp_path: Path) -> None:
    columns = {"fruit": ["pear", "fig", "pear"], "many": [2, 10, 3], "share": [0.5, 1.0, 2.0]}
    path = framed(tmp_path, name, columns)
    with table_rows(path) as rows:
        assert [(row, rows.line_num) for row in rows] == [
            (["fruit", "many", "share"], 0),
            (["pear", "2", "0.5"], 1),
            (["fig", "10", "1.0"], 2),
            (["pear", "3", "2.0"], 3),
        ]
    assert ways(path, ("many",)) == ([(2,), (10,), (3,)], 0)
    (fruit,) = read_columns(path, ["fruit"])
    assert (fruit.values, fruit.codes.tolist()) == (("pear", "fig"), [0, 1, 0])
    drawn = CSVColumn(name, "fruit", "many").bind(0, tmp_path)
    assert (drawn.labels, drawn.histogram.tolist()) == (("fig", "pear"), [10, 5])


@pytest.mark.parametrize("name", FRAMES)
def test_a_name_of_two_columns_of_a_frame_is_refused(name: str, tmp_path: Path) -> None:
    path = framed(tmp_path, name, {"fruit": ["pear"], " fruit": ["fig"]})
    with pytest.raises(ScenarioError, match="'fruit' heads 2"), table_rows(path) as rows:
        list(rows)


def test_a_missing_value_of_a_frame_is_refused_with_its_row(tmp_path: Path) -> None:
    framed(tmp_path, "data.parquet", {"fruit": ["pear", None, "fig"]})
    with pytest.raises(ScenarioError, match=r"data\.parquet row 2 has none .* missing value"):
        CSVColumn("data.parquet", "fruit").bind(0, tmp_path)


@pytest.mark.parametrize("name", FRAMES[:2])
def test_a_frame_that_is_none_is_a_sentence(name: str, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="the extra `parquet`")
    written(tmp_path, PLAIN, name)
    kind = "Parquet" if name.endswith("parquet") else "Arrow"
    with pytest.raises(FileError, match=f"is not {kind}"), table_rows(tmp_path / name):
        pass
    with pytest.raises(FileError, match="cannot be read"), table_rows(tmp_path / f"no-{name}"):
        pass


def test_a_frame_needs_its_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow.compute", None)
    with (
        pytest.raises(ScenarioError, match=r"needs pyarrow, .*\(pip install 'ldptui\[parquet\]'\)"),
        table_rows(tmp_path / "data.parquet"),
    ):
        pass


def test_a_large_number_stays_exact(tmp_path: Path) -> None:
    path = written(tmp_path, f"item\n{2**53 + 1}\n")
    columns = Columns(path, ["item"], "column")
    (found,) = columns.read(lambda _: None, lambda cells: cells["f0"], ["i8"])
    assert found is not None
    assert np.array_equal(found, [2**53 + 1])
