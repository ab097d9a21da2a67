"""`Results.table` and `Results.plot`."""

from __future__ import annotations

from pathlib import Path

import pytest

import ldptui

TABLES = {
    "population": {"kind": "zipf", "items": 8, "users": 500, "exponent": 1.0},
    "protocol": {"kind": "oue", "epsilon": 1.0},
    "attack": {"kind": "mga", "share": 0.1, "targets": {"items": [3]}},
    "trials": 3,
    "sweep": {"protocol.kind": ["grr", "oue"], "attack.share": [0.1, 0.2]},
}


@pytest.fixture(scope="module")
def results() -> ldptui.Results:
    return ldptui.run(TABLES)


def test_a_table_is_what_the_command_writes(results: ldptui.Results) -> None:
    table = results.table("gain", rows="attack.share", columns="protocol.kind")
    wanted = results.estimate("gain", cell=1)
    assert table.records()[1]["grr gain"] == wanted.mean
    assert table.records()[1]["grr gain_standard_error"] == wanted.standard_error
    assert table.to_csv().startswith("attack.share,grr gain,")
    assert r"\begin{tabular}{rrr}" in table.to_latex()
    assert "| share | gain: grr | gain: oue |" in table.to_markdown()
    assert "grr" in repr(table)
    assert "<pre" in table._repr_html_()


def test_chosen_metrics_alone(results: ldptui.Results) -> None:
    rows = results.table(["mse", "gain"]).records()
    assert {row["metric"] for row in rows} == {"mse", "gain"}
    assert len(rows) == 8
    everything = results.table().records()
    assert everything == results.rows()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"metrics": "speed"}, "metrics must be metrics of this run"),
        ({"rows": 5}, "rows must be a name or a list of names, got 5"),
        ({"columns": "attack.kind"}, "columns must be swept keys"),
        ({"rows": "attack.share"}, "protocol.kind is in neither"),
    ],
)
def test_what_there_is_not(given: dict[str, object], words: str, results: ldptui.Results) -> None:
    with pytest.raises(ldptui.ScenarioError, match=words):
        results.table(**given)  # type: ignore[arg-type]


def test_a_plot_is_a_figure_of_matplotlib(results: ldptui.Results, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    figure = results.plot("gain", columns=1)
    figure.savefig(tmp_path / "gain.svg")
    assert (tmp_path / "gain.svg").stat().st_size > 1000
    assert figure.axes[0].get_xlabel()
    with pytest.raises(ldptui.ScenarioError, match="columns must be 1 or 2"):
        results.plot(columns=3)
