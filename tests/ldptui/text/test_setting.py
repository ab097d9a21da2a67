"""The heading of a run: every key that somebody set, whichever it is."""

from __future__ import annotations

from typing import Any

import pytest
from support.cases import experiment

from ldptui.core.running.runner import run
from ldptui.text.table.setting_lines import constant_lines

UNIFORM = {"kind": "uniform", "items": 8, "users": 100}


def heading(protocol: dict[str, Any], **more: Any) -> str:
    *_, last = run(experiment(UNIFORM, {"epsilon": 1.0, **protocol}, trials=1, **more))
    return " ".join(" ".join(constant_lines(last.results, 400)).split())


@pytest.mark.parametrize(
    ("protocol", "key", "value"),
    [
        ({"kind": "ue"}, "keep", 0.75),
        ({"kind": "ss"}, "subset_size", 3),
        ({"kind": "the"}, "theta", 0.7),
        ({"kind": "dbitflip-pm"}, "sampled", 2),
    ],
)
def test_a_key_of_a_protocol_is_told_where_it_is_not_the_default(
    protocol: dict[str, Any], key: str, value: float
) -> None:
    assert f", {key} {value}" in heading({**protocol, key: value})
    assert key not in heading(protocol)


def test_the_keys_of_defences_are_told_and_each_once() -> None:
    steps = [{"kind": "ldprecover", "eta": 0.1}, {"kind": "ldprecover", "eta": 0.1}]
    assert "ldprecover then ldprecover, eta 0.1" in heading({"kind": "oue"}, defence=steps)
