"""`ldptui perturb` and `estimate`: reports of real users, in files of three formats."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import budget
from support.commands import Captured, fail, noted, succeed

import ldptui
from ldptui.core.base.errors import ScenarioError
from ldptui.core.reports import report_files, sources
from ldptui.terminal import exits

AGREED = ("--protocol", "grr", "--epsilon", "1", "--items", "4")


def bound(kind: str, items: int = 11) -> Any:
    return ldptui.protocol(kind, items, epsilon=1.0)


# Files.


@pytest.mark.parametrize("end", sources.FORMATS)
def test_columns_beside_the_reports_are_kept(end: str, tmp_path: Path, capsys: Captured) -> None:
    if end in (".parquet", ".arrow"):
        pytest.importorskip("pyarrow")
    towns = ['Bonn, "old"', "Köln", "x" * 40, "", "two\nlines"]
    groups = [towns[user % 5] for user in range(60)]
    rows = [("age", "town", "item"), *((user, town, user % 4) for user, town in enumerate(groups))]
    with (tmp_path / "data.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    path = tmp_path / f"reports{end}"
    asked = ("--column", "item", "--keep", "town", "--keep", "age", "--out", str(path))
    told = noted(capsys, "perturb", str(tmp_path / "data.csv"), *asked, *AGREED)
    assert "60 reports; beside them, unprotected: town, age\n" in told
    protocol, named = bound("grr", 4), sources.sources(str(path))
    for by, expected in (("town", groups), ("age", [str(user) for user in range(60)])):
        held = [part.group for part in report_files.read_rows(named, protocol, by)]
        assert np.concatenate(held).tolist() == expected
    batches = [np.zeros(size, np.uint32) for size in (25, 0, 35)]
    report_files.write_reports(path, batches, protocol, keep={"town": groups})
    held = [part.group for part in report_files.read_rows(named, protocol, "town")]
    assert np.concatenate(held).tolist() == groups


def test_columns_that_are_not_kept(tmp_path: Path, capsys: Captured) -> None:
    towns, reports, protocol = ["Bonn"] * 3, [np.zeros(3, np.uint32)], bound("grr", 4)
    for keep, words in (
        ({"report": towns}, "keep must be a column beside those of the reports"),
        ({"for_tests": towns}, "keep must be a column beside those of the reports"),
        ({"town": towns[:-1]}, "keep must have a text for each report, got fewer"),
        ({"town": range(3)}, "keep must be text, got 0"),
        ({"town": "Bonn"}, "keep.town must be a list of texts"),
        (["town"], "keep must be a dict of columns"),
    ):
        with pytest.raises(ScenarioError, match=words):
            report_files.write_reports(tmp_path / "r.csv", reports, protocol, keep=keep)  # type: ignore[arg-type]
    path = data(tmp_path, "item,report\n1,a\n")
    for name, words in (
        ("item", "--keep must be another column than --column"),
        ("report", "--keep must be a column beside those of the reports"),
        (
            "itme",
            f'--keep must be a column of {path} (item, report), got "itme" (did you mean item?)',
        ),
    ):
        asked = ("--column", "item", "--keep", name, "--out", str(tmp_path / "no.csv"))
        assert words in fail(capsys, exits.USAGE, "perturb", path, *asked, *AGREED)


# Commands.


def repeated(seed: int) -> tuple[str, ...]:
    return ("--for-tests", "--seed", str(seed))


def data(folder: Path, text: str, name: str = "data.csv") -> str:
    (folder / name).write_text(text, "utf-8")
    return str(folder / name)


def test_from_data_to_frequencies(tmp_path: Path, capsys: Captured) -> None:
    rows = "".join(f"{user};{'pear' if user % 4 else 'fig'}\n" for user in range(8000))
    path = tmp_path / "data.csv.gz"
    path.write_bytes(gzip.compress(f"user;fruit\n{rows}".encode()))
    domain = data(tmp_path, "apple\nfig\npear\n", "domain.txt")
    agreed = ("--protocol", "OLH", "--epsilon", "2", "--domain", domain)
    out = str(tmp_path / "r.csv")
    succeed(capsys, "perturb", str(path), "--column", "fruit", *agreed, *repeated(3), "--out", out)
    printed = succeed(capsys, "estimate", out, *agreed, "--format", "csv")
    found = {row["label"]: row for row in csv.DictReader(io.StringIO(printed))}
    for label, truth in {"apple": 0.0, "fig": 0.25, "pear": 0.75}.items():
        row = found[label]
        assert abs(float(row["frequency"]) - truth) < 6.5 * float(row["std"])
        assert float(row["low"]) < float(row["frequency"]) < float(row["high"])
    document = json.loads(
        succeed(capsys, "estimate", out, *agreed, "--format", "json", "--correct", "norm-sub")
    )
    assert document["corrections"] == ["norm-sub"]
    assert document["confidence"] is None
    assert math.fsum(row["frequency"] for row in document["items"]) == pytest.approx(1)
    assert "low" not in document["items"][0]
    shown = succeed(capsys, "estimate", out, *agreed, "--correct", "norm-sub")
    assert "d = 3, 8000 reports, after norm-sub" in shown
    assert "no intervals" in shown


@pytest.mark.every(3)
@pytest.mark.parametrize("kind", ["olh", "oue"])
@pytest.mark.parametrize("end", sources.FORMATS)
def test_reports_for_tests_say_so_in_every_row(
    kind: str, end: str, tmp_path: Path, capsys: Captured
) -> None:
    path = data(tmp_path, "item\n1\n3\n")
    agreed = ("--protocol", kind, "--epsilon", "1", "--items", "4")
    written = []
    for name, more in (("a", repeated(7)), ("b", repeated(7)), ("c", ())):
        out = tmp_path / f"{name}{end}"
        succeed(capsys, "perturb", path, *agreed, *more, "--out", str(out))
        written.append(out)
        marks = marks_of(out)
        assert [*map(str, marks)] == (["7", "7"] if more else ["None", "None"])
        assert len(next(report_files.read_reports(out, bound(kind, 4)))) == 2
        assert "2 reports" in succeed(capsys, "estimate", str(out), *agreed)
        told = noted(capsys, "estimate", str(out), *agreed)
        assert ("which protected nobody" in told) == bool(more)
        quiet = noted(capsys, "estimate", str(out), *agreed, "--quiet")
        assert ("which protected nobody" in quiet) == bool(more)
    assert written[0].read_bytes() == written[1].read_bytes()


def marks_of(path: Path) -> list[Any]:
    """The cells of the column for_tests; None where there is none."""
    if path.suffix in (".csv", ".jsonl"):
        lines = path.read_text("utf-8").splitlines()
        rows = csv.DictReader(lines) if path.suffix == ".csv" else map(json.loads, lines)
        return [row.get("for_tests") for row in rows]
    pyarrow = pytest.importorskip("pyarrow")
    reader = pytest.importorskip("pyarrow.parquet").read_table
    if path.suffix == ".arrow":
        reader = lambda file: pyarrow.ipc.open_file(file).read_all()  # noqa: E731
    table = reader(path)
    named = "for_tests" in table.column_names
    return table["for_tests"].to_pylist() if named else [None] * table.num_rows


def test_nothing_is_overwritten(tmp_path: Path, capsys: Captured) -> None:
    """Neither what is read, whatever its name, nor a file that is there, but with --force."""
    source, out = data(tmp_path, "item\n1\n3\n"), str(tmp_path / "r.csv")
    link = tmp_path / "link.csv"
    link.symlink_to(source)
    domain = data(tmp_path, "0\n1\n2\n3\n", "domain.csv")
    named = (*AGREED[:4], "--domain", domain)
    for target, agreed in ((source, AGREED), (str(link), AGREED), (domain, named)):
        for force in ((), ("--force",)):
            said = fail(capsys, 2, "perturb", source, *agreed, "--out", target, *force)
            assert said.startswith("--out must be another file than ")
            assert said.endswith(", which is read")
    assert Path(source).read_text() == "item\n1\n3\n"
    succeed(capsys, "perturb", source, *AGREED, "--out", out)
    first = Path(out).read_bytes()
    said = fail(capsys, 2, "perturb", source, *AGREED, "--out", out)
    assert said == f"--out must be a new file, and {out} is there already (--force replaces it)"
    for force in ((), ("--force",)):
        said = fail(capsys, 2, "estimate", out, *AGREED, "--out", out, *force)
        assert said == f"--out must be another file than {out}, which is read"
    table = str(tmp_path / "table.txt")
    succeed(capsys, "estimate", out, *AGREED, "--out", table)
    assert "is there already" in fail(capsys, 2, "estimate", out, *AGREED, "--out", table)
    assert Path(out).read_bytes() == first
    wrong = data(tmp_path, "item\n1\n9\n", "wrong.csv")
    fail(capsys, 2, "perturb", wrong, *AGREED, "--out", out, "--force")
    assert Path(out).read_bytes() == first
    succeed(capsys, "perturb", source, *AGREED, "--out", out, "--force")
    succeed(capsys, "estimate", out, *AGREED, "--out", table, "--force")


def test_labels_in_csv_are_no_formulas_and_steer_nothing(tmp_path: Path, capsys: Captured) -> None:
    labels = ["=1+1", "+49 30", "-3", "@x", "a\x1b[2Jb", "plain, with a comma", "-1e"]
    domain = data(tmp_path, "".join(f"{label}\n" for label in labels), "domain.txt")
    agreed = ("--protocol", "grr", "--epsilon", "1", "--domain", domain)
    out = str(tmp_path / "r.csv")
    succeed(capsys, "perturb", data(tmp_path, "item\n-3\n"), *agreed, "--out", out)
    printed = succeed(capsys, "estimate", out, *agreed, "--format", "csv")
    seen = [row["label"] for row in csv.DictReader(io.StringIO(printed))]
    plain = ["-3", "a\\x1b[2Jb", "plain, with a comma"]
    assert seen == ["'=1+1", "'+49 30", plain[0], "'@x", *plain[1:], "'-1e"]


BAD_DATA: list[tuple[str, tuple[str, ...], str]] = [
    ("item\n1\n2\n4\n", (), r"line 4: item must be a whole number in \[0, 4\), got"),
    ("user,item\n1,2\n2,\n", ("--column", "item"), "line 3: item must be .* missing value"),
    ("item\noak\n", (), r"line 2: item must be .* in \[0, 4\), .*: --domain FILE has items"),
    ("item\n1.5\n", (), r"line 2: item must be a whole number in \[0, 4\)"),
    ("user,item\n1,2\n", (), "--column is required: .* has the columns user, item"),
    ("user,item\n1,2\n", ("--column", "x"), "--column must be a column of"),
    ("item\n1\n", ("--set", "epsilon"), "--set must be KEY=VALUE"),
    ("item\n1\n", ("--set", "keep=0.5"), "protocol.keep is not a known key"),
    ("item\n1\n", ("--seed", "-1"), "--seed must be at least 0"),
    ("item\n1\n", ("--seed", "1"), "--seed draws reports that anybody can trace back"),
    ("item\n1\n", ("--for-tests",), "--for-tests takes the number .*: --seed N"),
    (f"item\n{'1' * 5000}\n", (), r"line 2: item must be a whole number in \[0, 4\)"),
    ("item\n1\n", ("--epsilon", "0"), "--epsilon must be"),
    ("item\n1\n", ("--protocol", "laplace"), "trusted curator"),
]


@pytest.mark.parametrize(("text", "more", "sentence"), BAD_DATA)
def test_bad_data_is_refused_with_its_line(
    text: str, more: tuple[str, ...], sentence: str, tmp_path: Path, capsys: Captured
) -> None:
    path, out = data(tmp_path, text), tmp_path / "r.csv"
    said = fail(capsys, 2, "perturb", path, *AGREED, *more, "--out", str(out))
    assert [*map(str.strip, said.splitlines())][1:] == []
    import re

    assert re.search(sentence, said)
    assert not out.exists()


def test_a_file_whose_bytes_are_refused_ends_with_two(tmp_path: Path, capsys: Captured) -> None:
    """The file can be opened, and its content is wrong: 2, as for any bad input; never 3."""
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    bad = {
        "text.csv": b"item\n\xff\n",
        "endless.csv": b"item\n" + b"1" * (17 << 20),
        "endless.csv.gz": gzip.compress(b"item\n" + b"1" * (17 << 20)),
        "plain.csv.gz": b"item\n1\n",
        "cut.csv.gz": gzip.compress(b"item\n" + b"1\n" * 5000)[:-9],
        "text.parquet": b"item\n1\n",
        "text.arrow": b"item\n1\n",
        "empty.arrow": b"",
    }
    for name, content in bad.items():
        (tmp_path / name).write_bytes(content)
    columns = {
        "binary": pyarrow.array([b"\xff\xfe"], pyarrow.binary()),
        "list": pyarrow.array([[1, 2]]),
    }
    for name, column in columns.items():
        table = pyarrow.table({"item": column, "seed": column, "value": column})
        parquet.write_table(table, tmp_path / f"{name}.parquet")
        with pyarrow.ipc.new_file(str(tmp_path / f"{name}.arrow"), table.schema) as file:
            file.write_table(table)
        bad |= {f"{name}.parquet": b"", f"{name}.arrow": b""}
    out = tmp_path / "out.csv"
    for name in bad:
        path = str(tmp_path / name)
        for command in (("perturb", path, "--column", "item"), ("estimate", path)):
            line = fail(capsys, 2, *command, *AGREED, "--out", str(out))
            assert path in line
            assert not out.exists()


def test_a_domain_names_each_item_once(tmp_path: Path, capsys: Captured) -> None:
    path = data(tmp_path, "item\na\n")
    for text, sentence in (
        ("a\nb\na\n", "line 3 names 'a', as line 1 does"),
        ("a\n\nb\n", "line 2 must name an item"),
        ("a\n", "must name at least 2 items, got 1"),
        ("a\nb\na \n", "line 3 names 'a ', as line 1 does but for blanks at an end"),
    ):
        domain = data(tmp_path, text, "domain.txt")
        agreed = ("--protocol", "grr", "--epsilon", "1", "--domain", domain)
        assert sentence in fail(capsys, 2, "perturb", path, *agreed, "--out", f"{path}.r.csv")


OWN = """
import numpy as np

class Direct:
    def __init__(self, items, epsilon, width=1):
        weights = np.where(np.eye(items, dtype=bool), np.exp(epsilon), 1.0)
        self.law, self.table = weights / weights.sum(axis=1)[:, None], np.eye(items, dtype=bool)

class Sampled:
    def __init__(self, items, epsilon):
        self.p, self.q, self.items = 1.0, 0.0, items
    def perturb(self, values, rng):
        return values
    def support_counts(self, reports):
        return np.bincount(reports, minlength=self.items)
"""


def test_a_protocol_of_ones_own_is_named_by_its_file(tmp_path: Path, capsys: Captured) -> None:
    own, data, out = tmp_path / "own.py", tmp_path / "data.csv", str(tmp_path / "out.csv")
    own.write_text(OWN, encoding="utf-8")
    data.write_text("item\n" + "0\n1\n1\n3\n" * 500, encoding="utf-8")
    agreed = ("--epsilon", "1", "--items", "4")
    truth, sure = (0.25, 0.5, 0.0, 0.25), str(1 - budget.FALSE_ALARM)
    for name, bounded in (("Direct", True), ("Sampled", False)):
        protocol = ("--protocol", f"{own}:{name}", *agreed)
        succeed(capsys, "perturb", str(data), *protocol, *repeated(0), "--force", "--out", out)
        asked = (*protocol, "--format", "json", "--confidence", sure)
        rows = json.loads(succeed(capsys, "estimate", out, *asked))["items"]
        assert ("low" in rows[0]) == bounded
        for row, held in zip(rows, truth, strict=True):
            low, high = (row["low"], row["high"]) if bounded else (held, held)
            assert low <= (held if bounded else row["frequency"]) <= high
    protocol = ("--protocol", f"{own}:Direct", *agreed)
    line = fail(capsys, 1, "estimate", out, *protocol, "--set", "size=2")
    assert line.startswith("protocol 'Direct' raised TypeError: ")
    assert line.endswith("(own.py, line 4)")
    none = ("--protocol", f"{own}:Nobody", *agreed)
    assert "own.py has no Nobody at its top level" in fail(capsys, 2, "estimate", out, *none)
    without = fail(capsys, 2, "estimate", out, "--protocol", f"{own}:Direct", "--items", "4")
    assert without == "ldptui estimate: --epsilon is required (see ldptui estimate --help)"
