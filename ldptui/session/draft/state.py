"""A draft and its problems, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from .populations import PendingWork

if TYPE_CHECKING:
    from ldptui.core.cell import Cell
    from ldptui.core.scenario import Scenario


class Problem(Struct, frozen=True):
    """Something wrong in a draft.

    key : the dotted key, "" for the text as a whole. message : the rule and the value that broke
    it, without the key: "must be in [0, 1), got 1.5". line : of the text, from 1, where known.
    """

    key: str
    message: str
    line: int | None = None


class Draft(Struct, frozen=True, eq=False):
    """One state of the scenario being edited.

    text : the TOML as typed. folder : where relative paths start. path : its file, if it has one.
    document : the last text that parsed. scenario, cell : the last valid scenario and the cell
    that its `base` stands for; None until there was one. problems : what is wrong with the text,
    in the order of the document. saved_text : what the file, or the library, holds.
    parses : whether the text is TOML; if not, forms cannot edit it. remembered : values that went
    with a change of kind, by dotted key, for when their kind comes back. unread : a large
    population that has to be drawn or read before more can be said, or an attack to be solved for;
    until then scenario and cell are those before it.
    """

    text: str
    folder: Path
    path: Path | None
    document: Mapping[str, Any] | None
    scenario: Scenario | None
    problems: tuple[Problem, ...]
    saved_text: str | None
    cell: Cell | None = None
    parses: bool = True
    remembered: Mapping[str, Any] = field(default_factory=dict)
    unread: PendingWork | None = None

    @property
    def is_modified(self) -> bool:
        """True where the text differs from what is saved."""
        return self.text != self.saved_text

    @property
    def title(self) -> str:
        """The scenario's title; where it has none, the name of its file."""
        title = (self.document or {}).get("title")
        return str(title or (self.path.name if self.path else "untitled"))

    @property
    def name(self) -> str:
        """The name of its file without the ending; where it has none, how the title begins."""
        return self.path.stem if self.path is not None else self.title.partition(":")[0]

    def problem(self, key: str) -> Problem | None:
        """The first problem of a key or of what is inside it."""
        inside = f"{key}."
        problems = (
            each for each in self.problems if each.key == key or each.key.startswith(inside)
        )
        return next(problems, None)
