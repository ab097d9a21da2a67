"""Suspects: the items whose pairs more reports support than honest reports would, and these
reports.

A pair is flagged if T, its support beyond what the two items explain, exceeds its limit
(`core.law.together`). Fakes who support neither of two other items raise the T of those as well, by
Z(none) / Z(both) of the T of their targets: a pair beyond that is named, and so is every pair with
at least half of the largest T.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from ..base.sampling import Counts, Floats
from ..law.exchangeable import Exchangeable
from ..law.pure import Items
from ..law.together import PairLaw, numbers
from .fiad import DEVIATIONS

MOST: Final = 4096
"""Items whose pairs are counted at most: those that most reports support. Their counts of pairs
take 134 MB."""

SHOWN: Final = 100
"""Pairs whose T is told beside its limit, flagged or not."""


@dataclass(frozen=True, eq=False)
class Suspects:
    """The item pairs that are supported too often, the most surprising pairs first.

    alarm : whether any pair exceeds its limit. pairs : int64[k, 2], the named pairs. z :
    float64[k], their T in standard deviations. items : int64[r], the items of the pairs, ascending.
    nearest : the largest T of all pairs as shares of their limits, descending; SHOWN at most.
    """

    alarm: bool
    pairs: Items
    z: Floats
    items: Items
    nearest: Floats

    @classmethod
    def none(cls, nearest: Floats | None = None) -> Suspects:
        """The result without a flagged pair."""
        nothing = np.empty(0, dtype=np.int64)
        shares = np.empty(0) if nearest is None else nearest
        return cls(False, nothing.reshape(0, 2), np.empty(0), nothing, shares)


def looked_at(single: Counts) -> Items:
    """int64[k]: the items whose pairs are counted, ascending."""
    return np.sort(np.argsort(-single, kind="stable")[:MOST])


def suspects(
    law: PairLaw, single: Counts, items: Items, together: Counts, users: int, chance: float
) -> Suspects:
    """The item pairs whose statistic T exceeds the limit that honest reports exceed with
    probability `chance`.

    single : int64[d], the reports that support each item. together : int64[k, k], above the
    diagonal, those that support each two of `items`, int64[k].
    """
    support = single[items]
    excess = law.excess(support, together, users)
    limits = law.limits(support, users, chance, single.size)
    over = np.triu(excess > limits, 1)
    first, second = np.nonzero(over)
    nearest = _largest((excess / limits)[np.triu_indices(items.size, 1)])
    if not first.size:
        return Suspects.none(nearest)
    beyond, limit = excess[first, second], limits[first, second]
    lacked = max(float(law.values[0] / law.values[2]), 0.0) * beyond.max()
    named = (beyond >= beyond.max() / 2) | (beyond > limit + lacked)
    first, second, beyond = first[named], second[named], beyond[named]
    held = law.estimate_users(support, users)
    variance = law.variance(users, np.minimum(held[first] + held[second], users))
    z = beyond / np.sqrt(variance)
    order = np.argsort(-z, kind="stable")
    pairs = items[np.stack([first, second], axis=1)][order]
    return Suspects(True, pairs, z[order], np.unique(pairs), nearest)


def _largest(values: Floats) -> Floats:
    """The SHOWN largest values, falling."""
    most = min(SHOWN, values.size)
    return -np.sort(np.partition(-values, most - 1)[:most]) if most else values


def least_number(protocol: Exchangeable, seen: Counts) -> int:
    """The smallest number of suspicious items with which a report is dropped, at least two.

    The least number that more than twice as many reports have as honest reports would, by
    DEVIATIONS; if there is none, the number that, with all above it, is too frequent by most
    deviations.

    seen : int64[r + 1], the reports by the number of suspicious items that they support.
    """
    expected = seen.sum() * numbers(protocol, seen.size - 1, held=False)

    def deviations(reports: Counts, honest: Floats) -> Floats:
        return np.asarray((reports - honest) / np.sqrt(honest + 1))[2:]

    stands = (seen > 2 * expected)[2:] & (deviations(seen, expected) > DEVIATIONS)
    if stands.any():
        return 2 + int(np.argmax(stands))
    above = (np.cumsum(each[::-1])[::-1] for each in (seen, expected))
    return 2 + int(np.argmax(deviations(*above)))


@dataclass(frozen=True, eq=False)
class KeptReportLaw:
    """The probabilities that an honest report is kept by the filter, and also supports a given
    item.

    It is kept if it supports fewer than `least` of r suspicious items. All are float64[2]: for a
    user with a suspicious item, and for a user with another item.

    kept : that it is kept. own : and supports its user's item. suspect, other : and supports a
    given suspicious item, or a given other item, that is not the user's.
    """

    kept: Floats
    own: Floats
    suspect: Floats
    other: Floats

    @classmethod
    def of(cls, protocol: Exchangeable, r: int, least: int) -> KeptReportLaw:
        kept, own, suspect, other = np.zeros((4, 2))
        for place, inside in enumerate((1, 0)):
            for has, chance in ((True, protocol.p), (False, 1 - protocol.p)):
                room = least - inside * has  # of the suspicious items that are not the user's
                number, law = protocol.support_size(r - inside, has)
                passes = chance * law[number < room].sum()
                kept[place] += passes
                own[place] += has * passes
                within = number < room
                suspect[place] += chance * (law * number)[within].sum() / max(r - inside, 1)
                number, law = protocol.support_size(r - inside + 1, has)  # and one other item
                at = (number - 1 < room) & (number > 0)
                other[place] += chance * (law * number)[at].sum() / (r - inside + 1)
        return cls(kept, own, suspect, other)


def restore_counts(
    protocol: Exchangeable, kept: Counts, users: int, suspicious: Items, least: int
) -> tuple[Counts, int] | None:
    """The expected support counts int64[d] and number of all honest reports, given the kept ones;
    None if every item is suspicious.

    What dropping took from honest reports is given back. kept : int64[d], support counts of the
    `users` kept reports.
    """
    r, d = suspicious.size, kept.size
    if d - r < 1:
        return None
    law = KeptReportLaw.of(protocol, r, least)
    inside = np.zeros(d, dtype=np.bool_)
    inside[suspicious] = True
    # Kept reports, and what they support of the suspicious items, from the users of both sides.
    equations = np.array([law.kept, [law.own[0] + (r - 1) * law.suspect[0], r * law.suspect[1]]])
    within, beyond = np.linalg.solve(equations, [users, kept[inside].sum()])
    held = np.where(
        inside,
        (kept - within * law.suspect[0] - beyond * law.suspect[1]) / (law.own - law.suspect)[0],
        (kept - within * law.other[0] - beyond * law.other[1]) / (law.own - law.other)[1],
    )
    honest = within + beyond
    counts = honest * protocol.q + (protocol.p - protocol.q) * held
    return np.rint(counts).astype(np.int64), round(honest)
