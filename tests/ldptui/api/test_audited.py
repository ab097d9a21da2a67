"""`ldptui.audit`: clients of every sort in Python, and what is wrong in a sentence."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ldptui
from ldptui.core.lab.audit import power
from ldptui.lab.questions.reports import AuditOptions

D = 6


class Spends:
    """GRR with another ε than it promises."""

    def __init__(self, epsilon: float) -> None:
        self.own = ldptui.protocol("grr", D, epsilon=epsilon)

    def perturb(self, values: Any, rng: Any) -> Any:
        return self.own.perturb(values, rng)


def test_objects_files_and_programs_stand_side_by_side(tmp_path: Path) -> None:
    items = np.arange(20_000) % D
    reports = Spends(1.0).perturb(items, np.random.default_rng(0))
    pairs = tmp_path / "pairs.csv"
    rows = zip(items, reports, strict=True)
    pairs.write_text("item,report\n" + "".join(f"{v},{r}\n" for v, r in rows))
    found = ldptui.audit(
        "grr", Spends(1.0), Spends(2.0), kind="grr", epsilon=1.0, items=D, samples=20_000,
        pairs=pairs, command="cat",
    )  # fmt: skip
    assert [each.verdict for each in found.clients] == [
        "proved", "not-refuted", "broken", "broken", "not-refuted",
    ]  # fmt: skip
    assert [each.conforms for each in found.clients] == [True, True, False, False, True]
    assert found.broken
    assert [row["client"] for row in found.rows()] == ["grr", "Spends", "Spends", "cat", str(pairs)]
    assert found.powers[0].like == "grr"
    shown = repr(found)
    assert shown.index("refutes ε ≥") < shown.index("conforms")
    assert found.document()["clients"][2]["verdict"] == "broken"


@pytest.mark.parametrize(
    ("clients", "values", "rule"),
    [
        ((3,), {}, "clients must be names, or objects with perturb"),
        ((), {}, "must be named"),
        (("grr",), {"samples": 10}, "samples must be at least 1000, got 10"),
        (("grr",), {"samples": 2.5}, "samples must be a whole number"),
        (("grr",), {"items": 1}, "items must be a whole number, at least 2"),
        (("grr",), {"epsilon": -1}, "epsilon must be in"),
        (("grr",), {"confidence": 1}, "confidence must be in"),
        (("grr",), {"hash_range": 2}, "hash_range is not a known key"),
        (("grr",), {"opaque": 1}, "opaque must be True or False"),
        (("grr",), {"kind": 1}, "kind must be text"),
        (("grr",), {"command": [2]}, "command must be text"),
    ],
)
def test_wrong_values_are_refused(clients: Any, values: Any, rule: str) -> None:
    with pytest.raises(ldptui.ScenarioError, match=rule):
        ldptui.audit(*clients, **{"epsilon": 1.0, "items": 4, **values})


EXPECTED = {
    "grr": 0.977, "ss": 0.619, "sue": 0.503, "oue": 0.632,
    "blh": 0.374, "olh": 0.657, "the": 0.470,
}  # fmt: skip
"""The naive audit's bounds of the literature: k = 25, ε = 1, N = 10^6."""


def test_a_million_samples_have_the_bounds_of_the_literature() -> None:
    """What `--samples 1000000` prints before it runs, and better events beside."""
    options = AuditOptions(clients=tuple(EXPECTED), epsilon=1.0, items=25, samples=10**6)
    question = ldptui.api.audited.question(options, {})  # type: ignore[attr-defined]
    powers = {each.like: each for each in question.powers()}
    assert list(powers) == list(EXPECTED)
    for kind, bound in EXPECTED.items():
        assert powers[kind].naive == pytest.approx(bound, rel=0.03)
        assert powers[kind].expected > 0.86
        assert kind == "grr" or powers[kind].expected > 1.3 * bound
    assert power.POWER == 0.9


@pytest.mark.long
def test_a_million_samples_show_them() -> None:
    """An audit of each: the naive attacker's bound, and `epsilon_low` above it. 20 s."""
    found = ldptui.audit(*EXPECTED, epsilon=1.0, items=25, samples=10**6, confidence=0.99)
    for each in found.clients:
        assert each.average_low == pytest.approx(EXPECTED[each.client], rel=0.03)
        assert each.average_low <= each.epsilon_low <= 1
        assert each.epsilon_low > 0.86


def test_a_client_imports_what_stands_beside_it(tmp_path: Path) -> None:
    """Two versions with modules of one name: each has its own, and each start runs it anew."""
    client = """
import coins

class Client:
    def __init__(self, items, epsilon):
        self.items = items

    def perturb(self, values, rng):
        return [coins.report(item, self.items) for item in values.tolist()]
"""
    reports = {"one": "return RNG.randrange(d)", "two": "return item"}
    for name, told in reports.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "client.py").write_text(client)
        text = f"import random\nRNG = random.Random(1)\n\ndef report(item, d):\n    {told}\n"
        (tmp_path / name / "coins.py").write_text(text)
    path, modules = list(sys.path), set(sys.modules)
    found = ldptui.audit(
        *(f"{tmp_path / name / 'client.py'}:Client" for name in reports),
        epsilon=1.0, items=D, samples=2000,
    )  # fmt: skip
    one, two = found.clients
    assert [finding.kind for finding in one.findings] == ["fixed seed"]
    assert two.findings[0].kind == "epsilon"
    assert sys.path == path
    assert "coins" not in set(sys.modules) - modules
