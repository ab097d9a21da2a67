"""The runs within reach, those of this session and those of the store, and which are shown. Pure.

A change makes a new list. A run has its key everywhere (see `Run`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from .runs import Run, alike, difference_labels, drawn_here
from .snapshot import Overlay, Snapshot, with_rest

MOMENT_S: Final = 2.0
"""Seconds after which a preview may be stopped."""


class RunList(Struct, frozen=True, dict=True):
    """session, kept : the runs of this session and those that the store lists, oldest first.

    read : what was read of runs in the store, by key. deleted : runs that can be put back, the
    one deleted last at the end. shown : the key of the run shown, 0 for none. overlays : the keys
    of those laid over it.
    """

    session: tuple[Run, ...] = ()
    kept: tuple[Run, ...] = ()
    read: Mapping[int, Snapshot] = field(default_factory=dict)
    deleted: tuple[Run, ...] = ()
    shown: int = 0
    overlays: tuple[int, ...] = ()

    # Reading.

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """All runs, oldest first: those of the store, then those of the session alone.

        A run of the session that is kept has what the store says of it as well.
        """
        known = {run.number: run.kept for run in self.kept}
        session = tuple(
            replace(run, kept=known[run.number]) if run.number in known else run
            for run in self.session
        )
        numbers = {run.number for run in session}
        return (
            *(
                replace(run, snapshot=self.read[run.key]) if run.key in self.read else run
                for run in self.kept
                if run.number not in numbers
            ),
            *session,
        )

    def run(self, key: int) -> Run | None:
        return next((run for run in self.runs if run.key == key), None)

    @property
    def active(self) -> Snapshot | None:
        """The run of this session that goes on."""
        for run in self.session:
            if run.snapshot.status == "running":
                return run.snapshot
        return None

    @property
    def stops(self) -> bool:
        """True while a run goes on, or a preview that takes longer than a moment."""
        active = self.active
        return active is not None and (active.full or active.seconds > MOMENT_S)

    @property
    def numbers(self) -> tuple[int | None, ...]:
        """The numbers in the store of this session's runs."""
        return tuple(run.number for run in self.session)

    @property
    def last(self) -> Run | None:
        """The newest run of the store that measured something."""
        return next((run for run in reversed(self.kept) if run.snapshot.done), None)

    @property
    def on_show(self) -> Run | None:
        """The run shown, if it is one that was asked for and has come to its end."""
        run = self.run(self.shown)
        ended = run is not None and run.snapshot.full and run.status in ("done", "partial")
        return run if ended else None

    def measured_run(self, document: Mapping[str, Any], *, at_hand: bool = True) -> Run | None:
        """The newest run that has measured all of a scenario.

        at_hand : its numbers are here. Else they may be in the store, but are what this program
        would draw.
        """
        return next(
            (run for run in reversed(self.runs)
             if run.snapshot.full and run.status == "done"
             and (run.snapshot.cells if at_hand else drawn_here(run))
             and alike(run.document, document)), None,
        )  # fmt: skip

    @property
    def preview(self) -> Run | None:
        """The preview that follows the keys at once."""
        return next((run for run in self.session if not run.snapshot.full), None)

    @property
    def picture(self) -> Snapshot | None:
        """The numbers of the run shown, with those that only a preview of its scenario has."""
        run = self.run(self.shown)
        if run is None:
            return None
        preview = self.preview
        if not run.snapshot.full or preview is None or not alike(run.document, preview.document):
            return run.snapshot
        whole, few = run.snapshot, preview.snapshot
        if few.base_cell is not None and few.base != whole.base:
            whole = replace(whole, base="")  # its sweep leaves out what the charts of one cell show
        return with_rest(whole, few)

    @property
    def laid_over(self) -> tuple[Overlay, ...]:
        """The runs laid over the one shown, as far as they were read."""
        runs = {run.key: run for run in self.runs}
        over = [runs[key] for key in self.overlays if key != self.shown and key in runs]
        over = [run for run in over if run.snapshot.cells]
        if not over:
            return ()
        first = [runs[self.shown]] if self.shown in runs else []
        labels = difference_labels([(run.name, run.document) for run in (*first, *over)])
        under = labels.pop(0) if first else ""
        pairs = zip(labels, over, strict=True)
        return tuple(Overlay(label, run.snapshot, under) for label, run in pairs)

    @property
    def unread(self) -> tuple[Run, ...]:
        """Runs that are chosen, in the store alone, and not read yet."""
        chosen = (self.shown, *self.overlays)
        return tuple(
            run for run in self.runs
            if run.key < 0 and run.key in chosen and run.key not in self.read
        )  # fmt: skip

    def pair(self, run: Run) -> tuple[Run, Run] | None:
        """A run and the one to compare it with, the older one first; None where it is alone.

        That is the one shown, else the one before it.
        """
        keys = [run.key for run in self.runs]
        at = keys.index(run.key)
        other = keys.index(self.shown) if self.shown in keys else at
        if other == at:
            other = at - 1 if at else 1
        if other >= len(keys):
            return None
        return self.runs[min(at, other)], self.runs[max(at, other)]

    # Changing.

    def begun(self, run: Run, *, shown: bool = True) -> RunList:
        """With a run of this session that begins, and is shown unless another one stays.

        There is one row for the preview of the draft, one for each run asked for, and
        none for a run that this one goes on with.
        """
        kept = (
            old for old in self.session
            if old.snapshot.full and (run.number is None or old.number != run.number)
        )  # fmt: skip
        run_list = replace(self, session=(*kept, run), shown=run.key if shown else self.shown)
        keys = {kept.key for kept in run_list.runs}
        return replace(run_list, overlays=tuple(key for key in self.overlays if key in keys))

    def heard(self, snapshot: Snapshot) -> RunList:
        """With news of a run of this session; there are none of one that is here no more."""
        run = next((run for run in self.session if run.key == snapshot.key), None)
        if run is None:
            return self
        if snapshot.kept is None and run.number is not None:  # gone on with, at its very start
            snapshot = replace(snapshot, kept=run.number)
        newer = replace(run, snapshot=snapshot)
        return replace(self, session=tuple(newer if kept is run else kept for kept in self.session))

    def with_stored_runs(self, kept: Sequence[Run]) -> RunList:
        """With the store's list; what was read of a run that is another now is dropped."""
        before = {run.key: run for run in self.kept}
        changed = {run.key for run in kept if before.get(run.key) != run}
        read = {key: snapshot for key, snapshot in self.read.items() if key not in changed}
        return replace(self, kept=tuple(kept), read=read)

    def with_read(self, run: Run, snapshot: Snapshot) -> RunList:
        return replace(self, read={**self.read, run.key: snapshot})

    def with_choice(self, shown: int, overlays: tuple[int, ...] = ()) -> RunList:
        return replace(self, shown=shown, overlays=overlays)

    def without(self, run: Run) -> RunList:
        """A run of the session is deleted here, one of the store when the store lists anew."""
        return replace(
            self,
            session=tuple(kept for kept in self.session if kept.key != run.key),
            overlays=tuple(key for key in self.overlays if key != run.key),
            deleted=(*self.deleted, run),
        )

    def put_back(self) -> RunList:
        """With the run that was deleted last."""
        *deleted, run = self.deleted
        session = (*self.session, run) if run.key > 0 else self.session
        return replace(
            self,
            session=tuple(sorted(session, key=lambda kept: kept.key)),
            deleted=tuple(deleted),
        )
