"""Files of reports: what is written is read again, and what is wrong is named by its line."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.kinds import SENDING

import ldptui
from ldptui.core.base.errors import ContentError, LdpError, ScenarioError
from ldptui.core.law.pure import PureProtocol
from ldptui.core.reports import arrow, file_cells, report_files, sources

VECTORS = Path(__file__).parents[3] / "docs" / "report-vectors.json"


def bound(kind: str, items: int = 11) -> Any:
    return ldptui.protocol(kind, items, epsilon=1.0)


@pytest.mark.every(5)
@pytest.mark.parametrize("end", sources.FORMATS)
@pytest.mark.parametrize("kind", SENDING)
def test_what_is_written_is_read_again(
    kind: str, end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if end in (".parquet", ".arrow"):
        pytest.importorskip("pyarrow")
    for module in (report_files, arrow, file_cells):
        monkeypatch.setattr(module, "BATCH", 16)
    protocol, rng = bound(kind), np.random.default_rng(0)
    sent = [
        report_files.send_reports(protocol, rng.integers(0, 11, size), rng) for size in (30, 0, 7)
    ]
    path = tmp_path / f"reports{end}"
    assert report_files.write_reports(path, sent, protocol) == 37
    batches = list(report_files.read_reports(path, protocol))
    assert max(map(len, batches)) == 16
    there, back = np.concatenate(sent), np.concatenate(batches)
    assert there.dtype == back.dtype
    assert np.array_equal(there, back)


def test_the_vectors_are_read_as_they_say(tmp_path: Path) -> None:
    vectors = json.loads(VECTORS.read_text("utf-8"))
    assert set(vectors) == set(SENDING)
    for kind, vector in vectors.items():
        protocol = bound(kind, vector["items"])
        path = tmp_path / "reports.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in vector["reports"]), "utf-8")
        (reports,) = report_files.read_reports(path, protocol)
        if isinstance(protocol, PureProtocol):
            supports = protocol.supports(reports)
            assert [np.flatnonzero(row > 0).tolist() for row in supports] == vector["supports"]


def test_parquet_needs_its_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.compute", None)
    with pytest.raises(ScenarioError, match=r"r\.parquet needs pyarrow, as Parquet and Arrow do"):
        report_files.write_reports(tmp_path / "r.parquet", [], bound("grr"))
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    for name in ("r.csv", "r.jsonl", "r.csv.gz"):
        with pytest.raises(LdpError, match="cannot be read"):
            list(report_files.read_reports(tmp_path / name, bound("grr")))
    (tmp_path / "r.csv.gz").write_text("no gzip")
    with pytest.raises(ContentError, match="is not CSV"):
        list(report_files.read_reports(tmp_path / "r.csv.gz", bound("grr")))


def test_blank_lines_at_the_end_and_beside_other_columns_are_no_rows(tmp_path: Path) -> None:
    for text in ("report\n1\n2\n\n\n", "report,other\n1,a\n\n2,b\n"):
        (tmp_path / "r.csv").write_text(text)
        (reports,) = report_files.read_reports(tmp_path / "r.csv", bound("grr", 3))
        assert reports.tolist() == [1, 2]


@pytest.mark.parametrize("blocks", [1, 2])
def test_lines_are_counted_over_blocks(blocks: int, tmp_path: Path) -> None:
    path, many = tmp_path / "r.csv", 70_000 * blocks
    path.write_text("report\n" + "1\n" * many + "\n" + "2\n" * many)
    with pytest.raises(ScenarioError, match=f"line {many + 2}: report must be"):
        list(report_files.read_reports(path, bound("grr", 3)))
