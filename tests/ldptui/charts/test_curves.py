"""Closed-form curves: each point is the closed form of the cell that its value compiles to."""

from __future__ import annotations

import math
from typing import Any

import pytest
from support.chart_cases import QUICK, along, scenario, swept
from support.kinds import CAO_ATTACKS, CAO_PROTOCOLS, ONE_OF_EACH

from ldptui import scenarios
from ldptui.catalogue import swept_kinds
from ldptui.charts import curves
from ldptui.charts.curves import Variable
from ldptui.core import theory
from ldptui.core.experiment import bind, compile
from ldptui.core.protocols import PROTOCOLS
from ldptui.core.protocols import rappor as bloom
from ldptui.core.scenario import Scenario, load
from ldptui.core.theory import bit_gain, expected_metrics

COMPARED = swept_kinds("protocol", "")
"""The protocols that an error chart compares where none is swept."""

COUNTS = """
format = 1
[population]
kind = "counts"
counts = [500, 300, 150, 50]
[protocol]
kind = "grr"
epsilon = 1.0
[attack]
kind = "ria"
share = 0.1
targets = { items = [3] }
"""


def gains(made: Scenario, axis: Variable, *, log: bool = False) -> list[curves.Curve]:
    """The curves of a gain, without the lines that they are held against."""
    found = curves.closed_forms(made).curves("gain", axis, log=log)
    return [curve for curve in found if not curve.line]


def axes(made: Scenario, chart: str = "gain") -> tuple[Variable, ...]:
    return curves.closed_forms(made).axes(chart)


def by_key(variables: tuple[Variable, ...]) -> dict[str, Variable]:
    return {variable.key: variable for variable in variables}


# --- What can be put on the axis


def test_variables_of_a_unary_protocol() -> None:
    assert [(axis.symbol, axis.log, axis.integer) for axis in axes(scenario())] == [
        ("β", False, False),
        ("ε", False, False),
        ("d", True, True),
        ("r", False, True),
        ("n", True, True),
    ]
    assert [axis.symbol for axis in axes(scenario(), "error")] == ["ε", "n", "d"]


def test_seeds_only_where_hashes_are_searched() -> None:
    assert "attack.seeds" in by_key(axes(scenario(protocol__kind="olh")))
    ria = scenario(protocol__kind="olh", attack__kind="ria")
    assert "attack.seeds" not in by_key(axes(ria))
    both = swept(scenario(protocol__kind="olh"), {"attack.kind": ["ria", "mga"]})
    assert "attack.seeds" in by_key(axes(both))


def test_given_counts_leave_share_and_budget() -> None:
    made = scenario(COUNTS)
    assert [axis.symbol for axis in axes(made)] == ["β", "ε"]
    assert [axis.symbol for axis in axes(made, "error")] == ["ε"]


def test_no_attack_no_gain() -> None:
    made = scenario(attack__kind="none")
    assert axes(made) == ()
    variable = axes(made, "error")[0]
    assert curves.chart_selection("gain", made, variable) is None
    assert gains(made, variable) == []


def test_ranges_stay_inside_what_the_scenario_allows() -> None:
    small = scenario(population__items=8)
    assert by_key(axes(small))["attack.targets.count"].high == 8
    many = scenario(attack__targets={"pick": "random", "count": 60})
    assert by_key(axes(many))["population.items"].low == 60
    listed = scenario(attack__targets={"items": [3, 40]})
    assert by_key(axes(listed))["population.items"].low == 41
    olh = scenario(protocol__kind="olh", protocol__epsilon=9.0)
    assert by_key(axes(olh))["protocol.epsilon"].high == 13


def test_own_sweep_is_the_range() -> None:
    made = swept(
        scenario(), {"protocol.epsilon": {"from": 1, "to": 8, "points": 4, "scale": "log"}}
    )
    variable = by_key(axes(made))["protocol.epsilon"]
    assert (variable.low, variable.high, variable.log) == (1, 8, True)
    assert {1, 2, 4, 8} <= {*gains(made, variable)[0].x}


def test_grid_of_whole_numbers_and_log_of_zero() -> None:
    whole = Variable("attack.targets.count", "r", "r", 1, 4, integer=True)
    assert whole.grid(9) == (1, 2, 3, 4)
    share = Variable("attack.share", "β", "β", 0.0, 0.1)
    assert share.grid(3) == (0.0, 0.05, 0.1)
    assert share.grid(3, log=True)[0] == pytest.approx(1e-4)
    assert Variable("k", "n", "n", 1, 10**6, log=True, integer=True).grid(3) == (1, 1000, 10**6)


# --- The numbers


def cell_at(curve: curves.Curve, made: Scenario, key: str, x: float) -> Any:
    """The one cell of the curve's parameters with x put in, compiled from a document."""
    document: dict[str, Any] = {"format": 1}
    for dotted, value in {**curve.parameters, key: x}.items():
        place = document
        *tables, leaf = dotted.split(".")
        for table in tables:
            place = place.setdefault(table, {})
        place[leaf] = value
    (cell,) = compile(Scenario(document, folder=made.folder)).cells
    return cell


@pytest.mark.every(15)
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("attack", CAO_ATTACKS)
def test_each_point_is_the_closed_form_of_the_compiled_cell(protocol: str, attack: str) -> None:
    made = scenario(protocol__kind=protocol, attack__kind=attack)
    for chart, metric in (("gain", "gain"), ("error", "mse_clean")):
        for axis in axes(made, chart)[:2]:
            found = curves.closed_forms(made).curves(chart, axis, log=axis.log)
            curve = next(each for each in found if not each.line and each.parameters)
            for x, y in [*zip(curve.x, curve.y, strict=True)][:: len(curve.x) // 3]:
                cell = cell_at(curve, made, axis.key, int(x) if axis.integer else x)
                expected = theory.expected_metrics(cell)[metric]
                assert y == pytest.approx(expected, rel=1e-9, abs=1e-15)


def test_what_holds_of_one_item_is_not_drawn_of_several_attributes() -> None:
    """A message says something of each attribute: no floor of the error, no line beside a gain."""
    for name, chart in (("attributes", "error"), ("attributes-attack", "gain")):
        made = load(scenarios.path(name))
        found = curves.closed_forms(made).curves(chart, axes(made, chart)[0], log=False)
        assert found
        assert not any(curve.label == curves.FLOOR or curve.line for curve in found)


def test_the_floor_of_the_error_is_that_of_the_best_pure_protocol() -> None:
    made = scenario()
    axis = axes(made, "error")[0]
    found = curves.closed_forms(made).curves("error", axis, log=False)
    assert [curve.label for curve in found] == [*map(str.upper, COMPARED), curves.FLOOR]
    best = made.with_value("protocol", {"kind": "ss", "epsilon": found[-1].x[9]})
    (cell,) = compile(best).cells
    assert found[-1].y[9] == pytest.approx(theory.expected_metrics(cell)["mse_clean"])


def test_the_error_of_a_curator_stands_beside_the_local_ones() -> None:
    made = scenario(protocol__kind="stability", population__users=2000, protocol__delta=1e-4)
    axis = axes(made, "error")[0]
    found = curves.closed_forms(made).curves("error", axis, log=axis.log)
    assert [curve.label for curve in found[:-1]] == [*map(str.upper, COMPARED), "STABILITY"]
    swept = made.with_value("sweep", {"protocol.kind": list(ONE_OF_EACH)})
    assert curves.error_protocols(swept) == ONE_OF_EACH
    document = curves.error_document(swept)
    assert document["protocol"] == {"epsilon": made.document["protocol"]["epsilon"]}
    assert len(compile(Scenario(document)).cells) == len(ONE_OF_EACH)


def test_curves_that_take_long_are_left_to_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ldptui.charts.curves.closed.AT_ONCE", 0.0)
    made = scenario(protocol__epsilon=1.75)
    forms, axis = curves.closed_forms(made), axes(made)[0]
    with pytest.raises(curves.LateError) as late:
        forms.curves("gain", axis, log=False, patient=False)
    (bare,) = forms.bare_curves("gain", axis)
    assert not bare.x
    late.value.work()
    whole = forms.curves("gain", axis, log=False, patient=False)
    assert (whole[0].label, whole[0].parameters) == (bare.label, bare.parameters)
    assert curves.closed_forms(scenario(protocol__epsilon=1.75)) is forms


def test_values_that_no_cell_can_have_are_missing() -> None:
    made = scenario(protocol__kind="olh")
    epsilon = Variable("protocol.epsilon", "ε", "ε", 1.0, 20.0)
    (curve,) = gains(made, epsilon)
    assert math.isfinite(curve.y[0])
    assert math.isnan(curve.y[-1])  # more buckets than a hash range may have


# --- Series


def test_words_give_series_and_numbers_are_set_aside() -> None:
    made = swept(
        scenario(), {"attack.kind": ["none", *CAO_ATTACKS], "protocol.epsilon": [1.0, 2.0, 4.0]}
    )
    share = by_key(axes(made))["attack.share"]
    found = gains(made, share)
    assert [curve.label for curve in found] == ["RPA", "RIA", "MGA"]
    assert {curve.parameters["protocol.epsilon"] for curve in found} == {1.0}


def test_a_key_of_a_kind_that_is_left_out_does_not_spoil_the_curve(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Six series have no room for the attack that knows the seeds."""
    monkeypatch.setattr("ldptui.charts.curves.selections.MOST_SERIES", 6)
    sweep = {"protocol.kind": list(CAO_PROTOCOLS), "attack.kind": list(CAO_ATTACKS)}
    made = swept(scenario(attack__kind="rpa", attack__seeds=100), sweep)
    document = curves.chart_document("gain", made)
    assert document is not None
    assert document["sweep"]["attack.kind"] == ["rpa", "ria"]
    assert "seeds" not in document["attack"]
    assert axes(made)


# --- Documents


def test_default_sweep_of_a_part() -> None:
    made = scenario()
    for variable in axes(made):
        part = along(made, variable)
        assert part is not None
        cells = compile(Scenario(dict(part.document))).cells
        values = [cell.parameters[variable.key] for cell in cells]
        assert 8 <= len(values) <= 12
        assert values == sorted(set(values))
        assert (values[0], values[-1]) == (variable.low, variable.high)


def test_error_part_has_the_compared_protocols_and_no_attack() -> None:
    made = scenario(protocol__kind="olh", protocol__hash_range=8)
    part = along(made, axes(made, "error")[0], "error")
    cells = compile(Scenario(dict(part.document))).cells
    assert {cell.parameters["protocol.kind"] for cell in cells} == set(COMPARED)
    assert all(cell.attack is None for cell in cells)
    assert {
        cell.protocol.facts().get("hash_range")
        for cell in cells
        if cell.parameters["protocol.kind"] == "olh"
    } == {8}
    two = swept(made, {"protocol.kind": ["grr", "oue"]})
    kinds = along(two, axes(two, "error")[0], "error").document["sweep"]["protocol.kind"]
    assert kinds == ["grr", "oue"]


RAPPOR = {"kind": "rappor", "bits": 32, "hashes": 2, "cohorts": 8, "f": 0.5}


def rappor(**more: Any) -> Scenario:
    return scenario(**more).with_value("protocol", RAPPOR)


def test_variables_of_rappor() -> None:
    keys = {axis.key: axis for axis in axes(rappor(attack__cohort=0.5))}
    assert {"protocol.f", "protocol.hashes", "protocol.bits", "protocol.cohorts",
            "attack.cohort"} <= keys.keys()  # fmt: skip
    assert "protocol.epsilon" not in keys  # f is given
    assert not keys["protocol.f"].integer
    assert keys["protocol.bits"].integer
    by_budget = scenario().with_value("protocol", {"kind": "rappor", "epsilon": 1.0})
    (budget,) = [axis for axis in axes(by_budget) if axis.key == "protocol.epsilon"]
    assert budget.high == 2.17  # fresh noise gives 2 ln 3 at most
    one_time = {"kind": "rappor", "form": "one-time", "epsilon": 1.0}
    (budget,) = [
        axis for axis in axes(scenario().with_value("protocol", one_time))
        if axis.key == "protocol.epsilon"
    ]  # fmt: skip
    assert budget.high == 4.0


@pytest.mark.parametrize("kind", CAO_ATTACKS)
@pytest.mark.parametrize("cohort", [None, 0.0, 1.0])
def test_the_gain_of_bits_is_that_of_the_cell_over_all_hash_functions(
    kind: str, cohort: float | None
) -> None:
    """The cell has one draw of hash functions: near the mean where there are many of them."""
    made = scenario(attack__kind=kind).with_value("protocol", {**RAPPOR, "cohorts": 256})
    if cohort is not None:
        made = made.with_value("attack.cohort", cohort)
    share = next(axis for axis in axes(made) if axis.key == "attack.share")
    (curve,) = gains(made, share)
    for x, y in zip(curve.x, curve.support, strict=True):
        (cell,) = compile(made.with_value("attack.share", x)).cells
        exact = bit_gain(cell)
        assert exact is not None
        if cohort != 1.0:  # else one cohort's hash functions are all there is
            assert y == pytest.approx(exact, abs=0.02 * max(abs(curve.support[-1]), 0.01))
    assert curve.support[0] == 0


def test_a_crowd_in_one_cohort_gains_less_by_its_bits() -> None:
    made = rappor(attack__cohort=0.0)
    crowd = next(axis for axis in axes(made) if axis.key == "attack.cohort")
    (curve,) = gains(made, crowd)
    assert list(curve.support) == sorted(curve.support, reverse=True)
    assert bloom.cohort_share(900, 100, 10, None) == pytest.approx(0.1)
    assert bloom.cohort_share(900, 100, 10, 1.0) == pytest.approx(100 / 190 / 10)


def test_a_bit_that_gives_everything_away_bounds_no_axis() -> None:
    made = scenario().with_value(
        "protocol", {"kind": "rappor", "form": "full", "epsilon": 1.0, "p": 1e-320, "q": 0.75}
    )
    assert by_key(axes(made))["protocol.epsilon"].high == 4.0


def test_the_error_chart_compares_rappor_at_the_budget_of_one_report() -> None:
    document = curves.error_document(rappor())
    assert document["protocol"]["epsilon"] == 1.07
    assert "f" not in document["protocol"]
    assert document["sweep"]["protocol.kind"][-1] == "rappor"
    cells = compile(Scenario(document)).cells
    assert cells[-1].protocol.bits == 32
    assert all(axis.high <= 2.17 for axis in axes(rappor(), "error")
               if axis.key == "protocol.epsilon")  # fmt: skip
    assert "rappor" not in curves.error_protocols(scenario())


# --- The preview


def test_a_preview_takes_few_points_of_a_long_sweep_with_both_ends() -> None:
    made = swept(scenario(QUICK), {"attack.share": [round(0.001 * step, 6) for step in range(200)]})
    (share,) = (axis for axis in axes(made) if axis.key == "attack.share")
    part = along(made, share)
    selection = curves.chart_selection("gain", made, share)
    assert selection is not None
    values = list(curves.thin_out(selection).sweep["attack.share"])
    assert len(values) == 11
    assert (values[0], values[-1]) == (0.0, 0.199)
    assert values == sorted(set(values))
    assert set(values) <= set(part.document["sweep"]["attack.share"])


@pytest.mark.parametrize(
    ("name", "key", "whole"),
    [("hardening-ue", "protocol.keep", False), ("hardening-olh", "protocol.hash_range", True)],
)
def test_what_hardens_a_protocol_has_an_axis(name: str, key: str, whole: bool) -> None:
    made = load(scenarios.path(name))
    axis = by_key(axes(made))[key]
    (curve,) = gains(made, axis)
    assert axis.integer is whole
    assert set(made.sweep[key][:1]) <= set(curve.x)
    factors = [y / 0.05 for y in curve.y]
    assert factors == sorted(factors, reverse=not whole)  # docs/theory.md: p up, g down


@pytest.mark.parametrize(
    ("name", "symbol", "low", "high"),
    [("cao-gain-r", "r", 1, 10), ("cao-gain-target-frequency", "f_T", 1.2e-4, 0.14)],
)
def test_lists_of_targets_are_on_an_axis(name: str, symbol: str, low: float, high: float) -> None:
    made = load(scenarios.path(name))
    axis = by_key(axes(made))["attack.targets.items"]
    assert axis.symbol == symbol
    assert low <= axis.low < axis.high <= high
    lists = made.sweep[axis.key]
    assert [axis.value_at(axis.place_of(listed)) for listed in lists] == lists
    part = along(made, axis)
    assert part is not None
    assert part.document["sweep"][axis.key] == lists
    # The curves are the closed forms of the scenario's own cells.
    cells = {
        (cell.protocol.kind, cell.attack.kind, axis.place_of(list(cell.attack.targets.items))): cell
        for cell in made.points()
    }
    first = next(iter(cells.values()))
    population = first.population.bind(first.seed, made.folder)
    for curve in gains(made, axis):
        kinds = curve.parameters["protocol.kind"], curve.parameters["attack.kind"]
        assert len(curve.x) == len(lists)
        for x, y in zip(curve.x[::4], curve.y[::4], strict=True):
            cell = bind(0, cells[*kinds, x], population, False)
            assert y == pytest.approx(expected_metrics(cell)["gain"], rel=1e-9, abs=1e-15)
