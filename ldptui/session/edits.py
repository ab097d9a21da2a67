"""The edits that can be taken back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MOST: Final = 200
"""Edits that are remembered; the oldest are forgotten."""


@dataclass(frozen=True)
class Edits:
    """edits : the key that was edited and the scenario's text before it, oldest first."""

    edits: tuple[tuple[str, str], ...] = ()

    def with_edit(self, key: str, text: str) -> Edits:
        """Edits of one key in a row are taken back as one."""
        if self.edits and self.edits[-1][0] == key:
            return self
        return Edits((*self.edits[1 - MOST :], (key, text)))

    def undone(self) -> tuple[str, str, Edits]:
        """The key that was edited last, the text before it, and the past without it."""
        return *self.edits[-1], Edits(self.edits[:-1])
