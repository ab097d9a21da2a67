"""Counts of reports, in files and added up, and the groups of users that are counted apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.kinds import SENDING

import ldptui
from ldptui.core.base.errors import LdpError, ScenarioError
from ldptui.core.reports import groups, report_files


def olh(**keys: Any) -> Any:
    return ldptui.protocol("olh", 4, **{"epsilon": 1.0, **keys})


@pytest.mark.parametrize("kind", SENDING)
def test_counts_of_parts_are_the_counts_of_all(kind: str, tmp_path: Path) -> None:
    protocol, rng = ldptui.protocol(kind, 11, epsilon=1.0), np.random.default_rng(0)
    parts = [
        report_files.send_reports(protocol, rng.integers(0, 11, count), rng) for count in (20, 0, 7)
    ]
    total = ldptui.counted(parts[0], protocol)
    for at, part in enumerate(parts[1:]):
        path = tmp_path / f"{at}.counts"
        ldptui.counted(part, protocol).write(path)
        total += ldptui.read_counts(path, protocol)
    every = ldptui.counted(iter(parts), protocol)
    whole = protocol.support_counts(np.concatenate(parts))
    for made in (total, every):
        assert made.reports == 27
        assert made.counts.dtype == whole.dtype
        assert np.array_equal(made.counts, whole)
    if "estimates" in protocol.lacks:
        return
    wanted = ldptui.estimate(np.concatenate(parts), protocol).values
    # What is decoded depends in its last digits on where arrays lie in memory.
    assert ldptui.estimate(total, protocol).values == pytest.approx(wanted, abs=1e-9, nan_ok=True)


def test_counts_of_others_are_refused(tmp_path: Path) -> None:
    path, names = tmp_path / "a.counts", ("a", "b", "c", "d")
    ldptui.counted(olh().perturb([1, 2, 3]), olh()).write(path)
    for protocol, labels, sentence in (
        (olh(epsilon=2.0), None, "epsilon 2.0, got 1.0"),
        (ldptui.protocol("grr", 4, epsilon=1.0), None, "protocol GRR, got LocalHashing"),
        (ldptui.protocol("blh", 4, epsilon=1.0), None, "hash_range 2, got 4"),
        (ldptui.protocol("olh", 5, epsilon=1.0), None, "domain_size 5, got 4"),
        (olh(), names, "domain f"),
    ):
        with pytest.raises(ScenarioError) as refused:
            ldptui.read_counts(path, protocol, labels)
        assert str(refused.value).startswith(f"{path} must be of reports with {sentence}")
    with pytest.raises(ScenarioError, match="the counts must be of reports with domain none"):
        _ = ldptui.read_counts(path, olh()) + ldptui.counted(olh().perturb([1]), olh(), names)


def test_a_bad_file_of_counts_ends_with_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.counts"
    ldptui.counted(olh().perturb([0, 1, 2, 3] * 12 + [0, 1]), olh()).write(path)
    good = json.loads(path.read_text())
    good.pop("digest")  # of files that are older
    huge = 10**400
    changed: list[Any] = [
        {"counts": [1, 2, 3]}, {"counts": [1, 2, 3, 51]}, {"counts": [1, 2, 3, 4.5]},
        {"counts": [1, 2, 3, huge]}, {"counts": [[1, 2, 3, 4]]}, {"counts": None},
        {"counts": [1, 2, 3, [4]]}, {"counts": ["1", 2, 3, 4]}, {"counts": [True] * 4},
        {"reports": -1}, {"reports": huge}, {"reports": 50.0}, {"reports": None}, {"format": 2},
        {"epsilon": float("nan")}, {"hash_range": {"a": 1}}, {"domain": "x" * 5000},
    ]  # fmt: skip
    texts = [json.dumps(good | change) for change in changed]
    texts += ["", "{}", "[" * 200_000, "7" * 5000, "null", '{"ldptui": "counts"}', f"{good}"]
    texts += [json.dumps(good) + "\n{}", "\ud800"]
    for text in texts:
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        with pytest.raises(LdpError) as refused:
            ldptui.read_counts(path, olh())
        assert str(refused.value).startswith(str(path)), text[:80]
        assert len(str(refused.value)) < 400
    with path.open("wb") as file:
        file.write(b"[" + b"1," * (9 << 20))
    with pytest.raises(LdpError, match="must have lines of at most"):
        ldptui.read_counts(path, olh())


def kept_counts(kind: str, path: Path) -> dict[str, Any]:
    """What a file of counts of 40 reports of a kind holds, as it was written."""
    protocol, rng = ldptui.protocol(kind, 6, epsilon=1.0), np.random.default_rng(0)
    reports = report_files.send_reports(protocol, rng.integers(0, 6, 40), rng)
    ldptui.counted(reports, protocol).write(path)
    held: dict[str, Any] = json.loads(path.read_text())
    return held


@pytest.mark.parametrize(
    ("kind", "changes", "said"),
    [
        ("grr", {"counts": [-1, 40, 1, 0, 0, 0]}, "reports of GRR can have: none below 0, got -1"),
        ("grr", {"counts": [True, 39, 0, 0, 0, 0]}, "must have 6 counts of at most 40 reports"),
        ("grr", {"counts": [1, 2, 3, 4, 5, 6]}, "these are of 21 reports, got 40"),
        ("grr", {"reports": 41}, "these are of 40 reports, got 41"),
        ("ss", {"reports": 41}, "these are of 40 reports, got 41"),
        ("oue", {"counts": [-1, 0, 0, 0, 0, 0]}, "can have: none below 0, got -1"),
        ("dbitflip", {"reports": 41}, "these are of 40 reports, got 41"),
        ("grr", {"note": "by hand"}, 'has a key that files of counts have not, got "note"'),
        ("grr", {"digest": "0" * 64}, "its digest is that of other counts"),
        ("oue", {"reports": 41, "digest": None}, "its digest is that of other counts"),
    ],
)
def test_counts_that_no_reports_have_are_refused(
    kind: str, changes: dict[str, Any], said: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.counts"
    held = kept_counts(kind, path)
    protocol = ldptui.protocol(kind, 6, epsilon=1.0)
    assert ldptui.read_counts(path, protocol).reports == 40
    if "digest" not in changes:
        held.pop("digest")
    path.write_text(json.dumps(held | changes))
    with pytest.raises(ScenarioError) as refused:
        ldptui.read_counts(path, protocol)
    assert said in str(refused.value)


@pytest.mark.parametrize("waiting", [1, 5000, 1 << 26])
def test_groups_are_counted_however_much_waits(
    waiting: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, rng = tmp_path / "r.csv", np.random.default_rng(1)
    reports, names = olh().perturb(rng.integers(0, 4, 900), rng), np.array(["DE", "FR", ""])
    towns = names[rng.integers(0, 3, 900)]
    report_files.write_reports(path, [reports], olh(), keep={"country": towns.tolist()})
    monkeypatch.setattr(report_files, "BATCH", 100)
    monkeypatch.setattr(groups, "WAITING", waiting)
    found = ldptui.estimate(str(path), olh(), by="country")
    for name in names:
        wanted = ldptui.estimate(reports[towns == name], olh()).rows()
        assert found.groups[name].rows() == wanted


def test_long_names_of_groups_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    names = ["x" * 31, "x" * 32, "x" * 33, "x" * 200]
    path.write_text("seed,value,day\n" + "".join(f"1,0,{name}\n" * 2 for name in names))
    found = ldptui.estimate(path, olh(), by="day")
    assert found.names == sorted(names)
    assert all(each.reports == 2 for each in found.groups.values())
