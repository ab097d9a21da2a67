"""The keys of recordings are those that the page of the format names, and hold what it says."""

import base64
import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from support.cases import attack, experiment, results_of
from support.pages import page

from ldptui import core
from ldptui.core.export import to_json
from ldptui.core.store import begin, open_store
from ldptui.core.store.recording import write_recording

ROW = re.compile(r"^\| (\w+) \| (`.+?`) \| (.+) \|$", re.MULTILINE)
NESTED = ("cells", "populations", "versions", "rounds")
"""The keys whose own keys the page names too."""
OUE = {"kind": "oue", "epsilon": 1.0}
UNIFORM = {"kind": "uniform", "items": 8, "users": 500}
VECTORS = ("clean", "attacked", "clean_defended", "attacked_defended")

Lines = list[dict[str, Any]]


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
def recorded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Lines, Any, bytes]]:
    """By name: the lines of a recording, the JSON of the same run, and the recording's bytes."""
    folder, made = tmp_path_factory.mktemp("recordings"), {}
    with open_store(None) as store:
        for name, work in works(folder).items():
            kept = begin(store, work, "test")
            results = results_of(work, frequencies=True, memory=kept)
            kept.finish(results, results.error)
            write_recording(store, kept.run, folder / name)
            data = (folder / name).read_bytes()
            lines = [json.loads(line) for line in data.splitlines()]
            made[name] = lines, json.loads(to_json(results, lines[0]["versions"])), data
    return made


def told() -> dict[str, dict[str, str]]:
    """The words of the page about each key, by the line that has it."""
    section = page("docs/format.md").partition("\n## Recordings\n")[2].partition("\n## ")[0]
    rows = defaultdict[str, dict[str, str]](dict)
    for line, names, words in ROW.findall(section):
        rows[line] |= dict.fromkeys(re.findall("`(.+?)`", names), words)
    return rows


def keys(line: Mapping[str, Any]) -> Iterator[str]:
    """The keys of a line, `cells.users` for those in a table, in each of a list or a mapping."""
    for key, value in line.items():
        if key not in NESTED:
            yield key
            continue
        several = isinstance(value, list) or key == "populations"
        tables = (value if isinstance(value, list) else value.values()) if several else [value]
        yield from (f"{key}.{name}" for table in tables for name in table)


def test_the_page_names_every_key_of_a_recording_and_no_other(recorded: Any) -> None:
    found = defaultdict[str, set[str]](set)
    for (head, *blocks, end), _, _ in recorded.values():
        found["head"] |= {*keys(head)}
        found["block"] |= {key for block in blocks for key in keys(block)}
        found["end"] |= {*keys(end)}
    assert {line: {*rows} for line, rows in told().items()} == found


def test_what_is_said_to_be_as_in_json_is(recorded: Any) -> None:
    shared = {key for key, words in told()["head"].items() if words.startswith("as in JSON")}
    assert shared >= {"status", "scenario", "cells.answer"}
    for name, ((head, *_), document, _) in recorded.items():
        for key in shared - ({"digest"} if head["status"] != "done" else set()):
            table, _, of_cell = key.rpartition(".")
            pairs = (
                zip(head["cells"], document["cells"], strict=True) if table else [(head, document)]
            )
            for one, other in pairs:
                assert one.get(of_cell) == other.get(of_cell), (name, key)
        assert bool(head["digest"]) == (head["status"] == "done")
        assert bool(head["error"]) == (head["status"] == "failed") == (name == "failed")


def test_vectors_and_numbers_are_those_that_the_page_tells(recorded: Any) -> None:
    same = 0
    for name, ((head, *blocks, end), _, data) in recorded.items():
        assert end == {
            "blocks": len(blocks),
            "sha256": hashlib.sha256(data[: data.rindex(b"\n", 0, -1) + 1]).hexdigest(),
        }
        columns = len(head["metrics"])
        for block in blocks:
            cell = head["cells"][block["cell"]]
            size, trials = cell["domain_size"], len(block["fingerprints"])
            assert [len(row) for row in block["metrics"]] == [columns] * trials
            assert trials == cell["trials"] == 3
            assert (block["detected"] is None) == (name != "rappor")
            if name == "rappor":
                assert max(decoded(block["detected"], "q")) <= trials
            rounds = block.get("rounds", {})
            assert bool(rounds) == (name == "campaign")
            for vectors in filter(None, map(block.get, VECTORS)):
                same += vectors == "same"
                if vectors != "same":
                    assert [len(decoded(part, "d")) for part in vectors] == [size] * 2
            if rounds:
                assert [[len(row) for row in trial] for trial in rounds["metrics"]] == (
                    [[columns] * 3] * trials
                )
                assert [len(decoded(part, "d")) for part in rounds["clean"]] == [3 * size] * 2
                assert cell["users"] == 500
    assert same


def decoded(text: str, kind: str) -> list[Any]:
    """The numbers of a vector: "d" for float64, "q" for int64."""
    return memoryview(base64.b64decode(text)).cast(kind).tolist()
