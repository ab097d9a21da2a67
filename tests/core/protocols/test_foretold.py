"""Kinds with closed forms of their own, which p and q do not give: their reports against them."""

from typing import Any

import numpy as np
import pytest
from support import budget
from support.cases import cell, deviation_of
from support.kinds import UNCONDITIONAL, attack_table

from ldptui.core import theory
from ldptui.core.law.mechanism import LocalMechanism, is_a
from ldptui.core.law.moments import EstimateMoments
from ldptui.core.law.pure import PureProtocol, Supporting
from ldptui.core.protocols import KINDS

HISTOGRAM = np.array([40, 30, 20, 10, 0])
DIALS: dict[str, dict[str, Any]] = {
    "she": {"bound": 3.0},
    "cms": {"buckets": 64, "rows": 128},
    "hcms": {"buckets": 64, "rows": 128},
    "dbitflip": {"sampled": 3},
    "dbitflip-pm": {"sampled": 2, "chooser": "server"},
}
"""Keys besides ε."""

ABLE = [kind for kind in UNCONDITIONAL if kind != "untargeted"]
"""The attacks with targets that none of them refuses."""


def test_every_such_kind_is_tested() -> None:
    made = {
        kind: spec.mechanism for kind, spec in KINDS.items() if is_a(spec.mechanism, LocalMechanism)
    }
    assert set(DIALS) == {
        kind for kind, cls in made.items()
        if is_a(cls, EstimateMoments) and is_a(cls, Supporting) and not is_a(cls, PureProtocol)
    }  # fmt: skip


@pytest.mark.every(4)
@pytest.mark.parametrize("kind", ABLE)
@pytest.mark.parametrize("protocol", DIALS)
def test_the_gain_of_an_attack_is_that_of_theory(protocol: str, kind: str) -> None:
    table = {"kind": protocol, "epsilon": 1.0, **DIALS[protocol]}
    one = cell(HISTOGRAM.tolist(), table, attack_table(kind, 0.2, targets={"items": [1, 4]}))
    blocks = range(4)
    rows = np.concatenate([one.block(block).metrics for block in blocks])
    expected, support = theory.expected_metrics(one), theory.fake_support(one)
    assert support is not None
    std = deviation_of(one, support)
    gain = expected["gain"]
    assert gain is not None
    assert budget.mean(rows["gain"], gain, std**2)
    assert budget.spread(rows["gain"], gain, std**2)
    assert not budget.mean(rows["gain"], gain + 0.2 * one.target_frequency + 0.15, std**2)
