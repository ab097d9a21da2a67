"""The text of a plain scenario, what becomes of it, and how a broken one is refused."""

from __future__ import annotations

from typing import Any

import pytest

from ldptui.core.base.errors import ScenarioError
from ldptui.core.experiment import compile
from ldptui.core.scenario import parse, read_document, update_toml

PLAIN = """\
format = 1
title = "Plain"

[population]
kind = "zipf"
items = 16
users = 1000
exponent = 1.0

[protocol]
kind = "oue"
epsilon = 1.0

[attack]
kind = "mga"
share = 0.05
targets = { pick = "random", count = 2 }
"""


def edit(text: str, key: str, value: Any) -> str:
    """The text with one dotted key set as `Scenario.with_value` sets it; None: removed."""
    before = read_document(text)
    after = before.without(key) if value is None else before.with_value(key, value)
    return update_toml(text, after.document)


def swept(**axes: str) -> str:
    """The plain scenario with a sweep: dotted keys (`__` for the dot), values as TOML."""
    lines = [f'"{key.replace("__", ".")}" = {value}' for key, value in axes.items()]
    return PLAIN + "\n[sweep]\n" + "\n".join(lines) + "\n"


def refused(text: str) -> str:
    with pytest.raises(ScenarioError) as caught:
        compile(parse(text, "my.toml"))
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith("my.toml:")
    return message


def values(text: str, key: str) -> list[Any]:
    return [cell.parameters[key] for cell in compile(parse(text)).cells]
