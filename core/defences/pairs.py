"""The pair screen: items that more reports support together than independent honest ones would."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, cast

import numpy as np

from ..base.sampling import Floats
from ..kernels.bits import BitColumns, no_columns
from ..law.capabilities import sends_bit_per_item
from ..law.exchangeable import Exchangeable
from ..law.pure import Mechanism, PureProtocol, Reports
from ..law.together import PairLaw, tells_together
from .fiad import CHANCE, ReadsBits
from .filter import Load, Received, Verdict
from .itemsets import USERS_AT_ONCE, pair_counts, unpacked, users_in
from .step import Step
from .suspects import MOST, least_number, looked_at, mended, suspects


@dataclass(frozen=True)
class Pairs(ReadsBits, Step):
    """Drop the reports with many items whose pairs are supported beyond what independence explains.

    chance : how often any of all pairs alarms where nobody attacks, at most: proved for
        independent honest reports, whatever the frequencies are.
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

    def sift(self, received: Received) -> Verdict:
        """The score of a report is the number of suspicious items that it supports."""
        protocol, users = cast("Exchangeable", received.protocol), received.users
        columns = supported(protocol, received.reports)
        received.tell("pairs of items")
        single = np.array([users_in(column) for column in columns])
        items = looked_at(single)
        together = pair_counts(columns, items, received.pulse)
        law = PairLaw.of(protocol)
        seen = suspects(law, single, items, together, users, self.chance)
        score = np.zeros(users)
        for item in seen.items:
            score += unpacked(columns[item], users)
        if not seen.alarm:
            return Verdict(np.ones(users, dtype=np.bool_), score, alarm=False)
        reports = np.bincount(score.astype(np.int64), minlength=seen.items.size + 1)
        least = least_number(protocol, reports)
        kept = score < least
        left = single - protocol.support_counts(received.reports[~kept])
        honest = mended(protocol, left, int(kept.sum()), seen.items, least)
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
        """The probability that any pair of r targets alarms. Approximate: all counts are normal.

        held : float64[r], the targets' frequencies. either, both : of two targets the number that
        a fake's report supports on average, and the probability that it supports both.
        """
        from scipy.special import ndtr

        law, everyone = PairLaw.of(protocol), users + malicious
        single = users * (protocol.q + (protocol.p - protocol.q) * held) + malicious * either / 2
        limits = law.limits(single, everyone, self.chance, protocol.domain_size)
        mean, fake = law.moments(either, both)
        first, second = np.triu_indices(held.size, 1)
        variance = law.variance(users, users * (held[first] + held[second])) + malicious * fake
        alarmed = ndtr((malicious * mean - limits[first, second]) / np.sqrt(variance))
        return float(-np.expm1(np.log1p(-np.minimum(alarmed, 1 - 1e-16)).sum()))


def supported(protocol: PureProtocol, reports: Reports) -> BitColumns:
    """The reports as packed columns, one for each item that they support or not."""
    if sends_bit_per_item(protocol):
        return protocol.columns(reports)
    packed = no_columns(protocol.domain_size, len(reports))
    rows = 8 * max(1, math.ceil(2**22 / 8 / protocol.domain_size))
    for at in range(0, len(reports), rows):
        bits = np.packbits(protocol.supports(reports[at : at + rows]).T, axis=1)
        packed[:, at // 8 : at // 8 + bits.shape[1]] = bits
    return packed.view(np.uint64)
