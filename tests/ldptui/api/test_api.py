"""`import ldptui`: every name is there, its examples run, its numbers are those of the commands."""

from __future__ import annotations

import dataclasses
import doctest
import importlib
import inspect
import json
import re
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import budget

import ldptui
from ldptui.commands import cli
from ldptui.core.base.errors import LdpError
from ldptui.core.law import pure
from ldptui.core.protocols import PROTOCOLS
from ldptui.questions.question_answer import QuestionAnswer

PUBLIC = {f"ldptui.{name}": getattr(ldptui, name) for name in ldptui.__all__} | {
    f"ldptui.theory.{name}": thing
    for name in dir(ldptui.theory)
    if callable(thing := getattr(ldptui.theory, name))
}
"""Every public function and class, those of the closed forms included, by its name."""
INTERFACES = (pure.LocalMechanism, pure.Supporting, pure.PureProtocol)
"""The interfaces of protocols that the site shows."""
FUNCTIONS = {
    name: function
    for owner, thing in [*PUBLIC.items(), *((each.__name__, each) for each in INTERFACES)]
    for name, function in (
        [(owner, thing)]
        if not inspect.isclass(thing)
        else [(f"{owner}.{member}", value) for member, value in vars(thing).items()
              if not member.startswith("_") and not hasattr(QuestionAnswer, member)]
    )
    if inspect.isfunction(function) or hasattr(function, "cache_info")
}  # fmt: skip
"""Every public function and method."""
MODULES = [
    name
    for name in sorted({function.__module__ for function in FUNCTIONS.values()})
    if not name.endswith(".errors")  # we make them
    if "ldptui.questions" not in name  # their examples are commands
]
TABLES = {
    "population": {"kind": "zipf", "items": 8, "users": 500, "exponent": 1.0},
    "protocol": {"kind": "oue", "epsilon": 1.0},
    "attack": {"kind": "mga", "share": 0.1, "targets": {"items": [1, 2]}},
    "trials": 3,
}


@pytest.mark.every(2)
@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_docstrings_are_true(name: str) -> None:
    module = importlib.import_module(name)
    done = doctest.testmod(module)
    assert done.attempted > 0
    assert done.failed == 0


def test_every_public_name_is_there_with_a_docstring_and_a_type() -> None:
    typed = (Path(ldptui.__file__).parent / "__init__.pyi").read_text("utf-8")
    for name in ldptui.__all__:
        assert (f" as {name}\n" in typed) != (name == "__version__")
        thing = getattr(ldptui, name)
        if inspect.isfunction(thing):
            assert "Raises" in (thing.__doc__ or ""), name
            assert ">>>" in thing.__doc__, name
        else:
            assert inspect.getdoc(thing), name
    with pytest.raises(AttributeError, match="no attribute 'simulate'"):
        ldptui.simulate  # noqa: B018
    assert set(ldptui.__all__) <= set(dir(ldptui))


def is_record(thing: Any) -> bool:
    """Whether it is a class with fields; a question is a value of one."""
    return inspect.isclass(thing) and dataclasses.is_dataclass(thing)


def sections(doc: str) -> dict[str, list[str]]:
    """The sections of a docstring as numpydoc has them: the names that each explains."""
    parts = re.split(r"^(\w+)\n-+\n", doc, flags=re.MULTILINE)
    return {
        title: [name for line in re.findall(r"^\S.*$", text, re.MULTILINE)
                for name in line.split(", ")]
        for title, text in zip(parts[1::2], parts[2::2], strict=True)
    }  # fmt: skip


def rows_of(name: str) -> list[str]:
    """The sections that the site shows of a function, all of whose parameters have their row."""
    function = FUNCTIONS[name]
    found = sections(inspect.getdoc(function) or "")
    asked = [each for each in inspect.signature(function).parameters if each != "self"]
    assert sorted(found.get("Parameters", [])) == sorted(asked), name
    assert all(error.endswith("Error") for error in found.get("Raises", [])), name
    return [*found]


def test_the_site_shows_every_parameter_in_a_table() -> None:
    """Each parameter has its row, in order; so has each error that is raised, and an example."""
    assert len(FUNCTIONS) > 80
    for name in FUNCTIONS:
        shown = rows_of(name)
        assert not re.match("(Of|What|Whether) ", inspect.getdoc(FUNCTIONS[name]) or ""), name
        whole = ["Parameters", "Raises", "Examples"]
        assert shown == [title for title in whole if title in shown], name
        if inspect.isfunction(PUBLIC.get(name)) and "theory" not in name:
            assert shown == whole, name
        if "Answer." not in name:  # their questions have the examples
            assert shown[-1] == "Examples" or "Error." in name, name


def test_the_page_of_the_library_has_every_name() -> None:
    page = (Path(__file__).parents[3] / "docs" / "python.md").read_text("utf-8")
    for name, thing in PUBLIC.items():
        if inspect.isfunction(inspect.unwrap(thing)) or inspect.isclass(thing):
            alone = f"::: {thing.__module__}.{thing.__name__}\n" in page
            assert alone or re.search(rf"members: \[.*\b{thing.__name__}\b", page), name


def test_the_site_shows_every_field_in_a_table() -> None:
    for name, thing in PUBLIC.items():
        if is_record(thing):
            shown = sections(inspect.getdoc(thing) or "")["Attributes"]
            assert {field.name for field in dataclasses.fields(thing)} <= {*shown}, name


def test_importing_loads_nothing() -> None:
    program = "import sys, ldptui; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert not {"numpy", "ldptui.core.base.errors", "textual", "ldptui.api"} & set(
        done.stdout.split()
    )


def test_a_run_has_the_numbers_of_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from ldptui.core.scenario import to_toml

    path = tmp_path / "my.toml"
    path.write_text(to_toml({"format": 1, **TABLES}), encoding="utf-8")
    assert cli.main(["run", str(path), "--no-store", "--quiet", "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    for source in (TABLES, path, str(path), path.read_text("utf-8"), ldptui.load(path)):
        results = ldptui.run(source)
        assert results.digest == printed["digest"]
    assert json.loads(results.to_json())["cells"] == printed["cells"]
    summary = printed["cells"][0]["metrics"]["gain"]
    assert results.estimate("gain").mean == summary["mean"]
    assert ldptui.run(ldptui.compile(TABLES), progress=lambda _: None).digest == results.digest


def test_rows_are_long_and_tidy() -> None:
    results = ldptui.run({**TABLES, "sweep": {"attack.share": [0.0, 0.1]}})
    rows = results.rows()
    assert len(rows) == sum(len(cell.metrics) for cell in results.cells)
    last = next(row for row in rows if row["cell"] == 1 and row["metric"] == "gain")
    found = results.estimate("gain", 1)
    assert (last["mean"], last["theory"], last["z"]) == (found.mean, found.theory, found.z)
    assert last["attack.share"] == 0.1
    assert {tuple(row) for row in rows} == {tuple(rows[0])}


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_a_frame_is_of_the_library_that_is_there(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = ldptui.run(TABLES)
    for name in ("polars", "pandas"):
        monkeypatch.setitem(sys.modules, name, None)  # as if it were not installed
    with pytest.raises(ldptui.RunError, match="needs polars or pandas: pip install polars"):
        results.to_frame()
    frame = types.SimpleNamespace(DataFrame=lambda columns: (library, columns))
    monkeypatch.setitem(sys.modules, library, frame)
    name, columns = results.to_frame()
    assert name == library
    assert list(columns)[-4:] == ["mean", "standard_error", "theory", "z"]
    assert columns["metric"] == results.cells[0].metrics


def test_estimates_by_trial_are_those_whose_moments_are_kept() -> None:
    results = ldptui.run({**TABLES, "trials": 23, "defence": [{"kind": "norm-sub"}]})
    by_trial = results.estimates()
    assert list(by_trial) == ["clean", "attacked", "clean_defended", "attacked_defended"]
    rows = results.frequencies()
    for name, values in by_trial.items():
        assert values.shape == (23, 8)
        assert values.mean(axis=0) == pytest.approx([row[name] for row in rows])
        assert values.std(axis=0, ddof=1) == pytest.approx([row[f"{name}_std"] for row in rows])
    with pytest.raises(ldptui.ScenarioError, match="one collection of frequencies"):
        ldptui.run({**TABLES, "campaign": {"rounds": 2}}).estimates()


@pytest.mark.long
def test_a_notebook_shows_the_table_and_the_chart() -> None:
    results = ldptui.run({**TABLES, "sweep": {"attack.share": [0.0, 0.1]}})
    assert results.digest in repr(results)
    shown = results._repr_html_()
    assert '<pre style="font-family: monospace' in shown
    assert "<svg" in shown
    drawn: Any = results.figure()
    assert drawn._repr_svg_() == drawn
    assert (
        len(repr(ldptui.run({**TABLES, "trials": 1, "sweep": {"seed": [*range(60)]}})).split("\n"))
        <= 40
    )
    with pytest.raises(ldptui.ScenarioError, match=r'must be a chart of this run: .*, got "map"'):
        results.figure("map")


# Frequencies of real reports.


@pytest.mark.every(7)
@pytest.mark.parametrize("kind", PROTOCOLS)
def test_intervals_cover_as_often_as_they_say(kind: str) -> None:
    """Item 0 in 200 collections of 1500 users; a quarter of the width covers less."""
    protocol, rng = ldptui.protocol(kind, items=4, epsilon=2.0), np.random.default_rng(1)
    held = np.repeat(np.arange(4), [750, 450, 300, 0])
    truth = np.bincount(held, minlength=4) / held.size
    inside = narrow = 0
    for _ in range(200):
        found = ldptui.estimate(protocol.perturb(held, rng), protocol, confidence=0.9)
        assert found.std is not None
        off = np.abs(found.values - truth)
        inside += int(off[0] <= 1.645 * found.std[0])
        narrow += int(off[0] <= 0.25 * 1.645 * found.std[0])
    assert budget.proportion(np.array(inside), 200, 0.9)
    assert not budget.proportion(np.array(narrow), 200, 0.9)


def test_batches_and_corrections() -> None:
    grr, rng = ldptui.protocol("grr", items=4, epsilon=2.0), np.random.default_rng(0)
    reports = grr.perturb(np.zeros(500, dtype=int), rng)
    plain = ldptui.estimate(reports, grr, labels=list("abcd"))
    assert [row["label"] for row in plain.rows()] == list("abcd")
    assert plain.rows()[0]["low"] < 1 < plain.rows()[0]["high"]
    cut = ldptui.estimate(reports, grr, corrections=["norm-sub", {"kind": "base-cut"}])
    assert cut.corrections == ("norm-sub", "base-cut")
    assert cut.std is None is cut.low
    assert "low" not in cut.rows()[0]
    assert "after norm-sub, base-cut" in repr(cut)


GRR = ldptui.protocol("grr", 4, epsilon=1.0)
OTHERS = {**TABLES, "attack": {**TABLES["attack"], "kind": "plugin", "name": "half"}}

REFUSED: list[tuple[Any, str]] = [
    (
        lambda: ldptui.load("quickstrat"),
        "quickstrat is no file and no bundled scenario .did you mean quick",
    ),
    (lambda: ldptui.load(5), "source must be a path, a bundled name, TOML text or a dict, got 5"),
    (lambda: ldptui.load({"trials": 3}), "scenario: population is required"),
    (lambda: ldptui.protocol("oue", 4), "protocol.epsilon is required"),
    (lambda: ldptui.protocol("oue", 4, epsilon=-1), r"protocol.epsilon must be in \(0, 20\]"),
    (lambda: ldptui.protocol("oue", 1, epsilon=1), "items must be a whole number, at least 2"),
    (lambda: ldptui.protocol("laplace", 4, epsilon=1.0), "this is a trusted curator, got"),
    (lambda: ldptui.attack("none"), "attack.kind must be|attack.share"),
    (lambda: ldptui.attack("mga", share=2.0), r"attack.share must be in \[0, 1\)"),
    (lambda: ldptui.defence("norms"), "defence.0.kind must be one of"),
    (lambda: ldptui.kinds("protocols"), "table must be one of population, protocol"),
    (lambda: ldptui.estimate([0], ldptui.protocol("grr", 4, epsilon=1.0)), "reports must be an"),
    (
        lambda: ldptui.estimate(np.array([4]), ldptui.protocol("grr", 4, epsilon=1.0)),
        r"reports must be items in \[0, 4\), got 4",
    ),
    (
        lambda: ldptui.estimate(np.array([], dtype=int), ldptui.protocol("grr", 4, epsilon=1.0)),
        "reports must be at least one, got none",
    ),
    (lambda: ldptui.run(TABLES).estimate("gainn"), "metric must be one of gain"),
    (lambda: ldptui.run(TABLES).estimate("gain", 1), r"cell must be in \[0, 1\), got 1"),
    (lambda: ldptui.run(TABLES).figure("gainn"), "^chart must be one of gain, error, "),
    (lambda: ldptui.load("nowhere"), "nowhere is no file and no bundled scenario$"),
    (lambda: ldptui.run(OTHERS), r"not allowed yet: code=\[FILE\] allows that of"),
    (lambda: ldptui.protocol("plugin", 4, epsilon=1.0, name="x"), 'name your code, as "FILE.py'),
    (lambda: ldptui.protocol("x.py:X", 4), "protocol.epsilon is required"),
    (lambda: ldptui.population("plugin", name="x", items=4, users=5), "population.kind must be a"),
    (lambda: GRR.perturb([0, None], np.random.default_rng(0)), "got None .a missing value"),
    (lambda: ldptui.run(TABLES).to_frame("dask"), 'library must be "polars" or "pandas"'),
]


@pytest.mark.parametrize(("wrong", "sentence"), REFUSED)
def test_a_wrong_value_is_refused_in_a_sentence(wrong: Any, sentence: str) -> None:
    with pytest.raises(LdpError, match=sentence) as refused:
        wrong()
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_a_real_frame_has_one_type_a_column(library: str) -> None:
    """Also where a key is swept over a word and a number, which polars takes for an error."""
    pytest.importorskip(library, reason="the extra `data`, or pandas")
    work = {**TABLES, "protocol": {"kind": "olh", "epsilon": 1.0}, "trials": 2}
    results = ldptui.run({**work, "sweep": {"protocol.hash_range": ["nearest", 3]}})
    frame = results.to_frame(library)
    assert frame.shape == (len(results.rows()), len(results.rows()[0]))
    assert list(dict.fromkeys(frame["protocol.hash_range"])) == ["nearest", "3"]
    assert frame["mean"].sum() == pytest.approx(sum(row["mean"] for row in results.rows()
                                                    if row["mean"] is not None))  # fmt: skip
    grr = ldptui.protocol("grr", 4, epsilon=1.0)
    found = ldptui.estimate(np.array([0, 1, 1]), grr, labels=["a", "b", "c", "d"])
    assert list(found.to_frame(library)["label"]) == ["a", "b", "c", "d"]
