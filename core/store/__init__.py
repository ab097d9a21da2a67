"""The run store: every run in one SQLite file, kept while it is computed.

A run is its scenario, the blocks that it got, in the order in which they came, and its digest. What
the blocks measured belongs to cells, which are addressed by everything that their numbers depend
on: runs share cells, and a cell that is known is not computed again. A block that is damaged counts
as missing: it is never read as a number, and resuming computes it again.

Safety: one short transaction per block, in write-ahead logging. A process that is killed loses the
block it was computing and nothing else. Commits wait for the disk, so that a power loss takes no
more; only where blocks are quicker than `SYNC_PAUSE` they share the wait, and it takes those of the
last moment.
"""

from __future__ import annotations

from ..base.versions import SIMULATOR, differing, find_changed_sampler, versions
from .cell_address import cell_keys
from .run_records import Arrival, RunCell, RunRecord, Status
from .run_writer import KeptAnswers, RunMemory, RunPart, begin, resume
from .store import Store
from .store_merge import MergeSummary, merge
from .store_open import is_store, open_store
