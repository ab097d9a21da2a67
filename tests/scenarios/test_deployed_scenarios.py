"""Deployed systems: every number that their scenarios print, computed again; one fake in each."""

from __future__ import annotations

import math
import re
from itertools import product
from typing import Any

import pytest
from support.claims import bundled, theory

from ldptui import scenarios
from ldptui.core.scenario import load

NAMES = [name for name in scenarios.names() if name.startswith("deployed-")]


def said(name: str) -> str:
    """What a scenario says of the system, in one line."""
    return " ".join(str(load(scenarios.path(name)).document["about"]).split())


def per_fake(name: str, *keys: str, **settings: object) -> dict[Any, float]:
    """The genuine users that one fake counts for: its gain, and what it replaces of the targets."""
    found = {}
    for cell, gain in zip(bundled(name, **settings).cells, theory(name, "gain", "attack.share",
                          *keys, **settings).values(), strict=True):  # fmt: skip
        place = tuple(cell.parameters[key] for key in ("attack.share", *keys))
        found[place] = gain / cell.share + cell.target_frequency
    return found


@pytest.mark.parametrize("name", NAMES)
def test_it_has_a_source_years_and_a_status(name: str) -> None:
    comment = scenarios.path(name).read_text("utf-8").partition("\n\n")[0]
    assert re.search(r"# Source: .*20\d\d|# Source: (WICG|the parameters|IETF)", comment)
    assert re.search(r"# Status: .*(since|from) 20\d\d", comment)


def states(reports: int, windows: int, values: int) -> int:
    """States of a source, by enumeration: for each value the number of reports in each window."""
    cells = windows * values
    return sum(1 for counts in product(range(reports + 1), repeat=cells) if sum(counts) <= reports)


def test_the_states_flip_rates_and_capacities_of_chromes_sources() -> None:
    """A state: up to c reports among w windows and v values; C(c + wv, c) of them."""
    text = said("deployed-chrome-ara")
    assert states(1, 1, 2) == math.comb(3, 1) == 3
    assert states(2, 2, 3) == math.comb(8, 2)
    assert math.comb(3 + 3 * 8, 3) == 2925
    cells = bundled("deployed-chrome-ara").cells
    told = {3: (2.494582008677539e-6, 1.58493), 2925: (0.0024263221679834087, 11.4617)}
    for cell in cells:
        d, protocol = cell.population.domain_size, cell.pure
        flip = d * protocol.q  # a uniform state in place of the true one
        assert flip == pytest.approx(d / (d + math.exp(14) - 1))
        x = flip * (d - 1) / d
        entropy = -x * math.log2(x) - (1 - x) * math.log2(1 - x)
        capacity = math.log2(d) - entropy - x * math.log2(d - 1)
        if d in told:
            assert (flip, capacity) == pytest.approx(told[d], rel=5e-6)
            assert f"{capacity:.{5 if d == 3 else 4}f} bits" in text
    assert "2.4946e-6" in text
    assert "0.0024263" in text
    assert 11.4617 < 11.5  # the limit of navigation sources


def test_one_fake_source_counts_as_little_more_than_one() -> None:
    found = per_fake("deployed-chrome-ara", "population.items")
    for (_, d), users in found.items():
        flip = d / (d + math.exp(14) - 1)
        # (1 − q)/(p − q) in full.
        assert users == pytest.approx((1 - flip / d) / (1 - flip))
    assert found[1e-6, 2925] == pytest.approx(1.0024, abs=5e-5)


def test_chromes_rappor_keeps_its_budgets() -> None:
    text = said("deployed-chrome-rappor")
    for cell in bundled("deployed-chrome-rappor").cells:
        protocol: Any = cell.protocol
        noise, f = protocol.noise, cell.parameters["protocol.f"]
        wanted = {0.5: 4 * math.log(3), 0.25: 4 * math.log(7)}[f]  # type: ignore[index]
        assert noise.epsilon_infinity(2) == pytest.approx(wanted)
        assert f"{wanted:.3f}" in text
        assert (protocol.cohorts, noise.p, noise.q) == (128, 0.25, 0.75)
    gains = per_fake("deployed-chrome-rappor", "protocol.bits", "protocol.f")
    assert {key[1] for key in gains} == {8, 32, 128}
    for bits in (8, 32, 128):
        assert 1.8 < gains[0.01, bits, 0.25] < gains[0.01, bits, 0.5] < 3.2
    for f in (0.25, 0.5):
        assert gains[0.01, 8, f] > gains[0.01, 32, f] > gains[0.01, 128, f]


def test_apples_sketches_flip_as_they_say_and_count_every_target() -> None:
    text = said("deployed-apple-emoji")
    assert f"{1 / (math.exp(2) + 1):.4f}" in text
    gains = per_fake("deployed-apple-emoji", "protocol.epsilon")
    assert gains[1e-6, 4.0] == pytest.approx(11.57, abs=0.02)
    assert gains[1e-6, 16.0] == pytest.approx(10.0, abs=0.02)
    claim = scenarios.path("deployed-apple-emoji").read_text(encoding="utf-8")
    assert "gains as much as ten devices" in claim
    [cell, *_] = bundled("deployed-apple-emoji").cells
    sketch: Any = cell.protocol
    assert sketch.buckets == 1024
    assert f"{1 / (math.exp(8) + 1):.6f}" in said("deployed-apple-safari")
    signs = per_fake("deployed-apple-safari", "protocol.epsilon")
    assert signs[1e-6, 8.0] == pytest.approx(3.0, abs=0.01)
    assert signs[1e-6, 4.0] > signs[1e-6, 8.0]


def test_microsofts_fakes_count_by_who_chooses_their_buckets() -> None:
    assert f"{1 / (math.exp(0.5) + 1):.4f}" in said("deployed-microsoft")
    found = per_fake("deployed-microsoft", "protocol.sampled", "protocol.chooser")
    p = 1 / (1 + math.exp(-0.5))
    for (_, sampled, chooser), users in found.items():
        by_fakes = 32 / sampled if chooser == "client" else 1
        assert users == pytest.approx(by_fakes * p / (2 * p - 1))


def test_a_proof_decides_what_a_fake_of_dap_counts_for() -> None:
    found = per_fake("deployed-dap-histogram", "trust.circuit")
    for (_, circuit), users in found.items():
        assert users == pytest.approx({"histogram": 1, "sumvec": 10}[str(circuit)])
