"""The run store: all runs in one SQLite file, written while they are computed.

A run is its scenario, its blocks of trials in the order in which they arrived, and its digest. The
results of blocks belong to cells, whose addresses contain everything that their numbers depend on:
runs share cells, and a known cell is not computed again. A damaged block counts as missing: it is
never read as a number, and resuming computes it again.

Safety: one short transaction per block, in write-ahead logging. A process that is killed loses only
the block that it was computing. Commits wait for the disk, so that a power loss takes no
more; blocks that arrive faster than `SYNC_PAUSE` share the wait, and a power loss takes those of
the last moment.
"""

from __future__ import annotations

from ..base.versions import SIMULATOR, differing, find_changed_sampler, versions
from .cell_address import cell_keys
from .run_records import Arrival, RunCell, RunRecord, Status
from .run_writer import KeptAnswers, RunMemory, RunPart, begin, resume
from .store import Store
from .store_merge import MergeSummary, merge
from .store_open import is_store, open_store
