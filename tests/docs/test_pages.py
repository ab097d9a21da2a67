"""The README and docs/: links lead somewhere, commands parse, keys exist, examples are real."""

from __future__ import annotations

import contextlib
import importlib
import io
import pkgutil
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.pages import (
    NAMES,
    NUMPY,
    PAGES,
    ROOT,
    blocks,
    command_lines,
    examples,
    mentions,
    mismatch,
    page,
    unfenced,
)  # fmt: skip
from textual.binding import Binding
from textual.dom import DOMNode

import ldptui.screens
import ldptui.widgets
from ldptui import core
from ldptui.commands import cli
from ldptui.commands.command import Command
from ldptui.core.plugins import CodePermission, permit_code
from ldptui.questions import asking

SIMULATING = (
    "perturb",
    "estimate",
    "run",
    "runs",
    "resume",
    "record",
    "replay",
    "compare",
    "choose",
    "synthetic",
)


WORDS = 28_500
"""The most words that the pages have together, blocks counted, but not what tables.py makes."""
PAGES_AT_MOST = 22


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_bytes()) <= 6000


def test_the_pages_can_be_finished() -> None:
    """Every page, README and CONTRIBUTING: a new text takes the place of an old one."""
    names = [name for name in NAMES if name.startswith("docs/")]
    assert len(names) <= PAGES_AT_MOST
    texts = [page(name) for name in (*names, "README.md", "CONTRIBUTING.md")]
    made = re.compile(r"<!-- table: .*?<!-- end -->", re.DOTALL)
    words = sum(len(made.sub("", text).split()) for text in texts)
    assert words <= WORDS, f"{words - WORDS} words too many: shorten a page"
    assert not [name for name, text in zip(names, texts, strict=False) if text.count("\n```") % 2]


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("docs/")])
def test_a_page_says_for_whom_it_is(name: str) -> None:
    """In its first two lines below the title."""
    assert re.search(r"\bFor (whoever|runs|notebooks)\b", page(name)[:600]), name


@pytest.mark.parametrize("name", NAMES)
def test_relative_links_lead_to_a_file_and_a_heading(name: str) -> None:
    text = unfenced(page(name))
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in link:
            continue
        file, _, anchor = link.partition("#")
        path = ((ROOT / name).parent / file) if file else ROOT / name
        assert path.exists(), link
        if anchor:
            headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", h).lower().replace(" ", "-") for h in headings}


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached, ahead = set(), {ROOT / "README.md"}
    while ahead:
        here = ahead.pop()
        reached.add(here)
        links = re.findall(r"\]\(([^)#\s]+\.md)", here.read_text(encoding="utf-8"))
        ahead |= {(here.parent / link).resolve() for link in links if "://" not in link} - reached
    assert {ROOT / name for name in NAMES} <= reached


@pytest.mark.parametrize("name", NAMES)
def test_every_command_line_parses(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Command, "do", lambda command, parsed: 0)
    monkeypatch.setattr(asking, "command", lambda name, parsed: 0)
    monkeypatch.setattr(cli, "_open", lambda options: 0)
    for line in command_lines(page(name)):
        with contextlib.redirect_stderr(io.StringIO()) as complaint:
            assert cli.main(shlex.split(line)[1:]) == 0, f"{line}: {complaint.getvalue()}"


@pytest.mark.parametrize("name", [name for name in NAMES if name != "CHANGELOG.md"])
def test_every_option_named_with_a_command_is_known(name: str) -> None:
    for line in mentions(page(name)):
        words = line.split()[1:]
        assert not words or flags_of(words) <= known_flags(words[0]), line


def flags_of(words: list[str]) -> set[str]:
    return {word for word in words if word.startswith("--")}


def known_flags(command: str) -> set[str]:
    """The options of a command, of the workbench where it is none."""
    out = io.StringIO()
    named = command.islower() and command.isalpha() and command != "help"
    help_of = [command] if named else []
    with contextlib.redirect_stdout(out):
        assert cli.main(["help", *help_of]) == 0
    return set(re.findall(r"--[a-z-]+", out.getvalue()))


def bound_keys() -> set[str]:
    """Every key that some screen or widget of ldptui binds, as pages write it."""
    spelled = {"escape": "esc", "delete": "del", "slash": "/", "comma": ",", "full_stop": ".",
               "plus": "+", "minus": "-", "question_mark": "?", "asterisk": "*",
               "number_sign": "#", "up": "↑", "down": "↓",
               "left": "←", "right": "→", "pagedown": "pgdn", "pageup": "pgup"}  # fmt: skip
    importlib.import_module("ldptui.app")
    for package in (ldptui.screens, ldptui.widgets):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    keys_bound, classes = set(), [DOMNode]
    while classes:
        kind = classes.pop()
        classes += kind.__subclasses__()
        if kind.__module__.startswith("ldptui"):
            for binding in kind.__dict__.get("BINDINGS", ()):
                keys = binding.key if isinstance(binding, Binding) else binding[0]
                for key in keys.split(","):
                    *modifiers, last = key.split("+")
                    keys_bound.add("+".join([*modifiers, spelled.get(last, last)]))
    return keys_bound


@pytest.mark.parametrize("name", ["README.md", "docs/workbench.md", "docs/lab.md"])
def test_every_key_is_bound(name: str) -> None:
    text = unfenced(page(name))
    key = r"(?:(?:ctrl|alt|shift)\+)*(?:f\d|tab|esc|enter|space|home|end|del|backspace|pgdn|pgup|.)"
    keys = set(re.findall(rf"`({key})`", text))
    assert len(keys) > 5
    # A field takes tab and enter from the toolkit.
    assert keys - bound_keys() - {"enter", "tab", "shift+tab"} == set()


def test_a_missing_key_would_be_found() -> None:
    assert "ctrl+f12" not in bound_keys()
    assert {"ctrl+r", "?", "alt+5", "f6", "f7", "shift+↑"} <= bound_keys()


SLOW = ("docs/tutorial.md", "docs/install.md", "docs/lab.md")
"""Pages whose examples run in `make test-long` alone."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.long] * (name in SLOW))
        for name in NAMES
        if examples(page(name))
    ],
)
def test_examples_print_what_the_page_shows(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A page is one session: what one command writes, a later one reads."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LDPTUI_STORE", str(tmp_path / "runs.sqlite"))
    lay_out(name, tmp_path)
    for example in examples(page(name)):
        words = shlex.split(example.command)[1:]
        assert cli.main(words) == 0, capsys.readouterr().err
        captured = capsys.readouterr()
        if words[0] in SIMULATING and not np.__version__.startswith(NUMPY):
            continue
        printed = [line.rstrip() for line in (captured.out + captured.err).splitlines()]
        assert mismatch(dated(example.output), dated(printed)) == "", example.command


def lay_out(name: str, folder: Path) -> None:
    """The files that a page's commands read: the README's scenario, and its own ones."""
    (scenario,) = blocks(page("README.md"), "toml")
    (folder / "my.toml").write_text(scenario, encoding="utf-8")
    whole = [text for text in blocks(page(name), "toml") if text.startswith("format = 1")]
    for text in whole:
        (folder / "example.toml").write_text(text, encoding="utf-8")
    for language, file in (("csv", "data.csv"), ("domain", "fruits.txt")):
        for text in blocks(page(name), language):
            (folder / file).write_text(text, encoding="utf-8")


def dated(lines: list[str] | tuple[str, ...]) -> list[str]:
    """The lines with every date the same, and without digests: each NumPy may have its own."""
    days = (re.sub(r"\d{4}-\d\d-\d\d", "2026-11-22", line) for line in lines)
    return [
        re.sub(r"xxh3:[0-9a-f]{32}, random numbers of NumPy \S+", "xxh3:…", day) for day in days
    ]


def test_a_wrong_example_would_be_found() -> None:
    printed = ["a", "b", "c"]
    for right in (("a", "b", "c"), ("a", "…"), ("…", "b", "…"), ("…", "c"), ("a", "…", "c")):
        assert mismatch(right, printed) == ""
    for wrong in (("a", "b"), ("b", "…"), ("…", "b"), ("a", "…", "d"), ("…", "c", "b", "…")):
        assert mismatch(wrong, printed) != ""


@pytest.mark.long
def test_the_readmes_snippet_runs_as_a_script(tmp_path: Path) -> None:
    """With workers, which import the script anew."""
    lay_out("README.md", tmp_path)
    (snippet,) = blocks(page("README.md"), "python")
    (tmp_path / "snippet.py").write_text(snippet, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", "snippet.py"],
        cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    *_, before, last = done.stdout.splitlines()
    assert before == "180 of 180"
    assert last.startswith("Estimate(mean=5.91")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.long] if name == "docs/python.md" else [])
        for name in NAMES
        if name not in ("README.md", "CONTRIBUTING.md") and blocks(page(name), "python")
    ],
)
def test_the_examples_in_python_run(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each by itself; those of CONTRIBUTING in a copy of the program, by test_contributing."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    snippets = blocks(page(name), "python")
    for snippet in snippets:
        try:
            exec(compile(snippet, name, "exec"), {"__name__": "__main__"})
        except ModuleNotFoundError as error:
            if error.name != "dask_jobqueue":  # which needs a cluster
                raise


def test_the_readmes_scenario_is_valid(tmp_path: Path) -> None:
    lay_out("README.md", tmp_path)
    experiment = core.compile(core.load(tmp_path / "my.toml"))
    assert len(experiment.cells) == 9


@pytest.mark.parametrize("goals", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", ["docs/attacks.md", "docs/python.md"])
def test_fragments_of_scenarios_are_valid(name: str, goals: bool) -> None:
    """The tables of a fragment in place of those of the README's scenario.

    goals : those with a goal, whose answers take seconds to find; else the others.
    """
    (whole,) = blocks(page("README.md"), "toml")
    base = core.parse(whole).document
    fragments = [text for text in blocks(page(name), "toml") if "[attack]" in text]
    assert fragments
    for text in fragments:
        tables = core.parse(f"{head(whole)}\n{text}").document
        if ("goal" in tables) == goals:
            base_tables = {key: base[key] for key in ("population", "protocol")}
            core.compile(core.Scenario({**base_tables, **tables}))


def head(scenario: str) -> str:
    """A scenario without its attack and its sweep."""
    return scenario.partition("[attack]")[0]


def test_the_metric_of_the_page_is_measured(tmp_path: Path) -> None:
    (code,), (table,) = (
        [text for text in blocks(page("docs/python.md"), kind) if "largest_share" in text]
        for kind in ("python", "toml")
    )
    (tmp_path / "my_metrics.py").write_text(code, encoding="utf-8")
    tables = core.parse(f"{head(blocks(page('README.md'), 'toml')[0])}\n{table}").document
    made = core.compile(core.Scenario({**tables, "trials": 2}))
    allowed = CodePermission(files=(tmp_path / "my_metrics.py",))
    *_, last = core.run(permit_code(made, allowed))
    assert last.results.error == ""
    mean = last.results.cells[0].estimate("largest_share").mean
    assert mean is not None
    assert 3 / made.cells[0].population.domain_size < mean < 1


def test_the_pages_are_those_of_the_tests() -> None:
    assert {"README.md", "docs/format.md", "docs/commands.md"} <= set(NAMES)
    assert len(PAGES) == len(set(NAMES))


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "docs/architecture.md", "docs/sources.md"])
def test_every_file_that_a_page_names_is_there(name: str) -> None:
    """`core/law/pure.py` from the root; `core.law.pure` and its attribute, if that is meant."""
    text = unfenced(page(name))
    paths = re.findall(r"`((?:core|ldptui|tests|docs|scenarios|bench)/[^`\s…]*)`", text)
    assert paths
    for path in paths:
        if not re.search("[A-Z]{2,}", path):  # a name to be chosen
            assert (ROOT / path).exists(), path


def test_every_tab_of_the_workbench_is_documented() -> None:
    """By its title, and by what it is called where there is little room."""
    from ldptui.charts.kinds import KINDS

    text = page("docs/workbench.md")
    for kind in KINDS.values():
        assert f"| {kind.title} |" in text or not kind.title
        for name in filter(None, (kind.unnamed, kind.short)):
            assert re.search(rf"(?:\| |are called .*){name}\b", text), name


def test_every_topic_of_the_lab_is_documented() -> None:
    from ldptui.questions.topics import TOPICS

    for name, topic in TOPICS.items():
        assert f"| {topic.title}, `ldptui {name}` |" in page("docs/lab.md")


def test_every_member_of_an_oracle_is_documented() -> None:
    """By a docstring of its own, or by a line of a class's."""
    import inspect

    from ldptui.core.law.pure import PureProtocol

    members = {name for name in dir(PureProtocol) if not name.startswith("_")}
    assert len(members) > 20
    classes = " ".join(inspect.getdoc(each) or "" for each in PureProtocol.__mro__)
    for name in members:
        member = inspect.getattr_static(PureProtocol, name)
        has_own = isinstance(member, property) or callable(member)
        assert f"{name} :" in classes or (has_own and inspect.getdoc(member)), name
