"""Wrong arguments of the public functions: each is an LdpError of one line, whatever it is."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ldptui
from ldptui import LdpError, RunError, ScenarioError, View
from ldptui.core.law.law import Ask
from ldptui.questions.question_answer import QuestionAnswer

GRR = ldptui.protocol("grr", 4, epsilon=1.0)
SHE = ldptui.protocol("she", 4, epsilon=1.0)
RNG = np.random.default_rng(0)

WRONG: dict[str, Any] = {
    repr(value)[:40]: value
    for value in (
        None, True, -1, 0, 3, 2.5, float("nan"), float("inf"), 10**400, -(10**30), "", "x", "a\nb",
        "grr:x", "\0", b"x", [], [5], [None], ["x", "y"], [[1]], {}, {"kind": 5}, {5: 5},
        {"kind": "norm-sub", "x": 1}, {"kind": []}, object(), int, len, Path("/nowhere/x"),
        range(3), slice(3), 1j, np.array(3), np.arange(3), np.arange(4.0), np.zeros((2, 2)),
        np.array(["a"]), np.array([None], object), np.array([1j]), np.full(3, np.nan),
        np.ma.masked_array([0, 1, 2], [0, 1, 0]), np.zeros(3, [("seed", "u4"), ("value", "u4")]),
        np.float64("nan"), np.int64(2), np.random.RandomState(0), GRR, SHE, RNG,
    )
}  # fmt: skip

FRUITS = list("abcd")
SCENARIO = {
    "population": {"kind": "zipf", "items": 4, "users": 50, "exponent": 1.0},
    "protocol": {"kind": "grr", "epsilon": 1.0},
    "attack": {"kind": "mga", "share": 0.1, "targets": {"items": [1]}},
    "trials": 2,
}
FUNCTIONS = [name for name in ldptui.__all__ if inspect.isfunction(getattr(ldptui, name))]
OLH = ldptui.protocol("olh", 4, epsilon=1.0)
SW = ldptui.protocol("sw", low=0, high=1, bins=16, epsilon=1.0)
HELD = [0, 1, 2, 3] * 30
SENT: Any = OLH.perturb(np.array(HELD))
TOLD = ldptui.perturb([0.1, 0.9] * 20, SW)

GOOD: dict[str, dict[str, Any]] = {
    "attack": {"kind": "mga", "share": 0.1, "targets": {"items": [1]}},
    "compile": {"source": SCENARIO, "set": {"trials": 3}},
    "counted": {"reports": np.array([0, 1, 2]), "protocol": GRR, "labels": FRUITS},
    "defence": {"kind": "base-cut", "alpha": 0.1},
    "kinds": {"table": "protocol"},
    "load": {"source": SCENARIO, "set": {"trials": 3}},
    "perturb": {"numbers": [0.1, 0.2], "protocol": SW},
    "plot": {"runs": [ldptui.run(SCENARIO)], "chart": "frequencies"},
    "population": {
        "kind": "zipf", "seed": 0, "folder": ".", "items": 4, "users": 9, "exponent": 1.0,
    },
    "protocol": {"kind": "grr", "items": 4, "labels": FRUITS, "epsilon": 1.0},
    "read_counts": {"path": "all.counts", "protocol": GRR},
    "read_reports": {"places": "reports.csv", "protocol": GRR},
    "run": {"source": SCENARIO},
    "write_reports": {"path": "w.csv", "batches": [np.array([0, 1])], "protocol": GRR},
}  # fmt: skip
"""Arguments that each public function takes; the ones left out are their defaults."""

DOORS: dict[str, Callable[..., Any]] = {}
"""Functions whose arguments have no names, with names."""

MADE: dict[type, Callable[[], Any]] = {
    ldptui.ConcludeAnswer: lambda: ldptui.conclude(SENT, OLH, share=0.05),
    ldptui.Counted: lambda: ldptui.counted(SENT, OLH),
    ldptui.FrequencyAnswer: lambda: ldptui.estimate(SENT, OLH),
    ldptui.GroupAnswer: lambda: ldptui.estimate("groups.csv", GRR, by="country"),
    ldptui.NumberAnswer: lambda: ldptui.estimate(TOLD, SW),
    ldptui.Results: lambda: ldptui.run(SCENARIO),
    ldptui.Scenario: lambda: ldptui.load(SCENARIO),
    ldptui.ScreenAnswer: lambda: ldptui.screen(SENT, OLH),
}
"""A value of each public class that has methods, but for the errors."""


def methods(kind: type) -> list[str]:
    """The names of the public methods of a class."""
    if issubclass(kind, BaseException):
        return []
    named = ((name, inspect.getattr_static(kind, name)) for name in dir(kind))
    shared = {*vars(QuestionAnswer)} - {"to_frame"}  # they draw the answer, and take no data
    return [
        name
        for name, found in named
        if name[0] != "_" and inspect.isfunction(found) and name not in shared
    ]


CLASSES = [kind for name in ldptui.__all__ if inspect.isclass(kind := getattr(ldptui, name))]
METHODS = [(kind, name) for kind in CLASSES for name in methods(kind)]

TAKEN: dict[str, Any] = {
    "path": "x.counts", "metric": "gain", "changes": {"trials": 4},
    "key": "trials", "value": 4, "keys": ["attack.share"],
}  # fmt: skip
"""Arguments of methods that have no default."""

OTHERS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "conclude": (
        ldptui.conclude,
        {"reports": SENT, "protocol": OLH, "share": 0.05, "labels": FRUITS},
    ),
    "estimate": (
        ldptui.estimate,
        {
            "reports": np.array([0, 1, 2]),
            "protocol": GRR,
            "corrections": ["norm-sub"],
            "confidence": 0.9,
            "labels": FRUITS,
        },
    ),
    "groups": (ldptui.estimate, {"reports": "groups.csv", "protocol": GRR, "by": "country"}),
    "numbers": (ldptui.estimate, {"reports": TOLD, "protocol": SW, "parts": 8}),
    "screen": (ldptui.screen, {"reports": SENT, "protocol": OLH, "labels": FRUITS}),
    "rappor": (ldptui.protocol, {"kind": "rappor", "items": 4, "labels": FRUITS, "epsilon": 1.0}),
    "perturbing": (GRR.perturb, {"values": [0, 1], "rng": None}),
    "noise": (SHE.perturb, {"values": [0, 1], "rng": RNG}),
    "fakes": (
        lambda **given: ldptui.attack("mga").reports(**given),
        {"protocol": GRR, "view": View(np.array([1])), "count": 5, "rng": RNG},
    ),
    "top": (ldptui.estimate, {"reports": SENT, "protocol": OLH, "top": 2}),
    "sums": (ldptui.estimate, {"reports": np.zeros((3, 4)), "protocol": SHE}),
}
"""Calls of another sort."""

UNCHECKED = {("Scenario.with_value", "value"), ("run", "executor"), ("run", "set")}
"""Arguments of which more is taken than refused, as their docstrings say."""

CELL = ldptui.compile(SCENARIO).cells[0]
ITEMS = np.array([1, 2])
FOUR = np.array([0.4, 0.3, 0.2, 0.1])
RUN = ldptui.run(SCENARIO).measured.cells[0]
SMALL = {"domain_size": 8, "epsilon": 1.0}
FORMS: dict[str, dict[str, Any]] = {
    "mean_supports": {"protocol": OLH},
    "alike": {"supported": (0.5, 0.3), "targets": 2},
    "compare_with_theory": {
        "cell": CELL, "measured": RUN, "metric": "gain", "theory": {"gain": 1.0}},
    "count_variance": {"protocol": OLH},
    "differences": {
        "protocol": OLH, "counts": [np.array([700, 99, 99, 99]), np.array([400, 300, 99, 99])],
        "users": [1000, 1000], "confidence": 0.9,
    },
    "annotate_estimate": {
        "cell": CELL, "measures": RUN.metrics, "metric": "gain",
        "estimate": RUN.estimate("gain"),
    },
    "epsilon_of_direct": {"p": 0.5, "q": 0.25},
    "epsilon_of_unary": {"p": 0.5, "q": 0.25},
    "exact_border": {"epsilon": 1.0},
    "frequency_std": {"protocol": OLH, "users": 100, "frequency": 0.1},
    "gain": {
        "protocol": OLH, "support": OLH.find_support("honest", 2), "r": 2, "share": 0.1,
        "target_frequency": 0.1,
    },
    "gain_lines": {
        "protocol": OLH, "population": CELL.population, "targets": ITEMS, "share": 0.1,
        "crafted": True,
    },
    "gain_std": {
        "protocol": OLH, "support": OLH.find_support("honest", 2), "r": 2, "users": 90,
        "malicious": 9,
        "target_frequency": 0.1,
    },
    "gains_elsewhere": {"cell": CELL, "kinds": ["grr", "oue"]},
    "item_shift": {"protocol": OLH, "rate": 0.5, "share": 0.1, "frequency": 0.1},
    "item_variances": {"protocol": OLH, "users": 90.0, "frequencies": FOUR},
    "least_error": SMALL,
    "least_of_all": SMALL,
    "recommended_protocol": SMALL,
    "misfit": {"protocol": OLH, "users": 100, "estimates": FOUR},
    "normal_score": {"z": 2.0, "trials": 9},
    "safer_domain_size": {"r": 2, "epsilon": 1.0},
    "simultaneous_confidence": {"items": 9, "width": 2.0},
    "simultaneous_width": {"items": 9, "confidence": 0.9},
    "std_of_gain": {
        "protocol": OLH, "spread": 1.0, "fake_spread": 0.5, "users": 90, "malicious": 9,
    },
    "support_of": {"protocol": OLH, "fakes": (), "counted": ITEMS},
    "target_sum_variance": {
        "protocol": OLH, "targets": ITEMS, "frequencies": FOUR, "users": 90,
    },
    "top_confidence": {"estimates": FOUR, "deviations": FOUR, "k": 2},
}  # fmt: skip
"""Arguments of the closed forms; those that are not here take a cell alone."""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("reports.csv").write_text("report\n1\n")
    rows = "".join(f"{'ab'[item % 2]},{item}\n" for item in HELD)
    Path("groups.csv").write_text(f"country,report\n{rows}")
    ldptui.counted(np.array([0, 1, 2]), GRR).write("all.counts")


def refuses(name: str, call: Callable[..., Any], good: dict[str, Any]) -> None:
    """Give each argument every wrong value: it is taken, or an LdpError of one line says why."""
    _through(call(**good))
    for argument in good:
        said = []
        for wrong in WRONG.values():
            if argument == "workers" and np.size(wrong) == 1 and wrong in (2, 3):
                continue  # they are right, and start processes
            if argument == "progress" and callable(wrong):
                continue  # it is called, and what it raises is its own
            try:
                _through(call(**{**good, argument: wrong}))
            except LdpError as error:
                said.append(str(error))
        assert {len(sentence.splitlines()) for sentence in said} <= {1}
        assert len(said) > len(WRONG) // 4 or (name, argument) in UNCHECKED, argument


def _through(made: Any) -> None:
    """Read what is made as it is read."""
    if isinstance(made, Iterator):
        for _ in made:
            pass


def test_every_function_and_class_is_tried() -> None:
    assert set(GOOD) == set(FUNCTIONS)
    assert set(MADE) == {kind for kind, _ in METHODS}


def whole_call(function: Callable[..., Any], good: dict[str, Any]) -> dict[str, Any]:
    """Good arguments, with the default of each that is left out."""
    defaults = {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.default is not parameter.empty
    }
    return {**defaults, **good}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.usefixtures("files")
def test_a_wrong_argument_of_a_function_is_a_sentence(name: str) -> None:
    function = getattr(ldptui, name)
    refuses(name, DOORS.get(name, function), whole_call(function, GOOD[name]))


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("kind", "method"), METHODS, ids=[f"{kind.__name__}.{method}" for kind, method in METHODS]
)
@pytest.mark.usefixtures("files")
def test_a_wrong_argument_of_a_method_is_a_sentence(kind: type, method: str) -> None:
    call = getattr(MADE[kind](), method)
    asked = inspect.signature(call).parameters
    good = whole_call(call, {name: TAKEN[name] for name in asked if name in TAKEN})
    refuses(f"{kind.__name__}.{method}", call, {name: good[name] for name in asked})


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.usefixtures("files")
def test_so_is_one_of_another_call(name: str) -> None:
    refuses(name, *OTHERS[name])


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "a correction that is a number": (
        lambda: ldptui.estimate(np.array([0, 1]), GRR, corrections=[5]),  # type: ignore[list-item]
        "corrections must be one of none, normalise, .* got 5",
    ),
    "masked reports": (
        lambda: ldptui.estimate(np.ma.masked_array([0, 1, 3], [0, 0, 1]), GRR),
        "reports must all be there, but some are masked",
    ),
    "masked items": (
        lambda: GRR.perturb(np.ma.masked_array([0, 1, 3], [0, 0, 1])),
        "values must all be there, but some are masked",
    ),
    "an attack on bits against hashes": (
        lambda: ldptui.attack("apa").reports(
            ldptui.protocol("olh", 4, epsilon=1.0), View(np.array([1])), 5, RNG
        ),
        'kind must not be "apa" against local hashing',
    ),
    "an attack that knows the others": (
        lambda: ldptui.attack("solved").reports(GRR, View(np.array([1])), 5, RNG),
        "attack.kind must be run in a scenario: solved needs to know the other users",
    ),
    "workers that are text": (
        lambda: ldptui.run("quickstart", workers="two"),  # type: ignore[arg-type]
        r'workers must be in \[1, 1000\], got "two"',
    ),
    "half a worker": (
        lambda: ldptui.run("quickstart", workers=2.5),  # type: ignore[arg-type]
        "workers must be a whole number, at least 0, got 2.5",
    ),
    "numbers that are infinite": (
        lambda: ldptui.estimate(np.full((2, 4), np.inf), SHE),
        r"reports must be numbers of at most 1e\+15",
    ),
}


@pytest.mark.parametrize("about", REFUSED)
def test_what_was_wrong_is_said(about: str) -> None:
    call, sentence = REFUSED[about]
    with pytest.raises(ScenarioError, match=sentence):
        call()


def test_what_is_not_masked_is_read() -> None:
    whole = np.ma.masked_array([0, 1, 3], [False] * 3)
    assert GRR.perturb(whole).size == 3
    assert ldptui.estimate(whole, GRR).reports == 3


@pytest.mark.usefixtures("threads")
def test_estimates_of_a_failed_cell_say_why_it_failed(tmp_path: Path) -> None:
    own = tmp_path / "own.py"
    own.write_text("def bad(protocol, view, count, rng):\n    raise RuntimeError('no luck')\n")
    results = ldptui.run(
        {
            "population": {"kind": "uniform", "items": 4, "users": 50},
            "protocol": {"kind": "grr", "epsilon": 1.0},
            "attack": {
                "kind": "plugin", "name": "bad", "share": 0.1, "targets": {"items": [1]},
            },
            "trials": 2,
        },
        attack_files=[own],
    )  # fmt: skip
    with pytest.raises(RunError, match="no luck"):
        results.estimates()


@pytest.mark.parametrize(
    "name", [name for name in dir(ldptui.theory) if inspect.isroutine(getattr(ldptui.theory, name))]
)
def test_a_wrong_argument_of_a_closed_form_is_a_sentence(name: str) -> None:
    form = getattr(ldptui.theory, name)
    taken = set(inspect.signature(form).parameters)
    supported = {"supported": OLH.find_law(Ask("honest", ITEMS)).support(ITEMS)}
    good = FORMS.get(name, {"cell": CELL})
    if name in ("cell_gain", "rates_gain"):
        good = {
            "cell": CELL, "protocol": OLH, "targets": ITEMS, "share": 0.1,
            "target_frequency": 0.1, **supported,
        }  # fmt: skip
    refuses(f"theory.{name}", form, {each: good[each] for each in taken})
