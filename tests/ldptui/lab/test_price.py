"""The price of locality on a population: numbers, curves, charts, the command."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from support.commands import Captured, fail, succeed

from ldptui.core.base.errors import ScenarioError
from ldptui.core.experiment import compile
from ldptui.core.lab.locality import central_mse, grown, local_mse, price
from ldptui.core.protocols import NUMBERS, OUE
from ldptui.core.protocols.curators import Laplace, Stability
from ldptui.core.scenario import load, parse
from ldptui.core.theory import expected_metrics
from ldptui.lab.mechanisms import CURATORS, DRAWN, LOCAL
from ldptui.lab.price import APART, SHOWN, Prices, error_chart, factor_chart, prices
from ldptui.session.locating import locate
from ldptui.text.format import count

HELD = np.array([4000, 900, 90, 9, 1])


@pytest.fixture(scope="module")
def values() -> Prices:
    return prices(HELD, 1.0)


def test_errors_are_those_of_the_cells_that_a_scenario_compiles_to(values: Prices) -> None:
    document = (
        'format = 1\n[population]\nkind = "counts"\ncounts = [4000, 900, 90, 9, 1]\n'
        '[protocol]\nepsilon = 1.0\n[sweep]\n"protocol.kind" = '
    )
    cells = compile(parse(document + json.dumps([*LOCAL, *CURATORS]) + "\n")).cells
    for cell in cells:
        claim = expected_metrics(cell)["mse_clean"]
        assert claim is not None
        kind = cell.parameters["protocol.kind"]
        assert values.errors[kind] == pytest.approx(math.sqrt(claim)), kind


def test_the_users_of_a_price_have_the_error_of_the_curator(values: Prices) -> None:
    for name, curator in (
        ("laplace", Laplace(5, 1.0)),
        ("stability", Stability(5, 1.0, delta=1e-6)),
    ):
        cost = values.price["oue"][name]
        assert cost is not None
        needed = cost.users
        assert local_mse(OUE(5, 1.0), grown(HELD, needed)) == pytest.approx(
            central_mse(curator, HELD)
        )
        found = price(local_mse(OUE(5, 1.0), HELD), central_mse(curator, HELD), HELD)
        assert (needed, needed / 5000) == pytest.approx((found.users, found.factor))
    even = values.break_even["oue"]
    assert even is not None
    assert central_mse(Laplace(5, 1.0), grown(HELD, even)) == pytest.approx(
        local_mse(OUE(5, 1.0), grown(HELD, even))
    )


def test_curves_pass_through_the_present_point(values: Prices) -> None:
    users, epsilon = values.over["users"], values.over["epsilon"]
    assert users.x[0] == 10
    assert users.x[-1] == 5_000_000
    assert (epsilon.x[0], epsilon.x[-1]) == (0.1, 10)
    for columns, at in ((users, 5000), (epsilon, 1.0)):
        x = np.log(columns.x)
        for kind in SHOWN:
            line = np.interp(math.log(at), x, np.log(columns.errors[kind]))
            assert math.exp(line) == pytest.approx(values.errors[kind], rel=0.02), kind
        assert all(factor is not None for factor in columns.factor["oue"])
    # 1/n of the price in the numbers of users: ten times the users, ten times the price.
    factor = np.array(users.factor["oue"])
    assert factor == pytest.approx(factor[0] * np.array(users.x) / users.x[0])


def test_charts_tell_local_from_central(values: Prices) -> None:
    for over, label in (("users", "number of users n"), ("epsilon", "privacy budget ε")):
        errors, factors = error_chart(values, over), factor_chart(values, over)  # type: ignore[arg-type]
        assert [series.label for series in errors.series] == [kind.upper() for kind in SHOWN]
        assert [series.style for series in errors.series] == ["line"] * len(DRAWN) + [
            "dotted"
        ] * len(APART)
        assert [series.label for series in factors.series] == [kind.upper() for kind in DRAWN]
        assert errors.x.label == factors.x.label == label
        assert len({series.tone for series in errors.series}) == len(SHOWN)
    assert "ε = 1" in error_chart(values, "users").note
    assert f"n = {count(5000)}" in error_chart(values, "epsilon").note


def test_a_protocol_that_this_budget_does_not_allow_is_missing() -> None:
    found = prices(HELD, 18.0)
    assert found.errors["olh"] is None
    assert found.price["olh"] == dict.fromkeys(CURATORS)
    assert found.break_even["olh"] is None
    olh = next(series for series in error_chart(found, "epsilon").series if series.label == "OLH")
    assert math.isnan(olh.y[-1])
    assert math.isfinite(olh.y[0])


def test_the_command(capsys: Captured) -> None:
    found = json.loads(succeed(capsys, "price", "quickstart", "--format", "json"))
    assert found["scenario"] == "quickstart"
    assert (found["items"], found["users"], found["epsilon"]) == (128, 100_000, 1.0)
    assert found["price"]["oue"]["laplace"]["factor"] == pytest.approx(46131, rel=1e-4)
    more = json.loads(
        succeed(capsys, "price", "quickstart", "--users", "1000", "--epsilon", "2", "--neighbours",
                "add-remove", "--format", "json")
    )  # fmt: skip
    assert (more["users"], more["epsilon"], more["neighbours"]) == (1000, 2.0, "add-remove")
    assert more["errors"]["laplace"] == pytest.approx(math.sqrt(2) / 2 / 1000)
    text = succeed(capsys, "price", "quickstart")
    for words in ("OUE as laplace: users", "46 131 × n", "W17: Wang", "DR: Dwork"):
        assert words in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--delta", "0"), "--delta must be greater than 0 for the stability mechanism"),
        (("--epsilon", "0"), "--epsilon must be in (0, 20]"),
        (("--users", "0"), "--users must be in [1"),
    ],
)
def test_bad_input_is_one_sentence(
    arguments: tuple[str, ...], words: str, capsys: Captured
) -> None:
    assert words in fail(capsys, 2, "price", "quickstart", *arguments)


def test_nobody_has_no_price() -> None:
    with pytest.raises(ScenarioError, match="users must be at least 1"):
        price(1.0, 1.0, np.zeros(5, dtype=np.int64))


def test_the_price_of_a_mean(capsys: Captured) -> None:
    """By the protocols of numbers: √(c²/n) of SR at 0, and the noise of a curator's sum."""
    found = json.loads(succeed(capsys, "price", "numbers-ages", "--users", "5000",
                               "--epsilon", "1", "--format", "json"))  # fmt: skip
    assert found["what"] == "the mean"
    assert set(found["price"]) == set(NUMBERS)
    (cell,) = compile(load(locate("numbers-ages"))).cells[:1]
    protocol: Any = cell.protocol
    half = (protocol.high - protocol.low) / 2
    truth = cell.population.frequencies @ protocol.values**2
    c = (math.e + 1) / (math.e - 1)
    assert found["errors"]["sr"] == pytest.approx(half * math.sqrt((c**2 - truth) / 5000), rel=1e-4)
    assert found["errors"]["laplace"] == pytest.approx(half * math.sqrt(8) / 5000)
    assert found["price"]["sr"]["laplace"]["factor"] == pytest.approx(5000 * (c**2 - truth) / 8,
                                                                      rel=1e-3)  # fmt: skip
