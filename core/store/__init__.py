"""The run store: every run in one SQLite file, kept while it is computed.

A run is its scenario, the blocks that it got, in the order in which they came, and its digest. What
the blocks measured belongs to cells, which are addressed by everything that their numbers depend
on: runs share cells, and a cell that is known is not computed again.

Safety: one short transaction per block, in write-ahead logging. A process that is killed loses the
block it was computing and nothing else. Commits wait for the disk, so that a power loss takes no
more; only where blocks are quicker than `SYNC_PAUSE` they share the wait, and it takes those of the
last moment.
"""

from __future__ import annotations

from ..base.versions import SIMULATOR, differing, redrawn, versions
from .address import cell_keys
from .answers import KeptAnswers
from .merging import Merged, merge
from .opening import is_store, open_store
from .records import Arrival, Run, RunCell, Status
from .store import Store
from .writing import RunMemory, RunPart, begin, resume
