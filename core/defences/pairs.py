"""The pair screen: item pairs that more reports support than independent honest reports would."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, cast

import numpy as np

from ..base.sampling import Floats
from ..law.exchangeable import Exchangeable
from ..law.pure import Mechanism
from ..law.together import PairLaw, tells_together
from .fiad import CHANCE, BitFilter
from .itemsets import USERS_AT_ONCE, pair_counts, report_columns, unpack_bits, users_in
from .step import Load, TrialReports, Verdict
from .suspects import MOST, least_number, looked_at, restore_counts, suspects


@dataclass(frozen=True)
class Pairs(BitFilter):
    """A filter that drops reports with many items whose pairs are supported more often than
    independence explains.

    chance : the probability, at most, that any of all pairs raises a false alarm; proved for
        independent honest reports of any frequencies.
    """

    scores: ClassVar[str] = "suspicious items that a report supports"

    chance: Annotated[float, CHANCE] = 0.01
    kind: Literal["pairs"] = "pairs"

    def reads(self, protocol: Mechanism) -> str | None:
        return None if tells_together(protocol) else super().reads(protocol)

    def memory(self, load: Load) -> int:
        items = min(load.items, MOST)
        columns = load.items * (load.users // 8 + 64)
        return columns + items * (40 * items + USERS_AT_ONCE // 4) + 10 * load.users

    def sift(self, received: TrialReports) -> Verdict:
        """The verdict on each report; its score is the number of suspicious items that it
        supports.
        """
        protocol, users = cast("Exchangeable", received.protocol), received.users
        columns = report_columns(protocol, received.reports)
        received.tell("pairs of items")
        single = np.array([users_in(column) for column in columns])
        items = looked_at(single)
        together = pair_counts(columns, items)
        law = PairLaw.of(protocol)
        seen = suspects(law, single, items, together, users, self.chance)
        score = np.zeros(users)
        for item in seen.items:
            score += unpack_bits(columns[item], users)
        if not seen.alarm:
            return Verdict(np.ones(users, dtype=np.bool_), score, alarm=False)
        reports = np.bincount(score.astype(np.int64), minlength=seen.items.size + 1)
        least = least_number(protocol, reports)
        kept = score < least
        left = single - protocol.support_counts(received.reports[~kept])
        honest = restore_counts(protocol, left, int(kept.sum()), seen.items, least)
        if honest is None:
            return Verdict(kept, score, alarm=True)
        counts, number = honest
        return Verdict(
            kept, score, alarm=True, removed=left - counts, fewer=int(kept.sum()) - number
        )

    def power(
        self, protocol: Exchangeable, held: Floats, either: float, both: float,
        users: int, malicious: int,
    ) -> float:  # fmt: skip
        """The probability that any pair of r targets raises an alarm. Approximate: all counts are
        normal.

        held : float64[r], the targets' frequencies. either : of two targets, the number that a
        fake's report supports on average. both : the probability that it supports both.
        """
        from scipy.special import ndtr

        law, everyone = PairLaw.of(protocol), users + malicious
        single = users * (protocol.q + (protocol.p - protocol.q) * held) + malicious * either / 2
        limits = law.limits(single, everyone, self.chance, protocol.domain_size)
        mean, fake = law.moments(either, both)
        first, second = np.triu_indices(held.size, 1)
        variance = law.variance(users, users * (held[first] + held[second])) + malicious * fake
        # 0 where no report supports two items, as SS with w = 1.
        deviation = np.sqrt(np.maximum(variance, np.finfo(np.float64).tiny))
        alarmed = ndtr((malicious * mean - limits[first, second]) / deviation)
        return float(-np.expm1(np.log1p(-np.minimum(alarmed, 1 - 1e-16)).sum()))
