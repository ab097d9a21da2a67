"""The lines of a gain: in order, and what their names say they are."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from support.cases import CASES, bind

from ldptui.core.attacks import RandomItem
from ldptui.core.bounds.undetectable import hidden_against, hidden_gain_against
from ldptui.core.law.exchangeable import Exchangeable
from ldptui.core.law.pure import PureProtocol
from ldptui.core.law.support import ItemSupport
from ldptui.core.population import Explicit
from ldptui.core.population.targets import ListedTargets
from ldptui.core.protocols import CENTRAL, GRR, KINDS, OUE
from ldptui.core.protocols.subset import SubsetSelection
from ldptui.core.theory import LINES, gain_lines, mean_supports, rates_gain

HELD = Explicit((500, 250, 150, 80, 20)).bind(0, Path())
PURE = [case for case in CASES if isinstance(bind(case), PureProtocol)]
SMALL: dict[str, dict[str, Any]] = {
    "cms": {"buckets": 64, "rows": 4096},
    "hcms": {"buckets": 64, "rows": 4096},
    "rappor": {"bits": 8, "cohorts": 4, "hashes": 2},
}
LOCAL = {
    kind: spec(kind=kind, **({"epsilon": 1.0} | SMALL.get(kind, {}))).bind(5)
    for kind, spec in KINDS.items()
    if kind not in CENTRAL
}


@pytest.mark.parametrize("case", PURE, ids=str)
def test_the_lines_stand_in_their_order(case: Any) -> None:
    protocol = bind(case)
    for targets in (np.array([4]), np.array([3, 0]), np.array([4, 3, 2])):
        for share in (0.0, 0.05, 0.4):
            lines = gain_lines(protocol, HELD, targets, share)
            assert lines.keys() <= LINES.keys()
            assert (
                isinstance(protocol, Exchangeable)
                is ("undetectable" in lines)
                is not ("least" in lines)
            )
            order = [
                lines[key] for key in ("mga", "undetectable", "least", "verified") if key in lines
            ]
            assert all(above >= below - 1e-12 for above, below in pairwise(order))
            assert lines["verified"] >= lines["verified-input"] == 0
            assert lines["mga"] >= lines.get("drop-out", lines["mga"]) - 1e-9


@pytest.mark.parametrize(
    "case", [case for case in PURE if isinstance(bind(case), Exchangeable)], ids=str
)
def test_lines_of_a_verified_randomiser(case: Any, rng: np.random.Generator) -> None:
    """Verified is RIA; with drop-out an honest report of a target that supports it is sent."""
    protocol, targets, share = bind(case), np.array([4, 1]), 0.1
    lines = gain_lines(protocol, HELD, targets, share)
    held = float(HELD.frequencies[targets].sum())
    ria = RandomItem(share, ListedTargets((4, 1))).item_support(protocol, targets, targets)
    assert lines["verified"] == pytest.approx(rates_gain(protocol, ria, targets, share, held))
    # By enumeration: the law of an honest report of target 4, given that it supports 4.
    bits = (np.arange(2**5)[:, None] >> np.arange(5) & 1).astype(bool)
    law = case.honest(4) * bits[:, 4]
    rates = law @ bits / law.sum()
    kept = rates_gain(protocol, ItemSupport(rates, 0.0), targets, share, held)
    assert lines["drop-out"] == pytest.approx(kept)
    reports = cast("Exchangeable", protocol).sample_background(
        np.full(2000, 4), np.ones(2000, dtype=bool), rng
    )
    seen = protocol.supports(reports)[:, targets].mean(axis=0)
    assert seen[0] == 1
    assert abs(seen[1] - rates[1]) < 6.5 * (0.25 / 2000) ** 0.5


@pytest.mark.parametrize("kind", LOCAL)
def test_every_local_protocol_has_lines(kind: str) -> None:
    protocol, targets, share = LOCAL[kind], np.array([4, 1]), 0.05
    lines = gain_lines(protocol, HELD, targets, share)
    assert ("undetectable" in lines) is not ("least" in lines)
    hidden = lines.get("undetectable", lines.get("least"))
    assert hidden >= lines["verified"] > lines["verified-input"] == 0
    assert lines.get("mga", 1.0) >= hidden - 1e-12
    assert lines.get("mga", 1.0) >= lines.get("drop-out", 0.0) - 1e-9


@pytest.mark.parametrize("kind", [kind for kind in LOCAL if mean_supports(LOCAL[kind]) is not None])
def test_an_accepted_report_supports_what_is_said(kind: str, rng: np.random.Generator) -> None:
    """Honest reports of item 4 that support it, by the estimates of items 4 and 1 from them."""
    protocol = LOCAL[kind]
    supported = mean_supports(protocol)
    assert supported is not None
    reports = protocol.perturb(np.full(40_000, 4), rng)
    if isinstance(protocol, PureProtocol):
        shown = protocol.supports(reports)[:, 4] > 0
    else:
        shown = protocol.look(reports, np.array([4]))[:, 0]
    kept = reports[shown]
    counts = protocol.support_counts(kept)
    found = protocol.estimates(counts[None], len(kept)).frequencies[0]
    p, q = protocol.p, protocol.q
    largest = 2 / (p - q) if isinstance(protocol, PureProtocol) else 8.0  # of what one report adds
    near = 6.5 * largest / len(kept) ** 0.5
    for item, rate in zip((4, 1), supported, strict=True):
        assert found[item] == pytest.approx((rate - q) / (p - q), abs=near)
    assert found[4] > 1 + near  # as it would be with every report


def test_the_undetectable_line_needs_no_work_for_each_item(rng: np.random.Generator) -> None:
    """By distinct frequencies it is the gain of the plan, ties and large reports included."""
    for _ in range(60):
        d = int(rng.integers(3, 12))
        held = rng.integers(0, (3, 50)[int(rng.integers(2))], d) + np.eye(d, dtype=np.int64)[0]
        targets = rng.choice(d, int(rng.integers(1, d)), replace=False)
        epsilon, share = rng.uniform(0.1, 4), rng.uniform(0.001, 0.9)
        for protocol in (OUE(d, epsilon), GRR(d, epsilon),
                         SubsetSelection(d, epsilon, int(rng.integers(1, d)))):  # fmt: skip
            plan = hidden_against(protocol, held / held.sum(), targets, share)
            distinct = np.unique(held, return_counts=True)
            gain = hidden_gain_against(protocol, distinct, held[targets], share)
            assert gain == pytest.approx(plan.gain, abs=1e-12)
