"""Screens of reports of real users: for patterns that independent honest reports hardly ever have.

The screens of pairs, sizes and repeats have proved false-alarm rates, for any items of the users.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from ..base.errors import ScenarioError
from ..base.files import Source
from ..base.sampling import Floats
from ..defences.itemsets import pair_counts, report_columns, sizes_of, unpack_bits, users_in
from ..defences.pairs import Pairs
from ..defences.suspects import MOST, Suspects, least_number, restore_counts, suspects
from ..kernels.bits import binomial_threshold
from ..lab.repeats import find_frequent_values, largest, likeliest, marks, too_many
from ..law.mechanism import check_estimates
from ..law.moments import Unbiased
from ..law.pure import BoolArray, Items, LocalMechanism, Reports
from ..law.together import PairLaw, numbers, tells_together
from ..protocols.hashing import LocalHashing
from ..theory.defended import pair_probability
from .arguments import local
from .rates import SmallAttack, StepVerdict
from .reading import Read, check_memory, reread

CHANCE: Final = 0.001
"""The false-alarm rate of each screen that has a proof: of all together 0.003 at most."""

DRAWN: Final = 2000
"""Crafted reports whose sizes and repeats are looked at, at most."""


@dataclass(frozen=True, eq=False)
class ScreeningResult:
    """The verdicts of the screens on N reports, with the suspicious reports and items.

    screens : empty if no screen can read such reports. suspects : the suspicious pairs and items.
    rows : int64[k], the positions of the suspicious reports. before, after : float64[d], the
    estimates with and without them.
    """

    users: int
    screens: tuple[StepVerdict, ...]
    suspects: Suspects
    rows: Items
    before: Floats
    after: Floats

    @property
    def alarm(self) -> bool:
        """Whether any screen raises an alarm."""
        return any(bool(each.alarm) for each in self.screens)


@dataclass(eq=False)
class _FirstReading:
    """All that is kept of the reports of a first reading."""

    protocol: Any
    users: int = 0
    single: Any = 0
    together: Any = 0
    sizes: Any = 0
    marks: list[Any] = field(default_factory=list)

    def add(self, reports: Reports) -> None:
        protocol, d = self.protocol, self.protocol.domain_size
        self.users += len(reports)
        check_memory(self.users, memory(protocol, self.users), "reports")
        if not tells_together(protocol):
            self.single = self.single + protocol.support_counts(reports)
            return
        columns = report_columns(protocol, reports)
        sizes = sizes_of(columns, len(reports))
        self.single = self.single + np.array([users_in(column) for column in columns])
        self.sizes = self.sizes + np.bincount(sizes, minlength=d + 1)
        self.marks.append(marks(protocol, reports))
        if d <= MOST:
            self.together = self.together + pair_counts(columns, np.arange(d))


def memory(protocol: Any, users: int) -> int:
    """The approximate memory, in bytes, for screening N reports, beyond one batch of reports.

    For each report a hash, twice while the hashes are joined and sorted, its number of suspicious
    items and whether it is repeated too often; and the support of all pairs.
    """
    if not tells_together(protocol):
        return 0
    mark, d = 4 if isinstance(protocol, LocalHashing) else 8, protocol.domain_size
    return users * (3 * mark + 13) + (40 * d**2 if d <= MOST else 0)


def check_screenable(protocol: LocalMechanism) -> Any:
    """The protocol, if the distribution of its honest reports is known; else raises
    ScenarioError.
    """
    check_estimates(local(protocol), "protocol.kind")
    if not isinstance(protocol, Unbiased):
        rule = "must not be one whose noise has no closed form: nothing tells its honest reports"
        raise ScenarioError(rule, key="protocol.kind")
    return protocol


def screen_reports(
    reports: Reports | Sequence[Source],
    protocol: LocalMechanism,
) -> ScreeningResult:
    """The verdicts of all screens; suspicious items make it read the reports a second time.

    reports : an array, or files. Raises LdpError for invalid reports, and if there are none.
    """
    check_screenable(protocol)
    with reread(reports, protocol) as read:
        return _screen(read, protocol)


def _screen(read: Read, protocol: Any) -> ScreeningResult:
    seen = _FirstReading(protocol)
    for reports in read():
        seen.add(reports)
    if not seen.users:
        raise ScenarioError("must be at least one, got none", key="reports")
    before = protocol.estimates(seen.single[None], seen.users).frequencies[0]
    attack = SmallAttack(protocol, seen.users, before)
    named, repeated, screens = Suspects.none(), np.zeros(seen.users, dtype=np.bool_), []
    if tells_together(protocol):
        if protocol.domain_size <= MOST:
            law, every = PairLaw.of(protocol), np.arange(protocol.domain_size)
            named = suspects(law, seen.single, every, seen.together, seen.users, CHANCE)
            screens.append(_prove_step("pairs", named.alarm, attack, _pair_power))
        screens += _sizes(seen, attack)
        repeats, repeated = _repeats(seen, attack)
        screens.append(repeats)
    rows, after = np.flatnonzero(repeated), before
    if named.alarm:
        rows, after = _without(read, seen, named, repeated)
    return ScreeningResult(seen.users, tuple(screens), named, rows, before, after)


def _prove_step(
    kind: str, alarm: bool, attack: SmallAttack, power: Callable[[SmallAttack], float]
) -> StepVerdict:
    cost = 0.0 if kind == "sizes" else CHANCE
    return StepVerdict(kind, alarm, attack.users, proved=(CHANCE, power(attack), cost))


def _pair_power(attack: SmallAttack) -> float:
    """The power of the screen of pairs, by its closed form."""
    ask = attack.ask
    law, r = attack.protocol.find_law(ask).towards(), ask.targets.size
    if r < 2:
        return 0.0
    both = pair_probability(r, law.target, law.variance)
    held, honest = attack.frequencies[ask.targets], attack.users - attack.malicious
    step = Pairs(CHANCE)
    return step.power(attack.protocol, held, 2 * law.target, both, honest, attack.malicious)


def _sizes(seen: _FirstReading, attack: SmallAttack) -> list[StepVerdict]:
    """Numbers of supported items that more reports have than honest ones would: exact tails.

    The law of that number does not depend on the user's item.
    """
    protocol, users = seen.protocol, seen.users
    law = numbers(protocol, protocol.domain_size, held=True)
    if law.max() > 1 - 1e-12:
        return []
    chance = CHANCE / law.size
    limits = np.array([binomial_threshold(users, rate, chance) for rate in law])

    def power(attack: SmallAttack) -> float:
        from scipy.special import ndtr

        made, m = attack.craft_reports("sizes", DRAWN), attack.malicious
        ones = sizes_of(report_columns(protocol, made), len(made))
        fakes = np.bincount(ones, minlength=law.size) / len(made)
        mean = (users - m) * law + m * fakes
        noise = np.sqrt((users - m) * law * (1 - law) + m * fakes * (1 - fakes) + 1e-12)
        return float(ndtr((mean - limits + 0.5) / noise).max())

    return [_prove_step("sizes", bool((seen.sizes >= limits).any()), attack, power)]


def _repeats(seen: _FirstReading, attack: SmallAttack) -> tuple[StepVerdict, BoolArray]:
    """Reports, or seeds, that come too often, and bool[N], which reports these are."""
    every = np.concatenate(seen.marks)
    seen.marks.clear()
    limit = too_many(seen.users, likeliest(seen.protocol), CHANCE)
    over = find_frequent_values(every, limit)

    def power(attack: SmallAttack) -> float:
        made = attack.craft_reports("repeats", DRAWN)
        alike = largest(marks(seen.protocol, made))
        return float(alike > 1 and alike / len(made) * attack.malicious >= limit)

    kind = "seeds" if isinstance(seen.protocol, LocalHashing) else "rows"
    return _prove_step(kind, bool(over.size), attack, power), np.isin(every, over)


def scores(protocol: Any, reports: Reports, items: Items) -> Items:
    """int64[n]: the number of suspicious items that each report supports."""
    columns = report_columns(protocol, reports)
    return np.asarray(
        sum(
            (unpack_bits(columns[item], len(reports)) for item in items),
            np.zeros(len(reports), int),
        )
    )


def _without(
    read: Read, seen: _FirstReading, named: Suspects, repeated: BoolArray
) -> tuple[Items, Floats]:
    """The suspicious reports, and the estimates without those that the pairs tell."""
    protocol, r, at = seen.protocol, named.items.size, 0
    number, support = np.zeros(seen.users, dtype=np.int32), np.zeros((r + 1, seen.single.size), int)
    for reports in read():
        mine = scores(protocol, reports, named.items)
        number[at : at + len(mine)] = mine
        for k in np.unique(mine[mine > 1]).tolist():
            support[k] += protocol.support_counts(reports[mine == k])
        at += len(mine)
    least = least_number(protocol, np.bincount(number, minlength=r + 1))
    left, users = seen.single - support[least:].sum(axis=0), int((number < least).sum())
    honest = restore_counts(protocol, left, users, named.items, least) or (left, users)
    after = protocol.estimates(honest[0][None], honest[1]).frequencies[0]
    return np.flatnonzero((number >= least) | repeated), after
