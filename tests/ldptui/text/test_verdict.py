"""Verdicts say what was simulated: their numbers against means over trials and closed forms."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from msgspec.structs import replace

import ldptui
from ldptui import scenarios
from ldptui.catalogue import leading_metrics
from ldptui.core.attacks import View
from ldptui.core.base.summary import Estimate
from ldptui.core.view import CellView, EstimateSummary, FrequencySummary, RoundSummary
from ldptui.engine.measured import snapshot_of
from ldptui.explain.family_explanation import reports_of
from ldptui.text.interval import reach_95
from ldptui.text.swept import sweep_verdict, where_words
from ldptui.text.table import results_table, verdict_of
from ldptui.text.verdict import ROWS, VerdictCell, verdict

BUNDLED = sorted(path.stem for path in scenarios.path("quickstart").parent.glob("*.toml"))

CELL = CellView(
    index=0, parameters={}, path="counts", users=950, malicious=50, domain_size=4, p=0.5, q=0.25,
    hash_range=None, trials=20, wanted=20, targets=(1, 3),
    metrics={"gain": Estimate(0.4, 0.01, 0.41)},
)  # fmt: skip


def cell(**metrics: tuple[float, float | None]) -> CellView:
    """The cell with these means and standard errors in place of its gain."""
    found = {name: Estimate(mean, error, None) for name, (mean, error) in metrics.items()}
    return replace(CELL, metrics=found)


def numbers(sentence: str) -> list[float]:
    """The numbers of a sentence, powers of ten and thousands in groups included."""
    plain = re.sub(r"(?<=\d) (?=\d{3}\b)", "", sentence).replace("−", "-")
    plain = re.sub(r"\((\S+) ± (\S+)\)(e-?\d+)", r"\1\3 ± \2\3", plain)  # (2.3 ± 1.5)e-7
    return [float(text) for text in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", plain)]


def test_a_gain_is_told_with_its_ranks_and_its_interval() -> None:
    means = {"clean": (0.4, 0.1, 0.3, 0.2), "attacked": (0.2, 0.5, 0.1, 0.4)}
    arms = {name: EstimateSummary(mean, None, (0.01,) * 4) for name, mean in means.items()}
    known = FrequencySummary(4, (0, 1, 2, 3), ("a", "b", "c", "d"), (1, 3), 20, (0.25,) * 4, arms)
    reach = 0.01 * reach_95(20)
    assert verdict(VerdictCell(CELL, known)) == (
        "50 fake users (5 %) lift items b and d from ranks 3–4 to 1–2.",
        f"The gain is 0.400 ± {reach:.2g} (95 %); the closed form is 0.41.",
    )
    same = replace(CELL, metrics={"gain": Estimate(0.4, 0.01, 0.4001)})
    words = f"The gain is 0.400 ± {reach:.2g} (95 %), as the closed form says."
    assert verdict(VerdictCell(same, known))[1] == words
    known = replace(known, arms={**arms, "attacked": arms["clean"]})
    assert verdict(VerdictCell(same, known))[0].endswith("items b and d, still of ranks 3–4.")
    assert "lower 2 targets by -0.4" in verdict(VerdictCell(cell(gain=(-0.4, 0.01))))[0]


def test_a_number_that_is_sure_has_three_digits() -> None:
    assert VerdictCell(cell(gain=(1.8968, 0.0006))).interval("gain") == "1.90"
    assert VerdictCell(cell(gain=(1.8968, 0.01))).interval("gain") == "1.897 ± 0.021 (95 %)"


def test_the_protocol_that_differs_most_is_named() -> None:
    gains = {"oue": 0.4, "grr": 3.2, "olh": 0.3}
    under = replace(CELL, parameters={"protocol.kind": "oue"}, elsewhere=gains)
    assert verdict(VerdictCell(under))[1] == (
        "The same fakes would gain 8 times as much under GRR."
    )
    alike = replace(under, elsewhere={"oue": 0.4, "olh": 0.42, "grr": -1.0})
    assert len(verdict(VerdictCell(alike))) == len(verdict(VerdictCell(CELL)))


def test_a_sweep_that_changes_nothing_says_so() -> None:
    cells = [replace(cell(mse_clean=(0.5, None)), parameters={"seed": at}) for at in (1, 2)]
    assert sweep_verdict(cells, ["seed"]) == (
        "The mean squared error, clean, is 0.5 in each of 2 settings of the sweep.",
    )


def test_a_gain_within_its_interval_is_none() -> None:
    """Just within the half-width of the interval, and just beyond it."""
    reach = 0.01 * reach_95(20)
    assert (
        "no gain that 20 trials can tell from 0"
        in verdict(VerdictCell(cell(gain=(0.99 * reach, 0.01))))[0]
    )
    assert "lift" in verdict(VerdictCell(cell(gain=(1.01 * reach, 0.01))))[0]


def test_what_a_defence_leaves() -> None:
    for after, error, said in (
        (0.1, None, "0.1, 25 % of the 0.4"),
        (0.5, None, "0.5, more than the 0.4"),
        (np.nextafter(0.4, 1), None, "0.400, 100 % of the 0.4"),
        (-0.1, None, "-0.1, less than nothing of the 0.4"),
        (0.001, 0.01, "0.001 ± 0.021 (95 %), which the trials cannot tell from 0, of the 0.4"),
    ):
        told = VerdictCell(cell(gain=(0.4, None), gain_after=(after, error)))
        for chart in ("", "frequencies", "gain"):
            left = f"The defence leaves a gain of {said} without it."
            assert verdict(told, chart)[0] == left
    none = VerdictCell(cell(gain=(0.4, None), gain_after=(0.4, None)))
    assert not any("defence" in sentence for sentence in verdict(none))


def test_the_chart_that_is_looked_at_comes_first() -> None:
    both = VerdictCell(cell(gain=(0.4, 0.01), recall=(0.9, None), false_positive_rate=(0.01, None)))
    assert verdict(both)[0].startswith("50 fake users")
    assert verdict(both, "detection")[0] == (
        "The filter flags 90 % of the fake reports and 1 % of the genuine ones."
    )


def test_the_tabs_of_one_report_privacy_and_timeline_have_sentences_of_their_own() -> None:
    """The users that a report counts for are the average weight that the reports' steps show."""
    results = ldptui.run("survey", set={"attack.share": 0.1}, trials=40).measured
    run, cell = snapshot_of(results), results.experiment.cells[0]
    assert run.base_cell is not None
    shown = VerdictCell(run.base_cell, run.frequencies)
    (fake,) = numbers(verdict(shown, "report")[0])
    story = reports_of(cell)
    assert not isinstance(story, str)
    strategy = cell.fakes[0].strategy
    report = strategy.reports(cell.local, View(cell.targets), 1, np.random.default_rng(0))
    assert fake == pytest.approx(story.expect(cell, report, None, strategy)[1], rel=0.05)
    assert verdict(VerdictCell(replace(CELL, malicious=0)), "report") == (
        "Chance that a report supports its own item: 0.5, another: 0.25.",
    )
    assert verdict(VerdictCell(CELL), "privacy") == ()
    arms = {"clean": ((0.1, 0.2), (0.1, 0.1)), "attacked": ((0.1, 0.2), (0.4, 0.3))}
    rounds = RoundSummary(
        (9, 9), (0, 1), (0.0, 0.1), (1.0, 1.5), {}, 20, 0, None, None, (1, 3),
        ((0.1, 0.1),) * 2, arms, None, (None, None), ((1, 2),) * 2,
    )  # fmt: skip
    campaign = VerdictCell(CELL, rounds=rounds)
    assert (
        verdict(campaign, "timeline")[0]
        == "10 % fakes in round 1 lift 2 targets, together from 0.2 to 0.7."
    )
    words = "All 2 rounds cost a user ε = 1.5, the first alone 1."
    assert verdict(campaign, "privacy") == (words,)


def test_a_goal_is_answered_or_not() -> None:
    answer = {
        "reached": True, "malicious": 5263, "share": 0.05, "value": 1.0, "by": "search",
        "low": 5200, "confidence": 0.99, "metric": "targets_in_top_k", "at_least": 1,
    }  # fmt: skip
    found = replace(CELL, answer=answer)
    (sentence,) = verdict(VerdictCell(found))
    assert sentence == (
        "It takes 5263 fake users (5 %) for targets among the top k ≥ 1, "
        "by a search that is 99 % sure of 5201 to 5263."
    )
    never = replace(CELL, answer=answer | {"reached": False, "value": 0.4})
    assert verdict(VerdictCell(never))[0].startswith("No number of fake users reaches")
    cells = [
        replace(found, parameters={"protocol.kind": "grr"}),
        replace(never, parameters={"protocol.kind": "oue"}),
    ]
    assert sweep_verdict(cells, ["protocol.kind"]) == (
        "It takes 5263 fake users; in 1 of 2 settings no number does.",
    )


def test_a_sweep_is_told_by_its_ends() -> None:
    cells = [
        replace(cell(gain=(gain, None)), parameters={"attack.share": share})
        for share, gain in ((0.0, 0.0), (0.1, 0.9), (0.2, 0.5))
    ]
    assert sweep_verdict(cells, ["attack.share"]) == (
        "The gain goes up to 0.9 at β 0.1 and down to 0 at β 0.",
    )
    assert sweep_verdict(cells[:1], ["attack.share"]) == ()


def test_a_setting_is_told_as_it_is_called() -> None:
    at = {"defence.0.kind": "norm-sub", "protocol.kind": "olh", "attack.share": 0.05}
    assert where_words(at, [*at]) == "norm-sub, OLH, β 0.05"


def test_nothing_is_said_before_the_first_trial() -> None:
    assert verdict(VerdictCell(replace(CELL, trials=0))) == ()


def test_a_run_ends_with_its_verdict_in_text_and_json() -> None:
    results = ldptui.run("survey", set={"attack.share": 0.02}, trials=5)
    said = verdict_of(results.measured)
    kept = verdict_of(results.measured, ranks=False)  # what a kept run can say as well
    assert json.loads(results.to_json())["verdict"] == list(kept)
    assert "from ranks" in said[0]
    assert "from ranks" not in kept[0]
    printed = results_table(results.measured, width=1000)
    assert printed.rstrip().endswith("\n".join(said))
    check(results)


def check(results: ldptui.Results) -> None:
    """Compare the numbers of a verdict with means over the trials, made here anew."""
    said = " ".join(verdict_of(results.measured))
    assert said, "a run with trials has a verdict"
    cells = results.measured.experiment.cells
    if len(cells) == 1 and " lift " in said:
        gains = results.measured.cells[0].metrics["gain"]
        mean, error = gains.mean(), gains.std(ddof=1) / np.sqrt(gains.size)
        start = "The gain is" if "The gain is" in said else " by "
        text = said[said.index(start) :]
        told = numbers(text)
        assert told[0] == pytest.approx(mean, rel=0.05)
        if "±" in text:
            assert told[1] == pytest.approx(error * reach_95(gains.size), rel=0.06)
    if " goes up to " in said:
        high, low = (numbers(said[said.index(way) :])[0] for way in (" goes up to ", " and down "))
        name = next(
            name for name in leading_metrics()
            if any(
                np.nan_to_num(each.metrics[name].mean())
                for each in results.measured.cells
                if name in (each.metrics.dtype.names or ())
            )
        )  # fmt: skip
        means = [each.metrics[name].mean() for each in results.measured.cells]
        assert high == pytest.approx(np.nanmax(means), rel=0.06)
        assert low == pytest.approx(np.nanmin(means), rel=0.06, abs=0.06 * abs(high))


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::ldptui.LdpWarning")
@pytest.mark.parametrize("name", BUNDLED)
def test_every_bundled_scenario_has_a_true_verdict(name: str) -> None:
    scenario = ldptui.load(name)
    if "attack.name" in json.dumps(scenario.document) or "python" in name:
        pytest.skip("its code runs only where it is allowed")
    check(ldptui.run(name, trials=2))


def test_every_row_is_about_metrics_that_there_are() -> None:
    from ldptui.core.metrics import METRICS

    assert {name for row in ROWS for name in row.needs} <= set(METRICS)
