"""The options of the workbench, and those that most commands share with it.

They stand apart from the other commands' options, which take time to be made: the workbench is to
be on the screen at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from ..questions.options import Argument, Settings
from ..session.attack_options import Code
from ..session.consent import WHAT


@dataclass(frozen=True, kw_only=True)
class Allowing:
    """The Python code that may run: names of packages' code, and files."""

    allow_attacks: Annotated[
        tuple[str, ...],
        Argument(
            flags=("--allow",), aliases=tuple(f"--allow-{what}" for what in WHAT), repeated=True
        ),
    ] = ()
    code_files: Annotated[
        tuple[str, ...],
        Argument(
            flags=("--code",), aliases=tuple(f"--{what}-file" for what in WHAT), repeated=True
        ),
    ] = ()

    @property
    def code(self) -> Code:
        return Code(self.allow_attacks, tuple(map(Path, self.code_files)))


@dataclass(frozen=True, kw_only=True)
class Stored:
    """store : the file that keeps the runs, None for the usual one."""

    store: str | None = None


@dataclass(frozen=True, kw_only=True)
class Opening(Allowing, Stored):
    """What the workbench opens, and its settings. protocol : of reports, None for a scenario."""

    places: Annotated[tuple[str, ...], Argument(positional=True)] = ()
    protocol: str | None = None
    epsilon: float | None = None
    items: Annotated[int | None, Argument(either=True)] = None
    domain: Annotated[str | None, Argument(either=True)] = None
    low: Annotated[float | None, Argument(either=True)] = None
    high: float | None = None
    settings: Settings = ()
    theme: str | None = None
    charset: Literal["auto", "ascii", "braille"] | None = None
    config: str | None = None
    mouse: bool | None = None
    keep: Annotated[bool, Argument(flags=("--no-store",))] = True
    cluster: str | None = None
    log_file: str | None = None
    version: bool = False
    verbose: bool = False
