"""The claims of the bundled scenarios of several attributes, read off closed forms and messages."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from support.claims import bundled, theory

from ldptui.core.cell import Cell


def hidden_among(fake_data: str) -> Cell:
    """The cell of OUE at ε = 1 with these made-up data."""
    settings: dict[str, object] = {
        "task__fake_data": fake_data,
        "protocol__kind": "oue",
        "protocol__epsilon": 1.0,
    }
    (cell,) = bundled("attributes-fake-data", **settings).cells
    return cell


def test_hiding_an_attribute_lowers_the_error_and_raises_epsilon() -> None:
    """The figure of the Adult data of CIKM 2021, and SMP with the ε that RS+FD really has."""
    keys = "task.solution", "protocol.kind", "protocol.epsilon"
    errors, least, ten = theory("attributes", "mse_clean", *keys), math.log(2), math.log(10)
    spl, smp, hidden = (errors[way, "grr", least] for way in ("spl", "smp", "rs+fd"))
    assert (spl / smp, hidden / smp) == pytest.approx((15, 1 / 3), rel=0.01)
    (cell,) = bundled("attributes", task__solution="rs+fd", protocol__kind="grr",
                      protocol__epsilon=least).cells  # fmt: skip
    protocol: Any = cell.protocol
    assert protocol.record_loss() == pytest.approx(ten)
    spent = theory("attributes", "mse_clean", *keys, protocol__epsilon=ten)
    assert spent["smp", "grr", ten] / hidden == pytest.approx(0.1, abs=0.005)


def test_fakes_craft_all_parts_of_a_message_but_with_smp() -> None:
    gains = theory("attributes-attack", "gain", "task.solution", "attack.kind", "attack.share")
    crafted = [gains[way, "mga", 0.05] for way in ("spl", "rs+fd", "smp")]
    assert crafted == pytest.approx([2.85, 2.73, 1.02], abs=0.005)
    for way in ("spl", "rs+fd", "smp"):
        assert gains[way, "ria", 0.05] == pytest.approx(0.15, abs=0.0005)


def test_data_that_cost_the_server_least_hide_worst() -> None:
    """Errors of CIKM 2021 (zeros, uniform) and RS+RFD of PVLDB 2023; what a message tells."""
    keys = "task.fake_data", "protocol.kind", "protocol.epsilon"
    errors = theory("attributes-fake-data", "mse_clean", *keys)
    ways = ("zeros", "uniform", "realistic")
    made = [errors[way, "oue", 1.0] for way in ways]
    assert made == pytest.approx([0.00057, 0.00109, 0.00102], abs=5e-6)
    rng, users = np.random.default_rng(8), 20_000
    for way, named, keeps in (("zeros", 0.38, True), ("realistic", 1 / 9, False)):
        cell = hidden_among(way)
        protocol: Any = cell.protocol
        assert (protocol.attribute_loss() < 1 + 1e-9) == keeps
        groups = cell.population.groups
        values = rng.choice(groups.size, users, p=groups / cell.users)
        assert protocol.infer_attributes(values, rng).mean() == pytest.approx(named, abs=0.01)
