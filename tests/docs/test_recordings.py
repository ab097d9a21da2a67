"""The keys of recordings are those that the page of the format names, and hold what it says."""

import json
import re
import sqlite3
from collections import defaultdict
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support.cases import attack, experiment, results_of
from support.pages import page

from ldptui import core
from ldptui.core.export import to_json
from ldptui.core.store import begin, open_store
from ldptui.core.store.block_codec import unseal
from ldptui.core.store.recording import write_recording

ROW = re.compile(r"^\| ([\w.]+) \| (`.+?`) \| (.+) \|$", re.MULTILINE)
OUE = {"kind": "oue", "epsilon": 1.0}
UNIFORM = {"kind": "uniform", "items": 8, "users": 500}


def works(folder: Path) -> dict[str, core.Experiment]:
    """Runs that differ in what their recordings have to hold; the page names all of it."""
    data = folder / "data.csv"
    data.write_text("word\n" + "a\nb\nb\nc\n" * 50, encoding="utf-8")
    held = {"kind": "csv", "path": str(data), "column": "word"}
    fakes, goal = attack("mga", 0.1, [1, 2]), attack("mga", 0.1, [1])
    del goal["share"]
    numbers = {"kind": "normal", "items": 11, "users": 500, "mean": 4.0, "std": 2.0}
    rappor = {"kind": "rappor", "form": "full", "bits": 16, "hashes": 2, "cohorts": 4,
              "f": 0.5, "p": 0.5, "q": 0.75}  # fmt: skip
    cut = [{"kind": "norm-cut"}]
    no_attack = {"attack.kind": ["none", "mga"]}
    told: dict[str, tuple[Any, Any, Any, dict[str, Any]]] = {
        "items": (held, OUE, fakes, {"defence": cut, "sweep": no_attack}),
        "heavy hitters": (held, {"kind": "olh", "epsilon": 2.0}, attack("mga", 0.1, ["b"]),
                          {"task": {"kind": "heavy-hitters", "k": 2, "bits": 8, "extension": 2}}),
        "mean": (numbers, {"kind": "sr", "epsilon": 1.0}, attack("mga", 0.1, [10]),
                 {"task": {"kind": "mean", "low": 0.0, "high": 10.0}}),
        "distribution": (numbers, {"kind": "sw", "epsilon": 1.0, "bins": 11},
                         attack("mga", 0.1, [10]), {"task": {"kind": "distribution"}}),
        "campaign": (UNIFORM, OUE, fakes, {"campaign": {"rounds": 3}, "defence": cut}),
        "shuffled": ({**UNIFORM, "users": 100_000}, {"kind": "grr", "epsilon": 1.0}, fakes,
                     {"trust": {"kind": "shuffled", "central_epsilon": 1.0, "delta": 1e-8}}),
        "goal": (UNIFORM, OUE, goal, {"goal": {"metric": "gain", "at_least": 0.1}}),
        "rappor": (UNIFORM, rappor, fakes, {}),
        "failed": (UNIFORM, OUE, fakes,
                   {"defence": cut, "sweep": {"protocol.epsilon": [0.001, 1.0]}}),
    }  # fmt: skip
    return {
        name: experiment(population, protocol, by, trials=3, **top)
        for name, (population, protocol, by, top) in told.items()
    }


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Any, Any, Any]]:
    """By name: the run and the cells of a recording as JSON, and the JSON of the same run."""
    folder, made = tmp_path_factory.mktemp("recordings"), {}
    with open_store(None) as store:
        for name, work in works(folder).items():
            kept = begin(store, work, "test")
            results = results_of(work, frequencies=True, memory=kept)
            kept.finish(results, results.error)
            write_recording(store, kept.run, folder / name)
            with closing(sqlite3.connect(folder / name)) as db:
                uid, body, cells = db.execute("SELECT uid, body, cells FROM runs").fetchone()
            run = json.loads(unseal(f"run {uid}", body))
            document = json.loads(to_json(results, run["versions"]))
            made[name] = run, json.loads(unseal(f"cells {uid}", cells)), document
    return made


def told() -> dict[str, dict[str, str]]:
    """The words of the page about each key, by the part that has it."""
    section = page("docs/format.md").partition("\n## Recordings\n")[2].partition("\n## ")[0]
    rows = defaultdict[str, dict[str, str]](dict)
    for part, names, words in ROW.findall(section):
        rows[part] |= dict.fromkeys(re.findall("`(.+?)`", names), words)
    return rows


def keys(told: Mapping[str, Any]) -> set[str]:
    nested = {f"versions.{name}" for name in told.get("versions", ())}
    return (told.keys() - {"versions"}) | nested


def test_the_page_names_every_key_of_a_recording_and_no_other(recorded: Any) -> None:
    found = {"runs.body": set[str](), "runs.cells": set[str]()}
    for run, cells, _ in recorded.values():
        found["runs.body"] |= keys(run)
        found["runs.cells"] |= {key for cell in cells for key in cell}
    assert {part: {*told()[part]} for part in found} == found


def test_what_is_said_to_be_as_in_json_is(recorded: Any) -> None:
    for name, (run, cells, document) in recorded.items():
        assert run["document"] == document["scenario"]
        assert run["status"] == document["status"]
        assert run["digest"] == (document["digest"] if run["status"] == "done" else "")
        assert bool(run["error"]) == (run["status"] == "failed") == (name == "failed")
        for cell, other in zip(cells, document["cells"], strict=True):
            assert cell["parameters"] == other["parameters"]
            assert cell["malicious"] == other["malicious"]
            assert cell["answer"] == other.get("answer")
