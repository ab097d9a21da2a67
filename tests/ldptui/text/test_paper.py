"""Tables for papers: every number of the printed table, and nothing that LaTeX would misread."""

from __future__ import annotations

import re
from typing import Any

import pytest
from support.cases import attack, experiment

from ldptui.catalogue import key_words, listed_keys
from ldptui.catalogue.toml_rows import rows
from ldptui.core.base.summary import Estimate
from ldptui.core.export import TableChoice
from ldptui.core.running.runner import RunResults, run
from ldptui.text.table import latex_table, markdown_table, results_table
from ldptui.text.table.number_columns import beside_theory
from ldptui.text.table.whole_table import bracket_errors, latex

PAPER = {"md": markdown_table, "latex": latex_table}

ZIPF = {"kind": "zipf", "items": 8, "users": 500, "exponent": 1.0}


def measured(**more: object) -> RunResults:
    given: dict[str, Any] = {"attack": attack("mga", 0.1, [3, 4]), **more}
    work = experiment(ZIPF, {"kind": "oue", "epsilon": 1.0}, **given,
                      title="50 % of A_B | C", trials=4)  # fmt: skip
    *_, last = run(work)
    return last.results


def unbracketed(written: str) -> str:
    """The text with `1.234(56)` as `1.234 ± 0.056`."""

    def spread(found: re.Match[str]) -> str:
        places, digits = len(found[1]), found[2]
        error = digits if "." in digits or not places else f"0.{digits.zfill(places)}"
        return f".{found[1]} ± {error}"

    return re.sub(r"\.(\d+)\(([\d.]+)\)", spread, written)


SWEPT = {"protocol.kind": ["grr", "oue"], "attack.share": [0.0, 0.1]}


@pytest.mark.parametrize("sweep", [{}, SWEPT], ids=["one cell", "a sweep"])
def test_every_number_of_the_printed_table_is_there(sweep: dict[str, list[object]]) -> None:
    results = measured(sweep=sweep)
    printed = results_table(results, 400).split("─\n")[1].split("\n\n")[0]
    wanted = re.findall(r"[-+]?\d[\d.]*", printed)
    assert len(wanted) > 20
    for form, written in ((name, make(results, "2.5")) for name, make in PAPER.items()):
        body = "\n".join(
            line
            for line in written.split("\n")
            if line.startswith(("|", "$", "o", "g", "m", "t", "n", "r", "L", "N"))
        )
        assert [each for each in wanted if each not in unbracketed(body)] == [], form
        assert f"{results.digest}, random numbers of NumPy 2.5" in written


ASKED = {"metric": "gain", "at_least": 0.5, "over": "share"}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"campaign": {"rounds": 3}}, "all targets are in the top 8"),
        ({"goal": ASKED, "attack": {"kind": "mga", "targets": {"items": [3, 4]}}}, "closed form"),
    ],
    ids=["rounds", "goal"],
)
def test_every_table_that_is_printed_is_there(more: dict[str, object], words: str) -> None:
    results = measured(**more)
    printed = results_table(results, 400).split("─\n", 1)[1].split("\nmean ± ")[0]
    rules = results_table(results, 400).count("─\n")
    for form, rule in (("md", r"^\| [:-]"), ("latex", r"^\\midrule")):
        written = PAPER[form](results, "2.5")
        wanted = re.findall(r"[-+]?\d[\d.]*", printed)
        assert [each for each in wanted if each not in unbracketed(written)] == []
        found = len(re.findall(rule, written, flags=re.MULTILINE))
        assert rules == found == 2
        assert words in written


def test_every_table_says_once_what_its_plus_minus_is() -> None:
    results = measured(sweep=SWEPT)
    for written in (
        results_table(results, 400),
        *(make(results, "2.5") for make in PAPER.values()),
    ):
        assert len(re.findall(r"mean ± (?:its )?standard error", written)) == 1


@pytest.mark.parametrize("wrap", [None, 58])
def test_latex_has_as_many_cells_in_each_row(wrap: int | None) -> None:
    written = latex_table(measured(sweep=SWEPT), "2.5", TableChoice(wrap=wrap))
    title, *written = written.split("\\begin{tabular}")
    assert title.startswith("% 50 % of A_B | C\n")
    assert (len(written) == 1) == (wrap is None), "one table, or several below each other"
    for each in written:
        form = re.match(r"\{([lr]+)\}", each)
        assert form is not None
        lines = each.split("\n")
        rows = [line for line in lines if line.endswith(r"\\")]
        sizes = []
        for row in rows:
            spans = [int(size) for size in re.findall(r"\\multicolumn\{(\d+)\}", row)]
            sizes.append(len(re.findall(r"(?<!\\)&", row)) + 1 + sum(size - 1 for size in spans))
        assert set(sizes) == {len(form[1])}
        assert len(rows) == 2 + 4
        assert [line for line in lines if line.endswith("rule")] == [
            r"\toprule", r"\midrule", r"\bottomrule",
        ]  # fmt: skip
        assert max(len(re.sub(r"[$\\{}]| &", "", row)) for row in rows[2:]) <= (wrap or 200)


def test_markdown_has_as_many_cells_in_each_row() -> None:
    lines = PAPER["md"](measured(sweep=SWEPT), "2.5").split("\n")
    assert lines[0] == r"**50 % of A_B \| C**"
    rows = [line for line in lines if line.startswith("|")]
    assert len(rows) == 2 + 4
    assert len({row.count(" | ") for row in rows}) == 1
    assert re.fullmatch(r"\| :-- (\| --: )+\|", rows[1])


@pytest.mark.parametrize(
    ("words", "written"),
    [
        ("-0.3", "$-0.3$"),
        ("0.0379(10)", r"$0.0379(10)$"),
        ("6.4561e-4", r"$6.4561{\times}10^{-4}$"),
        ("1.235(12)e-6", r"$1.235(12){\times}10^{-6}$"),
        ("100 000", r"$100\,000$"),
        ("–", "--"),
        ("in 10⁻³", "in $10^{-3}$"),
        ("f_T, 5 % & more", r"f\_T, 5 \% \& more"),
        ("ε∞ ≥ {1}", r"$\varepsilon$$\infty$ $\geq$ \{1\}"),
        ("rare", "rare"),
        ("≈ +1.2", r"$\approx$ +1.2"),
    ],
)
def test_words_in_latex(words: str, written: str) -> None:
    assert latex(words) == written


def test_latex_knows_every_letter_of_a_heading() -> None:
    names = [row["name"] for row in rows("metrics").values()]
    assert latex(" ".join([*names, *(key_words(key).symbol for key in listed_keys())])).isascii()


@pytest.mark.parametrize(
    ("words", "written"),
    [
        ("0.0379 ±  0.0010", "0.0379(10)"),
        ("36.6   ± 1.2 ", "36.6(1.2)"),
        ("(-1.235 ± 0.012)e-6", "-1.235(12)e-6"),
        ("(-6 ± 32)e-9", "-6(32)e-9"),
        ("3      ± 0", "3(0)"),
        ("norm-sub", "norm-sub"),
        ("–", "–"),
    ],
)
def test_an_error_in_the_last_digits_of_its_value(words: str, written: str) -> None:
    assert bracket_errors(words) == written


def test_numbers_far_apart_stand_as_one_reads_them() -> None:
    """No power of ten where decimals will do, though the column has no unit in common."""
    far = [Estimate(59.641234, 0.000017, 59.6412), Estimate(-0.0016, 0.0032, -4.6778e-4),
           Estimate(2e-7, 1e-8, 2.1e-7), Estimate(0.25, 0.0, 0.25)]  # fmt: skip
    group = beside_theory("gain", far)
    assert group.title == "gain"
    assert [" ".join(cell.split()) for cell in group.columns[0].cells] == [
        "59.641234 ± 0.000017", "-0.0016 ± 0.0032", "(2.00 ± 0.10)e-7", "0.25 ± 0",
    ]  # fmt: skip
    assert [cell.strip() for cell in group.columns[1].cells] == [
        "59.641", "-4.6778e-4", "2.1e-7", "0.25",
    ]  # fmt: skip
