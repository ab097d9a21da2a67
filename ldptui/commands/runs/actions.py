"""The command `ldptui runs`: its actions, and those that change the store."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from ldptui.core.base.errors import FileError
from ldptui.core.store import is_store, merge, open_store
from ldptui.core.store.recording import is_recording, read_recording

from ...terminal import exits, output, places
from ...text import format as text
from ..door import tags_of
from ..options import (
    Collecting,
    Dictionary,
    Export,
    Import,
    Listing,
    Remove,
    Show,
    Star,
    Stored,
    Tag,
)
from .exporting import export, show_dictionary
from .listing import list_runs, show
from .opening import moment_of, number_of, opened


def runs(options: Stored) -> int:
    """List, show, remove, tag, export and import runs."""
    return ACTIONS[type(options)](options)


def _remove(options: Remove) -> int:
    with opened(options.store, write=True) as store:
        for number in [number_of(store, word) for word in options.runs]:
            store.remove(number, not options.undo)
            done = "back" if options.undo else f"removed; ldptui runs rm --undo {number} undoes it"
            output.write_out(f"run {number} is {done}\n")
    return exits.DONE


def _tag(options: Tag) -> int:
    tags = tags_of(options.tags)
    with opened(options.store, write=True) as store:
        number = number_of(store, options.run)
        if options.remove:
            store.change_tags(number, drop=tags)
        else:
            store.change_tags(number, add=tags)
        now = ", ".join(store.run(number).tags) or "none"
    output.write_out(f"tags of run {number}: {now}\n")
    return exits.DONE


def _star(options: Star) -> int:
    with opened(options.store, write=True) as store:
        number = number_of(store, options.run)
        store.star(number, not options.off)
    output.write_out(f"run {number} is {'unmarked' if options.off else 'marked'}\n")
    return exits.DONE


def _import(options: Import) -> int:
    paths = [Path(file) for file in options.files]
    recordings = [is_recording(path) for path in paths]  # before a store is open: see `is_store`
    for path, recording in zip(paths, recordings, strict=True):
        if not path.is_file():
            raise FileError(f"{path} cannot be read: no such file")
        if not (recording or is_store(path)):
            raise FileError(f"{path} is neither a recording nor a store of ldptui")
    with open_store(places.chosen_store(options.store)[0]) as store:
        for path, recording in zip(paths, recordings, strict=True):
            if recording:
                number, before = read_recording(store, path, options.limits)
                output.write_out(f"run {number} {'was here already' if before else 'imported'}\n")
                continue
            merged = merge(store, path)
            runs = f"{text.count(len(merged.runs))} run{'s' * (len(merged.runs) != 1)}"
            output.write_out(f"{path}: {runs}, {text.count(merged.trials)} trials are new\n")
    return exits.DONE


def _gc(options: Collecting) -> int:
    with opened(options.store, write=True) as store:
        assert store.path is not None
        before = store.path.stat().st_size
        gone, cells = store.gc(moment_of(options.before, "--before"))
        after = store.path.stat().st_size
    saved = max(0, before - after) / 2**20
    output.write_out(
        f"forgot {text.count(gone)} runs and {text.count(cells)} cells, {saved:.1f} MiB\n"
    )
    return exits.DONE


ACTIONS: Final[Mapping[type[Stored], Callable[[Any], int]]] = {
    Listing: list_runs,
    Show: show,
    Remove: _remove,
    Tag: _tag,
    Star: _star,
    Export: export,
    Import: _import,
    Collecting: _gc,
    Dictionary: show_dictionary,
}
"""What is done for the options of each action."""
