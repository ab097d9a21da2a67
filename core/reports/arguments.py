"""Checks of the arguments of public functions: a wrong one raises ScenarioError."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..base.errors import ScenarioError, got
from ..base.ranges import Range, finite
from ..law.pure import LocalMechanism, Reports


def words(value: object, key: str) -> str:
    """The argument, a text; raises ScenarioError for another type."""
    if not isinstance(value, str):
        raise ScenarioError(f"must be text, {got(value)}", key=key)
    return value


def list_members(value: object, key: str) -> tuple[Any, ...]:
    """The members of an argument that is a list or a tuple; raises ScenarioError for
    another type.
    """
    if not isinstance(value, list | tuple):
        raise ScenarioError(f"must be a list, {got(value)}", key=key)
    return tuple(value)


def check_function(value: Any, key: str) -> Any:
    """The argument, a function or None; raises ScenarioError for another type."""
    if value is not None and not callable(value):
        raise ScenarioError(f"must be a function, {got(value)}", key=key)
    return value


def whole(value: Any, key: str, least: int = 0, most: int | None = None) -> int:
    """The argument as an integer in [least, most]; raises ScenarioError for any other value."""
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or value < least or (most is not None and value > most):
        limit = "" if most is None else f" and at most {most}"
        rule = f"must be a whole number, at least {least}{limit}"
        raise ScenarioError(f"{rule}, {got(value)}", key=key)
    return int(value)


def number(value: Any, key: str, allowed: Range) -> float:
    """The argument as a float in a range; raises ScenarioError for any other value."""
    real = isinstance(value, int | float | np.integer | np.floating)
    if isinstance(value, bool) or not real or not finite(value) or value not in allowed:
        raise ScenarioError(f"must be {allowed}, {got(value)}", key=key)
    return float(value)


def switch(value: Any, key: str) -> bool:
    """The argument as a bool; raises ScenarioError for another type."""
    if not isinstance(value, bool | np.bool_):
        raise ScenarioError(f"must be True or False, {got(value)}", key=key)
    return bool(value)


def names(value: Any, count: int) -> Sequence[str] | None:
    """The argument as `count` names of items, or None; raises ScenarioError for any other value."""
    if value is None:
        return None
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, list | tuple) or len(value) != count:
        size = f"got {len(value)}" if hasattr(value, "__len__") else got(value)
        raise ScenarioError(f"must be {count} names, {size}", key="labels")
    return [words(name, "labels") for name in value]


def file_path(value: Any, key: str = "path") -> Path:
    """The argument as the path of a file; raises ScenarioError for another type."""
    if not isinstance(value, str | Path) or "\0" in str(value):
        raise ScenarioError(f"must be the path of a file, {got(value)}", key=key)
    return Path(value)


def local(value: Any) -> LocalMechanism:
    """The argument, a protocol whose users send reports; raises ScenarioError for another value."""
    if not isinstance(value, LocalMechanism):
        shown = got(value if isinstance(value, str) else type(value).__name__)
        raise ScenarioError(f"must be what protocol(…) gives, {shown}", key="protocol")
    return value


def reports_of(value: Any, protocol: LocalMechanism) -> Reports:
    """The argument, an array of valid reports of the protocol; raises ScenarioError for any other
    value.
    """
    if np.ma.is_masked(value):
        raise ScenarioError("must all be there, but some are masked", key="reports")
    unmasked = value.data if isinstance(value, np.ma.MaskedArray) else value
    count = len(unmasked) if isinstance(unmasked, np.ndarray) and unmasked.ndim else 0
    try:
        # A check: the law of SHE's reports is not clipped.
        protocol.validate_reports(unmasked, count)
    except ValueError as error:
        raise ScenarioError(str(error), key="reports") from error
    sums = unmasked.dtype.kind == "f"
    if sums and not (np.abs(unmasked) <= LARGEST).all():
        raise ScenarioError(f"must be numbers of at most {LARGEST:g}", key="reports")
    made: Reports = unmasked
    return made


LARGEST = 1e15
"""The size of a number among several, at most: sums of any collection stay finite."""


def toml_value(written: str) -> Any:
    """The value of a --set option, parsed as TOML if possible, else taken as a text."""
    try:
        parsed = tomllib.loads(f"value = {written}")
    except (ValueError, RecursionError):
        return written
    return parsed["value"] if parsed.keys() == {"value"} else written


def keys_of(settings: Iterable[str]) -> dict[str, Any]:
    """The protocol parameters in --set options; raises ScenarioError for an option without "="."""
    keys = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or not key.strip():
            raise ScenarioError(f"must be KEY=VALUE, {got(setting)}", key="--set")
        keys[key.strip().removeprefix("protocol.")] = toml_value(value)
    return keys
