"""`ldptui.audit`: clients of every sort in Python, and what is wrong in a sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ldptui

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
        "grr", Spends(1.0), Spends(2.0), pairs, kind="grr", epsilon=1.0, items=D, samples=20_000,
        command=("cat",),
    )  # fmt: skip
    assert [each.is_broken for each in found.clients] == [False, False, True, False, True]
    assert [each.conforms for each in found.clients] == [True, True, False, True, False]
    assert found.is_broken
    assert [each.client for each in found.clients] == ["grr", "Spends", "Spends", str(pairs), "cat"]


@pytest.mark.parametrize(
    ("clients", "values", "rule"),
    [
        ((3,), {}, "must be names, or objects with perturb"),
        ((), {}, "must be named"),
        (("grr",), {"samples": 10}, "must be in .1000"),
        (("grr",), {"items": 1}, "must be in"),
        (("grr",), {"epsilon": -1}, "must be in"),
        (("grr",), {"confidence": 1}, "must be in"),
        (("grr",), {"settings": ("hash_range=2",)}, "hash_range is not a known key"),
        (("grr",), {"time_limit": 0}, "must be in"),
        (("grr",), {"hash_range": 2}, "is no option of audit"),
    ],
)
def test_wrong_values_are_refused(clients: Any, values: Any, rule: str) -> None:
    with pytest.raises(ldptui.ScenarioError, match=rule):
        ldptui.audit(*clients, **{"epsilon": 1.0, "items": 4, **values})


class Wrong:
    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def perturb(self, values: Any, rng: Any) -> Any:
        return self.answer(values)


@pytest.mark.parametrize(
    ("answer", "rule"),
    [
        (lambda values: 1 / 0, "raised ZeroDivisionError"),
        (lambda values: values[1:], "must return an array of"),
        (lambda values: [None] * len(values), "must return an array of"),
        (lambda values: values + 9, "its reports must be"),
    ],
)
def test_a_client_that_does_not_work_is_one_sentence(answer: Any, rule: str) -> None:
    with pytest.raises(ldptui.RunError, match=rule):
        ldptui.audit(Wrong(answer), kind="grr", epsilon=1.0, items=4, samples=4000)
