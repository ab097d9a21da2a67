"""What a file looks like to somebody who has lost its options."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ldptui
from ldptui.core.base.errors import ScenarioError
from ldptui.core.protocols import PROTOCOLS
from ldptui.core.reports.describing import describe_file

FILES: list[tuple[str, str, str]] = [
    ("r.csv", "report\n0110\n1000\n", "2 reports of 4 bits: unary: say .*oue.* --items 4"),
    ("r.csv", "report\n60f0\n", "2 bytes, of 9 to 16 bits: unary, bits packed: say .*--items"),
    ("r.csv", "report\n3\n11.0\n", "whole numbers up to 11: items.*grr.*--items 12 or more"),
    ("r.csv", "report\npear\n", "words: no protocol sends words"),
    ("r.csv", "report\n", "has 0 reports of nothing: there are no reports"),
    ("r.csv", "fruit\n3\n", "call the column report, not fruit"),
    ("r.csv", "a,b\n3,4\n", r"no protocol has these columns \(a, b\)"),
    ("r.csv", "seed,value\n7,2\n8,0\n", "2 reports: local hashing into 3 buckets or more: say"),
    ("r.csv", "cohort,bits\n1,6040\n", "1 reports: RAPPOR: say --protocol rappor"),
    ("r.jsonl", "[0, 1]\n[1, 1]\n", "2 reports of 2 bits"),
    ("r.json", '[{"report": [true, false]}]', "1 reports of 2 bits"),
    ("r.jsonl", "3\n-1\n", "whole numbers up to 3, some negative"),
]


@pytest.mark.parametrize(("name", "written", "words"), FILES)
def test_a_file_is_described_with_the_options_it_needs(
    name: str, written: str, words: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(written, "utf-8")
    with pytest.raises(ScenarioError, match=f"protocol is required: .*{words}"):
        ldptui.estimate(str(tmp_path / name))


@pytest.mark.parametrize("kind", PROTOCOLS)
@pytest.mark.parametrize("end", [".csv", ".parquet"])
def test_files_of_ours_are_told_their_protocol(kind: str, end: str, tmp_path: Path) -> None:
    if end == ".parquet":
        pytest.importorskip("pyarrow")
    made: Any = ldptui.protocol(kind, items=12, epsilon=1.0)
    if made.simulated_only:
        return
    ldptui.write_reports(tmp_path / f"r{end}", [made.perturb(np.arange(12).repeat(5))], made)
    described = describe_file(tmp_path / f"r{end}")
    assert described.rows == 60
    assert "say --protocol" in described.sentence


def test_arrays_and_counts_are_described(tmp_path: Path) -> None:
    np.save(tmp_path / "r.npy", np.eye(4))
    assert describe_file(tmp_path / "r.npy").columns[0].words == "4 bits"
    made = ldptui.protocol("grr", items=4, epsilon=1.0)
    ldptui.counted(made.perturb([1, 2]), made).write(tmp_path / "a.counts")
    answer = ldptui.estimate([str(tmp_path / n) for n in ("r.npy", "a.counts")], describe=True)
    assert "counts of GRR: epsilon 1.0, domain_size 4" in answer.text()
    assert json.loads(json.dumps(answer.document()))["files"][0]["rows"] == 4


@pytest.mark.parametrize("end", [".npy", ".json"])
def test_an_array_is_read_once(end: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path, opened = tmp_path / f"r{end}", list[str]()
    np.save(path, np.eye(4)) if end == ".npy" else path.write_text(json.dumps([[0, 1]] * 4))
    plain = Path.open

    def open_noted(self: Path, *args: Any, **kwargs: Any) -> Any:
        opened.append(self.name)
        return plain(self, *args, **kwargs)

    monkeypatch.setattr(Path, "open", open_noted)
    assert describe_file(path).rows == 4
    assert opened == [path.name]
