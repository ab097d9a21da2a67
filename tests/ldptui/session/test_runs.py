"""Runs in words: what a scenario is, and what changed from one to another."""

from typing import Any

import pytest
from msgspec.structs import replace
from support.fake_engine import base_snapshot

from ldptui.core.base.summary import Estimate
from ldptui.session.runs import (
    Run,
    describe_scenario,
    difference_labels,
    difference_text,
    differences,
    matching,
    place_of,
)

BASE = {"protocol": {"kind": "oue", "epsilon": 1.0}, "population": {"kind": "zipf", "items": 8}}
PARTS = [{"kind": "mga", "weight": 0.8}, {"kind": "ria", "weight": 0.2}]
PHASE = {"rounds": 5, "share": {"from": 0.0, "to": 0.05}, "mix": PARTS}


def test_attacks_of_every_shape_are_described() -> None:
    assert describe_scenario(BASE) == "OUE ε=1, no attack, zipf d=8"
    trusting = {**BASE, "trust": {"kind": "shuffled", "delta": 1e-8}}
    assert describe_scenario(trusting) == "OUE ε=1, no attack, shuffled δ=1e-8, zipf d=8"
    swept = {"protocol.kind": ["oue", "grr"], "population.items": [8, 16]}  # what is constant alone
    assert describe_scenario({**BASE, "sweep": swept}) == "2 protocols, no attack, zipf, over d"
    one = {**BASE, "attack": {"kind": "mga", "share": 0.05}}
    assert describe_scenario(one).split(", ")[1].startswith("MGA")
    assert "mga 80 % ria 20 %" in describe_scenario(
        {**BASE, "attack": {"share": 0.05, "mix": PARTS}}
    )
    assert "1 phase," in describe_scenario({**BASE, "attack": {"phase": [PHASE]}})
    assert "2 phases," in describe_scenario({**BASE, "attack": {"phase": [PHASE, PHASE]}})


def test_what_changed_inside_a_list_is_named() -> None:
    before = {**BASE, "attack": {"phase": [PHASE]}}
    after = {
        **BASE,
        "attack": {"phase": [{**PHASE, "mix": [PARTS[0], {**PARTS[1], "weight": 0.5}]}]},
    }
    assert differences(before, after) == ["weight w of part 2 in phase 1 0.2 → 0.5"]
    assert differences(before, before) == []
    longer = {**BASE, "attack": {"phase": [{**PHASE, "rounds": 9}]}}
    assert differences(before, longer) == ["rounds it lasts of phase 1 5 → 9"]


def test_keys_in_words() -> None:
    assert place_of("attack.mix.0.seeds") == "hash seeds tried K of part 1"
    assert place_of("protocol.bits").startswith("bits")
    assert place_of("what.is.this") == "this"


def test_two_runs_differ_in_what_they_measured() -> None:
    """By the names of the tables, without what is equal, and with the change."""

    def run(key: int, gain: float) -> Run:
        view = base_snapshot(key)
        cell = replace(view.cells[0], metrics={
            "gain": Estimate(gain, 0.02, None), "mse": Estimate(0.1, 0.01, None),
        })  # fmt: skip
        return Run(key, BASE, replace(view, full=True, cells=(cell,)), 0.0, "A title")

    lines = difference_text(run(1, 0.5), run(2, 0.25)).splitlines()
    assert lines[:5] == [
        "Run #1: A title", "Run #2: A title", "", "What changed since run #1:",
        "  nothing: it is the same scenario",
    ]  # fmt: skip
    assert lines[6].split() == ["measured", "run", "#1", "run", "#2", "change"]
    assert lines[8].split("  ")[0] == "gain"
    assert lines[8].split()[-1] == "-0.25"
    assert lines[9] == "1 other is the same"


def with_keys(**keys: Any) -> dict[str, Any]:
    """The base with other keys of its protocol."""
    return {**BASE, "protocol": {**BASE["protocol"], **keys}}


@pytest.mark.parametrize(
    ("documents", "labels"),
    [
        ((BASE, with_keys(epsilon=2.0)), ["ε 1", "ε 2"]),
        ((BASE, with_keys(kind="grr", epsilon=2.0)), ["OUE ε 1", "GRR ε 2"]),
        ((BASE, {**BASE, "seed": 3, "trials": 9, "title": "b"}), ["run 1", "run 2"]),
        ((BASE, BASE, with_keys(epsilon=2.0)), ["ε 1 run 1", "ε 1 run 2", "ε 2"]),
        ((BASE, {**BASE, "sweep": {"protocol.epsilon": [1.0, 2.0]}}), ["run 1", "run 2"]),
    ],
)
def test_a_legend_names_what_differs_between_runs(documents: Any, labels: list[str]) -> None:
    assert (
        difference_labels([(f"run {at}", each) for at, each in enumerate(documents, 1)]) == labels
    )


SHARE = {**BASE, "attack": {"kind": "mga", "share": 0.05}}
SWEPT = {**SHARE, "sweep": {"attack.share": {"from": 0.1, "to": 0.2, "points": 3}}}


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ("share>=0.05", [SHARE, SWEPT]), ("share>0.05", [SWEPT]), ("share<0.05", []),
        ("β=0.05", [SHARE, SWEPT]), ("kind~mg", [SHARE, SWEPT]), ("kind~olh", []),
        ("protocol.kind=oue", [BASE, SHARE, SWEPT]), ("attack.kind!=ria", [SHARE, SWEPT]),
        ("ε<=1 mga share>0.1", [SWEPT]), ("share>=much", []),
    ],
)  # fmt: skip
def test_runs_are_filtered_by_their_settings(words: str, left: list[Any]) -> None:
    runs = [
        Run(key, each, base_snapshot(key), 0.0, "") for key, each in enumerate((BASE, SHARE, SWEPT))
    ]
    assert [run.document for run in matching(runs, words)] == left
