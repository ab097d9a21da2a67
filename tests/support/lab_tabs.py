"""Questions to the tabs of the lab."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ldptui.lab import tabs
from ldptui.lab.answer import Answer, decoded, encoded
from ldptui.lab.forms import FORMS, Tab, starting

DOCUMENT = {
    "format": 1,
    "population": {"kind": "zipf", "items": 50, "users": 10_000, "exponent": 1.0},
    "protocol": {"kind": "oue", "epsilon": 1.0},
}


def steps_of(
    tab: Tab, document: Any = DOCUMENT, folder: Path = Path(), **values: Any
) -> tabs.Steps:
    names = {entry.name for entry in FORMS[tab]}
    assert set(values) <= {*names, "path"}
    if tab == "budget":
        values = {"entries": ["daily=0.1x30", "census=0.5,1e-8"], **values}
    return tabs.steps(
        {
            "tab": tab,
            "values": starting(tab, None, values),
            "document": document,
            "folder": folder,
        }
    )


def ask(tab: Tab, document: Any = DOCUMENT, folder: Path = Path(), **values: Any) -> Answer:
    """The answer, as the screen gets it."""
    steps = steps_of(tab, document, folder, **values)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return decoded(json.loads(json.dumps(encoded(end.value), allow_nan=False)))
