"""Somebody's Python code, as a user is asked about it before it runs."""

from __future__ import annotations

from typing import Final, TypeAlias

from msgspec import Struct

WHAT: Final = ("attack", "defence", "protocol", "population", "metric")
"""The tables of a scenario that may name somebody's code."""

Agreed: TypeAlias = tuple[str, str, bool, str, str]
"""The code that may run, for a worker: what, name, is_file, place and digest of an `UnseenCode`."""


class UnseenCode(Struct, frozen=True):
    """Plug-in code that a scenario names and that the user has not allowed yet.

    place : a file, or the "module:attribute" of an installed package (is_file: which of the two).
    digest : the digest of the code.
    lines : the number of lines of a file, all of which run.
    """

    what: str
    name: str
    place: str
    is_file: bool
    digest: str
    lines: int = 0

    @property
    def consent_key(self) -> Agreed:
        return self.what, self.name, self.is_file, self.place, self.digest

    @property
    def facts(self) -> str:
        """The lines of the consent dialog: purpose, name, path or package, number of
        lines, hash.
        """
        where = "file" if self.is_file else "installed as"
        size = "1 line" if self.lines == 1 else f"{self.lines} lines"
        runs = f"the whole file, {size}" if self.is_file else "the whole package"
        rows = (
            (self.what, self.name), (where, self.place), ("runs", runs), ("hash", self.digest)
        )  # fmt: skip
        wide = max(len(head) for head, _ in rows)
        return "\n".join(f"{head:<{wide}}  {value}" for head, value in rows)
