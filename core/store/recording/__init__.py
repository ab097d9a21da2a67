"""A recording: one run in one file, to be shared. Written from a store, read into a store.

docs/format.md says what each of its lines holds.

Reading one checks that digest and every size before anything else is done with it, and simulates
nothing. What was read never counts as computed here: its cells are the recording's own.
"""

from __future__ import annotations

from .reading import is_recording, read_recording
from .writing import write_recording
