"""Files of every type and damage: `perturb` and `estimate` end with one sentence and bounded."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from support.commands import Captured, fail

from ldptui.commands import cli
from ldptui.core.base import tables

CHUNKS, FILES = 200, 10
"""FILES of each number, CHUNKS numbers: 2,000 files in `make test-long`, a tenth in `make test`."""

GOOD: Final[dict[str, dict[str, Any]]] = {
    "grr": {"report": [0, 1, 2, 3, 3]},
    "olh": {"seed": [0, 7, 2**32 - 1, 5, 5], "value": [0, 1, 1, 0, 1]},
}
DATA: Final = {"item": ["0", "1", "2", "3", "3"]}

HUGE: Final = "7" * 5000
CELLS: Final[list[Any]] = [
    HUGE, f"-{HUGE}", int(HUGE[:400]), "", " ", "\0", "\x1b[2J", "=1+1", "٣", "²", "nan", "inf",
    "1e308", "0x1", "1_0", None, True, 1.5, 1e308, float("inf"), float("nan"), 2**63, -1, [], [1],
    [1e308] * 4, [float("inf")] * 4, [None] * 4, ["1"] * 4, [[1]] * 4, {}, {"a": 1}, "1 2 3 1e308",
    "1 2 3 inf", "\ud800", b"\xff\xfe", "1,2", '"', "'",
]  # fmt: skip
"""Cells that no good file has."""


def spelled(cell: object) -> str:
    if isinstance(cell, bytes):
        return cell.decode("latin-1")
    return " ".join(map(str, cell)) if isinstance(cell, list) else str(cell)


def as_csv(columns: dict[str, list[Any]], rng: random.Random) -> bytes:
    mark = rng.choice([",", ",", ";", "\t"])
    rows = [list(columns), *map(list, zip(*columns.values(), strict=True))]
    text = "".join(mark.join(map(spelled, row)) + rng.choice(["\n", "\r\n"]) for row in rows)
    return text.encode("utf-8", "surrogatepass")


def as_lines(columns: dict[str, list[Any]], rng: random.Random) -> bytes:
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    lines = [json.dumps(row, default=repr, ensure_ascii=rng.random() < 0.5) for row in rows]
    if rng.random() < 0.2:
        deep = rng.choice(["[", '{"report":', '{"a":[']) * 200_000
        lines[rng.randrange(len(lines))] = rng.choice([deep, f'{{"report": {deep}', "[" * 10])
    if rng.random() < 0.1:
        lines[0] = f'{{"report": {HUGE}, "seed": {HUGE}, "value": {HUGE}}}'
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")


def as_arrow(columns: dict[str, list[Any]], rng: random.Random, kind: str) -> bytes:
    """A table of pyarrow, its columns of any type that takes what they hold, or of another."""
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    count = len(next(iter(columns.values())))
    other: list[Callable[[], Any]] = [
        lambda: pyarrow.array([b"\xff\xfe"] * count, pyarrow.binary()),
        lambda: pyarrow.array([b"\xff\xfe\x00\x01"] * count, pyarrow.binary(4)),
        lambda: pyarrow.array([[1]] * count, pyarrow.list_(pyarrow.int64())),
        lambda: pyarrow.array([["1"] * 4] * count, pyarrow.list_(pyarrow.string())),
        lambda: pyarrow.array([[1e308] * 4] * count, pyarrow.list_(pyarrow.float64())),
        lambda: pyarrow.array([[float("inf")] * 4] * count, pyarrow.list_(pyarrow.float64())),
        lambda: pyarrow.array([{"a": 1}] * count, pyarrow.struct([("a", pyarrow.int8())])),
        lambda: pyarrow.array([[("a", 1)]] * count, pyarrow.map_(pyarrow.string(), pyarrow.int8())),
        lambda: pyarrow.array([HUGE] * count, pyarrow.string()),
        lambda: pyarrow.array([HUGE] * count, pyarrow.large_string()),
        lambda: pyarrow.array([None] * count, rng.choice([pyarrow.null(), pyarrow.int64()])),
        lambda: pyarrow.array([Decimal("1.5")] * count, pyarrow.decimal128(38, 10)),
        lambda: pyarrow.array([2**62] * count, pyarrow.timestamp("ns")),
        lambda: pyarrow.array([2**30] * count, rng.choice([pyarrow.date32(), pyarrow.time32("s")])),
        lambda: pyarrow.array([2**40] * count, pyarrow.duration("s")),
        lambda: pyarrow.array([1.5, float("nan"), 1, 2, 3], pyarrow.float32()),
        lambda: pyarrow.array([True] * count, pyarrow.bool_()),
        lambda: pyarrow.array(["1"] * count).dictionary_encode(),
        lambda: pyarrow.array([2**64 - 1] * count, pyarrow.uint64()),
        lambda: pyarrow.array([1] * count, pyarrow.int8()),
    ]
    arrays = {name: pyarrow.array(held) for name, held in columns.items()}
    if rng.random() < 0.8:
        arrays[rng.choice([*arrays, *arrays, "more"])] = rng.choice(other)()
    names = list(arrays)
    if rng.random() < 0.05:
        names[-1] = names[0]
    table = pyarrow.Table.from_arrays(list(arrays.values()), names=names)
    buffer = io.BytesIO()
    if kind == "parquet":
        with contextlib.suppress(pyarrow.ArrowNotImplementedError):
            parquet.write_table(table, buffer)
        return buffer.getvalue()
    new = rng.choice([pyarrow.ipc.new_file, pyarrow.ipc.new_stream])
    with new(buffer, table.schema) as writer:
        writer.write_table(table)
    return buffer.getvalue()


def as_array(columns: dict[str, list[Any]], rng: random.Random, end: str) -> bytes:
    """An array of the first column, or of all; its cells of any type that takes what they hold."""
    arrays = {}
    for name, held in columns.items():
        try:
            array = np.array(held)
        except (ValueError, OverflowError):
            array = np.array(range(len(held)), rng.choice(["i1", "f4", "m8[s]", "M8[ns]", "c8"]))
        arrays[name[:99]] = array if array.dtype != object else array.astype("U9")
    buffer, first = io.BytesIO(), next(iter(arrays.values()))
    if end == ".npz":
        np.savez(buffer, **arrays)
    else:
        np.save(buffer, rng.choice([first, first[None], first[:, None], np.array(7)]))
    return buffer.getvalue()


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Bytes cut, changed, repeated, put in; or as they are."""
    how = rng.randrange(8)
    if how > 4 or not data:
        return data
    at = rng.randrange(len(data))
    if how == 0:
        return data[:at]
    if how == 1:
        changed = bytearray(data)
        for _ in range(rng.choice([1, 4, 30])):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        return bytes(changed)
    if how == 2:
        return data[:at] + rng.randbytes(rng.randrange(40)) + data[at:]
    if how == 3:
        return data[:at] + rng.choice([b'"', b"\0", b"\xff", b"\xef\xbb\xbf", b"\r"]) + data[at:]
    return data * 3


def drawn(kind: str, rng: random.Random, folder: Path) -> tuple[str, str]:
    """A file of data, or of reports, and its protocol."""
    end = rng.choice([".csv", ".csv.gz", ".parquet", ".arrow"])
    if kind == "estimate":
        end = rng.choice([end, end, ".jsonl", ".jsonl.gz", ".json", ".json.gz", ".npy", ".npz"])
    protocol = rng.choice([*GOOD])
    columns = {
        name: list(held) for name, held in (GOOD[protocol] if kind == "estimate" else DATA).items()
    }
    if end.startswith((".parquet", ".arrow")):
        data = as_arrow(columns, rng, end[1:])
    else:
        for _ in range(rng.choice([0, 1, 1, 3])):
            rng.choice(list(columns.values()))[rng.randrange(5)] = rng.choice(CELLS)
        if rng.random() < 0.1:
            columns.pop(next(iter(columns)))
            columns["x" * rng.choice([1, 70_000])] = [1] * 5
        if end.startswith(".np"):
            data = as_array(columns, rng, end)
        else:
            data = as_lines(columns, rng) if ".json" in end else as_csv(columns, rng)
        if end.startswith(".json") and ".jsonl" not in end:
            data = b"[" + b",".join(data.splitlines()) + b"]"
    data = damaged(data, rng)
    data = damaged(gzip.compress(data, 1), rng) if end.endswith(".gz") else data
    path = folder / f"in{end}"
    path.write_bytes(data)
    return str(path), protocol


@pytest.mark.every(41)
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_file_of_any_kind_ends_with_a_sentence(
    chunk: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(FILES):
        rng = random.Random(chunk * FILES + number)
        folder = tmp_path / str(number)
        folder.mkdir()
        kind = rng.choice(["perturb", "estimate"])
        path, protocol = drawn(kind, rng, folder)
        agreed = ("--protocol", protocol, "--epsilon", "1", "--items", "4")
        out = folder / f"out{rng.choice(['.csv', '.jsonl', '.parquet', '.arrow'])}"
        more = ("--column", "item") if kind == "perturb" else ("--format", "json")
        if kind == "estimate" and rng.random() < 0.1:
            more = (*more, "--describe")
        code = cli.main([kind, path, *agreed, *more, "--out", str(out)])
        said = capsys.readouterr()
        about = f"{kind} {path} {protocol}: {said.err}"
        assert code in (0, 2, 3), about
        assert said.out == ""
        assert len(said.err.splitlines()) == 1 + (code == 0 and "standard errors" in said.err), (
            about
        )
        assert out.exists() == (code == 0), about
        assert {entry.name for entry in folder.iterdir()} <= {Path(path).name, out.name}
        if code == 0 and kind == "estimate":
            json.loads(out.read_text("utf-8"), parse_constant=pytest.fail)


ENDLESS: Final = {
    "line.csv.gz": b"report\n" + b"1" * (3 << 24),
    "line.jsonl.gz": b'{"report": ' + b"1" * (3 << 24),
    "quote.csv.gz": b'report\n"' + (b"1" * 1023 + b"\n") * (3 << 14),
    "blank.csv.gz": b" " * (3 << 24),
}


@pytest.mark.long
@pytest.mark.every(4)
@pytest.mark.parametrize("name", ENDLESS)
def test_a_packed_file_of_one_line_takes_little_memory(name: str, tmp_path: Path) -> None:
    """48 MB of it are 0.2 MB packed: refused where a line has 16 MB, and so however long it is."""
    path = tmp_path / name
    path.write_bytes(gzip.compress(ENDLESS[name], 1))
    code = (
        "import sys, resource; from ldptui.commands.cli import main; "
        "import ldptui.core.reports.report_files; "
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss; code = main(sys.argv[1:]); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before); sys.exit(code)"
    )
    agreed = ["--protocol", "grr", "--epsilon", "1", "--items", "4"]
    counts = tmp_path / "all.counts"
    counts.write_bytes(ENDLESS[name])
    for places in ([str(path)], [str(tmp_path / "*.gz")], ["-"], [str(counts)]):
        with path.open("rb") as file:
            done = subprocess.run(
                [sys.executable, "-c", code, "estimate", *places, *agreed], check=False,
                stdin=file, capture_output=True, text=True, timeout=60,
            )  # fmt: skip
        (line,) = done.stderr.splitlines()
        assert done.returncode == 2, line
        unit = 1 if sys.platform == "darwin" else 1024
        assert int(done.stdout) * unit < 150 << 20, (done.stdout, line)


@pytest.mark.parametrize("end", [".csv", ".jsonl", ".parquet", ".arrow", ".csv.gz", ".jsonl.gz"])
def test_pipes_and_devices_are_not_read(
    end: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They may have no end; nobody waits for one."""
    pipe, device = tmp_path / f"pipe{end}", tmp_path / f"zero{end}"
    os.mkfifo(pipe)
    device.symlink_to("/dev/zero")
    agreed = ("--protocol", "grr", "--epsilon", "1", "--items", "4")
    for path in (pipe, device):
        assert cli.main(["estimate", str(path), *agreed]) == 3
        assert "must be a file, got a device or a pipe" in capsys.readouterr().err
        if "jsonl" not in end:
            out = str(tmp_path / "out.csv")
            assert cli.main(["perturb", str(path), "--column", "item", *agreed, "--out", out]) == 3
            assert "must be a file, got a device or a pipe" in capsys.readouterr().err


def test_long_lines_are_read_up_to_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "LINE", 1000)
    monkeypatch.setattr(tables, "BLOCK", 64)
    for width, fits in ((990, True), (1100, False)):
        path = tmp_path / "data.csv"
        path.write_text("item,more\n" + f"1,{'x' * width}\n" * 50)
        columns = tables.Columns(path, ["item"], "column", 16)
        read = columns.read(lambda batch: [*batch.cells[0]], lambda cells: None, ["i8"])
        if fits:
            parts = list(read)
            assert [cell for part in parts for cell in part] == ["1"] * 50
            assert max(map(len, parts)) <= 2
        else:
            with pytest.raises(
                tables.FileError, match=r"must have lines of at most|larger than field limit"
            ):
                list(read)


@pytest.mark.parametrize("end", [".csv", ".jsonl", ".toml"])
def test_a_long_name_is_cut_in_a_sentence(end: str, tmp_path: Path, capsys: Captured) -> None:
    path, name = tmp_path / f"a{end}", "\0" * 1_000_000 if end == ".csv" else "n" * 1_000_000
    if end == ".toml":
        path.write_text(f"format = 1\n{name} = 1\n")
        assert len(fail(capsys, 2, "run", str(path))) < 2100
        return
    path.write_text(f"{name},item\n1,2\n" if end == ".csv" else f'{{"{name}": 1}}\n')
    agreed = ("--protocol", "grr", "--epsilon", "1", "--items", "3")
    assert len(fail(capsys, 2, "estimate", str(path), *agreed)) < 300 + len(str(path))
    if end == ".csv":
        disclosed = fail(capsys, 2, "disclose", str(path), "--quasi", "a")
        assert len(disclosed) < 300 + len(str(path))
