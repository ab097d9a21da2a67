"""Runs that are replayed, recorded and shared."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.commands import Captured, fail, listed, noted, succeed
from support.stores import change_block, change_run

from ldptui.commands import cli
from ldptui.core.experiment import compile
from ldptui.core.metrics.results import CellResults
from ldptui.core.store import Store, open_store
from ldptui.terminal import exits, places


def other_mark(block: CellResults) -> CellResults:
    """The block with other counts in trial 4."""
    marks = block.fingerprints.copy()
    marks[4] = 1
    return replace(block, fingerprints=marks)


def test_a_replay_says_identical_or_where_not(tiny: str, kept: Path, capsys: Captured) -> None:
    digest = json.loads(succeed(capsys, "run", tiny, "--format", "json"))["digest"]
    assert succeed(capsys, "replay", "last") == (
        f"identical: 20 trials, {digest}, random numbers of NumPy {np.__version__}\n"
    )
    # another NumPy that draws as this one: from 2.5 on binomials are drawn otherwise
    other = "1.9" if np.lib.NumpyVersion(np.__version__) < "2.5.0" else "2.99"
    with open_store(kept) as there:
        versions = {**there.run(1).versions, "ldptui": "0.0.9", "numpy": other}
        change_run(there, 1, versions=versions)
    words = noted(capsys, "replay", "last")
    assert words.startswith("note: computed with ldptui 0.0.9, this is ")
    assert f"computed with NumPy {other}, here it is" in words
    assert "and yet the numbers are the same" in words
    with open_store(kept) as there:
        change_block(there, 1, 0, 0, other_mark)
    assert cli.main(["replay", "last"]) == 1
    output = capsys.readouterr()
    assert output.out.startswith("different: cell 0, trial 4: the fingerprint of its counts was 0")
    assert "numbers may differ for that reason" in output.err


@pytest.mark.parametrize("here", ["2.4.6", "2.5.0", "2.10.1"])
@pytest.mark.parametrize("there", ["2.4.0", "2.5.5"])
def test_a_replay_that_differs_names_the_law_that_numpy_corrected(
    here: str, there: str, tiny: str, kept: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    succeed(capsys, "run", tiny, "--quiet")
    with open_store(kept) as store:
        change_run(store, 1, versions={**store.run(1).versions, "numpy": there})
        change_block(store, 1, 0, 0, other_mark)
    monkeypatch.setattr("numpy.__version__", here)
    redrawn = (here != "2.4.6") != (there == "2.5.5")
    assert cli.main(["replay", "last"]) == (exits.REDRAWN if redrawn else exits.FAILED)
    output = capsys.readouterr()
    assert (f"`pip install numpy=={there}` under Python" in output.err) == redrawn
    assert ("large\nbinomials" in output.err or "large binomials" in output.err) == redrawn
    said = re.fullmatch(
        r"drawn by another NumPy; statistically the same: (\d+) of \1 means within [\d.]+ standard "
        r"errors \(largest 0\.0\)\n", output.out)  # fmt: skip
    assert (said is not None) == redrawn
    assert output.out.startswith("different: ") != redrawn


def test_a_replay_of_an_older_simulator_compares_the_means(
    tiny: str, kept: Path, capsys: Captured
) -> None:
    succeed(capsys, "run", tiny, "--quiet")
    with open_store(kept) as store:
        change_run(store, 1, versions={**store.run(1).versions, "simulator": 1})
        change_block(store, 1, 0, 0, other_mark)
    assert cli.main(["replay", "last"]) == exits.REDRAWN
    output = capsys.readouterr()
    assert output.out.startswith("drawn by another simulator; statistically the same: ")
    assert "simulator 1, here it is 2: it draws other numbers" in " ".join(output.err.split())


def test_a_replay_of_another_law_is_not_the_same(
    tiny: str, kept: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    succeed(capsys, "run", tiny, "--quiet")
    with open_store(kept) as store:
        change_run(store, 1, versions={**store.run(1).versions, "numpy": "2.5.5"})
        scenario = store.experiment(1).scenario
    other = compile(scenario.with_value("protocol.epsilon", 3.0))
    monkeypatch.setattr("numpy.__version__", "2.4.6")
    monkeypatch.setattr(Store, "experiment", lambda *_: other)
    assert cli.main(["replay", "last"]) == exits.FAILED
    output = capsys.readouterr()
    assert output.out.startswith("different: cell 0, trial 0: ")
    assert "drawn by another NumPy; not the same: " in output.out


def test_a_recording_carries_the_data_of_a_csv_file(
    tmp_path: Path, kept: Path, capsys: Captured
) -> None:
    (tmp_path / "data.csv").write_text("item\nb\na\nb\nc\nü\n", encoding="utf-8")
    scenario = tmp_path / "mine.toml"
    scenario.write_text(
        'format = 1\n[population]\nkind = "csv"\npath = "data.csv"\ncolumn = "item"\n'
        '[protocol]\nkind = "grr"\nepsilon = 1.0\n[attack]\nkind = "mga"\nshare = 0.3\n'
        'targets = { items = ["c", "ü"] }\n',
        encoding="utf-8",
    )
    out = tmp_path / "mine.ldptui"
    assert "wrote" in noted(
        capsys, "record", str(scenario), "--out", str(out), "--tag", "t", "--store", str(kept)
    )
    (tmp_path / "data.csv").unlink()
    scenario.unlink()
    kept.unlink()
    assert str(tmp_path).encode() not in out.read_bytes()
    identical = succeed(capsys, "replay", str(out))
    assert identical.startswith("identical: 20 trials, xxh3:")
    assert not kept.exists()
    assert succeed(capsys, "runs", "import", str(out)) == "run 1 imported\n"
    assert succeed(capsys, "runs", "import", str(out)) == "run 1 was here already\n"
    (run,) = listed(capsys)
    assert run["tags"] == ["t"]
    assert succeed(capsys, "replay", "1") == identical
    again = tmp_path / "again"
    noted(capsys, "runs", "export", "1", "--out", str(again))
    assert again.read_bytes() == out.read_bytes()
    shown = json.loads(succeed(capsys, "runs", "show", "1", "--format", "json", "--frequencies"))
    assert shown["cells"][0]["frequencies"]["items"] == ["a", "b", "c", "ü"]
    changed = out.read_bytes().replace(b'"share":0.3', b'"share":0.2')
    assert changed != out.read_bytes()
    out.write_bytes(changed)
    for command in (("runs", "import"), ("replay",)):
        assert "its checksum differs" in fail(capsys, 3, *command, str(out))


def test_a_recording_alone_needs_no_store(
    tiny: str, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LDPTUI_STORE")
    monkeypatch.setattr(places, "store_file", lambda: tmp_path / "never")
    out = tmp_path / "out.ldptui"
    noted(capsys, "record", tiny, "--out", str(out), "--trials", "3", "--seed", "5")
    assert "identical: 3 trials" in succeed(capsys, "replay", str(out))
    assert not (tmp_path / "never").exists()
