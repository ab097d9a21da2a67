"""The claims of bundled scenarios about defences, fakes who hide, and whom users trust."""

from __future__ import annotations

import pytest
from support.claims import bundled, mean, measured, results_by, series, theory
from support.kinds import CAO_PROTOCOLS

from ldptui.core.bounds import planner
from ldptui.core.bounds.planner import Oracle, Plan
from ldptui.core.theory import expected_estimate


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
