"""The hardening curve: every unary encoding and local hashing is on it, no protocol is beyond."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ldptui.core.base.errors import ScenarioError
from ldptui.core.bounds import hardening
from ldptui.core.law.pure import PureProtocol, gain_factor, item_variance
from ldptui.core.protocols import PROTOCOLS, LocalHashing, Unary

EPSILONS = [0.1, 1.0, 3.0]
ON_THE_CURVE: list[PureProtocol] = [
    *(Unary(20, e, p) for e in EPSILONS for p in (0.1, 0.5, 0.7, 0.97)),
    *(LocalHashing(20, e, g) for e in EPSILONS for g in (2, 3, 5, 40)),
]


@pytest.mark.parametrize("protocol", ON_THE_CURVE, ids=repr)
def test_the_noise_is_that_of_the_curve(protocol: PureProtocol) -> None:
    a, e = gain_factor(protocol), protocol.epsilon
    assert hardening.curve_variance(a, e) == pytest.approx(item_variance(protocol, 1))
    assert hardening.curve_variance(1.01 * a, e) != pytest.approx(item_variance(protocol, 1))
    if isinstance(protocol, LocalHashing):
        assert hardening.hash_range(a, e) == pytest.approx(protocol.hash_range)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_least_noise_is_that_of_oue(epsilon: float) -> None:
    e, least = math.exp(epsilon), hardening.least_gain_factor(epsilon)
    assert least == pytest.approx(e / (e - 1))
    lowest = hardening.curve_variance(2 * least, epsilon)
    assert lowest == pytest.approx(4 * e / (e - 1) ** 2)
    beside = hardening.curve_variance(2 * least * np.array([0.99, 1.01]), epsilon)
    assert (beside > lowest).all()


@pytest.mark.parametrize("kind", PROTOCOLS)
def test_no_protocol_has_a_smaller_gain_factor(kind: str) -> None:
    for epsilon in EPSILONS:
        try:
            protocol = PROTOCOLS[kind](kind, epsilon).bind(9)
        except ScenarioError:
            continue
        assert gain_factor(protocol) >= hardening.least_gain_factor(epsilon) * (1 - 1e-12)
