"""The scenario being worked on: TOML text is the single source of truth, a `Draft` one state of it.

Editing makes a new draft. A draft always knows the last scenario that was valid, so that the charts
keep showing something while a value is half typed; nothing that was typed is ever dropped.
"""

from __future__ import annotations

from .checking import Repair, own_problem, repair_of, require_solved
from .editing import (
    as_list,
    as_range,
    draft_of,
    dropped,
    edited,
    first_free,
    new_sweep,
    opened,
    pointed_at,
    read_on,
    rekeyed,
    reopened,
    retyped,
    saved,
    sweepable,
    takes_range,
)
from .looking import (
    allowed,
    base,
    default_of,
    input_of,
    keys_of,
    kind_of,
    sweep_of,
    used_keys,
    value_of,
)
from .populations import Awaited, Origin, UnreadError, drawn, ready
from .state import Draft, Problem
