"""The names of an author in figures and tables for paper."""

from __future__ import annotations

import ldptui
from ldptui.charts.series import Axis, Plot, Series
from ldptui.text.labels import with_labels


def test_whole_names_are_replaced_and_keywords_stay() -> None:
    line = Series("OUE on OUE2, MGA", (0.0, 1.0), (0.0, 2.0), "theory", end="OUE")
    plot = Plot("theory of OUE", Axis("β"), Axis("gain"), (line,), note="OUE: line")
    made = with_labels(plot, {"OUE": "ours", "gain": "G", "theory": "T", "line": "L"})
    (series,) = made.series
    assert (made.title, made.y.label, made.note) == ("T of ours", "G", "ours: L")
    assert (series.label, series.end) == ("ours on OUE2, MGA", "ours")
    assert (series.tone, series.style, series.x) == ("theory", "line", (0.0, 1.0))
    assert with_labels(plot, {}) is plot


def test_a_scenario_names_its_protocols_for_a_paper() -> None:
    results = ldptui.run({
        "format": 1, "trials": 2, "labels": {"GRR": "randomised response", "gain": "G"},
        "population": {"kind": "uniform", "items": 8, "users": 500},
        "protocol": {"kind": "grr", "epsilon": 1.0},
        "attack": {"kind": "mga", "share": 0.1, "targets": {"items": [1]}},
        "sweep": {"protocol.kind": ["grr", "oue"]},
    })  # fmt: skip
    for written in (results.table().to_latex(), results.table().to_markdown()):
        assert "G" in written
        assert "gain" not in written
        assert "randomised response" in written
        assert "grr" not in written
    assert "gain" in repr(results)
    same = ldptui.run({**results.measured.experiment.scenario.document, "labels": {}})
    assert same.digest == results.digest
