"""Fakes who attack a part of the targets each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import ldptui
from ldptui.core.law.pure import LocalMechanism, Reports, SeedSearch


@dataclass(frozen=True)
class Spread:
    """Each fake crafts its report for `each` of the targets, drawn anew for every piece of fakes.

    `core` is ldptui's simulator: what a protocol can do is in `core.law.pure.LocalMechanism`.
    """

    each: int = 1

    def __post_init__(self) -> None:
        if self.each < 1:
            raise ValueError(f"each must be at least 1, got {self.each}")

    def reports(
        self,
        protocol: LocalMechanism,
        view: ldptui.View,
        count: int,
        rng: np.random.Generator,
    ) -> Reports:
        """Reports of `count` fakes, for some of `view.targets`."""
        size = min(self.each, view.targets.size)
        aims = np.sort(rng.choice(view.targets, size=size, replace=False))
        return protocol.craft(aims, count, SeedSearch(100), rng)
