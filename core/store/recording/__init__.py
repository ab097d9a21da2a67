"""A recording: one run in one file, to be shared. Written from a store, read into a store.

Text, one JSON document a line. The first is the head: the scenario, the versions, the cells, the
populations that came from a CSV file. Then one for every block, in the order in which they came:
fingerprints in hexadecimal, metrics as numbers (null: undefined), vectors as float64 or int64,
little-endian, in base64. The last line holds the SHA-256 of all bytes before it.

Reading one checks that digest and every size before anything else is done with it, and simulates
nothing. What was read never counts as computed here: its cells are the recording's own.
"""

from __future__ import annotations

from .reading import is_recording, read_recording
from .writing import write_recording
