"""Conditional probability: name the one target of an attack, and correct its estimate.

Cao, Jia, Gong, "Data Poisoning Attacks to Local Differential Privacy Protocols", USENIX Security
2021, section 6.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from ..base.ranges import Range
from .fiad import BitFilter
from .filter import Load, Received, Verdict
from .itemsets import report_columns, users_in

TOP = Range(2, 2**20)


@dataclass(frozen=True)
class Conditional(BitFilter):
    """Name the item whose supporters support another, random item least: the target of r = 1.

    Fakes support their target and little else. Of the `top` items that most reports support, it
    names the one with the smallest share of its supporters who support the random item j as well.
    Its estimate becomes what the others leave of 1. It tells no fake user.
    """

    top: Annotated[int, TOP] = 10
    kind: Literal["conditional"] = "conditional"

    def memory(self, load: Load) -> int:
        return load.items * (load.users // 8)

    def sift(self, received: Received) -> Verdict:
        columns = report_columns(received.protocol, received.reports)
        received.pulse()
        support = np.array([users_in(column) for column in columns])
        other = int(received.rng.integers(len(columns)))
        order = np.argsort(-support, kind="stable")
        top = order[order != other][: self.top]
        both = np.array([users_in(columns[other] & columns[item]) for item in top])
        share = both / np.maximum(support[top], 1)
        named = top[[int(share.argmin())]]
        return Verdict(named=named)
