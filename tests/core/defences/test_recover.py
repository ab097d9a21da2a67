"""LDPRecover: a projection in disguise, and its form that knows the targets."""

from __future__ import annotations

import numpy as np
import pytest
from support.cases import attack, cell

from ldptui.core.base.errors import ScenarioError
from ldptui.core.defences import inform_server, project
from ldptui.core.defences.corrections import Recover, RecoverTargets
from ldptui.core.law.pure import PureProtocol
from ldptui.core.protocols import PROTOCOLS
from ldptui.core.theory import expected_estimate


@pytest.mark.every(5)
@pytest.mark.parametrize("kind", PROTOCOLS)
@pytest.mark.parametrize("eta", [0.0, 0.05, 0.5])
def test_ldprecover_is_a_projection_of_enlarged_estimates(
    kind: str, eta: float, rng: np.random.Generator
) -> None:
    """Whatever mass it takes the fakes for: one number for all survivors cancels."""
    protocol: PureProtocol = PROTOCOLS[kind](kind=kind, epsilon=1.0).bind(40)
    if (1 - 40 * protocol.q) / (protocol.p - protocol.q) > 1 + 1e-9:
        return  # reports speak against items as well
    there = inform_server(protocol, 10_000, np.array([1, 2]))
    raw = rng.dirichlet(np.full(40, 0.5), 50) + rng.normal(0, 0.05, (50, 40))
    raw[:10, 3] += 0.7
    raw[:, 0] = np.abs(raw[:, 0])
    raw[:, 0] += np.maximum(1 - np.maximum(raw, 0).sum(axis=1), 0)  # what the equality needs
    made = Recover(eta).correct(raw, there)
    assert made == pytest.approx(project((1 + eta) * raw), abs=1e-12)
    if eta:
        assert not np.allclose(made, project(raw))


@pytest.mark.parametrize("items", [[4], [2, 3, 4]])
def test_ldprecover_star_undoes_mga_on_grr_with_the_right_eta(items: list[int]) -> None:
    there = cell([5000, 3000, 1500, 500, 0], {"kind": "grr", "epsilon": 1.0},
                 attack("mga", 0.1, items))  # fmt: skip
    poisoned = expected_estimate(there)
    assert poisoned is not None
    eta = there.malicious / there.users
    facts = inform_server(there.pure, there.users + there.malicious, there.targets)
    truth = there.population.frequencies
    made = RecoverTargets(eta).correct(poisoned[None], facts)[0]
    assert made == pytest.approx(truth, abs=1e-12)
    for wrong in (0.5 * eta, 2 * eta):
        assert RecoverTargets(wrong).correct(poisoned[None], facts)[0] != pytest.approx(
            truth, abs=0.01
        )


def test_ldprecover_star_takes_too_little_from_mga_on_oue() -> None:
    """A crafted report supports all three targets; the method reckons with one."""
    there = cell([5000, 3000, 1500, 500, 0], {"kind": "oue", "epsilon": 1.0},
                 attack("mga", 0.1, [2, 3, 4]))  # fmt: skip
    poisoned = expected_estimate(there)
    assert poisoned is not None
    facts = inform_server(there.pure, there.users + there.malicious, there.targets)
    made = RecoverTargets(there.malicious / there.users).correct(poisoned[None], facts)[0]
    assert made[there.targets].sum() > there.target_frequency + 0.1


@pytest.mark.parametrize("kind", [Recover, RecoverTargets])
@pytest.mark.parametrize("eta", [-0.1, 11.0, float("nan")])
def test_an_eta_out_of_range_is_refused(kind: type, eta: float) -> None:
    with pytest.raises(ScenarioError, match=r"eta must be in \[0, 10\], got"):
        kind(eta)
