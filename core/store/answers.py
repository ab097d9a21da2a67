"""The answers to goals that took a search: kept as they are found, known to every later search."""

from __future__ import annotations

import dataclasses
import json

from ..base.errors import FileError
from ..base.streams import digest
from ..cell import Cell
from ..experiment.search import measured_alone, with_fakes
from ..metrics.goal import Answer
from .address import canonical, cell_keys
from .faults import damaged
from .store import Store


class KeptAnswers:
    """The memory of `core.running.searching.searched`: a store, or None for this process alone.

    fresh : know nothing, and keep what is found. A store that cannot be read or written stops no
    search: `failure` says what happened.
    """

    def __init__(self, store: Store | None, fresh: bool = False) -> None:
        self._store, self._fresh = store, fresh
        self._found: dict[str, Answer] = {}
        self.failure = ""

    def find(self, cell: Cell, most: int) -> Answer | None:
        """The answer to a cell's goal; None where it is not known."""
        key = goal_key(cell, most)
        if key in self._found or self._fresh or self._store is None or self.failure:
            return self._found.get(key)
        try:
            with self._store.reading() as db:
                row = db.execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
            with damaged(self._store.path):
                return None if row is None else Answer.read(json.loads(row[0]))
        except FileError as error:
            self.failure = str(error)
            return None

    def keep(self, cell: Cell, most: int) -> None:
        """Commit the answer that a cell has."""
        assert cell.answer is not None
        key = goal_key(cell, most)
        self._found[key] = cell.answer
        if self._store is None or self.failure:
            return
        written = json.dumps(dataclasses.asdict(cell.answer), ensure_ascii=False)
        try:
            with self._store.writing() as db:
                db.execute("INSERT OR REPLACE INTO answers VALUES (?, ?)", (key, written))
        except FileError as error:
            self.failure = str(error)


def goal_key(cell: Cell, most: int) -> str:
    """The address of a search: xxh3_128 of all that its answer depends on.

    That is the cell without its fakes, the goal, and `most`, the users that may be tried.
    """
    (key,) = cell_keys([measured_alone(with_fakes(cell, 0))])
    return digest(json.dumps([key, canonical(cell.goal), most]).encode())
