"""An attack written in Python, complete: all fakes promote the same target.

A scenario asks for it with `kind = "plugin"`, `name = "one_by_one"`. The user lets it run with
`--code one_by_one.py` or, as this package publishes it, with `--allow one_by_one`.
"""

from __future__ import annotations

import numpy as np

from ldptui.core.attacks import View
from ldptui.core.law.pure import LocalMechanism, Reports, Rng, SeedSearch
from ldptui.core.metrics import in_top


def one_by_one(
    protocol: LocalMechanism, view: View, count: int, rng: Rng, *, seeds: int = 1000
) -> Reports:
    """Every fake supports one target: the one that needs the least to be seen.

    That is the target with the largest estimate among those outside the published top-k; the one
    with the smallest estimate where all are inside; the first one where nothing is published yet.
    MGA shares the fakes among all targets, and where they are few none of them is seen.

    seeds : how many seeds each fake tries against a hashing protocol.
    """
    aim = view.targets[[chosen(view)]]
    return protocol.craft(aim, count, SeedSearch(seeds), rng)


def chosen(view: View) -> int:
    """The target that is aimed at, from what was published last."""
    if view.published is None:
        return 0
    estimates = view.published[view.targets]
    outside = np.flatnonzero(~in_top(view.published, view.top_k)[view.targets])
    if outside.size:
        return int(outside[np.argmax(estimates[outside])])
    return int(np.argmin(estimates))
