"""What clients and server agree on, from the options: the protocol and the items."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.base.files import Piped, Source
from ldptui.core.law.pure import LocalMechanism
from ldptui.core.plugins import available
from ldptui.core.scenario import read_text

from ..api.by_name import protocol as protocol_of
from ..terminal.output import check_writable
from .reading import toml_value

OPTIONS: Final = {
    "items": "--items", "protocol.kind": "--protocol", "protocol.epsilon": "--epsilon",
    "corrections": "--correct", "confidence": "--confidence", "coverage": "--coverage",
    "top": "--top", "by": "--by", "defend": "--defend", "share": "--share", "claim": "--claim",
    "sharp": "--sharp",
}  # fmt: skip
"""The options that set parameters, by their keys."""


def agreed(options: Namespace) -> tuple[list[str] | None, LocalMechanism]:
    """The labels of the items, None for numbers, and the protocol."""
    labels = None if options.domain is None else _labels(Path(options.domain))
    keys = keys_of(options)
    if options.epsilon is not None:
        keys["epsilon"] = options.epsilon
    items = options.items if labels is None else len(labels)
    own = ":" in options.protocol or options.protocol in available("protocol")
    kind = options.protocol if own else options.protocol.lower()
    with by_options():
        return labels, protocol_of(kind, items, labels=labels, **keys)


def keys_of(options: Namespace) -> dict[str, Any]:
    """The keys of the protocol that --set gives; raises ScenarioError."""
    keys = {}
    for setting in options.settings:
        key, equals, value = setting.partition("=")
        if not equals or not key.strip():
            raise ScenarioError(f"must be KEY=VALUE, {got(setting)}", key="--set")
        keys[key.strip().removeprefix("protocol.")] = toml_value(value)
    return keys


@contextmanager
def by_options() -> Iterator[None]:
    """Name the options in what is wrong with the values that they set."""
    try:
        yield
    except ScenarioError as error:
        raise ScenarioError(error.rule, OPTIONS.get(error.key, error.key), error.where) from error


def _labels(path: Path) -> list[str]:
    """The lines of a file, each the name of an item; raises ScenarioError, FileError."""
    labels = read_text(path).splitlines()
    seen: dict[str, int] = {}
    for line, label in enumerate(labels, 1):
        name = label.strip()
        if not name:
            raise ScenarioError(f"{path} line {line} must name an item, it is empty")
        if name in seen:
            first, blanks = labels[seen[name] - 1], ""
            if first != label:
                blanks = " but for blanks at an end, which cells are read without"
            rule = f"names {label!r}, as line {seen[name]} does{blanks}"
            raise ScenarioError(f"{path} line {line} {rule}")
        seen[name] = line
    if len(labels) < 2:
        raise ScenarioError(f"{path} must name at least 2 items, got {len(labels)}")
    return labels


def check_new(
    out: Path, options: Namespace, read: Iterable[str | Source], key: str = "--out"
) -> None:
    """Refuse an output that is read as well, or that is there already; raises LdpError.

    read : the files that are read besides those of the protocol.
    """
    agreed_on = filter(None, (options.domain, options.protocol.rpartition(":")[0]))
    for path in (path for path in (*read, *agreed_on) if not isinstance(path, Piped)):
        if out.exists() and Path(path).exists() and out.samefile(path):
            raise ScenarioError(f"must be another file than {path}, which is read", key=key)
    if out.is_file() and not options.force:
        rule = f"must be a new file, and {out} is there already"
        raise ScenarioError(f"{rule} (--force replaces it)", key=key)
    check_writable(out)
