"""Tables for papers: every number of the printed table, and nothing that LaTeX would misread."""

from __future__ import annotations

import re
from typing import Any

import pytest
from support.cases import attack, experiment

from ldptui.core.running.runner import Results, run
from ldptui.text.table import latex_table, markdown_table, results_table
from ldptui.text.table.results import latex

PAPER = {"md": markdown_table, "latex": latex_table}

ZIPF = {"kind": "zipf", "items": 8, "users": 500, "exponent": 1.0}


def measured(**more: object) -> Results:
    given: dict[str, Any] = {"attack": attack("mga", 0.1, [3, 4]), **more}
    work = experiment(ZIPF, {"kind": "oue", "epsilon": 1.0}, **given,
                      title="50 % of A_B | C", trials=4)  # fmt: skip
    *_, last = run(work)
    return last.results


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
        assert [each for each in wanted if each not in body] == [], form
        assert f"{results.digest}, drawn by NumPy 2.5" in written


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
        assert [each for each in wanted if each not in written] == []
        assert len(re.findall(rule, written, flags=re.MULTILINE)) == rules == 2
        assert words in written


def test_latex_has_as_many_cells_in_each_row() -> None:
    lines = PAPER["latex"](measured(sweep=SWEPT), "2.5").split("\n")
    assert lines[0] == "% 50 % of A_B | C"
    form = re.fullmatch(r"\\begin\{tabular\}\{([lr]+)\}", lines[3])
    assert form is not None
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
        ("0.0379 ± 0.0010", r"$0.0379 \pm 0.0010$"),
        ("6.4561e-4", r"$6.4561 \times 10^{-4}$"),
        ("(1.235 ± 0.012)e-6", r"$(1.235 \pm 0.012) \times 10^{-6}$"),
        ("100 000", r"$100\,000$"),
        ("–", "--"),
        ("in 10⁻³", "in $10^{-3}$"),
        ("f_T, 5 % & more", r"f\_T, 5 \% \& more"),
        ("ε∞ ≥ {1}", r"$\varepsilon$$\infty$ $\geq$ \{1\}"),
        ("rare", "rare"),
    ],
)
def test_words_in_latex(words: str, written: str) -> None:
    assert latex(words) == written
