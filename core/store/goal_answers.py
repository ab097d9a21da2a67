"""The answers to goals that took a search: kept as they are found, known to every later search."""

from __future__ import annotations

import json

from ..base.errors import FileError
from ..base.streams import digest
from ..cell import Cell
from ..experiment.search import measured_alone, with_fakes
from ..metrics.goal import Answer
from .block_store import corruption_context
from .cell_address import canonical, cell_keys
from .run_records import decode_answer, encode_answer
from .store import Store


class KeptAnswers:
    """The memory of `core.running.searching.searched`: a store, or None for this process alone.

    fresh : know nothing, and keep what is found. found : answers known before. A store that cannot
    be read or written stops no search: `failure` says what happened.
    """

    def __init__(
        self, store: Store | None, fresh: bool = False, found: dict[str, Answer] | None = None
    ) -> None:
        self._store, self._fresh = store, fresh
        self.found = {} if found is None else found
        self.failure = ""

    def find(self, cell: Cell, most: int) -> Answer | None:
        """The answer to a cell's goal; None where it is not known."""
        key = goal_key(cell, most)
        if key in self.found or self._fresh or self._store is None or self.failure:
            return self.found.get(key)
        try:
            body = self._store.get_bytes(f"answer {key}")
            with corruption_context(self._store.path):
                return None if body is None else decode_answer(body)
        except FileError as error:
            self.failure = str(error)
            return None

    def keep(self, cell: Cell, most: int) -> None:
        """Commit the answer that a cell has."""
        assert cell.answer is not None
        key = goal_key(cell, most)
        self.found[key] = cell.answer
        if self._store is None or self.failure:
            return
        try:
            with self._store.writing():
                self._store.put_bytes(encode_answer(cell.answer), f"answer {key}")
        except FileError as error:
            self.failure = str(error)


def goal_key(cell: Cell, most: int) -> str:
    """The address of a search: xxh3_128 of all that its answer depends on.

    That is the cell without its fakes, the goal, and `most`, the users that may be tried.
    """
    (key,) = cell_keys([measured_alone(with_fakes(cell, 0))])
    return digest(json.dumps([key, canonical(cell.goal), most]).encode())
