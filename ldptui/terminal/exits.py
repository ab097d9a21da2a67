"""The exit codes of every command."""

from __future__ import annotations

from typing import Final

DONE: Final = 0
FAILED: Final = 1
"""It failed."""
USAGE: Final = 2
"""Wrong arguments, or a scenario or a file of data that is refused."""
NO_FILE: Final = 3
"""A file could not be read or written."""
REDRAWN: Final = 4
"""A replay's numbers are drawn by another NumPy, and its means agree with those of the run."""
NO_VERDICT: Final = 5
"""A screen of reports that nothing whose false-alarm rate is proved can read."""
ALARM: Final = 6
"""A promise that is broken, or an alarm: the answer is no, and nothing failed."""
MISFIT: Final = 7
"""Reports that do not fit the protocol, or do not conform to it, with --strict."""
BUG: Final = 70
INTERRUPTED: Final = 130
"""128 + SIGINT, as shells have it."""
