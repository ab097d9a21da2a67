"""`ldptui check` finds clients whose doubles tell their items."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support.audits import audited
from support.commands import Captured

import ldptui
from ldptui.commands import cli
from ldptui.core.law.mechanism import LocalMechanism, is_a
from ldptui.core.protocols import KINDS
from ldptui.terminal import exits

BROKEN = Path(__file__).parents[3] / "examples" / "broken"
LOCAL = [kind for kind, spec in KINDS.items() if is_a(spec.mechanism, LocalMechanism)]


def checked(capsys: Captured, code: int, *words: str) -> Any:
    assert cli.main(["check", *words, "--format", "json"]) == code
    return json.loads(capsys.readouterr().out)


def test_the_broken_client_of_she_is_found(capsys: Captured) -> None:
    place = f"{BROKEN / 'she_doubles.py'}:Client"
    words = (place, "--epsilon", "0.1", "--items", "4", "--samples", "20000")
    found = checked(capsys, exits.ALARM, *words)
    assert found["verdict"] == "broken"
    assert found["audit"]["lower"] > 2


def test_doubles_of_a_simulation_are_found() -> None:
    """Every kind that is simulated alone is so for a reason."""
    for kind in LOCAL:
        protocol: Any = ldptui.protocol(kind, 4, epsilon=0.1)
        if protocol.simulated_only:
            assert audited(protocol, 4, 0.1, 80_000, 0.999).is_broken
