"""A campaign of a few rounds, as a chart gets it."""

from __future__ import annotations

from typing import Any

from ldptui.core.view import RoundSummary
from support.told import told

LABELS = {9: "nine", 11: "eleven"}


DOCUMENT: dict[str, Any] = {
    "format": 1,
    "trials": 20,
    "population": {"kind": "zipf", "items": 12, "users": 2000, "exponent": 1.0},
    "protocol": {"kind": "oue", "epsilon": 2.0},
    "attack": {
        "phase": [
            {
                "rounds": 4,
                "share": {"from": 0.0, "to": 0.2},
                "targets": {"items": [9, 11]},
                "mix": [{"kind": "mga", "weight": 1}],
            }
        ]
    },
    "simulate": {"top_k": 3},
    "campaign": {"rounds": 6},
}


SNAPSHOT = told(DOCUMENT)[0]


ROUNDS: RoundSummary = SNAPSHOT.rounds


CELL = SNAPSHOT.base_cell


GAIN = CELL.metrics["gain"]
