"""The claims of the bundled scenarios, each read off the closed forms or the run that shows it."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from support.claims import Key, bundled, key_of, measured, series, theory
from support.kinds import CAO_PROTOCOLS

from ldptui import scenarios
from ldptui.core.cell import Cell
from ldptui.core.collection.counts import block_counts
from ldptui.core.plugins import CodePermission, permit_code
from ldptui.core.theory import expected_metrics, privacy_spent


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
def test_a_billion_users_are_far_outside_the_noise() -> None:
    for cell in bundled("billion-users", attack__share=0.0001).cells:
        gain = expected_metrics(cell)["gain"]
        std = expected_target_std(cell)
        assert gain is not None
        assert gain > 10 * std


def expected_target_std(cell: Cell) -> float:
    """The standard deviation of the targets' total in one trial without fakes.

    Drawn from 100 trials: the bound of the claim is wide.
    """
    clean = np.concatenate([block_counts(cell, block, 20)[0] for block in range(5)])
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
