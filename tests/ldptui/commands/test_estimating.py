"""`ldptui estimate` of many files: folders, patterns, standard input, files of counts."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.commands import Captured, fail, succeed

import ldptui
from ldptui.commands import cli
from ldptui.core.reports import report_files, sources

AGREED = ("--protocol", "olh", "--epsilon", "1", "--items", "4")


def olh() -> Any:
    return ldptui.protocol("olh", 4, epsilon=1.0)


def write(path: Path, count: int, seed: int) -> Any:
    """A file of reports, and the reports."""
    rng = np.random.default_rng(seed)
    reports = olh().perturb(rng.integers(0, 4, count), rng)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".gz":
        plain = path.with_suffix("")
        report_files.write_reports(plain, [reports], olh())
        path.write_bytes(gzip.compress(plain.read_bytes()))
        plain.unlink()
    else:
        report_files.write_reports(path, [reports], olh())
    return reports


def days(folder: Path) -> tuple[Path, Any]:
    """A folder of files in every format, and all their reports."""
    ends = [".csv", ".jsonl", ".csv.gz", ".jsonl.gz"]
    if "pyarrow" in sys.modules or pytest.importorskip("pyarrow"):
        ends += [".parquet", ".arrow"]
    parts = [write(folder / f"day={at}" / f"r{end}", 30, at) for at, end in enumerate(ends)]
    (folder / "README.md").write_text("no reports")
    (folder / ".hidden.csv").write_text("no reports")
    return folder, np.concatenate(parts)


def document(capsys: Captured, *arguments: str) -> Any:
    return json.loads(succeed(capsys, "estimate", *arguments, *AGREED, "--format", "json"))


def test_many_files_are_one_collection(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, reports = days(tmp_path / "all")
    wanted = ldptui.estimate(reports, olh()).rows()
    within = sorted(map(str, folder.rglob("r.*")))
    for places in ([str(folder)], [f"{folder}/day=*"], [f"{folder}/**/r.*"], within):
        answer = document(capsys, *places)
        assert answer["reports"] == len(reports)
        assert answer["items"] == wanted
    first, *others = within
    pipe(monkeypatch, Path(first).read_bytes())
    assert document(capsys, "-", *others)["items"] == wanted
    batches = ldptui.read_reports(str(folder), olh())
    assert ldptui.estimate(batches, olh()).rows() == wanted


def pipe(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    """Give the next command this standard input."""
    stream = io.TextIOWrapper(io.BufferedReader(io.BytesIO(data)))  # type: ignore[arg-type]
    monkeypatch.setattr(sys, "stdin", stream)


@pytest.mark.parametrize("end", [*sources.FORMATS, ".csv.gz", ".jsonl.gz"])
def test_standard_input_is_told_by_its_first_bytes(
    end: str, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    if end in (".parquet", ".arrow"):
        pytest.importorskip("pyarrow")
    path = tmp_path / f"r{end}"
    write(path, 40, 0)
    wanted = document(capsys, str(path))
    pipe(monkeypatch, path.read_bytes())
    assert document(capsys, "-") == wanted


def test_a_stream_of_arrow_is_standard_input(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    path = tmp_path / "r.arrow"
    write(path, 40, 0)
    with path.open("rb") as file:
        table, sink = pyarrow.ipc.open_file(file).read_all(), io.BytesIO()
    with pyarrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    pipe(monkeypatch, sink.getvalue())
    assert document(capsys, "-") == document(capsys, str(path))


def test_what_is_wrong_names_its_file(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, _ = days(tmp_path / "all")
    wrong = folder / "wrong.csv"
    wrong.write_text("seed,value\n1,0\n5,9\n")
    line = fail(capsys, 2, "estimate", str(folder), *AGREED)
    assert line.startswith(f"{wrong} line 3: the report must have values in [0, 4)")
    wrong.unlink()
    twice = str(folder / "day=0" / "r.csv")
    line = fail(capsys, 2, "estimate", str(folder), twice, *AGREED)
    assert line == f"REPORTS must be named once, got {twice} and {twice}"
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "must hold at least one file of reports" in fail(
        capsys, 3, "estimate", str(empty), *AGREED
    )
    line = fail(capsys, 3, "estimate", f"{empty}/*.csv", *AGREED)
    assert line == f"{empty}/*.csv must name at least one file, it fits none"
    readme = str(folder / "README.md")
    assert "must end in .csv" in fail(capsys, 2, "estimate", twice, readme, *AGREED)
    line = fail(capsys, 2, "estimate", twice, str(folder / "day=1"), *AGREED, "--out", twice)
    assert line == f"--out must be another file than {twice}, which is read"
    for data in (b"", b"\xff\xfe", gzip.compress(b"seed,value\n1,0\n")[:-9]):
        pipe(monkeypatch, data)
        assert "standard input" in fail(capsys, 2, "estimate", "-", *AGREED)
    pipe(monkeypatch, b"report\n3\n1\n")
    assert "standard input has 2 reports of whole" in fail(capsys, 2, "estimate", "-")
    monkeypatch.setattr(sys, "stdin", None)
    assert "it is closed" in fail(capsys, 3, "estimate", "-", *AGREED)


# Counts.


def test_counts_are_written_and_merged_with_reports(tmp_path: Path, capsys: Captured) -> None:
    folder, reports = days(tmp_path / "all")
    kept, more = str(tmp_path / "a.counts"), tmp_path / "more.csv"
    other = write(more, 50, 9)
    document(capsys, str(folder), "--counts-out", kept)
    assert fail(capsys, 2, "estimate", str(folder), *AGREED, "--counts-out", kept) == (
        f"--counts-out must be a new file, and {kept} is there already (--force replaces it)"
    )
    together = document(capsys, kept, str(more))
    assert together["reports"] == len(reports) + 50
    wanted = ldptui.estimate(np.concatenate([reports, other]), olh()).rows()
    assert together["items"] == wanted
    line = fail(capsys, 2, "estimate", kept, *AGREED, "--force", "--counts-out", kept)
    assert line == f"--counts-out must be another file than {kept}, which is read"


def test_a_copy_of_counts_under_another_name_is_told(tmp_path: Path, capsys: Captured) -> None:
    first, copy = tmp_path / "a.counts", tmp_path / "b.counts"
    grr = ldptui.protocol("grr", 6, epsilon=1.0)
    ldptui.counted(grr.perturb([0, 1, 2] * 9), grr).write(first)
    copy.write_bytes(first.read_bytes())
    agreed = ("--protocol", "grr", "--epsilon", "1", "--items", "6")
    assert cli.main(["estimate", str(first), str(copy), *agreed]) == 0
    said = capsys.readouterr()
    words = f"{copy} holds the same counts as {first}: are they added twice?"
    assert said.err == f"ldptui: {words}\n"
    with pytest.warns(ldptui.LdpWarning, match="holds the same counts as"):
        ldptui.conclude([str(first), str(copy)], ldptui.protocol("grr", 6, epsilon=1.0), share=0.01)
    line = fail(capsys, 2, "screen", str(first), *agreed)
    assert "is a file of counts, which estimate, conclude and deployment take" in line
    assert "must have a row for each user" in line


# Groups.


def grouped(folder: Path, end: str) -> tuple[str, dict[str, Any]]:
    """A file with a column of countries, and the reports of each."""
    rng, protocol = np.random.default_rng(1), olh()
    held = {"DE": [900, 300, 200, 100], " FR": [300, 900, 200, 100], "": [100, 100, 100, 100]}
    parts = {
        name: protocol.perturb(np.repeat(np.arange(4), counts), rng)
        for name, counts in held.items()
    }
    rows = [
        {"seed": seed, "value": value, "country": name}
        for name, part in parts.items()
        for seed, value in part.tolist()
    ]
    rng.shuffle(rows)  # type: ignore[arg-type]
    path = folder / f"r{end}"
    if end == ".csv":
        lines = [f"{row['country']},{row['seed']},{row['value']}\n" for row in rows]
        path.write_text("country,seed,value\n" + "".join(lines))
    elif end == ".jsonl":
        rows = [row | {"country": row["country"] or None} for row in rows]
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    else:
        pyarrow = pytest.importorskip("pyarrow")
        table = pyarrow.Table.from_pylist(rows)
        table = table.set_column(2, "country", table["country"].dictionary_encode())
        if end == ".parquet":
            pytest.importorskip("pyarrow.parquet").write_table(table, path)
        else:
            with pyarrow.ipc.new_file(str(path), table.schema) as writer:
                writer.write_table(table)
    return str(path), {name.strip(): part for name, part in parts.items()}


@pytest.mark.parametrize("end", sources.FORMATS)
def test_groups_are_estimated_apart(end: str, tmp_path: Path, capsys: Captured) -> None:
    path, parts = grouped(tmp_path, end)
    found = document(capsys, path, "--by", "country")
    assert found["by"] == "country"
    assert [group["group"] for group in found["groups"]] == ["", "DE", "FR"]
    for group in found["groups"]:
        assert group["items"] == ldptui.estimate(parts[group["group"]], olh()).rows()
    assert found["comparisons"] == 12
    told = {(each["item"], each["first"], each["second"]) for each in found["differences"]}
    assert {(0, "DE", "FR"), (1, "DE", "FR")} <= told
    assert len(told) == found["significant"]
    shown = succeed(capsys, "estimate", path, *AGREED, "--by", "country")
    assert "3400 reports by country" in shown
    assert "differences are more than noise" in shown
    printed = succeed(capsys, "estimate", path, *AGREED, "--by", "country", "--format", "csv")
    heads, first, *_ = printed.splitlines()
    assert heads == "group,item,label,frequency,std,low,high"
    assert first.startswith(",0,0,")


def test_groups_that_cannot_be_told_are_refused(tmp_path: Path, capsys: Captured) -> None:
    path, _ = grouped(tmp_path, ".csv")
    kept = str(tmp_path / "a.counts")
    ldptui.counted(olh().perturb([1, 2]), olh()).write(kept)
    for more, sentence in (
        (("--by", "city"), f"--by must be a column of {path} (country, seed, value), got"),
        (("--by", "seed"), "--by must be a column beside those of the reports, got"),
        (("--by", "country", "--counts-out", "x.counts"), "--counts-out cannot be given with by"),
        (("--by", "country"), f"REPORTS must have a row for each user: {kept} is a file of counts"),
    ):
        files_read = [path, kept] if "of counts" in sentence else [path]
        assert fail(capsys, 2, "estimate", *files_read, *AGREED, *more).startswith(sentence)
    many = tmp_path / "many.csv"
    many.write_text("seed,value,day\n" + "".join(f"1,0,{day}\n" for day in range(1001)))
    line = fail(capsys, 2, "estimate", str(many), *AGREED, "--by", "day")
    assert line == '--by must have at most 1000 different values, got "day"'
    for cell in ("x" * 201, '"' + "x" * 5000 + '"'):
        many.write_text(f"seed,value,day\n1,0,monday\n1,0,{cell}\n")
        line = fail(capsys, 2, "estimate", str(many), *AGREED, "--by", "day")
        assert "line 3: day must be a word of at most 200 characters" in line
    lines = tmp_path / "r.jsonl"
    lines.write_text('{"seed": 1, "value": 0, "day": [1]}\n')
    line = fail(capsys, 2, "estimate", str(lines), *AGREED, "--by", "day")
    assert "line 1: day must be a word" in line


# Ranks.


def test_the_top_items_have_their_confidence(tmp_path: Path, capsys: Captured) -> None:
    protocol, rng = olh(), np.random.default_rng(0)
    path = tmp_path / "r.csv"
    reports = protocol.perturb(np.repeat(np.arange(4), [6000, 3000, 600, 500]), rng)
    report_files.write_reports(path, [reports], protocol)
    answer = document(capsys, str(path), "--top", "2", "--simultaneous")["items"]
    assert [row["item"] for row in answer] == [0, 1]
    assert all(row["in_top"] > 0.999 for row in answer)
    row = answer[0]
    assert row["low_all"] < row["low"] < row["frequency"] < row["high"] < row["high_all"]
    shown = succeed(capsys, "estimate", str(path), *AGREED, "--top", "3")
    assert "the 3 largest of 4 items" in shown
    assert "> 99.9 %" in shown
    alike = [protocol.perturb(np.repeat(np.arange(4), 300), rng)]
    report_files.write_reports(tmp_path / "alike.csv", alike, protocol)
    shown = succeed(capsys, "estimate", str(tmp_path / "alike.csv"), *AGREED, "--top", "1")
    assert "not shown" in shown, "an item that is named is no item of 0 %"
    assert " 0 %" not in shown
    rows = ldptui.estimate(reports, protocol, top=3).rows()
    assert rows[2]["in_top"] < 0.9
    assert "in_top" not in ldptui.estimate(
        reports, protocol, top=3, corrections=["norm-sub"]
    ).rows()[0]  # fmt: skip
    line = fail(capsys, 2, "estimate", str(path), *AGREED, "--top", "5")
    assert line == "--top must be a whole number, at least 1 and at most 4, got 5"
