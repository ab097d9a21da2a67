"""Small inputs as people have them: a blank line, 1e6, another encoding, letters that join."""

from __future__ import annotations

import csv
import io
import json
import shlex
from pathlib import Path

import pytest
from support.commands import Captured, fail, succeed

from ldptui.core.experiment import compile
from ldptui.core.scenario import parse
from ldptui.session.draft import open_draft

GRR = ("--protocol", "grr", "--epsilon", "1", "--items", "3")


def perturbed(path: Path, *more: str) -> tuple[str, ...]:
    out = str(path.with_name("out.csv"))
    options = ("--protocol", "grr", "--epsilon", "1", "--out", out, "--force")
    return ("perturb", str(path), "--column", "item", *options, *(more or ("--items", "3")))


def write_table(folder: Path, text: str) -> Path:
    path = folder / "other words.csv"
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize(
    "text",
    [
        "word,count\nthe,500\n\nof,300\nand,250\n",
        "count;word\n500;the\n300;of\n250;and\n",
        "rank,word,n\n1,the,500\n2,of,300\n3,and,250\n",
        "year,people\n1984,500\n1985,300\n1986,250\n",
        "word\tseen\nthe\t500\nof\t300\nand\t250\n",
    ],
)
def test_a_table_of_words_and_counts_is_a_population_wherever_it_is_named(
    text: str, tmp_path: Path, capsys: Captured
) -> None:
    path = write_table(tmp_path, text)
    shown = succeed(capsys, "run", str(path), "--trials", "1", "--format", "json", "--no-store")
    assert json.loads(shown)["cells"][0]["users"] == 1050
    assert "needs a terminal" in fail(capsys, 2, str(path))
    opened = open_draft(path)
    assert (opened.path, opened.problems) == (path.with_suffix(".toml"), ())
    assert opened.is_modified
    words = f"has counts of people and no reports: ldptui {shlex.quote(str(path))} opens it"
    assert words in fail(capsys, 2, "estimate", str(path))
    assert f"REPORTS must be reports: {path} has" in fail(capsys, 2, "estimate", str(path), *GRR)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("word,count\nthe,500\nof,-1\n", "population.count must be a whole number, at least 0, in"),
        ("word,count\nthe,\nof,1\n", "population.count must be a whole number"),
        ("word,count\n,5\nof,1\n", "population.column must name an item in every row"),
        (
            "user,mark\nann,a\nbob,b\n",
            "(user, mark), its first line: --set population.column=user",
        ),
        (
            "the,500\nof,300\n",
            "population.column must be a column of other words.csv (the, 500), its first line:",
        ),
        ("the\nof\nthe\n", "words.csv: its first line (the) looks like data; write a line above"),
        ("a,b\na\nx,y\n", "--set population.column=a, or a line above it that names them"),
        ("", "is empty"),
        ("seed,value\n7,2\n8,0\n", "has no people in it: ldptui estimate '"),
        ("fruit\n3\n", "has no people in it"),
    ],
)
def test_any_other_table_is_refused_in_a_sentence(
    text: str, words: str, tmp_path: Path, capsys: Captured
) -> None:
    assert words in fail(capsys, 2, "run", str(write_table(tmp_path, text)), "--no-store")


@pytest.mark.parametrize(
    ("text", "line"), [("item\n1\n\n2\n", 3), ("item\n\n1\n", 2), ("item\r\n1\r\n\r\n2\r\n", 3)]
)
def test_a_blank_line_of_one_column_is_a_missing_value(
    text: str, line: int, tmp_path: Path, capsys: Captured
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text, newline="")
    said = fail(capsys, 2, *perturbed(path))
    assert said == (
        f"{path} line {line}: item must be a whole number in [0, 3), it is empty: a missing value?"
    )
    path.write_text(text.replace("item", "report"), newline="")
    assert f"line {line}: report must be" in fail(capsys, 2, "estimate", str(path), *GRR)
    scenario = (
        'format = 1\n[population]\nkind = "csv"\npath = "a.csv"\ncolumn = "report"\n'
        '[protocol]\nkind = "grr"\nepsilon = 1.0\n'
    )
    (tmp_path / "s.toml").write_text(scenario)
    said = fail(capsys, 2, "run", str(tmp_path / "s.toml"), "--no-store")
    assert f"a.csv line {line} has none" in said


def test_whole_numbers_with_a_point_are_items(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "a.csv"
    path.write_text("item\n1.0\n2.0\n0.0\n")
    succeed(capsys, *perturbed(path))
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 4
    path.write_text("item\n1.0\n1.5\n")
    assert "line 3: item must be a whole number" in fail(capsys, 2, *perturbed(path))


def test_another_encoding_is_told_with_its_line(tmp_path: Path, capsys: Captured) -> None:
    path, domain = tmp_path / "a.csv", tmp_path / "d.txt"
    domain.write_text("plum\npear\n")
    names = ("--domain", str(domain))
    path.write_bytes("item\nplum\nápple\n".encode("latin-1"))
    said = fail(capsys, 2, *perturbed(path, *names))
    assert said == f"{path} line 3 is not UTF-8 text: save it as UTF-8"
    path.write_bytes(b"item\n" + b"plum\n" * 50_000 + "ápple\n".encode("latin-1"))
    assert "line 50002 is not UTF-8 text" in fail(capsys, 2, *perturbed(path, *names))
    path.write_bytes("item\nplum\n".encode("utf-16"))
    assert "is not UTF-8 text: it is UTF-16: save it" in fail(capsys, 2, *perturbed(path, *names))


WORDS = ("می\u200cخواهم", "👩\u200d🚀", "桜", "plain")


def test_letters_that_join_stay_in_data_and_take_no_room_in_tables(
    tmp_path: Path, capsys: Captured
) -> None:
    path, domain = tmp_path / "a.csv", tmp_path / "d.txt"
    domain.write_text("\n".join(WORDS), encoding="utf-8")
    path.write_text("report\n0\n1\n2\n3\n")
    asked = ("estimate", str(path), *GRR[:4], "--domain", str(domain))
    rows = csv.DictReader(io.StringIO(succeed(capsys, *asked, "--format", "csv")))
    assert [row["label"] for row in rows] == list(WORDS)
    items = json.loads(succeed(capsys, *asked, "--format", "json"))["items"]
    assert [row["label"] for row in items] == list(WORDS)
    printed = succeed(capsys, *asked).partition("─\n")[2]
    lines = [line for line in printed.splitlines() if " 0." in line]
    assert [line.split()[0] for line in lines] == ["میخواهم", "👩🚀", "桜", "plain"]
    # Seven cells are the widest; an emoji and a sign of a wide script take two each.
    assert [line.index(" 0.") for line in lines] == [8, 8 - 2, 8 - 1, 8]


def test_no_frequency_fits_a_count_far_below_zero(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "a.csv"
    path.write_text("item,count\na,-12\nb,812\nc,200\n")
    asked = (
        "conclude", "--estimates", str(path), "--users", "1000", "--column", "count", "--label",
        "item", "--trust", "aggregated-histogram", "--epsilon", "1", "--share", "0.01",
    )  # fmt: skip
    shown = succeed(capsys, *asked)
    assert "0.00000 … 0.00000" not in shown
    assert "none fits" in shown
    assert "a: no frequency fits an estimate of -0.012, with 1 % of fakes neither (95 %)" in shown


SCENARIO = """\
format = 1
trials = 1
[population]
kind = "zipf"
exponent = 1.1
items = 64
users = {users}
[protocol]
kind = "{kind}"
epsilon = 1
[attack]
kind = "mga"
share = 0.05
targets = {targets}
"""


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"users": "1e-6"}, "population.users must be an integer in [1, 10^13], got 1e-6"),
        ({"users": "1000.5"}, "population.users must be an integer in [1, 10^13], got 1000.5"),
        ({"users": "1e14"}, "population.users must be in [1, 10^13], got 100 000 000 000 000"),
        ({"kind": "OUE"}, "(did you mean oue?)"),
        ({"targets": "[1, 2]"}, "must be a table, got [1, 2]: write { items = [1, 2] }"),
    ],
)
def test_a_scenario_is_told_what_it_may_have_meant(
    values: dict[str, str], said: str, tmp_path: Path, capsys: Captured
) -> None:
    path = tmp_path / "a.toml"
    usual = {"users": "1000", "kind": "oue", "targets": "{ items = [1] }"}
    path.write_text(SCENARIO.format(**usual | values))
    assert said in fail(capsys, 2, "run", str(path), "--no-store")


def test_a_float_of_whole_value_is_an_integer() -> None:
    usual = {"kind": "oue", "targets": "{ items = [1.0, 2] }"}
    cells = [compile(parse(SCENARIO.format(users=users, **usual))).cells[0]
             for users in ("1_000_000", "1e6", "1_000_000.0")]  # fmt: skip
    assert {cell.users for cell in cells} == {1_000_000}
    assert len({repr(cell.parameters["population.users"]) for cell in cells}) == 1
    assert cells[1].targets.tolist() == [1, 2]
    swept = SCENARIO.format(users="10", **usual) + '[sweep]\n"population.users" = [1e5, 2e5]\n'
    assert [cell.users for cell in compile(parse(swept)).cells] == [100_000, 200_000]


def test_columns_of_a_terminal_without_greek_stand_under_their_heads(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr("sys.stdout", written)
    succeed(capsys, "theory", "oue", "--epsilon", "1", "--items", "8")
    written.flush()
    lines = written.buffer.getvalue().decode().splitlines()  # type: ignore[attr-defined]
    head = next(line for line in lines if line.startswith("quantity"))
    at = head.index("source")
    rows = [line for line in lines[lines.index(head) + 2 :] if line.rstrip().endswith("W17 4.2")]
    assert len(rows) >= 2
    assert {line.index("W17") for line in rows} == {at}
