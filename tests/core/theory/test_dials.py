"""The trade of the dials: the gain factor against the variance, and the least error of all."""

import math

import numpy as np
import pytest
from support.cases import CASES, bind
from support.report_laws import Case

from ldptui.core.law.pure import PureProtocol, gain_factor, item_variance
from ldptui.core.protocols import PROTOCOLS
from ldptui.core.protocols.hashing import LocalHashing
from ldptui.core.protocols.unary import Unary
from ldptui.core.theory import (
    count_variance,
    exact_border,
    least_error,
    least_of_all,
    recommended_protocol,
)


def on_the_curve(protocol: PureProtocol) -> bool:
    """Var*(a) = a² / ((e^ε - 1)(a - 1) - 1)."""
    a, e = gain_factor(protocol), math.exp(protocol.epsilon)
    return count_variance(protocol) == pytest.approx(a**2 / ((e - 1) * (a - 1) - 1), rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
def test_unary_encodings_and_hashing_lie_on_one_curve(epsilon: float) -> None:
    e = math.exp(epsilon)
    best = 4 * e / (e - 1) ** 2
    dials: list[PureProtocol] = [Unary(50, epsilon, p) for p in np.linspace(0.05, 0.95, 19)]
    dials += [LocalHashing(50, epsilon, g) for g in (2, 3, 4, 8, 21, 300)]
    for protocol in dials:
        assert on_the_curve(protocol)
        assert count_variance(protocol) >= best * (1 - 1e-12)
        assert gain_factor(protocol) > e / (e - 1)
    oue = Unary(50, epsilon, 0.5)
    assert gain_factor(oue) == pytest.approx(2 * e / (e - 1))
    assert count_variance(oue) == pytest.approx(best)
    assert not on_the_curve(PROTOCOLS["grr"]("grr", epsilon).bind(50))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_no_gain_factor_is_below_the_least(case: Case) -> None:
    e = math.exp(case.epsilon)
    assert gain_factor(bind(case)) >= e / (e - 1)


@pytest.mark.parametrize("d", [2, 5, 9, 10, 40, 300])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_no_kind_has_less_error_than_the_floor(d: int, epsilon: float) -> None:
    def error(protocol: PureProtocol) -> float:
        return float(item_variance(protocol, 1, 1 / d))

    floor = error(least_of_all(d, epsilon))
    errors = {kind: error(PROTOCOLS[kind](kind, epsilon).bind(d)) for kind in PROTOCOLS}
    assert min(errors.values()) >= floor * (1 - 1e-12)
    best = least_error(d, epsilon)
    assert errors[best] <= errors["grr"]
    assert errors[best] <= errors["oue"]
    assert (recommended_protocol(d, epsilon) == best) == (
        (d < exact_border(epsilon)) == (d < 3 * math.exp(epsilon) + 2)
    )


def test_bits_of_a_report() -> None:
    """The least number of bits that tells the reports of a small domain apart."""
    bits = {kind: PROTOCOLS[kind](kind, 1.0).bind(10).report_bits for kind in PROTOCOLS}
    assert bits["grr"] == pytest.approx(math.log2(10))
    assert bits["oue"] == bits["ue"] == 10
    assert bits["olh"] == 32 + 2
    assert bits["ss"] == pytest.approx(math.log2(math.comb(10, 3)))
