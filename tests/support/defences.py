"""Defences of every kind, with an example for each parameter that has no default."""

from __future__ import annotations

import dataclasses
from typing import Any

from ldptui.core.defences import DEFENCES

EXAMPLES = {"eta": 0.1, "name": "trimmed"}
"""The values in tests of the parameters without a default, by name."""


def table(kind: str) -> dict[str, Any]:
    """The `[[defence]]` table of a kind: what it must have, and nothing else."""
    required = (
        field.name
        for field in dataclasses.fields(DEFENCES[kind])
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    )
    return {"kind": kind, **{name: EXAMPLES[name] for name in required}}


def made(kind: str) -> Any:
    """The defence of a kind, as a scenario would make it."""
    return DEFENCES[kind](**table(kind))
