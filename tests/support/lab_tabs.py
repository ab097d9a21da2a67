"""Questions to the tabs of the lab."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ldptui.questions import asking
from ldptui.questions.inputs import Steps
from ldptui.questions.sheet import AnswerSheet, decode_answer, encode_answer
from ldptui.questions.topics import TOPICS, starting

DOCUMENT = {
    "format": 1,
    "population": {"kind": "zipf", "items": 50, "users": 10_000, "exponent": 1.0},
    "protocol": {"kind": "oue", "epsilon": 1.0},
}


def steps_of(tab: str, document: Any = DOCUMENT, folder: Path = Path(), **values: Any) -> Steps:
    names = {option.name for option in TOPICS[tab].blanks}
    assert set(values) <= {*names, "path"}
    if tab == "ledger":
        values = {"entries": ["daily=0.1x30", "census=0.5,1e-8"], **values}
    return asking.steps(
        {
            "tab": tab,
            "values": starting(tab, None, values),
            "document": document,
            "folder": folder,
        }
    )


def ask(tab: str, document: Any = DOCUMENT, folder: Path = Path(), **values: Any) -> AnswerSheet:
    """The answer, as the screen gets it."""
    steps = steps_of(tab, document, folder, **values)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return decode_answer(json.loads(json.dumps(encode_answer(end.value))))
