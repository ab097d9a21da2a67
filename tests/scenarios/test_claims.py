"""The claims of the bundled scenarios, each read off the closed forms or the run that shows it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np
import pytest
from support.claims import Key, bundled, key_of, mean, measured, results_by, theory
from support.kinds import CAO_PROTOCOLS

from ldptui import scenarios
from ldptui.core.base.progress_hook import no_hook
from ldptui.core.bounds import planner
from ldptui.core.bounds.planner import Oracle, Plan
from ldptui.core.cell import Cell
from ldptui.core.collection.counts import block_counts
from ldptui.core.plugins import CodePermission, permit_code
from ldptui.core.theory import expected_estimate, expected_metrics, privacy_spent


def series(values: Mapping[Key, float], *start: object) -> list[float]:
    """The values whose key begins so, in the order of the sweep."""
    chosen = [value for key, value in values.items() if key[: len(start)] == start]
    assert len(chosen) > 1
    return chosen


def rising(values: list[float]) -> bool:
    return all(low < high for low, high in pairwise(values))


def border(better: Callable[[int], bool]) -> int:
    """The least domain size from which on something holds."""
    return next(d for d in range(2, 2000) if better(d))


def test_quickstart_gains_in_proportion_to_the_share() -> None:
    gains = theory("quickstart", "gain", "attack.share")
    whole = gains[0.2,] / 0.2
    for (share,), gain in gains.items():
        assert isinstance(share, float)
        assert gain == pytest.approx(whole * share, rel=1e-3)


def test_protocol_choice_crosses_before_the_papers_rule() -> None:
    keys = "protocol.kind", "population.items"
    errors = theory("protocol-choice", "mse", *keys)
    sizes = [d for kind, d in errors if kind == "grr"]
    assert [d for d in sizes if errors["grr", d] < errors["oue", d]] == [4, 6, 8]
    assert [d for d in sizes if errors["grr", d] < errors["olh", d]] == [4, 6, 8]
    assert rising(series(errors, "grr"))
    assert rising(series(errors, "oue")[::-1])
    assert rising(series(errors, "olh")[::-1])


@pytest.mark.parametrize(
    ("epsilon", "exact", "rule"), [(1.0, 9.14, 10.15), (2.0, 20.40, 24.17), (4.0, 134.37, 165.79)]
)
def test_the_table_of_borders_in_the_sources(epsilon: float, exact: float, rule: float) -> None:
    """docs/findings.md: where the mean squared errors of GRR and OUE cross, and where Var* do."""

    def errors(d: int, star: bool) -> list[float]:
        values = []
        for kind in ("grr", "oue"):
            (cell,) = bundled(
                "protocol-choice",
                population__items=d,
                protocol__kind=kind,
                protocol__epsilon=epsilon,
            ).cells
            p, q, n = cell.pure.p, cell.pure.q, cell.users
            mse = expected_metrics(cell)["mse"]
            assert mse is not None
            values.append(q * (1 - q) / (n * (p - q) ** 2) if star else mse)
        return values

    for star, limit in ((False, exact), (True, rule)):
        below, above = errors(math.floor(limit), star), errors(math.ceil(limit), star)
        assert below[0] < below[1]
        assert above[0] > above[1]


def test_cao_beta_who_gains_and_who_loses() -> None:
    gains = theory("cao-gain-beta", "gain", "protocol.kind", "attack.kind", "attack.share")
    for (protocol, attack, share), gain in gains.items():
        assert isinstance(share, float)
        assert gain == pytest.approx(gains[protocol, attack, 0.1] * share / 0.1, rel=2e-3)
        assert gain <= gains[protocol, "mga", share]
    assert gains["grr", "mga", 0.05] > 100 * gains["grr", "ria", 0.05]
    for protocol in ("grr", "olh"):
        assert -0.001 < gains[protocol, "rpa", 0.05] < 0
    assert gains["oue", "rpa", 0.05] == pytest.approx(gains["oue", "ria", 0.05])
    assert gains["oue", "rpa", 0.05] == pytest.approx(0.0495, abs=5e-5)


def test_cao_domain_grows_on_grr_alone() -> None:
    gains = theory("cao-gain-domain", "gain", "protocol.kind", "attack.kind", "population.items")
    assert rising(series(gains, "grr", "mga"))
    for protocol in ("oue", "olh"):
        values = series(gains, protocol, "mga")
        assert max(values) - min(values) < 0.005 * max(values)  # f_T differs a little

    def safer(protocol: str) -> Callable[[int], bool]:
        def at(items: int) -> bool:
            mine, other = (
                expected_metrics(cell)["gain"]
                for kind in (protocol, "grr")
                for cell in bundled(
                    "cao-gain-domain",
                    population__items=items,
                    protocol__kind=kind,
                    attack__kind="mga",
                    attack__targets__items=[0],
                ).cells
            )
            assert mine is not None
            assert other is not None
            return mine < other * (1 - 1e-9)

        return at

    assert border(safer("oue")) == 5
    assert border(safer("olh")) == 6


def test_cao_r_multiplies_on_oue_and_as_far_as_a_hash_is_found() -> None:
    gains = theory("cao-gain-r", "gain", "protocol.kind", "attack.kind", "attack.targets.items")
    numbers = range(1, 11)
    grr, oue, olh = (series(gains, kind, "mga") for kind in CAO_PROTOCOLS)
    for r, gain in zip(numbers, oue, strict=True):
        assert gain == pytest.approx(r * oue[0], rel=0.005)
    for r, gain in zip(numbers, olh, strict=True):
        assert (gain == pytest.approx(r * olh[0], rel=0.005)) == (r <= 5)
    assert rising(grr[::-1])
    assert grr[-1] > 0.99 * grr[0]
    for protocol in CAO_PROTOCOLS:
        values = series(gains, protocol, "ria")
        assert max(values) - min(values) < 0.001 * max(values)


def test_cao_epsilon_moves_mga_alone() -> None:
    gains = theory("cao-gain-epsilon", "gain", "protocol.kind", "attack.kind", "protocol.epsilon")
    for protocol in CAO_PROTOCOLS:
        assert rising(series(gains, protocol, "mga")[::-1])
        for attack in ("rpa", "ria"):
            values = series(gains, protocol, attack)
            assert values == pytest.approx([values[0]] * len(values))
    fixed = theory("cao-gain-epsilon", "gain", "protocol.kind", "attack.kind", "protocol.epsilon",
                   protocol__hash_range=4)  # fmt: skip
    assert fixed["olh", "mga", 5.0] < 0.6 * gains["olh", "mga", 5.0]


def test_cao_target_frequency_lowers_each_gain_by_beta_f() -> None:
    values: dict[Key, list[float]] = {}
    for cell in bundled("cao-gain-target-frequency").cells:
        gain = expected_metrics(cell)["gain"]
        assert gain is not None
        key = key_of(cell, ("protocol.kind", "attack.kind"))
        share = cell.malicious / (cell.users + cell.malicious)
        values.setdefault(key, []).append(gain + share * cell.target_frequency)
    for sums in values.values():
        assert sums == pytest.approx([sums[0]] * len(sums))


def test_security_and_privacy_pull_in_opposite_directions() -> None:
    gains = theory("security-privacy", "gain", "protocol.kind", "protocol.epsilon")
    for protocol in CAO_PROTOCOLS:
        assert rising(series(gains, protocol)[::-1])
    for protocol in ("grr", "oue"):
        points = [(1 / math.expm1(key[1]), gain) for key, gain in gains.items()
                  if key[0] == protocol and isinstance(key[1], float)]  # fmt: skip
        slope, start = np.polyfit(*np.array(points).T, 1)
        assert [gain for _, gain in points] == pytest.approx([start + slope * x for x, _ in points])


def test_error_over_epsilon_puts_each_protocol_in_its_place() -> None:
    errors = theory("error-over-epsilon", "mse", "protocol.kind", "protocol.epsilon")
    kinds = {kind for kind, _ in errors}
    for kind in kinds:
        assert rising(series(errors, kind)[::-1])
    ranked = {
        epsilon: sorted(kinds, key=lambda kind: errors[kind, epsilon])
        for epsilon in (0.5, 1.0, 4.5, 5.0)
    }
    for epsilon in (1.0, 4.5):
        assert set(ranked[epsilon][:2]) == {"oue", "olh"}
    assert ranked[0.5][-1] == "grr"
    assert errors["grr", 0.5] > 30 * errors["oue", 0.5]
    assert ranked[5.0][0] == "grr"
    behind = [a / b for a, b in zip(series(errors, "blh"), series(errors, "olh"), strict=True)]
    assert rising(behind)
    assert behind[0] < 1.1
    assert behind[-1] > 30


@pytest.mark.long
def test_a_billion_users_are_far_outside_the_noise_and_take_no_longer() -> None:
    for cell in bundled("billion-users", attack__share=0.0001).cells:
        gain = expected_metrics(cell)["gain"]
        std = expected_target_std(cell)
        assert gain is not None
        assert gain > 10 * std

    def seconds(users: int) -> float:
        (cell,) = bundled(
            "billion-users", population__users=users, protocol__kind="oue", attack__share=0.01
        ).cells
        times = []
        for block in range(5):
            start = time.perf_counter()
            block_counts(cell, block, 20, no_hook)
            times.append(time.perf_counter() - start)
        return min(times)

    seconds(1000)
    assert seconds(10**9) < 20 * seconds(1000)


def expected_target_std(cell: Cell) -> float:
    """The standard deviation of the targets' total in one trial without fakes.

    Drawn from 100 trials: the bound of the claim is wide.
    """
    clean = np.concatenate([block_counts(cell, block, 20, no_hook)[0] for block in range(5)])
    estimates = (clean / cell.users - cell.pure.q) / (cell.pure.p - cell.pure.q)
    return float(estimates[:, cell.targets].sum(axis=1).std())


def test_the_survey_lifts_two_rare_conditions() -> None:
    (cell,) = bundled("survey", attack__share=0.02).cells
    assert (cell.users, cell.malicious) == (2000, 41)
    held = cell.population.frequencies[cell.targets]
    assert (held < 0.01).all()
    total = expected_metrics(cell)["target_frequency"]
    assert total is not None
    assert total / 2 > 0.05


@pytest.mark.long
def test_one_by_one_brings_one_target_up_where_mga_brings_hardly_any() -> None:
    path = scenarios.path("python-attack").with_name("one_by_one.py")
    experiment = permit_code(
        bundled("python-attack", attack__share=0.003), CodePermission(files=(path,))
    )
    inside = measured(experiment, "targets_in_top_k", "attack.kind")
    assert inside["mga",] < 0.5
    assert inside["plugin",] >= 1


@pytest.mark.long
def test_ria_needs_five_in_a_hundred_against_rappor() -> None:
    absent = measured(
        bundled("rappor-attack", attack__kind="ria", attack__cohort=0.0, trials=5),
        "false_detected", "attack.share",
    )  # fmt: skip
    assert absent[0.01,] < 1
    assert absent[0.05,] >= 3


@pytest.mark.long
def test_what_countermeasures_leave_of_the_gain() -> None:
    experiment = bundled("cao-countermeasures")
    keys = "protocol.kind", "attack.kind", "defence.0.kind"
    left, removed = (measured(experiment, name, *keys) for name in ("gain_after", "recovered"))
    for protocol, share in (("grr", 0.83), ("oue", 0.69), ("olh", 0.67)):
        assert removed[protocol, "mga", "normalise"] == pytest.approx(share, abs=0.02)
        assert 0.35 < left[protocol, "mga", "normalise"] < 0.55
        assert removed[protocol, "mga", "norm-sub"] < removed[protocol, "mga", "normalise"]
        # LDPRecover is Norm-Sub of estimates that are 5 % larger.
        both = [left[protocol, "mga", kind] for kind in ("norm-sub", "ldprecover")]
        assert both[1] == pytest.approx(both[0], rel=0.03)
    assert removed["oue", "ria", "normalise"] == pytest.approx(1 / 3, abs=0.1)
    for protocol in ("oue", "olh"):
        assert abs(removed[protocol, "ria", "norm-sub"]) < 0.15
    assert left["oue", "mga", "ldprecover-star"] > left["oue", "mga", "norm-sub"]
    reached = measured(
        bundled("cao-countermeasures", protocol__kind="grr", attack__kind="mga"),
        "target_frequency_after", "defence.0.kind",
    )  # fmt: skip
    (held,) = {cell.target_frequency for cell in experiment.cells}
    assert reached["ldprecover-star",] == pytest.approx(held, abs=0.02)
    assert reached["ldprecover",] > 5 * held


@pytest.mark.long
def test_norm_sub_amplifies_an_attack_on_a_range() -> None:
    keys = "protocol.kind", "attack.share", "defence.0.kind"
    lost = measured(bundled("range-sums", attack__share=0.05), "gain_after", *keys)
    plain = {protocol: lost[protocol, 0.05, "none"] for protocol in CAO_PROTOCOLS}
    after = {protocol: lost[protocol, 0.05, "norm-sub"] for protocol in CAO_PROTOCOLS}
    assert plain["olh"] == pytest.approx(-0.025, abs=0.008)
    assert after["olh"] == pytest.approx(-0.30, abs=0.02)
    assert 1.4 < after["oue"] / plain["oue"] < 1.8
    small = measured(bundled("range-sums", attack__share=0.02, protocol__kind="grr"),
                     "gain_after", "defence.0.kind")  # fmt: skip
    assert 1.3 < small["norm-sub",] / small["none",] < 1.8


@pytest.mark.long
def test_what_a_correction_costs_when_nobody_attacks() -> None:
    experiment = bundled("defence-cost")
    errors = measured(experiment, "mse_clean_after", "protocol.epsilon", "defence.0.kind")

    def ratio(epsilon: float, kind: str) -> float:
        return errors[epsilon, kind] / errors[epsilon, "none"]

    for epsilon in (0.5, 1.0, 2.0, 4.0):
        for kind in ("norm-sub", "ml"):
            assert ratio(epsilon, kind) < 1
        assert ratio(epsilon, "normalise") > 4
    assert ratio(0.5, "norm-sub") == pytest.approx(0.55, abs=0.1)
    assert ratio(0.5, "significance") < 0.6
    assert ratio(4.0, "significance") > 1
    assert ratio(1.0, "normalise") == pytest.approx(9, abs=4)
    assert ratio(4.0, "ldprecover") == pytest.approx(9, abs=2)
    assert errors[4.0, "ldprecover"] > 0.4 * errors[2.0, "ldprecover"]
    assert ratio(1.0, "ibu") > 2
    assert ratio(2.0, "ibu") < 1


@pytest.mark.long
def test_one_heavy_item_has_the_published_errors() -> None:
    """Counts with their standard errors over 300 trials; few trials of ours are near, too."""
    published = {"ss": (272.8, 0.2), "hr": (689.6, 2.2)}
    square = 10_000**2
    exact = theory("one-heavy-item", "mse_clean", "protocol.kind")
    for kind, (theirs, error) in published.items():
        assert abs(square * exact[kind,] - theirs) < 3 * error, kind
    trials = 10
    alone = bundled("one-heavy-item", trials=trials, protocol__kind="hr")
    ours = measured(alone, "mse_clean", "protocol.kind")["hr",]
    deviation = published["hr"][1] * math.sqrt(300 / trials)
    assert abs(square * (ours - exact["hr",])) < 7 * deviation


@pytest.mark.long
def test_kept_answers_bound_the_budget_and_the_published_ones_cost_error() -> None:
    experiment = bundled("memoisation", trials=2)
    spent, one, pooled = dict[Key, list[float]](), dict[Key, float](), dict[Key, float]()
    for cell in experiment.cells:
        key = key_of(cell, ("protocol.kind", "protocol.calibration"))
        spent[key] = privacy_spent(cell)
        first, every = (expected_metrics(each)["mse_clean"] for each in (cell.rounds[0], cell))
        assert first is not None
        assert every is not None
        one[key], pooled[key] = first, every
    fresh = next(key for key in spent if key[0] == "olh")
    grr, loloha = ("l-grr", "tight"), ("loloha", "tight")
    published = {kind: (kind, "published") for kind in ("l-grr", "loloha")}
    assert spent[fresh][-1] == pytest.approx(50)
    assert all(1.999 < spent[key][-1] <= 2 for key in spent if key[0] != "olh")
    assert one[loloha] == pytest.approx(one[fresh])
    assert pooled[fresh] == pytest.approx(one[fresh] / 50)
    assert pooled[loloha] == pytest.approx(one[loloha] / 4, rel=0.02)
    assert (spent[grr][0], spent[loloha][0]) == pytest.approx((1, 1))
    assert spent[published["loloha"]][0] == pytest.approx(0.90, abs=0.005)
    assert spent[published["l-grr"]][0] == pytest.approx(0.39, abs=0.005)
    assert one[published["loloha"]] / one[loloha] == pytest.approx(1.26, abs=0.005)
    assert one[published["l-grr"]] / one[grr] == pytest.approx(12, rel=0.02)
    # Two trials of 32 items each: a mean of 64 squares of about normal errors.
    found = measured(experiment, "mse_clean", "protocol.kind", "protocol.calibration")
    for key, error in found.items():
        assert error == pytest.approx(pooled[key], rel=1.2)
    assert found[loloha] > 4 * found[fresh]


@pytest.mark.long
def test_the_planner_says_what_is_measured() -> None:
    whole = bundled("planner")
    [cell] = (cell for cell in whole.cells if cell.users == 1_000_000)
    oracle = Oracle.of(cell.pure)
    plan = Plan(128, cell.users, 0.01, 1.0, 0.05, 0.9)
    floor, least = planner.attack_floor(oracle, plan), planner.least_frequency(oracle, plan)
    assert floor == pytest.approx(0.0316, abs=5e-5)
    assert least == pytest.approx(0.0409, abs=5e-5)
    assert (cell.population.frequencies > least).sum() == 4
    assert planner.saturation_users(oracle, plan) == pytest.approx(41_517, abs=1)
    gains = series(theory("planner", "gain", "population.users"))
    assert gains == pytest.approx([floor * (1 - cell.target_frequency / oracle.gain_factor)]
                                  * len(gains), rel=0.01)  # fmt: skip
    errors = series(theory("planner", "mse", "population.users"))
    assert errors[0] / errors[3] > 10
    assert errors[-2] / errors[-1] < 1.1
    # Sixth with very many users, whose noise is none.
    many = bundled("planner", population__users=10**8)
    estimate = expected_estimate(many.cells[-1])
    assert estimate is not None
    assert (estimate > estimate[many.cells[-1].targets]).sum() == 5
    found = measured(whole, "targets_in_top_k", "population.users")
    assert found[100_000_000,] == 1


@pytest.mark.long
def test_fakes_that_no_defence_can_see() -> None:
    name, keys = "hidden-attack", ("protocol.kind", "attack.kind", "attack.share")
    gains = theory(name, "gain", *keys)
    assert gains["grr", "hidden", 0.005] == pytest.approx(0.55, abs=0.005)
    assert gains["grr", "hidden", 0.05] == pytest.approx(0.85, abs=0.005)
    on_oue = gains["oue", "hidden", 0.05]
    assert on_oue == pytest.approx(0.079, abs=5e-4)
    assert on_oue / gains["oue", "ria", 0.05] == pytest.approx(1.58, abs=0.005)
    assert gains["oue", "mga", 0.05] / on_oue == pytest.approx(20, abs=0.1)
    assert gains["grr", "mga", 0.1] == pytest.approx(59.1, abs=0.05)
    seen = measured(bundled(name, sweep__attack__share=[0.05]), "gain", *keys[:2])
    assert seen["oue", "hidden"] == pytest.approx(on_oue, rel=0.05)
    assert seen["grr", "hidden"] == pytest.approx(gains["grr", "hidden", 0.05], rel=0.05)


@pytest.mark.long
def test_filters_pass_fakes_who_hide() -> None:
    by = results_by(bundled("hidden-filters", trials=2), "attack.kind", "defence.0.kind")
    alarms = {kind: mean(seen, "alarm_rate") for (kind, step), seen in by.items() if step == "fiad"}
    assert alarms == {"ria": 0, "hidden": 0, "mga": 1}
    assert mean(by["mga", "diffstats"], "recall") == 1
    for kind in ("ria", "hidden"):
        seen = by[kind, "diffstats"]
        assert mean(seen, "recall") <= mean(seen, "false_positive_rate") + 0.01
    assert mean(by["hidden", "fiad"], "gain_after") == pytest.approx(0.15, abs=0.03)


@pytest.mark.long
def test_verified_randomisers_leave_the_gain_of_ria_whatever_the_attack() -> None:
    name, keys = "verified-randomiser", ("protocol.kind", "attack.kind", "defence.0.drop_out")
    before, after = theory(name, "gain", *keys), theory(name, "gain_after", *keys)
    for kind, gained, hidden in (("grr", 29.6, 0.85), ("oue", 1.58, 0.079), ("olh", 1.19, 0.079)):
        assert before[kind, "mga", False] == pytest.approx(gained, rel=0.005)
        assert before[kind, "hidden", False] == pytest.approx(hidden, rel=0.005)
    for (_, _, drop_out), gained in after.items():
        assert gained == pytest.approx(0.0815 if drop_out else 0.0499, rel=0.013)
    experiment = bundled(name)
    seen = measured(experiment, "gain_after", *keys)
    for key, gained in after.items():
        assert seen[key] == pytest.approx(gained, rel=0.25 if key[0] == "grr" else 0.03)
    sent = next(
        cell.sifted_cell.fakes[0].sent
        for cell in experiment.cells
        if cell.sifted_cell.trust.drop_out
    )
    assert sent == pytest.approx(0.0027, rel=0.02)


@pytest.mark.long
def test_more_trust_takes_the_gain_and_the_error_away() -> None:
    gained = theory("trust-ladder", "gain", "trust.kind")
    error = theory("trust-ladder", "mse_clean", "trust.kind")
    for trust, gain, squared in (
        ("local", 0.316, 3.68e-6), ("verified", 0.00999, 3.68e-6), ("shuffled", 0.200, 1.08e-9),
        ("aggregated", 0.00999, 1.57e-11), ("curator", 0.00999, 7.84e-12),
    ):  # fmt: skip
        assert gained[(trust,)] == pytest.approx(gain, rel=0.005)
        assert error[(trust,)] == pytest.approx(squared, rel=0.005)
    seen = measured(bundled("trust-ladder"), "gain", "trust.kind")
    assert seen == pytest.approx(gained, rel=0.1)


@pytest.mark.long
def test_shuffling_makes_the_weakest_protocol_the_robust_one() -> None:
    keys = ("trust.kind", "protocol.kind")
    gained = theory("trust-shuffled", "gain", *keys)
    claims = {"grr": (5.91, 0.0106), "sue": (0.254, 0.101), "oue": (0.316, 0.200)}
    for kind, (alone, shuffled) in claims.items():
        assert gained["local", kind] == pytest.approx(alone, rel=0.005)
        assert gained["shuffled", kind] == pytest.approx(shuffled, rel=0.005)
    seen = measured(bundled("trust-shuffled"), "gain", *keys)
    for key, gain in gained.items():
        assert seen[key] == pytest.approx(gain, rel=0.05)


@pytest.mark.long
def test_the_circuit_decides_the_last_factor() -> None:
    keys = ("trust.circuit", "attack.targets.count")
    gained, error = (theory("trust-circuits", metric, *keys) for metric in ("gain", "mse_clean"))
    for circuit, gain in (("histogram", 0.010), ("multihot", 0.030), ("sumvec", 0.100)):
        assert gained[circuit, 10] == pytest.approx(gain, rel=0.005)
        assert gained[circuit, 1] == pytest.approx(0.010, rel=0.005)
    assert error["histogram", 10] == error["sumvec", 10]
    assert error["multihot", 10] / error["sumvec", 10] == pytest.approx(9.2, abs=0.05)
    seen = measured(bundled("trust-circuits"), "gain", *keys)
    assert seen == pytest.approx(gained, rel=0.01)


@pytest.mark.long
def test_a_shuffler_needs_a_crowd() -> None:
    keys = ("protocol.kind", "population.users")
    cells = bundled("trust-batch").cells
    local = {tuple(cell.parameters[key] for key in keys): cell.pure.epsilon for cell in cells}
    gained, error = (theory("trust-batch", metric, *keys) for metric in ("gain", "mse_clean"))
    sizes = [10**power for power in range(3, 8)]
    claims = ("grr", 4.23, 9.70, 61, 100), ("oue", 3.77, 10.60, 59, 10)
    for kind, few, many, first, last in claims:
        assert local[kind, 10**3] == pytest.approx(few, abs=0.006)
        assert local[kind, 10**6] == pytest.approx(many, abs=0.006)
        factors = [error[kind, n] / error[kind, 10 * n] for n in sizes[:-1]]
        assert (factors[0], factors[-1]) == pytest.approx((first, last), rel=0.02)
    assert gained["grr", 10**3] == pytest.approx(0.0271, abs=5e-5)
    assert gained["grr", 10**6] == pytest.approx(0.0099, abs=5e-5)
    assert all(gained["oue", n] == pytest.approx(0.20, abs=0.003) for n in sizes)
    seen = measured(bundled("trust-batch"), "gain", *keys)
    for key, gain in gained.items():
        assert seen[key] == pytest.approx(gain, rel=0.1)


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "key", "start", "better"),
    [("hardening-olh", "protocol.hash_range", 4, ((3, 0.17, 0.02), (2, 0.35, 0.27))),
     ("hardening-ue", "protocol.keep", 0.5, ((0.6, 0.17, 0.04), (0.7, 0.29, 0.19)))],
)  # fmt: skip
def test_fewer_buckets_and_a_larger_p_bear_an_attack_better(
    name: str, key: str, start: float, better: tuple[tuple[float, float, float], ...]
) -> None:
    gain, error = (
        {at: value for (at,), value in theory(name, metric, key).items()}
        for metric in ("gain", "mse_clean")
    )
    for at, less, more in better:
        assert 1 - gain[at] / gain[start] == pytest.approx(less, abs=0.01)
        assert error[at] / error[start] - 1 == pytest.approx(more, abs=0.01)
    if start == 4:
        assert gain[5] > gain[4]
        assert error[5] > error[4]
    else:
        assert error[0.97] / error[0.5] == pytest.approx(8.6, abs=0.05)
        assert 0.5 < gain[0.97] / gain[0.5] < 0.52
    seen = measured(bundled(name), "gain", key)
    assert {at: value for (at,), value in seen.items()} == pytest.approx(gain, rel=0.01)


@pytest.mark.long
def test_the_targets_of_cao_get_into_the_answer_of_pem() -> None:
    keys = "attack.kind", "population.exponent", "attack.share"
    experiment = bundled("hitters-beta", trials=40)
    named = measured(experiment, "targets_in_top_k", *keys)
    for exponent in (1.0, 1.3):
        half, whole = (named["mga", exponent, share] for share in (0.005, 0.01))
        assert half == pytest.approx(3.9, abs=0.6)
        assert whole == pytest.approx(9.3, abs=0.5)
        assert min(named["mga", exponent, share] for share in (0.02, 0.05)) > 9.9
        assert named["ria", exponent, 0.05] < 1.3
    clean = measured(experiment, "hitter_recall_clean", *keys)
    assert [*clean.values()] == pytest.approx([0.61] * len(clean), abs=0.03)


def test_a_larger_k_and_fewer_targets_help_the_attacker() -> None:
    named = measured(bundled("hitters-k-r"), "targets_in_top_k", "attack.targets.count", "task.k")
    assert series(named, 1) == [1, 1, 1]
    assert series(named, 10) == pytest.approx([2.5, 9.2, 9.95], abs=0.6)
    assert series(named, 20) == pytest.approx([1.9, 8.5, 17.2], abs=1)


def test_fewer_groups_find_more_and_name_more_targets() -> None:
    keys, experiment = ("protocol.epsilon", "task.groups"), bundled("hitters-groups")
    named = measured(experiment, "targets_in_top_k", *keys)
    clean = measured(experiment, "hitter_recall_clean", *keys)
    assert (clean[1.0, 3], clean[1.0, 10]) == pytest.approx((0.755, 0.61), abs=0.03)
    assert (named[1.0, 3], named[1.0, 10]) == pytest.approx((10, 9.2), abs=0.6)
    assert (clean[0.5, 10], clean[2.0, 10]) == pytest.approx((0.44, 0.79), abs=0.03)
    assert (named[0.5, 10], named[2.0, 10]) == pytest.approx((9.5, 7.8), abs=0.6)


def test_words_are_found_out_of_all_strings() -> None:
    experiment = bundled("hitters-words", trials=40)
    named = measured(experiment, "targets_in_top_k", "attack.share")
    clean = measured(experiment, "hitter_recall_clean", "attack.share")
    assert [*clean.values()] == pytest.approx([0.94] * 3, abs=0.02)
    assert named[0.001,] < 0.06
    assert named[0.01,] == pytest.approx(0.91, abs=0.15)
    assert named[0.05,] > 1.97


def test_crafted_reports_move_a_mean_by_what_a_report_says_and_lies_by_the_range() -> None:
    keys = "attack.kind", "protocol.epsilon"
    shifts = theory("mean-of-numbers", "mean_shift", *keys)
    (cell,) = bundled("mean-of-numbers", protocol__epsilon=1.0, attack__kind="mga", sweep={}).cells
    ages = np.arange(101) / 50 - 1
    mean_age = float(cell.population.frequencies @ ages)
    for (kind, epsilon), shift in shifts.items():
        assert isinstance(epsilon, float)
        says = (math.exp(epsilon) + 1) / (math.exp(epsilon) - 1) if kind == "mga" else 1.0
        assert shift == pytest.approx(cell.share * (says - mean_age) * 50)
    assert shifts["mga", 1.0] == pytest.approx(5.9, abs=0.05)
    assert shifts["input", 1.0] == pytest.approx(3.0, abs=0.05)
    assert len({round(shift, 9) for (kind, _), shift in shifts.items() if kind == "input"}) == 1
    noise = theory("mean-of-numbers", "mean_squared_error_clean", *keys)["mga", 1.0]
    assert math.sqrt(noise) == pytest.approx(0.0034, abs=1e-4)


@pytest.mark.long
def test_the_shifts_of_a_mean_are_measured() -> None:
    made = bundled("mean-of-numbers")
    keys = "attack.kind", "protocol.epsilon"
    expected = theory("mean-of-numbers", "mean_shift", *keys)
    for key, shift in measured(made, "mean_shift", *keys).items():
        assert shift == pytest.approx(expected[key], rel=1e-3)


def test_where_two_protocols_of_numbers_cross() -> None:
    keys = "protocol.kind", "protocol.epsilon", "population.mean"
    errors = theory("numbers-protocols", "mean_squared_error_clean", *keys)
    at = {key: 1e6 * error for key, error in errors.items()}
    assert [at["pm", 1.0, where] for where in (100.0, 50.0)] == pytest.approx([5.22, 3.68], 0.01)
    assert [at["sr", 1.0, where] for where in (100.0, 50.0)] == pytest.approx([3.68, 4.68], 0.01)
    for epsilon in (1.0, 1.29, 2.0):
        assert at["hm", epsilon, 50.0] == pytest.approx(at["hm", epsilon, 100.0], 0.01)
    assert at["hm", 1.0, 50.0] == pytest.approx(4.29, 0.01)
    assert at["pm", 1.29, 100.0] == pytest.approx(at["sr", 1.29, 50.0], 1e-3)
    assert at["pm", 1.0, 100.0] > at["sr", 1.0, 50.0]
    assert at["pm", 2.0, 100.0] < at["sr", 2.0, 50.0]


@pytest.mark.long
def test_the_largest_report_is_a_weak_attack_on_a_smoothed_fit() -> None:
    keys = "attack.kind", "task.fit"
    made = bundled("numbers-square-wave", trials=2)
    shifts, misfits = measured(made, "mean_shift", *keys), measured(made, "misfit", *keys)
    for kind, shift in {"mga": 0.005, "input": 0.05, "top": 0.12, "hidden": 0.12}.items():
        assert shifts[kind, "ems"] == pytest.approx(shift, abs=0.005)
        assert 0.06 < shifts[kind, "em"] < 0.16
    assert misfits["mga", "em"] > 10_000
    assert misfits["top", "em"] == pytest.approx(8, abs=4)
    assert max(misfits["input", "em"], misfits["hidden", "em"]) < 3


@pytest.mark.long
def test_a_mean_is_held_in_a_hidden_attack() -> None:
    keys = "protocol.kind", "attack.share"
    shifts = theory("numbers-hidden", "mean_shift", *keys)
    for (kind, share), shift in shifts.items():
        assert isinstance(share, float)
        assert shift / share == pytest.approx({"pm": 3.0, "sr": 2.6}[str(kind)], abs=0.05)
    made = bundled("numbers-hidden", trials=5, sweep={"attack.share": [0.05]})
    assert [*measured(made, "alarm_rate", "protocol.kind").values()] == [0]
    assert min(measured(made, "robust_coverage", "protocol.kind").values()) >= 0.8


def test_a_survey_of_ages_is_made_older_by_few() -> None:
    cells = bundled("numbers-ages").cells
    answers = {
        (cell.parameters["attack.kind"], cell.parameters["protocol.kind"]): cell.malicious
        for cell in cells
    }
    assert answers == {
        ("input", "sr"): 47, ("input", "hm"): 47, ("mga", "sr"): 24, ("mga", "hm"): 18,
    }  # fmt: skip
    for cell in cells:
        noise = expected_metrics(cell)["mean_squared_error_clean"]
        assert noise is not None
        assert math.sqrt(noise) == pytest.approx(1.7, abs=0.05)


def test_randomised_response_costs_what_its_claim_says() -> None:
    (cell,) = bundled("randomised-response").cells
    protocol = cell.protocol
    assert cell.population.histogram.tolist() == [300, 700]
    assert (protocol.p, protocol.q) == pytest.approx((0.731, 0.269), abs=5e-4)
    assert protocol.p / protocol.q == pytest.approx(math.e)
    error = math.sqrt(protocol.p * protocol.q / cell.users) / (protocol.p - protocol.q)
    assert error == pytest.approx(0.0303, abs=5e-5)
    (squared,) = measured(bundled("randomised-response"), "mse").values()
    assert squared == pytest.approx(error**2, rel=0.4)
