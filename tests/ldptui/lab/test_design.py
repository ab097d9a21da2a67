"""The designer's command and tab."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import pytest
from support.commands import Captured, succeed
from support.lab_tabs import DOCUMENT, ask

from ldptui.core.protocols import DIALS, KINDS

EXAMPLE = ("design", "--items", "128", "--users", "1000000", "--epsilon", "1")


def designed(capsys: Captured, *arguments: str) -> dict[str, Any]:
    values = json.loads(succeed(capsys, *EXAMPLE, *arguments, "--format", "json"))
    assert isinstance(values, dict)
    return values


def test_the_design_names_a_protocol_that_runs_with_its_ratings(capsys: Captured) -> None:
    values = designed(capsys, "--share", "0.05", "--check", "--trials", "200")
    found, check = values["found"], values["check"]
    table = found["protocol"]
    protocol = KINDS[table["kind"]](**table).bind(128)
    assert found["p"] == protocol.p
    a = (1 - protocol.q) / (protocol.p - protocol.q)
    variance = protocol.q * (1 - protocol.q) / (protocol.p - protocol.q) ** 2
    assert found["gain_factor"] == pytest.approx(a)
    assert found["worst"] == pytest.approx(math.hypot(0.05 * a, 0.95 * math.sqrt(variance / 1e6)))
    assert found["worst"] <= values["beside"]["worst"]
    assert set(values["kinds"]) == set(DIALS)
    assert check["worst"] == pytest.approx(found["worst"], rel=0.02)
    said = succeed(capsys, *EXAMPLE, "--share", "0.05")
    [more] = re.findall(r"that of OUE is ([\d.]+) % larger", said)
    assert float(more) == pytest.approx(
        100 * (values["beside"]["worst"] / found["worst"] - 1), 0.01
    )


def test_the_tab_proposes_its_protocol_and_marks_the_present_one() -> None:
    answer = ask("design", share=0.05)
    edits = dict(answer.edits)
    kind = edits["protocol.kind"]
    assert kind in DIALS
    assert {f"protocol.{DIALS[kind].name}", "protocol.epsilon"} < set(edits)
    for chart in answer.charts:
        labels = [line.label for line in chart.series]  # type: ignore[union-attr]
        assert labels[-2:] == ["now: OUE", f"found: {kind.upper()}"]
    present = {**DOCUMENT, "protocol": {"kind": "ue", "epsilon": 1.0, "keep": 0.9}}
    beside = ask("design", document=present, beside="ue", share=0.05)
    assert any(row[0] == "UE p = 0.9" for row in beside.table.rows)
