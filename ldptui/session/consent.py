"""Somebody's Python code, as a user is asked about it before it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Final, TypeAlias

from msgspec import Struct

from ..text.format import count

WHAT: Final = ("attack", "defence", "protocol", "population", "metric")
"""The tables of a scenario that may name somebody's code."""

Agreed: TypeAlias = tuple[str, str, bool, str, str]
"""The code that may run, for a worker: what, name, is_file, place and digest of a `Code`."""


class Code(Struct, frozen=True):
    """The code of an attack, a protocol, … that a scenario asks for by its name.

    place : a file, or the "module:attribute" of an installed package (is_file: which of the two).
    digest : of the code. file : that holds it, "" where it is not known; text : its content.
    lines : the first and the last of what the name stands for; None where it is not defined there.
    """

    what: str
    name: str
    place: str
    is_file: bool
    digest: str
    file: str = ""
    text: str = ""
    lines: tuple[int, int] | None = None

    @property
    def agreed(self) -> Agreed:
        return self.what, self.name, self.is_file, self.place, self.digest

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """Its name, file, lines and hash, each with what it is."""
        whole = f"of {count(len(self.text.splitlines()))}"
        first, last = self.lines or (0, 0)
        span = f"{first} to {last} {whole}" if self.lines else f"all {whole}"
        installed = () if self.is_file else (("installed as", self.place),)
        return (
            (self.what, self.name),
            *installed,
            ("file", self.file or "not found"),
            ("lines", span if self.text else "none that can be shown"),
            ("hash", self.digest),
        )

    @property
    def title(self) -> str:
        return f"{Path(self.file).name or self.place}: {self.what} {self.name}"
