"""The settings file: its keys and their types as a model, which says what is wrong with a file.

It is loaded where there is a file: the first frame of all others does without pydantic.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, Field, ValidationError

from ldptui.core.base.errors import FileError, ScenarioError, got, reason_of, suggest

MODIFIERS: Final = frozenset({"ctrl", "alt", "shift", "super", "meta", "hyper"})


class SettingsFile(BaseModel, extra="forbid", strict=True):
    """The content of a settings file; each key's description is the rule for its values."""

    theme: str | None = Field(None, description="a text")
    charset: str | None = Field(None, description="a text")
    mouse: bool = Field(True, description="true or false")
    cluster: str | None = Field(None, description="a text")
    allow_attacks: list[str] = Field([], description="a list of texts")
    attack_files: list[str] = Field([], description="a list of texts")
    keys: dict[str, Any] = Field({}, description="a table")


def read_settings_file(file: Path, bindings: Callable[[], Mapping[str, Any]]) -> dict[str, Any]:
    """The settings of a file; raises ScenarioError, FileError.

    bindings : returns the bindings by their ids; it is called only if the file has keys.
    """
    try:
        written = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except FileNotFoundError as error:
        raise FileError(f"{file}: there is no such settings file") from error
    except OSError as error:
        raise FileError(f"{file} cannot be read: {reason_of(error)}") from error
    except (ValueError, RecursionError) as error:  # no UTF-8, no TOML, too many digits
        raise ScenarioError(f"{file}: is not valid TOML: {error}") from error
    try:
        read = SettingsFile.model_validate(written)
    except ValidationError as error:
        raise ScenarioError(f"{file}: {_sentence(written, error)}") from None
    return {**read.model_dump(exclude_unset=True), "keys": _read_keys(read.keys, bindings, file)}


def _sentence(written: Mapping[str, Any], error: ValidationError) -> str:
    """The first mistake as one sentence."""
    fields, key = SettingsFile.model_fields, str(error.errors()[0]["loc"][0])
    if key not in fields:
        return f"{key} is not a setting{suggest(key, fields, ', '.join(fields))}"
    return f"{key} must be {fields[key].description}, {got(written[key])}"


def _read_keys(
    table: Mapping[str, Any], bindings: Callable[[], Mapping[str, Any]], file: Path
) -> dict[str, str]:
    """The keys of bindings as Textual's keymap takes them, by the ids of the bindings."""
    if not table:
        return {}
    from ldptui.core.scenario import flatten

    known = bindings()
    keys: dict[str, str] = {}
    for name, value in flatten(table):  # both "run.start" and run.start are understood
        if name not in known:
            hint = suggest(name, known, "the palette lists them: Key bindings as TOML")
            raise ScenarioError(f"{file}: keys.{name} is not the name of an action{hint}")
        written = value if isinstance(value, list) else str(value).split(",")
        names = [str(key).strip() for key in written]
        if not isinstance(value, str | list) or not all(_is_key(key) for key in names):
            raise ScenarioError(
                f'{file}: keys.{name} must be a key such as "f9", "ctrl+r" or "x", {got(value)}'
            )
        keys[name] = ",".join(names)
    return keys


def _is_key(name: str) -> bool:
    """True for a key as Textual names it, with or without modifiers."""
    *modifiers, key = name.split("+") if len(name) > 1 else [name]
    return set(modifiers) <= MODIFIERS and bool(key.strip()) and key.isprintable()
