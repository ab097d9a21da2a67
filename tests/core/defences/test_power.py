"""The power law's posterior mean against an integrator."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

from ldptui.core.base.errors import ScenarioError
from ldptui.core.defences import ServerKnowledge
from ldptui.core.defences.corrections import Power


def integrated(estimate: float, exponent: float, there: ServerKnowledge) -> float:
    """The mean of x given its estimate, by adaptive quadrature in ln x."""
    least, sigma = 1 / there.users, there.std
    shift = min(max(estimate, least), 1.0)

    def density(u: float, more: float) -> float:
        x = np.exp(u)
        score = ((shift - estimate) ** 2 - (x - estimate) ** 2) / (2 * sigma**2)
        return float(np.exp((1 - exponent + more) * (u - np.log(shift)) + score))

    width = sigma / shift
    near = [np.log(shift) + at * min(width, 1) for at in (-8, -2, 2, 8)]
    low, high = np.log(least), 0.0
    points = [point for point in near if low < point < high]
    top, bottom = (
        quad(density, low, high, args=(more,), points=points or None, limit=500)[0]
        for more in (1, 0)
    )
    return shift * top / bottom


@pytest.mark.parametrize("exponent", [0.5, 1.0, 2.0, 4.0])
@pytest.mark.parametrize(("users", "sigma"), [(10**6, 0.002), (1000, 0.06), (10**9, 6e-5)])
def test_power_is_the_posterior_mean(users: int, sigma: float, exponent: float) -> None:
    there = ServerKnowledge(9, users, variance=sigma**2)
    scores = np.array([-6.0, -1.3, 0.0, 0.7, 1.9, 3.2, 5.5, 11.0, 29.9, 30.1, 75.0])
    estimates = scores[scores * sigma < 0.7] * sigma
    made = Power(exponent).correct(estimates[None], there)[0]
    expected = [integrated(estimate, exponent, there) for estimate in estimates]
    assert made == pytest.approx(expected, rel=2e-4, abs=1e-5 * sigma)


def test_power_pulls_likely_noise_to_zero_and_leaves_the_rest() -> None:
    sigma = 0.002
    there = ServerKnowledge(9, 10**6, variance=sigma**2)
    raw = np.array([[-1.0, 0.0, sigma, 2 * sigma, 20 * sigma, 0.5, 3.0]])
    made = Power().correct(raw, there)[0]
    assert (np.diff(made) > 0).all()
    assert (made[:4] < 0.25 * sigma).all()
    assert made[4] == pytest.approx(20 * sigma, rel=0.01)
    assert made[5] == pytest.approx(0.5, rel=1e-4)
    assert made[6] == 1


@pytest.mark.parametrize("exponent", [0.0, 11.0])
def test_an_exponent_out_of_range_is_refused(exponent: float) -> None:
    with pytest.raises(ScenarioError, match=r"exponent must be in \(0, 10\], got"):
        Power(exponent)
