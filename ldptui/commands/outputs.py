"""The files that a command writes, refused where they are there already."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.files import Piped, Source, check_other, is_file

from ..terminal.output import check_writable


class Writing(Protocol):
    """The options of a command that reads what a protocol sent, and writes files."""

    @property
    def protocol(self) -> str: ...

    @property
    def domain(self) -> str | None: ...

    @property
    def out(self) -> str | None: ...

    @property
    def force(self) -> bool: ...

    @property
    def quiet(self) -> bool: ...


def check_new(
    out: Path, options: Writing, read: Iterable[str | Source], key: str = "--out"
) -> None:
    """Refuse an output that is read as well, or that is there already; raises LdpError.

    read : the files that are read besides those of the protocol.
    """
    agreed_on = filter(None, (options.domain, options.protocol.rpartition(":")[0]))
    for path in (path for path in (*read, *agreed_on) if not isinstance(path, Piped)):
        check_other(out, path, key)
    check_free(out, options.force, key)


def check_free(out: Path, force: bool, key: str) -> None:
    """Refuse an output that is there already, or that cannot be written; raises LdpError."""
    if is_file(out) and not force:
        rule = f"must be a new file, and {out} is there already"
        raise ScenarioError(f"{rule} (--force replaces it)", key=key)
    check_writable(out)
