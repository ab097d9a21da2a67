"""Wrong arguments of the public functions: each is an LdpError of one line, whatever it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ldptui
from ldptui import LdpError, RunError, ScenarioError, View

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
CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "kinds": (ldptui.kinds, {"table": "protocol"}),
    "protocol": (ldptui.protocol, {"kind": "grr", "items": 4, "labels": FRUITS, "epsilon": 1.0}),
    "rappor": (ldptui.protocol, {"kind": "rappor", "items": 4, "labels": FRUITS, "epsilon": 1.0}),
    "population": (
        ldptui.population,
        {"kind": "zipf", "seed": 0, "folder": ".", "items": 4, "users": 9, "exponent": 1.0},
    ),
    "attack": (ldptui.attack, {"kind": "mga", "share": 0.1, "targets": {"items": [1]}}),
    "defence": (ldptui.defence, {"kind": "base-cut", "alpha": 0.1}),
    "perturb": (GRR.perturb, {"values": [0, 1], "rng": None}),
    "noise": (SHE.perturb, {"values": [0, 1], "rng": RNG}),
    "fakes": (
        lambda **given: ldptui.attack("mga").reports(**given),
        {"protocol": GRR, "view": View(np.array([1])), "count": 5, "rng": RNG},
    ),
    "estimate": (
        ldptui.estimate,
        {"reports": np.array([0, 1, 2]), "protocol": GRR, "corrections": ["norm-sub"],
         "confidence": 0.9, "labels": FRUITS, "coverage": False},
    ),
    "sums": (ldptui.estimate, {"reports": np.zeros((3, 4)), "protocol": SHE, "coverage": True}),
    "read": (
        lambda path, protocol: list(ldptui.read_reports(path, protocol)),
        {"path": "reports.csv", "protocol": GRR},
    ),
    "write": (
        ldptui.write_reports,
        {"path": "w.csv", "batches": [np.array([0, 1])], "protocol": GRR, "for_tests": None},
    ),
    "grid": (
        ldptui.write_reports,
        {"path": "w.jsonl", "batches": [np.zeros((2, 4))], "protocol": SHE, "for_tests": 3},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_argument_is_a_sentence(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("reports.csv").write_text("report\n1\n")
    call, good = CALLS[name]
    call(**good)
    for argument in good:
        said = []
        for wrong in WRONG.values():
            try:
                call(**{**good, argument: wrong})
            except LdpError as error:
                said.append(str(error))
        assert {len(sentence.splitlines()) for sentence in said} == {1}
        assert len(said) > len(WRONG) // 4, argument


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
