"""The names that a scenario's author wants in figures and tables for paper."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, TypeVar

from msgspec import Struct
from msgspec.structs import asdict, replace

Shown = TypeVar("Shown")

KEYWORDS: Final = frozenset({"tone", "style", "finding"})
"""The fields of charts whose text nobody reads."""


def with_labels(shown: Shown, labels: Mapping[str, str]) -> Shown:
    """A chart or tables with item numbers or kinds replaced by their names in `labels`.

    Capitals do not matter in a cell that is only a name: `OUE` is `oue` in a column of kinds.
    """
    if not labels:
        return shown
    names = "|".join(map(re.escape, sorted(labels, key=len, reverse=True)))
    alone = {name.lower(): label for name, label in labels.items()}
    pattern = re.compile(rf"(?<!\w)(?:{names})(?!\w)")

    def rename_value(value: Any) -> Any:
        if isinstance(value, str):
            if value not in labels and value.lower() in alone:
                return alone[value.lower()]
            return pattern.sub(lambda match: labels[match[0]], value)
        if isinstance(value, Struct):
            fields = asdict(value).items()
            return replace(value, **{k: rename_value(v) for k, v in fields if k not in KEYWORDS})
        if isinstance(value, list | tuple):
            return type(value)(map(rename_value, value))
        return value

    made: Shown = rename_value(shown)
    return made
