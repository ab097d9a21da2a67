"""Files of reports as other programs and people write them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldptui import protocol
from ldptui.core.base.errors import ContentError, LdpError, ScenarioError
from ldptui.core.reports.report_files import counted_in, read_reports, read_rows
from ldptui.core.reports.sources import sources

BITS = np.array([[0, 1, 1, 0, 0, 0, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0, 0, 1, 1, 0]])
OUE: Any = protocol("oue", items=10, epsilon=1.0)
GRR: Any = protocol("grr", items=4, epsilon=1.0)
OLH: Any = protocol("olh", items=4, epsilon=1.0, hash_range=4)
HEX = ["6040", "8180"]
LINES = ["".join(map(str, row)) for row in BITS]
LISTS = BITS.tolist()
FLAGS = (BITS > 0).tolist()


def lines(*rows: str) -> bytes:
    return "".join(f"{row}\n" for row in rows).encode()


def saved(save: Callable[..., Any], *arrays: Any, **named: Any) -> bytes:
    import io

    file = io.BytesIO()
    save(file, *arrays, **named)
    return file.getvalue()


WRITTEN: list[tuple[str, bytes]] = [
    ("digits.csv", lines("report", *LINES)),
    ("hex.CSV", lines("report", *HEX)),
    ("prefix.csv", lines("report", *(f"0x{text.upper()}" for text in HEX))),
    ("list.csv", lines("report", *(f'"{row}"' for row in LISTS))),
    ("flags.csv", lines("report", *(f'"{row}"' for row in FLAGS))),
    ("blanks.csv", lines("report", *(" ".join(map(str, row)) for row in LISTS))),
    ("semicolon.csv", lines("user;report", *(f"7;{text}" for text in LINES))),
    ("bare.jsonl", lines(*map(json.dumps, LISTS))),
    ("digits.jsonl", lines(*map(json.dumps, LINES))),
    ("rows.jsonl", lines(*(json.dumps({"report": row}) for row in FLAGS))),
    ("bare.json", json.dumps(LISTS).encode()),
    ("rows.json", json.dumps([{"report": text} for text in HEX]).encode()),
    ("packed.JSON.GZ", gzip.compress(json.dumps(LINES).encode())),
    ("flags.npy", saved(np.save, BITS > 0)),
    ("floats.npy", saved(np.save, BITS.astype(float))),
    ("packed.npy", saved(np.save, np.packbits(BITS, axis=1))),
    ("any.npz", saved(np.savez_compressed, whatever=BITS)),
]


@pytest.mark.parametrize(("name", "written"), WRITTEN, ids=[name for name, _ in WRITTEN])
def test_bits_are_read_however_they_are_written(name: str, written: bytes, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(written)
    read = np.concatenate(list(read_reports(path, OUE)))
    assert OUE.supports(read).tolist() == FLAGS


@pytest.mark.parametrize("cell", ["binary", "list", "flags", "text"])
@pytest.mark.parametrize("end", [".parquet", ".Arrow", ".feather"])
def test_bits_are_read_from_frames(cell: str, end: str, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    packed = [bytes.fromhex(text) for text in HEX]
    cells = {"binary": packed, "list": LISTS, "flags": FLAGS, "text": LINES}[cell]
    table, path = pyarrow.table({"report": cells}), tmp_path / f"r{end}"
    if end == ".parquet":
        pytest.importorskip("pyarrow.parquet").write_table(table, path)
    else:
        with pyarrow.ipc.new_file(str(path), table.schema) as writer:
            writer.write_table(table)
    assert OUE.supports(np.concatenate(list(read_reports(path, OUE)))).tolist() == FLAGS


@pytest.mark.parametrize("name", ["r.csv", "r.npy"])
def test_the_lowest_bit_of_a_byte_may_be_the_first(name: str, tmp_path: Path) -> None:
    path, packed = tmp_path / name, np.packbits(BITS, axis=1, bitorder="little")
    if name == "r.npy":
        np.save(path, packed)
    else:
        path.write_bytes(lines("report", *(row.tobytes().hex() for row in packed)))
    counts = counted_in(sources(str(path), "little"), OUE, None).counts
    assert counts.tolist() == BITS.sum(axis=0).tolist()


def test_two_bits_are_no_hexadecimal_digits(tmp_path: Path) -> None:
    path, two = tmp_path / "r.csv", protocol("oue", items=2, epsilon=1.0)
    for written in (["01", "11"], ["40", "c0"]):
        path.write_bytes(lines("report", *written))
        assert counted_in([path], two, None).counts.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("r.csv", lines("report", "3.0", "0.0")),
        ("r.jsonl", lines("3.0", "0")),
        ("r.json", b"[3, 0.0]"),
        ("r.npy", saved(np.save, np.array([3.0, 0.0]))),
        ("r.npy", saved(np.save, np.array([(3,), (0,)], [("report", np.int16)]))),
    ],
)
def test_whole_numbers_are_read_with_a_point(name: str, written: bytes, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(written)
    assert np.concatenate(list(read_reports(path, GRR))).tolist() == [3, 0]


def test_several_columns_and_groups_are_arrays_of_their_names(tmp_path: Path) -> None:
    path = tmp_path / "r.npz"
    np.savez(path, value=[1, 2], seed=[5, 7], town=["a", "b"])
    (rows,) = read_rows([path], OLH, "town")
    assert rows.group is not None
    assert [rows.group.tolist(), rows.reports["seed"].tolist()] == [["a", "b"], [5, 7]]
    with pytest.raises(ScenarioError, match="by must be a column of"):
        list(read_rows([path], OLH, "city"))


MISSING = "must be .*, it is (missing|empty)"
NUMBER = r"report must be a whole number in \[0, 2\^64\)"
SHE = protocol("she", items=4, epsilon=1.0)
REFUSED: list[tuple[Any, str, bytes, str]] = [
    (GRR, "r.csv", lines("report", "1", "2", "4", ""), r"line 4: the report .* \[0, 4\), got 4"),
    (GRR, "r.csv", lines("report", "1", "x"), f"line 3: {NUMBER}, got"),
    (GRR, "r.csv", lines("report", "1", "-1"), f"line 3: {NUMBER}"),
    (GRR, "r.csv", lines("report", "1.5"), "line 2: report must be a whole number"),
    (GRR, "r.csv", lines("item", "1"), r"reports must have the column 'report' .*r.csv has item"),
    (GRR, "r.jsonl", lines('{"report": 1}', '{"item": 2}'), "line 2 must be an object with report"),
    (GRR, "r.txt", b"1", "reports must end in .csv, .jsonl, .parquet, .arrow, .json"),
    (SHE, "r.csv", lines("report", "1 2 3"), "must not be SHE for real users"),
    (OLH, "r.csv", lines("seed,value", "1,0", "5"), "line 3 has 1 cells, its header has 2"),
    (OLH, "r.csv", lines("seed,value", "1,9"), r"line 2: the report must have values in \[0, 4\)"),
    (OLH, "r.jsonl", lines('{"seed": -1, "value": 0}'), "line 1: seed .*: a signed 32-bit seed"),
    (OUE, "r.csv", lines("report", "f0ff1"), "line 2: .* 4 hexadecimal digits .*: 20 bits$"),
    (GRR, "r.csv", lines("report,x", "1,a", ",b"), f"r.csv line 3: report {MISSING}"),
    (GRR, "r.csv", lines("report", "1", "", "2"), f"r.csv line 3: report {MISSING}"),
    (GRR, "r.jsonl", lines("1", "null"), f"r.jsonl line 2: report {MISSING}"),
    (GRR, "r.json", b"[1, null]", f"r.json row 2: report {MISSING}"),
    (GRR, "r.npy", saved(np.save, np.array([1, np.nan])), f"r.npy row 2: report {MISSING}"),
    (OUE, "r.csv", lines("report,x", "6040,a", ",b"), f"r.csv line 3: report {MISSING}"),
    (OUE, "r.jsonl", lines("[0, 1, 1]"), "line 1: report must be 4 hexadecimal digits or 10 bits"),
    (OUE, "r.csv", lines("report", "0110000002"), "line 2: report must be 4 hexadecimal digits"),
    (OUE, "r.csv", lines("report", "é" * 10), "line 2: report must be 4 hexadecimal digits"),
    (OUE, "r.csv", lines("report", "6041"), "line 2: the report must have 10 bits each"),
    (GRR, "r.json", b'{"report": 1}', "must be a JSON array of reports"),
    (GRR, "r.json", b"[1, 2", "is not JSON"),
    (GRR, "r.json", b"[[1], 2]", "row 1: report must be a whole number"),
    (OLH, "r.json", b"[[1, 2]]", "row 1 must be an object with seed and value"),
    (OLH, "r.csv", lines("seed,value", "-5,0"), r"got \"-5\": a signed 32-bit seed: add 2\^32"),
    (
        OLH,
        "r.csv",
        lines("seed,value", f"{2**32},0"),
        r"line 2: seed .* 2\^32\), .*: a 64-bit seed",
    ),
    (
        OLH,
        "r.jsonl",
        lines('{"seed": -5000000000, "value": 0}'),
        "got -5 000 000 000: a 64-bit seed",
    ),
    (GRR, "r.npy", b"no array", "is no array of NumPy"),
    (GRR, "r.npz", b"PK no archive", "is no array of NumPy"),
    (GRR, "r.npy", saved(np.save, np.array([{}])), "is no array of NumPy"),
    (OLH, "r.npz", saved(np.savez, seed=[1, 2], value=[1]), "must have arrays of as many rows"),
    (GRR, "r.npy", saved(np.save, np.array(3)), "must have arrays of as many rows"),
]


@pytest.mark.parametrize(("by", "name", "written", "sentence"), REFUSED)
def test_what_is_no_report_is_refused_with_its_place(
    by: Any, name: str, written: bytes, sentence: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(written)
    with pytest.raises(LdpError, match=sentence) as refused:
        list(read_reports(path, by))
    assert "\n" not in str(refused.value)
    assert isinstance(refused.value, ScenarioError | ContentError)
