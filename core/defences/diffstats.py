"""Diffstats: a filter that drops the users without whom the numbers of ones look honest.

Li, Li, Wang, Sun, "Mitigating Data Poisoning Attacks to Local Differential Privacy", CCS 2025.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from ..base.ranges import Range
from ..base.sampling import Counts, Floats, binomial_law
from ..kernels.bits import BitColumns
from ..law.pure import Items, PureProtocol
from .fiad import BitFilter
from .itemsets import report_columns, support_of, unpack_bits
from .step import Load, TrialReports, Verdict

TOP = Range(1, 10)
LEAST = 1e-300
"""The least probability of a number of ones: in double precision the tails come out as 0."""


def ones_law(protocol: PureProtocol) -> Floats:
    """float64[d + 1]: the distribution of the number of items that an honest report supports,
    Bern(p) + Bin(d - 1, q).
    """
    others, likely = binomial_law(protocol.domain_size - 1, protocol.q)
    law = np.zeros(protocol.domain_size + 1)  # of others the unlikeliest numbers are left out
    law[others] += likely * (1 - protocol.p)
    law[others + 1] += likely * protocol.p
    return law


@dataclass(frozen=True)
class Diffstats(BitFilter):
    """Diffstats: a filter that flags the users of the item set whose removal fits the numbers of
    ones best.

    O(k) is the number of reports that support k items, Y(k) its expectation. The k that fit best
    are left out one after the other. Among the users with the remaining k, every subset of the
    `top` items that these users support most defines a group: the users who support all of it. The
    group without which Σ (O - Y)² / Y is least is flagged.
    """

    top: Annotated[int, TOP] = 6
    kind: Literal["diffstats"] = "diffstats"

    def memory(self, load: Load) -> int:
        return load.items * (load.users // 8 + 16 * load.items) + 20 * load.users

    def sift(self, received: TrialReports) -> Verdict:
        protocol, users = received.protocol, received.users
        columns = report_columns(protocol, received.reports)
        ones, supported = _by_ones(columns, users)
        law = np.maximum(ones_law(protocol), LEAST)
        observed = np.bincount(ones, minlength=law.size)
        order = np.argsort((observed - users * law) ** 2, kind="stable")
        groups: dict[tuple[int, ...], Counts] = {}

        def group(items: tuple[int, ...]) -> Counts:
            """int64[d + 1]: the number of users who support all these items, by their number of
            ones.
            """
            if items not in groups:
                held = unpack_bits(support_of(columns, np.array(items)), users)
                groups[items] = np.bincount(ones[held], minlength=law.size)
            return groups[items]

        left = np.ones(law.size, dtype=np.bool_)
        within = supported.sum(axis=0)
        best, chosen, chosen_ones = np.inf, tuple[int, ...](), left
        for step, fitting in enumerate(order.tolist()[:-1]):
            if step and not observed[fitting]:  # whom leaving out changes nothing
                continue
            left[fitting] = False
            within = within - supported[fitting]
            top = np.sort(np.argsort(-within, kind="stable")[: self.top]).tolist()
            subsets = [
                items
                for size in range(1, len(top) + 1)
                for items in itertools.combinations(top, size)
            ]
            taken = np.where(left, np.array([group(items) for items in subsets]), 0)
            misfits = _misfits(observed - taken, law)
            least = int(misfits.argmin())
            if misfits[least] < best:
                best, chosen, chosen_ones = misfits[least], subsets[least], left.copy()
        held = unpack_bits(support_of(columns, np.array(chosen)), users)
        flagged = held & chosen_ones[ones]
        return Verdict(~flagged)


def _misfits(observed: Counts, law: Floats) -> Floats:
    """Σ (O - Y)² / Y of each row, where Y are the expectations for the same number of reports."""
    expected = observed.sum(axis=1, keepdims=True) * law
    some = expected.any(axis=1)
    misfits = np.full(len(observed), np.inf)
    rest = expected[some]
    misfits[some] = ((observed[some] - rest) ** 2 / rest).sum(axis=1)
    return misfits


def _by_ones(columns: BitColumns, users: int) -> tuple[Items, NDArray[np.int64]]:
    """int64[N], the number of ones of each report; int64[d + 1, d], by it the support of items."""
    ones = np.zeros(users, dtype=np.int64)
    for column in columns:
        ones += unpack_bits(column, users)
    supported = np.empty((len(columns) + 1, len(columns)), dtype=np.int64)
    for item, column in enumerate(columns):
        supported[:, item] = np.bincount(
            ones[unpack_bits(column, users)], minlength=len(columns) + 1
        )
    return ones, supported
