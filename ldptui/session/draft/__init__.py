"""The scenario being worked on: TOML text is the single source of truth, a `Draft` one state of it.

Editing makes a new draft. A draft always knows the last scenario that was valid, so that the charts
keep showing something while a value is half typed; nothing that was typed is ever dropped.
"""

from __future__ import annotations

from .checking import Repair, own_problem, repair_of, require_solved
from .editing import (
    draft_of,
    dropped_sweeps,
    edit_key,
    edit_keys,
    edit_text,
    first_free,
    mark_saved,
    new_sweep,
    open_draft,
    pointed_at,
    read_on,
    reopen_draft,
    sweepable,
    swept_words,
)
from .looking import (
    Draft,
    Problem,
    allowed_range,
    base,
    default_of,
    input_of,
    keys_of,
    kind_of,
    sweep_of,
    used_keys,
    value_of,
)
from .populations import Origin, PendingWork, UnreadError, draw_population, ready
