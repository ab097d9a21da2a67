"""Filters and alarms from the scenario to the metrics: paired reports, refusals, campaigns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.cases import alike, attack, experiment, results_of

from ldptui import core
from ldptui.core.base.arms import ATTACKED_DEFENDED, CLEAN_DEFENDED, DEFENDED, UNDEFENDED
from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.flags import area_under
from ldptui.core.collection.sifting import detection
from ldptui.core.defences import FILTERS
from ldptui.core.experiment.size_limits import held_bytes
from ldptui.core.metrics import metrics_of

TARGETS = [3, 8, 11, 15, 19]
FLAGS = ["precision", "recall", "f1", "false_positive_rate", "auc", "reports_kept", "alarm_rate"]


def work(*kinds: str, protocol: str = "oue", **more: Any) -> core.Experiment:
    table = more.pop("table", attack("mga", 0.05, TARGETS))
    users = {"kind": "zipf", "items": 24, "users": 3000, "exponent": 1.0}
    top = {"trials": 2, "defence": [{"kind": kind} for kind in kinds], **more}
    return experiment(users, {"kind": protocol, "epsilon": 1.0}, table, **top)


def test_a_filter_reads_the_reports_of_the_reports_path() -> None:
    plain = results_of(work(simulate={"path": "reports"}))
    sifted = results_of(work("fiad"))
    assert sifted.experiment.cells[0].path == "reports"
    assert sifted.digest == plain.digest
    for metric in metrics_of(UNDEFENDED):
        assert alike(sifted.cells[0].metrics[metric], plain.cells[0].metrics[metric])


def test_all_cells_of_a_sweep_share_their_reports() -> None:
    made = work("none", sweep={"defence.0.kind": ["none", *FILTERS, "asd"]})
    assert {cell.path for cell in made.cells} == {"reports"}
    cells = results_of(made).cells
    assert len({str(cell.fingerprints.tolist()) for cell in cells}) == 1


def test_the_metrics_are_those_of_the_verdict_on_each_report() -> None:
    (cell,) = work("fiad").cells
    metrics = cell.block(0, 2).metrics
    for trial in range(2):
        seen = detection(cell, trial)
        flagged, fakes, row = ~seen.kept, seen.fakes, metrics[trial]
        caught = (flagged & fakes).sum()
        assert fakes.sum() == cell.malicious
        assert row["reports_kept"] == seen.kept.sum()
        assert row["precision"] == caught / flagged.sum()
        assert row["recall"] == caught / fakes.sum()
        assert row["f1"] == pytest.approx(2 / (1 / row["precision"] + 1 / row["recall"]))
        assert row["false_positive_rate"] == (flagged & ~fakes).sum() / cell.users
        assert seen.score is not None
        assert row["auc"] == area_under(seen.score, fakes)
        assert (row["alarm_rate"], row["false_alarm_rate"]) == (1, 0)
        before = detection_of_clean(trial)
        after, clean = (
            cell.protocol.estimates(arm.left[None], int(arm.kept.sum())).frequencies[0]
            for arm in (seen, before)
        )
        gain = (after - clean)[TARGETS].sum()
        assert row["gain_after"] == pytest.approx(gain, abs=1e-12)
        assert abs(row["gain_after"]) < 0.2 < row["gain"]


def detection_of_clean(trial: int) -> Any:
    """The verdict on the same genuine reports where nobody attacks."""
    (cell,) = work("fiad", table={"kind": "none"}).cells
    return detection(cell, trial)


def test_the_order_of_the_reports_says_nothing() -> None:
    """The fakes have any of 3,158 places; another attack has them elsewhere."""
    (cell,) = work("fiad").cells
    first, again, other = (detection(cell, trial).fakes for trial in (0, 0, 1))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    places = np.flatnonzero(first)
    assert places.min() < 200
    assert abs(places.mean() / first.size - 0.5) < 0.1


def test_without_an_attack_nothing_is_caught() -> None:
    (cell,) = results_of(work("fiad", table={"kind": "none"})).cells
    assert np.isnan([cell.metrics[name] for name in ("recall", "f1", "auc", "precision")]).all()
    assert (cell.metrics["false_positive_rate"] == 0).all()
    assert (cell.metrics["reports_kept"] == 3000).all()
    assert (cell.metrics["alarm_rate"] == cell.metrics["false_alarm_rate"]).all()


def test_filters_follow_each_other_and_corrections_follow_them() -> None:
    (both,) = results_of(work("fiad", "diffstats", "norm-sub")).cells
    (one,) = results_of(work("fiad")).cells
    assert (both.metrics["reports_kept"] < one.metrics["reports_kept"]).all()
    assert alike(both.metrics["auc"], one.metrics["auc"])  # of the first, which sees all reports
    for arm in DEFENDED:
        assert both.arms[arm].mean.sum() == pytest.approx(1)


def test_what_tells_no_fakes_has_no_precision() -> None:
    target = attack("mga", 0.1, [3])
    (named,) = results_of(work("conditional", table=target)).cells
    (alarm,) = results_of(work("asd", trials=20)).cells
    for cell in (named, alarm):
        assert np.isnan([cell.metrics[name] for name in FLAGS[:6]]).all()
    assert set(named.metrics["targets_named"]) <= {0, 1}
    assert named.arms[ATTACKED_DEFENDED].mean.sum() == pytest.approx(1)
    assert np.isnan(named.metrics["alarm_rate"]).all()
    assert alarm.metrics["alarm_rate"].mean() > 0.9
    assert (alarm.metrics["false_alarm_rate"] == 0).all()


PHASES = {
    "phase": [
        {
            "rounds": 2,
            "share": 0.1,
            "muted": True,
            "mix": [{"kind": "mga", "weight": 1.0, "targets": {"items": TARGETS}}],
        },
        {
            "rounds": 2,
            "share": 0.1,
            "mix": [{"kind": "mga", "weight": 1.0, "targets": {"items": TARGETS}}],
        },
    ]
}


def test_the_filters_of_a_campaign_read_each_round() -> None:
    (cell,) = results_of(work("fiad", campaign={"rounds": 2}, trials=1)).cells
    assert cell.rounds is not None
    assert (cell.rounds.metrics["recall"] > 0.9).all()
    pool = cell.metrics["reports_kept"]
    assert pool == cell.rounds.metrics["reports_kept"].sum(axis=1)
    mean = (cell.rounds.arms[CLEAN_DEFENDED].mean).mean(axis=0)
    assert cell.arms[CLEAN_DEFENDED].mean == pytest.approx(mean, abs=1e-3)


def test_history_sees_the_round_in_which_an_attack_starts() -> None:
    users = {"kind": "zipf", "items": 24, "users": 30_000, "exponent": 1.0}
    protocol = {"kind": "oue", "epsilon": 1.0}
    more: dict[str, Any] = {"trials": 20, "defence": [{"kind": "history", "chance": 1e-6}]}
    (cell,) = results_of(experiment(users, protocol, PHASES, **more)).cells
    assert cell.rounds is not None
    assert np.isnan(cell.rounds.metrics["alarm_rate"][:, 0]).all()  # nothing to compare with
    assert cell.rounds.metrics["alarm_rate"][:, 1:].tolist() == [[0, 1, 0]] * 20
    assert (cell.rounds.metrics["false_alarm_rate"][:, 1:] == 0).all()
    assert (cell.metrics["detection_delay"] == 0).all()
    assert (cell.metrics["alarm_rate"] == 1).all()
    constant = attack("mga", 0.1, TARGETS)
    (unseen,) = results_of(
        experiment(users, protocol, constant, campaign={"rounds": 3}, **more)
    ).cells
    assert np.isnan(unseen.metrics["detection_delay"]).all()
    assert (unseen.metrics["alarm_rate"] == 0).all()


@pytest.mark.parametrize(
    ("made", "rule"),
    [
        ({"protocol": "grr"}, 'defence.0.kind must not be "fiad" with GRR, whose report is one'),
        ({"protocol": "ss"}, 'defence.0.kind must not be "fiad" with SS, whose report is a number'),
        (
            {"protocol": "laplace", "table": {"kind": "none"}},
            'defence.0.kind must not be "fiad" with Laplace, a curator',
        ),
        ({"simulate": {"path": "counts"}}, 'simulate.path must be "auto" or "reports" with a filt'),
        (
            {"defence": [{"kind": "norm-sub"}, {"kind": "fiad"}]},
            "defence.1.kind must stand before all corrections",
        ),
        ({"defence": [{"kind": "fiad", "chance": 0.0}]}, "defence.0.chance must be in (0, 1), got"),
        ({"defence": [{"kind": "fiad", "min_support": 1.0}]}, "defence.0.min_support must be"),
        ({"defence": [{"kind": "history"}]}, 'defence.0.kind must not be "history" without rounds'),
        ({"defence": [{"kind": "asd", "slack": 2.0}]}, "defence.0.slack must be in (0, 1), got 2"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(made: dict[str, Any], rule: str) -> None:
    with pytest.raises(ScenarioError) as error:
        work("fiad", **made)
    assert rule in str(error.value)
    assert "\n" not in str(error.value)


def test_the_memory_of_filters_is_known_before_they_start() -> None:
    assert held_bytes(work("none").cells[0]) == 0
    (small,) = work("fiad").cells
    users = {"kind": "zipf", "items": 1024, "users": 1_000_000, "exponent": 1.0}
    protocol, table = {"kind": "oue", "epsilon": 1.0}, attack("mga", 0.05, TARGETS)
    (large,) = experiment(users, protocol, table, defence=[{"kind": "fiad"}]).cells
    assert held_bytes(small) < held_bytes(large) < 10**9
    with pytest.raises(ScenarioError, match=r"at most 4\.3 GB \(--no-limits lifts this\)") as error:
        experiment({**users, "users": 10**7}, protocol, table, defence=[{"kind": "fiad"}])
    assert "the reports of 10000000 users" in str(error.value)


def test_a_filter_that_keeps_nothing_fails_its_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    from ldptui.core.defences import Verdict
    from ldptui.core.defences.fiad import FIAD

    monkeypatch.setattr(
        FIAD, "sift", lambda _, received: Verdict(np.zeros(received.users, dtype=np.bool_))
    )
    results = results_of(work("fiad"))
    assert results.error == "fiad keeps no report at all"
    assert not results.complete
