"""TOML text brought from one document to another, touching only what differs."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any


def rewritten(text: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """The text brought from one document to another, touching only what differs."""
    from ldptui.core import scenario

    written = text
    try:
        for key in dict.fromkeys((*before, *after)):
            old, new = before.get(key), after.get(key)
            if old == new and type(old) is type(new):
                continue
            if isinstance(old, Mapping) and isinstance(new, Mapping):
                # An inline table whose keys change is written anew: edited, it keeps odd spaces.
                same = {
                    name: value for name, value in new.items()
                    if not isinstance(value, Mapping)
                    or not isinstance(there := old.get(name), Mapping)
                    or there.keys() == value.keys()
                }  # fmt: skip
                if key != "sweep" and len(same) < len(new):
                    written = scenario.edit(written, key, same)
            line = _new_line(written, key, old, new)
            written = scenario.edit(written, key, new) if line is None else line
            if new is None:
                written = written.rstrip("\n") + "\n"
        if tomllib.loads(written) == after:
            return written
    except (ValueError, TypeError, KeyError, AttributeError):
        pass  # layouts that tomlkit cannot edit: the document is written anew
    return scenario.to_toml(after)


def _new_line(text: str, key: str, old: Any, new: Any) -> str | None:
    """The text with a new top-level number put where a reader looks for it; None: elsewhere.

    tomlkit would put it right before the first table, below the comment that belongs to the table.
    """
    from ldptui.core.scenario import line_of

    if old is not None or isinstance(new, bool) or not isinstance(new, int | float):
        return None
    after = max((line_of(text, name) or 0 for name in ("format", "seed", "trials")), default=0)
    lines = text.splitlines(keepends=True)
    lines.insert(after, f"{key} = {new}\n")
    written = "".join(lines)
    try:
        return written if tomllib.loads(written) == {**tomllib.loads(text), key: new} else None
    except ValueError:
        return None
