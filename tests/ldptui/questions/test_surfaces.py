"""Every question once: function = command = JSON = form = page, refusals included."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from support.commands import Captured, fail, succeed
from support.lab_tabs import DOCUMENT

import ldptui
from ldptui.core.base.errors import ScenarioError
from ldptui.questions import asking, deployment_cells, find_questions, load_question
from ldptui.questions.sheet import AnswerSheet
from ldptui.questions.writing import command_line, make_sheet

SCENARIO = """
format = 1
[population]
kind = "zipf"
items = 50
users = 10_000
exponent = 1.0
[protocol]
kind = "oue"
epsilon = 1.0
"""
PEOPLE = "zip,age,ill,pay\n1,2,heart,5\n1,2,heart,7\n1,3,flu,9\n1,3,cancer,100\n2,4,flu,1\n"
Options = Mapping[str, Any]
REPORTS: Final = {"reports": ("reports.csv",), "protocol": "grr", "epsilon": 1.0, "items": 4}
Refusal = tuple[Options, str, str]
"""Options that are refused, the option that the sentence is about, and words of it."""

CASES: Final[Mapping[str, tuple[Options, list[Refusal]]]] = {
    "accuracy": (
        {"epsilon": 0.5, "bins": 50, "alpha": 0.1},
        [
            ({"epsilon": -1.0}, "epsilon", "must be in [1e-9, 1000], got -1"),
            ({"epsilon": 1.0, "alpha": 1.5}, "alpha", "must be in (0, 1), got 1.5"),
            ({"epsilon": 1.0, "delta": 0.0}, "delta", "greater than 0 for the stability"),
        ],
    ),
    "audit": (
        {"clients": ("grr", "oue"), "epsilon": 1.0, "items": 8, "samples": 4000},
        [
            ({"clients": ("grr",), "epsilon": 30.0, "items": 8}, "epsilon", "must be in (0, 20]"),
            ({"clients": ("grr",), "epsilon": 1.0, "items": 1}, "items", "must be in [2, 2^12]"),
            (
                {"clients": ("grr", "no"), "epsilon": 1.0, "items": 8},
                "clients",
                "must be one of",
            ),
        ],
    ),
    "check": (
        {"protocol": "olh", "epsilon": 1.0, "items": 4, "hash_range": "3"},
        [
            ({"protocol": "nonsense", "epsilon": 1.0, "items": 4}, "protocol", "must be one of"),
            ({"protocol": "grr", "items": 8}, "epsilon", "is required"),
            ({"protocol": "grr", "epsilon": 1.0}, "items", "is required"),
        ],
    ),
    "choose": (
        {"scenario": "mine.toml", "epsilon": 0.05, "trials": 20},
        [({"scenario": "mine.toml", "trials": 0}, "trials", "must be in [1, 10^6], got 0")],
    ),
    "conclude": (
        {**REPORTS, "share": 0.02, "claims": ("0 > 1", "2 in top 3")},
        [
            ({**REPORTS, "share": 1.0}, "share", "must be in [0, 1), got 1"),
            ({**REPORTS, "share": 0.1, "protocol": "she"}, "protocol", "must not be SHE"),
            ({**REPORTS, "share": 0.1, "reports": ()}, "reports", "must name a file of reports"),
        ],
    ),
    "deployment": (
        {"protocol": "grr", "items": 4, "users": 200, "targets": 1},
        [
            ({"items": 4}, "users", "is required, or files of reports"),
            ({"users": 200}, "items", "is required, or a file of their names"),
            ({"items": 4, "users": 200, "share": 0.002}, "share", "must make at least one fake"),
        ],
    ),
    "design": (
        {
            "items": 16,
            "users": 10_000,
            "epsilon": 1.0,
            "share": 0.02,
            "targets": 2,
            "beside": "grr",
        },
        [
            ({"items": 4, "users": 100, "epsilon": 1.0, "targets": 4}, "targets", "[1, 3], below"),
        ],
    ),
    "disclose": (
        {"file": "people.csv", "quasi": ("zip", "age"), "sensitive": ("ill",), "what": "table"},
        [
            ({"file": "people.csv", "what": "table"}, "quasi", "that others may know"),
            (
                {"file": "people.csv", "quasi": ("zip",), "sensitive": ("zip",), "what": "table"},
                "sensitive",
                "quasi-identifier",
            ),
            ({"file": "people.csv", "quasi": ("zap",), "what": "table"}, "quasi", "zap"),
        ],
    ),
    "estimate": (
        {**REPORTS, "confidence": 0.9, "top": 3},
        [
            ({**REPORTS, "confidence": 1.0}, "confidence", "must be in (0, 1), got 1"),
            ({**REPORTS, "items": None}, "items", "is required, or domain"),
            ({**REPORTS, "top": 9}, "top", "must be a whole number, at least 1 and at most 4"),
            ({**REPORTS, "corrections": ("no",)}, "corrections", "must be one of none, "),
        ],
    ),
    "guess": (
        {"protocol": "grr", "items": 8, "epsilon": 2.0, "answers": 3, "gain": 0.05},
        [
            ({"items": 8}, "epsilon", "is required"),
            ({"items": 8, "epsilon": 30.0}, "epsilon", "must be in (0, 20], got 30"),
            ({"items": 2, "protocol": "grr", "gain": 0.9}, "epsilon", "no ε reaches the gain 0.9"),
            ({"items": 1, "epsilon": 1.0}, "items", "must be in [2, 2^32], got 1"),
        ],
    ),
    "infer": (
        {"file": "people.csv", "columns": ("zip", "age", "ill"), "epsilon": 1.0, "messages": 500},
        [
            (
                {"file": "people.csv", "columns": ("zip",), "epsilon": 1.0},
                "columns",
                "must name at least 2 columns",
            ),
            (
                {"file": "people.csv", "columns": ("zip", "ill"), "epsilon": 1.0, "messages": 9},
                "messages",
                "must be in [100, 10^6], got 9",
            ),
        ],
    ),
    "ledger": (
        {"entries": ("daily=0.1x30", "census=0.5,1e-8"), "people": 2},
        [
            ({}, "entries", "must be given at least once"),
            ({"entries": ("a=0.1", "0.1xa")}, "entries", "must be [NAME=]EPSILON"),
            ({"rappor": (0.5, 0.5, 0.75, 99.0)}, "rappor", "must have 1 to 16 hashes, got 99"),
        ],
    ),
    "plan": (
        {
            "protocol": "oue",
            "items": 64,
            "users": 1e6,
            "epsilon": 1.0,
            "share": 0.01,
            "power": 0.9,
            "task": "frequencies",
            "frequency": None,
        },
        [
            ({"users": 1e6, "items": 64}, "frequency", "leave out only one of users"),
            (
                {
                    "users": 1e6,
                    "epsilon": 1.0,
                    "share": 0.0,
                    "power": 0.9,
                    "items": 4,
                    "targets": 4,
                },
                "targets",
                "must be in [1, 3], below the number of items, got 4",
            ),
            (
                {
                    "task": "mean",
                    "users": 1e5,
                    "epsilon": 1.0,
                    "share": 0.0,
                    "low": 3.0,
                    "high": 1.0,
                },
                "high",
                "must be above low",
            ),
        ],
    ),
    "price": (
        {"scenario": "mine.toml", "epsilon": 2.0, "users": 5000, "neighbours": "add-remove"},
        [
            ({"scenario": "mine.toml", "delta": 0.0}, "delta", "must be greater than 0"),
            ({"scenario": "mine.toml", "users": 0}, "users", "must be in [1"),
        ],
    ),
    "screen": (
        {**REPORTS, "reports": ("bits.csv",), "protocol": "oue"},
        [
            ({**REPORTS, "epsilon": None}, "epsilon", "is required"),
            ({**REPORTS, "reports": ("all.counts",)}, "reports", "must have a row for each user"),
        ],
    ),
    "sensitivity": (
        {"file": "people.csv", "column": "pay", "clip": 8.0, "nonnegative": True},
        [
            ({"file": "people.csv", "column": "ill"}, "column", "must be numeric"),
            ({"file": "people.csv", "column": "wage"}, "column", "(zip, age, ill, pay)"),
        ],
    ),
    "synthetic": (
        {"scenario": "mine.toml", "rows": 500, "column": "colour", "seed": 4},
        [({"scenario": "mine.toml", "rows": 0}, "rows", "must be in [1, 10^8], got 0")],
    ),
    "trust": (
        {"protocol": "oue", "epsilon": 4.0, "delta": 1e-8, "users": 1e5, "items": 64},
        [
            ({"delta": 1e-8, "items": 16, "users": 1e5}, "central", "is required"),
            (
                {"protocol": "nonsense", "delta": 1e-8, "items": 16, "users": 1e5, "epsilon": 1.0},
                "protocol",
                "must",
            ),
            (
                {
                    "central": 1.0,
                    "delta": 1e-8,
                    "items": 8,
                    "users": 100.0,
                    "share": 0.0,
                    "targets": 1,
                    "protocol": "all",
                },
                "share",
                "must be above 0: somebody attacks, got 0",
            ),
        ],
    ),
}


SENTENCES: Final = {
    "accuracy": "Each of 50 counts of a laplace histogram is within 24.65 users of the truth in "
    "90 %.",
    "audit": "Not refuted: the reports agree with the promised ε = 1, which is no proof.",
    "check": "Proved by enumeration, ε = 1: no report is more than e^ε times as likely elsewhere.",
    "choose": "With ε = 0.05 a curator who uses the exponential mechanism names the most frequent "
    "item with probability 1.",
    "conclude": "If up to 2 % of the reports are fake, item 0 is held by 0.444 to 0.681.",
    "deployment": "5 % fakes lift 1 item by 13.7 percentage points under GRR; no defence here "
    "surely leaves less; no defence can get below 13.7.",
    "design": "SS w = 11 has the least worst-case error: that of GRR is 346 % larger.",
    "disclose": "1 of 5 people can be identified by zip and age (k = 1); ill is given away for 3: "
    "no attribute privacy.",
    "estimate": "Item 0 has the largest estimate: 0.573 ± 0.078.",
    "guess": "An observer names a user's item in 12.5 % of cases, with a report in 51.4 %.",
    "infer": "The true attribute is named in 51.6 % of messages with zeros data, in 31.6 % with "
    "realistic.",
    "ledger": "Together the releases spend ε = 7 for 2 people together: the sum.",
    "plan": "The smallest frequency that OUE finds in spite of 1 % fakes, with probability 0.9, is "
    "0.04054.",
    "price": "For the error that laplace has with n = 5000 users, local privacy needs 33 789 939 "
    "at least: × 6758 (SS).",
    "screen": "No alarm of pairs, sizes, rows, whose rate is proved.",
    "sensitivity": "With ε = 1 and numbers clipped to [0, 8] a private sum of pay is off by 93.7, "
    "76.8 % of it.",
    "synthetic": "500 synthetic rows drawn from the estimates of OUE (10 000 users), which is "
    "differentially private with ε = 1.",
    "trust": "Shuffled among 100 000 users, reports of ε₀ = 4 are worth ε = 0.1046 at most.",
}
"""The first sentence of each answer, checked by hand against its numbers."""


@pytest.fixture(autouse=True)
def few_defences(monkeypatch: pytest.MonkeyPatch) -> None:
    """A correction and no filter: a deployment takes a second."""
    monkeypatch.setattr(deployment_cells, "PLAIN", ("norm-sub",))
    monkeypatch.setattr(deployment_cells, "FILTERS", ())


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text(SCENARIO, encoding="utf-8")
    Path("people.csv").write_text(PEOPLE, encoding="utf-8")
    grr, rng = ldptui.protocol("grr", items=4, epsilon=1.0), np.random.default_rng(2)
    reports = grr.perturb(np.repeat(np.arange(4), (600, 300, 80, 20)), rng)
    ldptui.write_reports("reports.csv", [reports], grr)
    ldptui.counted(reports, grr).write("all.counts")
    oue = ldptui.protocol("oue", items=4, epsilon=1.0)
    ldptui.write_reports("bits.csv", [oue.perturb(np.arange(900) % 4, rng)], oue)


def ask_form(name: str, options: Options) -> AnswerSheet:
    """The answer to a form whose fields hold these options; the others hold nothing."""
    asked = load_question(name)
    values = {option.name: option.default for option in asked.blanks} | dict(options)
    steps = asking.steps(
        {"tab": name, "values": values, "document": DOCUMENT, "folder": Path.cwd()}
    )
    while True:
        try:
            next(steps)
        except StopIteration as end:
            answer: AnswerSheet = end.value
            return answer


def call(name: str, options: Options) -> Any:
    """The answer of the function in `import ldptui`."""
    options = dict(options)
    rest = options.pop("entries", ()) or options.pop("clients", ())
    return getattr(ldptui, name)(*rest, **options)


def words_of(name: str, options: Options) -> list[str]:
    return shlex.split(command_line(load_question(name), options))[1:]


def test_every_question_is_here() -> None:
    assert CASES.keys() == SENTENCES.keys() == find_questions().keys()


@pytest.mark.parametrize("name", CASES)
def test_all_surfaces_have_one_answer(name: str, capsys: Captured) -> None:
    asked, (options, _) = load_question(name), CASES[name]
    answer = call(name, options)
    words = words_of(name, options)
    page = succeed(capsys, *words, "--format", "md", "--page", "page.md")
    assert json.loads(succeed(capsys, *words, "--format", "json")) == json.loads(
        json.dumps(answer.document())
    )
    sheet, form = make_sheet(asked, answer, options), ask_form(name, options)
    assert form.table.rows == sheet.table.rows
    assert form.verdict == sheet.verdict
    assert form.figures
    assert sheet.verdict[0] == SENTENCES[name]
    text = succeed(capsys, *words)
    assert text.startswith(f"{sheet.verdict[0]}\n\n{answer.title}\n")
    csv = succeed(capsys, *words, "--format", "csv", "--page", "page.html")
    written = Path("page.md").read_text("utf-8")
    assert written.startswith(f"# {asked.question}\n\n{sheet.verdict[0]}\n")
    assert f"    ldptui {shlex.join(words)}\n" in written
    assert "```text" in written
    html = Path("page.html").read_text("utf-8")
    assert f"<h1>{asked.question}</h1>" in html
    assert html.count("<tr>") == 1 + len(answer.table()[1])
    for row in answer.table()[1]:
        quantity = str(row[0]).strip()
        assert f"| {quantity} | " in page
        assert quantity in text
        assert quantity in csv
    assert page.rstrip() in written


@pytest.mark.parametrize(
    ("name", "at"), [(n, at) for n in CASES for at, _ in enumerate(CASES[n][1])]
)
def test_all_surfaces_refuse_alike(name: str, at: int, capsys: Captured) -> None:
    options, key, rule = CASES[name][1][at]
    [option] = [each for each in load_question(name).options if each.name == key]
    with pytest.raises(ScenarioError) as caught:
        call(name, options)
    assert caught.value.key.partition(".")[0] in (key, *option.argument.renames)
    assert rule in caught.value.rule
    line = fail(capsys, 2, *words_of(name, options))
    assert line.startswith((option.flag, f"ldptui {name}: {option.flag}"))
    assert rule in line
    with pytest.raises(ScenarioError) as caught:
        ask_form(name, options)
    assert caught.value.key.partition(".")[0] == key
    assert rule in caught.value.rule


@pytest.mark.parametrize("name", CASES)
def test_help_has_every_option(name: str, capsys: Captured) -> None:
    asked = load_question(name)
    text = succeed(capsys, name, "--help")
    for option in asked.options:
        assert (option.flag in text) == (option.words is not None)
    assert " ".join(asked.about.split()) in " ".join(text.split())
    assert f"  {asked.usage:<20} {asked.summary}\n" in succeed(capsys, "help")


def test_what_is_no_option_is_refused() -> None:
    with pytest.raises(
        ScenarioError, match=r"epsylon is no option of guess \(did you mean epsilon\?\)"
    ):
        call("guess", {"items": 8, "epsylon": 1.0})
    with pytest.raises(ScenarioError, match=r"protocol must be one of .*, got .rappor."):
        call("guess", {"items": 8, "epsilon": 1.0, "protocol": "rappor"})
    with pytest.raises(ScenarioError, match="items is required"):
        call("guess", {"epsilon": 1.0})
    assert call("guess", {"items": 1e1, "epsilon": 1}).items == 10
