"""Requests to the engine: previews that follow the hand, and runs, which go first."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from ..session.attack_options import unseen_code
from ..session.consent import Agreed, Code
from ..session.runs import Run
from ..session.snapshot import Request, Selection, Snapshot

if TYPE_CHECKING:
    from ..session.draft import Draft
    from . import Engine


class Simulation:
    """Gives every request its key. A preview waits while there is a run that was asked for.

    store : where runs are kept, None for nowhere.
    """

    def __init__(self, engine: Engine, store: Path | None) -> None:
        self._engine, self._store = engine, store
        self._agreed: tuple[Agreed, ...] = ()  # until the app ends
        self._key = 0
        self._previewed: tuple[object, ...] = ()  # the document and the cells
        self._full: int | None = None  # the key of the run asked for, while it goes on
        self._waits = False

    @property
    def waits(self) -> bool:
        """True while a preview waits for the end of a run."""
        return self._waits

    def preview(self, draft: Draft, selections: tuple[Selection, ...]) -> Run | None:
        """Simulate the draft quickly; None where that is done already, or has to wait."""
        if self._full is not None:
            self._waits = True
            return None
        assert draft.scenario is not None
        asked = (draft.scenario.document, *selections)
        if not selections or asked == self._previewed:
            return None
        self._previewed = asked
        return self._ask(draft, selections, False)

    async def unseen(self, draft: Draft) -> tuple[Code, ...]:
        """The Python code that a scenario asks for and that the user has to be asked about."""
        assert draft.scenario is not None
        request = Request(0, draft.scenario.document, str(draft.folder), agreed=self._agreed)
        return await self._engine.unseen(request, unseen_code)

    def agree(self, code: Code) -> None:
        """Let this code run until the app ends, as long as it stays what it is."""
        self._previewed = ()  # it may have been refused
        self._agreed = (*self._agreed, code.agreed)

    def run(
        self, draft: Draft, selections: tuple[Selection, ...], resumed: int | None = None
    ) -> Run:
        """Run the scenario whole; `resumed`: going on with that run of the store."""
        self._previewed = ()
        self._full = self._key + 1
        return self._ask(draft, selections, True, resumed)

    def heard(self, snapshot: Snapshot) -> bool:
        """Take in news of a run; whether it is over now and a preview has waited for it."""
        if snapshot.status == "running" or snapshot.key != self._full:
            return False
        waited, self._waits = self._waits, False
        self._full = None
        return waited

    def _ask(
        self,
        draft: Draft,
        selections: tuple[Selection, ...],
        full: bool,
        resumed: int | None = None,
    ) -> Run:
        assert draft.scenario is not None
        self._key += 1
        document = draft.scenario.document
        self._engine.run(
            Request(
                self._key,
                document,
                str(draft.folder),
                selections,
                full,
                interval(),
                store=str(self._store or "") if full else "",
                source=str(draft.path or "") if full else "",
                resumed=resumed,
                agreed=self._agreed,
            )
        )
        snapshot = Snapshot(self._key, "running", full=full, kept=resumed)
        return Run(self._key, document, snapshot, time.time(), draft.title)


def interval() -> float:
    """Seconds between two redraws for a run's progress: fewer over a network."""
    return 1.0 if os.environ.get("SSH_CONNECTION") else 0.25
