"""Exports: names and shapes of the headless command's, whole files, honest sentences."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any, get_args

import pytest
from msgspec.structs import replace
from support.fake_engine import base_snapshot
from support.stores import listed

from ldptui.session.exporting import (
    ExportChoice,
    What,
    caption,
    default_path,
    embed_scenario,
    export,
    read_figure,
    results_csv,
    results_json,
)
from ldptui.session.runs import Run

DOCUMENT = {"format": 1, "title": "ε", "protocol": {"kind": "grr", "epsilon": 1.0}}


class Charts:
    """Draws a chart of one letter."""

    def __init__(self, letter: str = "x") -> None:
        self.letter = letter

    def as_text(self) -> str:
        return self.letter

    def as_svg(self) -> str:
        return f"<svg>{self.letter}</svg>" if self.letter else ""


def a_run(**changes: Any) -> Run:
    snapshot = replace(base_snapshot(3), full=True)
    return Run(3, DOCUMENT, replace(snapshot, **changes), 0.0, "ε")


def test_the_caption_of_an_unfinished_run_says_so() -> None:
    assert (
        caption("ε", 7, 3, "", "2.4.6") == "ε · seed 7 · 3 trials · the run has not come to its end"
    )
    assert caption("ε", 7, 3, "xxh3:1", "2.4.6").endswith("xxh3:1, random numbers of NumPy 2.4.6")


def write(what: What, path: Path, run: Run | None, charts: Charts | None = None) -> str:
    return export(ExportChoice(what, path), charts or Charts(), run)


def test_json_has_the_shape_of_the_headless_command(tmp_path: Path) -> None:
    from ldptui.core import compile, run
    from ldptui.core.export import to_json
    from ldptui.core.scenario import parse

    assert write("json", tmp_path / "r.json", a_run()) == f"wrote {tmp_path / 'r.json'}"
    ours = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    text = """format = 1
trials = 2
[population]
kind = "uniform"
items = 4
users = 100
[protocol]
kind = "grr"
epsilon = 1.0
"""
    *_, last = run(compile(parse(text)))
    theirs = json.loads(to_json(last.results, {"ldptui": "1", "numpy": "2"}, frequencies=True))
    assert ours.keys() == theirs.keys() | {"verdict"}
    assert ours["cells"][0].keys() == theirs["cells"][0].keys()
    assert ours["cells"][0]["frequencies"].keys() == theirs["cells"][0]["frequencies"].keys()
    assert ours["scenario"] == DOCUMENT
    assert ours["status"] == "done"
    assert ours["cells"][0]["metrics"]["gain"] == {
        "mean": 0.2,
        "standard_error": 0.001,
        "theory": 0.2,
        "z": 0.0,
    }


RAPPOR = {"kind": "rappor", "f": 0.5, "bits": 8, "hashes": 1, "cohorts": 4}
GOAL = {"metric": "gain", "at_least": 0.2}
ASKED = {"kind": "mga", "targets": {"items": [3, 4]}}
EVERYTHING = {"kind": "mga", "share": 0.1, "targets": {"items": [*range(8)]}}
"""Its gain over GRR is 0 but for rounding: there is no z."""
GRR = {"kind": "grr", "epsilon": 1.0}


@pytest.mark.every(2)
@pytest.mark.parametrize(
    "table",
    [
        {"campaign": {"rounds": 3}},
        {"protocol": RAPPOR},
        {"goal": GOAL, "attack": ASKED},
        {"defence": [{"kind": "norm-sub"}]},
        {"campaign": {"rounds": 2}, "defence": [{"kind": "norm-sub"}]},
        {"defence": [{"kind": "fiad"}]},
        {"population": {"kind": "counts", "counts": [7] * 120}},
        {"task": {"kind": "heavy-hitters", "k": 2, "bits": 4, "groups": 2}},
        {"attack": EVERYTHING, "protocol": GRR},
        {"attack": EVERYTHING, "protocol": GRR, "campaign": {"rounds": 2}},
    ],
)
def test_json_and_csv_have_all_that_the_headless_command_writes(table: dict[str, Any]) -> None:
    from ldptui.core import Scenario, compile, run
    from ldptui.core.export import results_cells_csv, to_json
    from ldptui.core.store import begin, open_store
    from ldptui.engine.replay import RunReplay

    document: dict[str, Any] = {
        "format": 1,
        "population": {"kind": "zipf", "items": 8, "users": 1000, "exponent": 1.0},
        "protocol": {"kind": "oue", "epsilon": 1.0},
        "attack": {**ASKED, "share": 0.1},
        "trials": 3,
        **table,
    }
    in_doubt = document["attack"] is EVERYTHING
    made = compile(Scenario(document))
    store = open_store(None)
    memory = begin(store, made)
    *_, last = run(made, memory=memory)
    memory.finish(last.results)
    replay = RunReplay(store, 1, 3)
    snapshot = replay.frame()
    replay.close()
    ours = json.loads(results_json(Run(3, document, snapshot, 0.0, "x")))["cells"][0]
    theirs = json.loads(to_json(last.results, {}, frequencies=True))["cells"][0]
    if theirs["frequencies"]:  # indices where it has no labels
        theirs["frequencies"]["items"] = ours["frequencies"]["items"]
    assert ours == theirs
    gain = ours["metrics"].get("gain", {"theory": None})
    assert in_doubt == (gain["theory"] is not None and gain["z"] is None)
    rows = csv.DictReader(io.StringIO(results_csv(Run(3, document, snapshot, 0.0, "x"))))
    assert list(rows) == list(csv.DictReader(io.StringIO(results_cells_csv(last.results))))


@pytest.mark.parametrize("status", ["partial", "running", "failed"])
def test_an_unfinished_run_is_marked_partial(tmp_path: Path, status: str) -> None:
    run = a_run(status=status, done=12)
    path = tmp_path / "r.csv"
    assert write("csv-cells", path, run) == f"wrote {path} (partial: 12 of 20 trials)"
    said = "failed" if status == "failed" else "partial"
    assert json.loads(results_json(run))["status"] == said


def test_a_kept_run_is_written_with_the_versions_that_drew_it() -> None:
    written = json.loads(results_json(replace(a_run(numpy="2.0"), kept=listed(7))))
    assert (written["ldptui"], written["numpy"]) == ("0.1", "2.0")


def test_a_preview_is_marked_as_one(tmp_path: Path) -> None:
    assert "preview" in write("csv-cells", tmp_path / "r.csv", a_run(full=False))


@pytest.mark.parametrize("what", ["csv-cells", "json"])
def test_without_results_nothing_is_written(tmp_path: Path, what: What) -> None:
    for run in (None, a_run(cells=())):
        assert write(what, tmp_path / "r", run).startswith("there are no results")
    assert list(tmp_path.iterdir()) == []


def test_the_chart_as_text_and_picture(tmp_path: Path) -> None:
    assert write("chart-text", tmp_path / "c.txt", None) == f"wrote {tmp_path / 'c.txt'}"
    assert (tmp_path / "c.txt").read_text(encoding="utf-8") == "x"
    write("chart-svg", tmp_path / "c.svg", None)
    assert (tmp_path / "c.svg").read_text(encoding="utf-8") == "<svg>x</svg>"
    assert "nothing was written" in write("chart-svg", tmp_path / "d.svg", None, Charts(""))
    assert not (tmp_path / "d.svg").exists()


def test_an_export_that_fails_gives_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("kept", encoding="utf-8")
    sentence = write("json", tmp_path / "file" / "r.json", a_run())
    assert sentence.startswith(f"{tmp_path / 'file' / 'r.json'} cannot be written: ")
    assert write("json", tmp_path, a_run()).endswith("it is a folder")
    assert (tmp_path / "file").read_text(encoding="utf-8") == "kept"


def test_names_are_free_and_say_what_they_hold(tmp_path: Path) -> None:
    assert default_path("csv-cells", "mga", tmp_path) == tmp_path / "mga-results.csv"
    (tmp_path / "mga-results.csv").write_text("", encoding="utf-8")
    assert default_path("csv-cells", "mga", tmp_path) == tmp_path / "mga-results-2.csv"
    names = {default_path(what, "x", tmp_path, "gain").name for what in get_args(What)}
    assert names == {
        "x-gain.pdf",
        "x-results.csv",
        "x-trials.csv",
        "x-results.json",
        "x-gain.txt",
        "x-gain.svg",
    }


def test_the_scenario_in_a_picture_ends_where_it_ends(tmp_path: Path) -> None:
    """A PNG has four bytes of a checksum behind it, which may be letters as well."""
    path = tmp_path / "figure.png"
    for length in range(4):
        document = {"title": "e" * length}
        for tail in (
            b"",
            b"A",
            b"Az",
            b"Az9",
            b"Az9/",
            b"=Az9",
            b"Az9=",
            b"Az==",
            b"\xffA=z",
            b'"}][',
        ):
            path.write_bytes(b"text\0" + embed_scenario(document, "x", "2").encode() + tail)
            kept = read_figure(path)
            assert kept is not None
            assert kept.document == document, tail
