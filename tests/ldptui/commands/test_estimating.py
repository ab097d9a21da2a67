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
from ldptui.core.base.errors import ScenarioError
from ldptui.core.law.mechanism import LocalMechanism, is_a
from ldptui.core.protocols import KINDS
from ldptui.core.reports import files, groups, sources

LOCAL = [
    kind
    for kind, spec in KINDS.items()
    if is_a(spec.mechanism, LocalMechanism) and not spec.mechanism.simulated_only
]
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
        files.write_reports(plain, [reports], olh())
        path.write_bytes(gzip.compress(plain.read_bytes()))
        plain.unlink()
    else:
        files.write_reports(path, [reports], olh())
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
    monkeypatch.setattr(sys, "stdin", None)
    assert "it is closed" in fail(capsys, 3, "estimate", "-", *AGREED)


# Counts.


@pytest.mark.parametrize("kind", LOCAL)
def test_counts_of_parts_are_the_counts_of_all(kind: str, tmp_path: Path) -> None:
    protocol, rng = ldptui.protocol(kind, 11, epsilon=1.0), np.random.default_rng(0)
    parts = [files.send_reports(protocol, rng.integers(0, 11, count), rng) for count in (20, 0, 7)]
    total = ldptui.counted(parts[0], protocol)
    for at, part in enumerate(parts[1:]):
        path = tmp_path / f"{at}.counts"
        ldptui.counted(part, protocol).write(path)
        total += ldptui.read_counts(path, protocol)
    every = ldptui.counted(iter(parts), protocol)
    whole = protocol.support_counts(np.concatenate(parts))
    for made in (total, every):
        assert made.reports == 27
        assert made.counts.dtype == whole.dtype
        assert np.array_equal(made.counts, whole)
    if "estimates" in protocol.lacks:
        return
    wanted = ldptui.estimate(np.concatenate(parts), protocol).values
    # What is decoded depends in its last digits on where arrays lie in memory.
    assert ldptui.estimate(total, protocol).values == pytest.approx(wanted, abs=1e-9, nan_ok=True)


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


def test_counts_of_others_are_refused(tmp_path: Path, capsys: Captured) -> None:
    path, domain = str(tmp_path / "a.counts"), tmp_path / "domain.txt"
    ldptui.counted(write(tmp_path / "r.csv", 50, 0), olh()).write(path)
    domain.write_text("a\nb\nc\nd\n")
    epsilon, items = ("--epsilon", "2"), ("--items", "5")
    for more, sentence in (
        (("olh", *epsilon, "--items", "4"), "must be of reports with epsilon 2.0, got 1.0"),
        (("grr", *AGREED[2:]), "must be of reports with protocol GRR, got LocalHashing"),
        (("blh", *AGREED[2:]), "must be of reports with hash_range 2, got 4"),
        (("olh", "--epsilon", "1", *items), "must be of reports with domain_size 5, got 4"),
        (("olh", "--epsilon", "1", "--domain", str(domain)), "must be of reports with domain f"),
    ):
        line = fail(capsys, 2, "estimate", path, "--protocol", *more)
        assert line.startswith(f"{path} {sentence}")
    names = ("a", "b", "c", "d")
    with pytest.raises(ScenarioError, match="the counts must be of reports with domain none"):
        _ = ldptui.read_counts(path, olh()) + ldptui.counted(olh().perturb([1]), olh(), names)


def test_a_bad_file_of_counts_ends_with_a_sentence(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "a.counts"
    ldptui.counted(write(tmp_path / "r.csv", 50, 0), olh()).write(path)
    good = json.loads(path.read_text())
    good.pop("digest")  # of files that are older
    huge = 10**400
    changed: list[Any] = [
        {"counts": [1, 2, 3]}, {"counts": [1, 2, 3, 51]}, {"counts": [1, 2, 3, 4.5]},
        {"counts": [1, 2, 3, huge]}, {"counts": [[1, 2, 3, 4]]}, {"counts": None},
        {"counts": [1, 2, 3, [4]]}, {"counts": ["1", 2, 3, 4]}, {"counts": [True] * 4},
        {"reports": -1}, {"reports": huge}, {"reports": 50.0}, {"reports": None}, {"format": 2},
        {"epsilon": float("nan")}, {"hash_range": {"a": 1}}, {"domain": "x" * 5000},
    ]  # fmt: skip
    texts = [json.dumps(good | change) for change in changed]
    texts += ["", "{}", "[" * 200_000, "7" * 5000, "null", '{"ldptui": "counts"}', f"{good}"]
    texts += [json.dumps(good) + "\n{}", "\ud800"]
    for text in texts:
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        out = tmp_path / "out.json"
        line = fail(capsys, 2, "estimate", str(path), *AGREED, "--out", str(out))
        assert line.startswith(str(path)), text[:80]
        assert len(line) < 400
        assert not out.exists()
    with path.open("wb") as file:
        file.write(b"[" + b"1," * (9 << 20))
    assert "must have lines of at most" in fail(capsys, 2, "estimate", str(path), *AGREED)


def kept_counts(kind: str, path: Path) -> dict[str, Any]:
    """What a file of counts of 40 reports of a kind holds, as it was written."""
    protocol, rng = ldptui.protocol(kind, 6, epsilon=1.0), np.random.default_rng(0)
    reports = files.send_reports(protocol, rng.integers(0, 6, 40), rng)
    ldptui.counted(reports, protocol).write(path)
    held: dict[str, Any] = json.loads(path.read_text())
    return held


@pytest.mark.parametrize(
    ("kind", "changes", "said"),
    [
        ("grr", {"counts": [-1, 40, 1, 0, 0, 0]}, "reports of GRR can have: none below 0, got -1"),
        ("grr", {"counts": [True, 39, 0, 0, 0, 0]}, "must have 6 counts of at most 40 reports"),
        ("grr", {"counts": [1, 2, 3, 4, 5, 6]}, "these are of 21 reports, got 40"),
        ("grr", {"reports": 41}, "these are of 40 reports, got 41"),
        ("ss", {"reports": 41}, "these are of 40 reports, got 41"),
        ("oue", {"counts": [-1, 0, 0, 0, 0, 0]}, "can have: none below 0, got -1"),
        ("dbitflip", {"reports": 41}, "these are of 40 reports, got 41"),
        ("grr", {"note": "by hand"}, 'has a key that files of counts have not, got "note"'),
        ("grr", {"digest": "0" * 64}, "its digest is that of other counts"),
        ("oue", {"reports": 41, "digest": None}, "its digest is that of other counts"),
    ],
)
def test_counts_that_no_reports_have_are_refused(
    kind: str, changes: dict[str, Any], said: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.counts"
    held = kept_counts(kind, path)
    protocol = ldptui.protocol(kind, 6, epsilon=1.0)
    assert ldptui.read_counts(path, protocol).reports == 40
    if "digest" not in changes:
        held.pop("digest")
    path.write_text(json.dumps(held | changes))
    with pytest.raises(ScenarioError) as refused:
        ldptui.read_counts(path, protocol)
    assert said in str(refused.value)


def test_a_copy_of_counts_under_another_name_is_told(tmp_path: Path, capsys: Captured) -> None:
    first, copy = tmp_path / "a.counts", tmp_path / "b.counts"
    kept_counts("grr", first)
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


def test_groups_are_counted_however_much_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, parts = grouped(tmp_path, ".csv")
    monkeypatch.setattr(files, "BATCH", 100)
    for size in (1, 5000, 1 << 26):
        monkeypatch.setattr(groups, "WAITING", size)
        found = ldptui.estimate(path, olh(), by="country")
        for name, part in parts.items():
            assert found.groups[name].rows() == ldptui.estimate(part, olh()).rows()


def test_long_names_of_groups_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    names = ["x" * 31, "x" * 32, "x" * 33, "x" * 200]
    path.write_text("seed,value,day\n" + "".join(f"1,0,{name}\n" * 2 for name in names))
    found = ldptui.estimate(path, olh(), by="day")
    assert found.names == sorted(names)
    assert all(each.reports == 2 for each in found.groups.values())


# Ranks.


def test_the_top_items_have_their_confidence(tmp_path: Path, capsys: Captured) -> None:
    protocol, rng = olh(), np.random.default_rng(0)
    path = tmp_path / "r.csv"
    reports = protocol.perturb(np.repeat(np.arange(4), [6000, 3000, 600, 500]), rng)
    files.write_reports(path, [reports], protocol)
    answer = document(capsys, str(path), "--top", "2", "--simultaneous")["items"]
    assert [row["item"] for row in answer] == [0, 1]
    assert all(row["in_top"] > 0.999 for row in answer)
    row = answer[0]
    assert row["low_all"] < row["low"] < row["frequency"] < row["high"] < row["high_all"]
    shown = succeed(capsys, "estimate", str(path), *AGREED, "--top", "3")
    assert "the 3 largest of 4 items" in shown
    assert "> 99.9 %" in shown
    alike = [protocol.perturb(np.repeat(np.arange(4), 300), rng)]
    files.write_reports(tmp_path / "alike.csv", alike, protocol)
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
