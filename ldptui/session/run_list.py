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
    """The runs of this session and of the store, and which of them are shown.

    session, kept : this session's runs, and those of the store, oldest first.
    read : the results read from the store, by key.
    deleted : deleted runs that can be put back, the last one at the end.
    shown : the key of the run shown, 0 for none.
    overlays : the keys of overlaid runs.
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
        """All runs, oldest first: those of the store, then those of this session that are not
        stored.

        A stored run of this session has the store's record as well.
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
        """The snapshot of this session's run in progress; None if none is."""
        for run in self.session:
            if run.snapshot.status == "running":
                return run.snapshot
        return None

    @property
    def stops(self) -> bool:
        """True while a run, or a preview of more than a moment, is in progress, so that esc stops
        it.
        """
        active = self.active
        return active is not None and (active.full or active.seconds > MOMENT_S)

    @property
    def numbers(self) -> tuple[int | None, ...]:
        """The store's numbers of this session's runs."""
        return tuple(run.number for run in self.session)

    @property
    def last(self) -> Run | None:
        """The newest stored run with finished trials; None if there is none."""
        return next((run for run in reversed(self.kept) if run.snapshot.done), None)

    @property
    def on_show(self) -> Run | None:
        """The run shown, if it is a full run that has ended; else None."""
        run = self.run(self.shown)
        ended = run is not None and run.snapshot.full and run.status in ("done", "partial")
        return run if ended else None

    def measured_run(self, document: Mapping[str, Any], *, at_hand: bool = True) -> Run | None:
        """The newest run with all trials of a scenario; None if there is none.

        at_hand : only runs whose results are read; if False, stored runs too, if this version of
            the program would draw the same numbers.
        """
        return next(
            (run for run in reversed(self.runs)
             if run.snapshot.full and run.status == "done"
             and (run.snapshot.cells if at_hand else drawn_here(run))
             and alike(run.document, document)), None,
        )  # fmt: skip

    @property
    def preview(self) -> Run | None:
        """The preview of the draft; None if there is none."""
        return next((run for run in self.session if not run.snapshot.full), None)

    @property
    def picture(self) -> Snapshot | None:
        """The snapshot to draw: the run shown, completed by the preview of the same scenario."""
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
        """The overlays: runs laid over the one shown, if their results are read."""
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
        """The stored runs to be shown or overlaid whose results are not read yet."""
        chosen = (self.shown, *self.overlays)
        return tuple(
            run for run in self.runs
            if run.key < 0 and run.key in chosen and run.key not in self.read
        )  # fmt: skip

    def pair(self, run: Run) -> tuple[Run, Run] | None:
        """A run and the run to compare it with (the one shown, else its neighbour), the older
        first; None if it is the only run.
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
        """The list with a new run of this session, which is shown unless `shown` is False.

        It replaces the preview of the draft, and the run that it continues.
        """
        kept = (
            old for old in self.session
            if old.snapshot.full and (run.number is None or old.number != run.number)
        )  # fmt: skip
        run_list = replace(self, session=(*kept, run), shown=run.key if shown else self.shown)
        keys = {kept.key for kept in run_list.runs}
        return replace(run_list, overlays=tuple(key for key in self.overlays if key in keys))

    def heard(self, snapshot: Snapshot) -> RunList:
        """The list with a new snapshot of a run of this session; unchanged if the run
        is deleted.
        """
        run = next((run for run in self.session if run.key == snapshot.key), None)
        if run is None:
            return self
        if snapshot.kept is None and run.number is not None:  # gone on with, at its very start
            snapshot = replace(snapshot, kept=run.number)
        newer = replace(run, snapshot=snapshot)
        return replace(self, session=tuple(newer if kept is run else kept for kept in self.session))

    def with_stored_runs(self, kept: Sequence[Run]) -> RunList:
        """The list with the store's current runs; outdated results are dropped."""
        before = {run.key: run for run in self.kept}
        changed = {run.key for run in kept if before.get(run.key) != run}
        read = {key: snapshot for key, snapshot in self.read.items() if key not in changed}
        return replace(self, kept=tuple(kept), read=read)

    def with_read(self, run: Run, snapshot: Snapshot) -> RunList:
        return replace(self, read={**self.read, run.key: snapshot})

    def with_choice(self, shown: int, overlays: tuple[int, ...] = ()) -> RunList:
        return replace(self, shown=shown, overlays=overlays)

    def without(self, run: Run) -> RunList:
        """The list without a deleted run, which can be put back."""
        return replace(
            self,
            session=tuple(kept for kept in self.session if kept.key != run.key),
            overlays=tuple(key for key in self.overlays if key != run.key),
            deleted=(*self.deleted, run),
        )

    def put_back(self) -> RunList:
        """The list with the run that was deleted last."""
        *deleted, run = self.deleted
        session = (*self.session, run) if run.key > 0 else self.session
        return replace(
            self,
            session=tuple(sorted(session, key=lambda kept: kept.key)),
            deleted=tuple(deleted),
        )
