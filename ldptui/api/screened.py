"""Reports of real users, screened for fakes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.sampling import Floats
from ldptui.core.lab import screening
from ldptui.core.lab.defending import MOST_TRIALS, SIFTED
from ldptui.core.law.capabilities import check_estimates
from ldptui.core.law.pure import Items, LocalMechanism, Reports, is_pure, is_unbiased
from ldptui.core.reports.arguments import local, reports_of, whole
from ldptui.core.reports.arguments import names as item_names
from ldptui.core.reports.files import read_reports
from ldptui.core.reports.sources import Places, kept, sources
from ldptui.core.theory import misfit

from ..text import format as text
from ..text import table
from . import rated
from .collected import misfit_words
from .rated import bounded, check_memory, expected

AT_ONCE: Final = 1 << 16
"""Reports that are screened at once."""

PROVED: Final = "≤: proved, and the verdict goes by these alone;"

HEADS: Final = ("screen", "alarm", *rated.HEADS)
"""The heads of the table of screens."""

SHOWN: Final = 10
"""Pairs of a `repr`, and items of its verdict."""


@dataclass(frozen=True, eq=False)
class Screening:
    """The verdicts of all screens on reports, and what they name.

    Attributes
    ----------
    alarm
        Whether a screen alarms whose false-alarm rate is proved; None where there is no such
        screen, and so no verdict.
    screens
        One verdict each, with its kind, alarm, false_alarm, power and cost, whether that rate is
        proved, and else the simulated collections that they were measured on.
    pairs
        The pairs of items that go together beyond what honest reports explain, by name, with z.
    items
        Those of the pairs.
    rows
        int64[k], the suspicious reports by their place from 0 on.
    reports
        N, their number.
    before, after
        float64[d], the estimates from all reports, and without the suspicious ones, with what
        honest reports lose by that given back.
    nearest
        The largest of the pairs' supports beyond what independence explains, as shares of their
        limits.
    labels
        The names of all items.
    misfit
        What hardly any reports of the protocol say, in words; None where they can be of it.
    """

    alarm: bool | None
    screens: tuple[screening.Screen, ...]
    pairs: tuple[tuple[str, str, float], ...]
    items: tuple[str, ...]
    rows: Items
    reports: int
    before: Floats
    after: Floats
    nearest: Floats
    labels: tuple[str, ...]
    misfit: str | None = None

    @property
    def proved(self) -> list[str]:
        """The screens whose false-alarm rate is proved; without one there is no verdict."""
        return [each.kind for each in self.screens if each.proved]

    @property
    def verdict(self) -> str:
        """One sentence."""
        if not self.proved:
            return "no verdict: no screen with a proved rate reads such reports"
        if not self.alarm:
            sure = ", ".join(self.proved)
            rings = ", ".join(each.kind for each in self.screens if each.alarm)
            other = f"; {rings} rings, as it may among honest reports" * bool(rings)
            return f"no alarm of {sure}, whose rate is proved{other}"
        kinds = ", ".join(each.kind for each in self.screens if each.alarm and each.proved)
        more = len(self.items) - SHOWN
        others = f" and {text.count(more)} more" if more > 0 else ""
        named = f"; {', '.join(self.items[:SHOWN])}{others} go together" * bool(self.items)
        dropped = f"; {text.count(self.rows.size)} reports are suspicious" * bool(self.rows.size)
        return f"ALARM ({kinds}): honest reports hardly ever do that{named}{dropped}"

    @property
    def changes(self) -> list[tuple[str, float, float]]:
        """The suspicious items with their estimates from all reports, and without those."""
        place = {label: at for at, label in enumerate(self.labels)}
        return [
            (label, float(self.before[place[label]]), float(self.after[place[label]]))
            for label in self.items
        ]

    @property
    def cells(self) -> list[list[str]]:
        """The rows of the table of screens, under HEADS."""

        def share(value: float | None) -> str:
            return "–" if value is None else f"{value:.3g}"

        def rates_of(each: screening.Screen) -> list[str]:
            rates = each.rates
            if rates is None:
                false, cost = map(share, (each.false_alarm, each.cost))
                if each.proved:
                    false, cost = f"≤ {false}", f"≤ {cost}" if each.cost else cost
                return [false, share(each.power), cost, "–", "–"]
            return rated.cells(rates)

        return [[each.kind, rated.ALARM[each.alarm], *rates_of(each)] for each in self.screens]

    def document(self) -> dict[str, Any]:
        """Plain values, for JSON.

        Examples
        --------
        >>> from ldptui import protocol
        >>> grr = protocol("grr", items=4, epsilon=1.0)
        >>> screen(np.array([0, 3, 1], np.uint32), grr).document()["dropped"]
        0
        """
        return {
            "alarm": self.alarm,
            "misfit": self.misfit,
            "reports": self.reports,
            "screens": [
                {
                    "kind": each.kind,
                    "alarm": each.alarm,
                    "reports": each.users,
                    "false_alarm": each.false_alarm,
                    "power": each.power,
                    "cost": each.cost,
                    "proved": each.proved,
                    "simulated": rated.document(each.rates),
                }
                for each in self.screens
            ],
            "pairs": [{"items": [one, other], "z": z} for one, other, z in self.pairs],
            "items": list(self.items),
            "dropped": int(self.rows.size),
            "estimates": [
                {"item": label, "before": before, "after": after}
                for label, before, after in self.changes
            ],
        }

    def __repr__(self) -> str:
        parts = [
            f"{text.plural(self.reports, 'report')}: {self.verdict}",
            table.plain_table(HEADS, self.cells),
            f"{PROVED}\n{rated.LEGEND}",
        ]
        part = [each for each in self.screens if each.users < self.reports]
        if part:
            kinds, some = ", ".join(each.kind for each in part), text.count(part[0].users)
            parts.append(f"{kinds}: asked about {some} of the reports, evenly from all of them")
        if self.pairs:
            shown = [[one, other, f"{z:.1f}"] for one, other, z in self.pairs[:SHOWN]]
            parts.append(table.plain_table(["item", "and item", "z"], shown))
            if len(self.pairs) > SHOWN:
                parts.append(f"{text.count(len(self.pairs))} pairs, the {SHOWN} largest")
            estimates = [
                [label, f"{before:.5f}", f"{after:.5f}"] for label, before, after in self.changes
            ]
            parts.append(table.plain_table(["item", "all reports", "without"], estimates))
        parts += [self.misfit] if self.misfit is not None else []
        return "\n\n".join(part.rstrip() for part in parts)


def screen(
    reports: Reports | Places,
    protocol: LocalMechanism,
    *,
    labels: Sequence[str] | None = None,
    trials: int = SIFTED,
) -> Screening:
    """The verdicts on reports that real users sent: whether fakes are among them.

    Parameters
    ----------
    reports
        As `protocol.perturb` makes them, or the files that hold them, which are read twice where
        pairs alarm, standard input from a copy on disk.
    protocol
        As `protocol` makes it.
    labels
        The names of the items, else their numbers.
    trials
        The simulated collections of each filter that its rates are measured on, at most; 0 leaves
        its rates out.

    Raises
    ------
    ScenarioError
        For reports that the protocol does not send, for none at all, for more than can be held, and
        for a protocol whose reports tell no frequencies.

    Examples
    --------
    >>> import numpy as np
    >>> from ldptui import protocol
    >>> oue, rng = protocol("oue", items=8, epsilon=1.0), np.random.default_rng(0)
    >>> honest = oue.perturb(rng.integers(0, 8, 20_000), rng)
    >>> screen(honest, oue).alarm
    False
    >>> fakes = np.full((1000, 1), 0b01000100, np.uint8)
    >>> screen(np.concatenate([honest, fakes]), oue).items
    ('1', '5')
    """
    check_estimates(local(protocol), "protocol.kind")
    if not is_unbiased(protocol):
        rule = "must not be one whose noise has no closed form: nothing tells its honest reports"
        raise ScenarioError(rule, key="protocol.kind")
    most = whole(trials, "trials", 0, MOST_TRIALS)
    need = partial(screening.memory, protocol)
    names = tuple(item_names(labels, protocol.domain_size) or map(str, range(protocol.domain_size)))
    if isinstance(reports, np.ndarray):
        made = reports_of(reports, protocol)
        check_memory(len(made), need, "reports")
        found = screening.screened(
            lambda: (made[at : at + AT_ONCE] for at in range(0, len(made), AT_ONCE)),
            protocol,
            trials=most,
        )
    else:
        named = sources(reports)
        check_memory(expected(named) or 0, need, "reports")
        with kept(named) as again:
            found = screening.screened(
                lambda: bounded(read_reports(again, protocol), need, "reports"),
                protocol,
                trials=most,
            )
    pairs = zip(found.suspects.pairs.tolist(), found.suspects.z.tolist(), strict=True)
    far = misfit(protocol, found.users, found.before) if is_pure(protocol) else None
    proved = any(each.proved for each in found.screens)
    return Screening(
        found.alarm if proved else None,
        found.screens,
        tuple((names[one], names[other], z) for (one, other), z in pairs),
        tuple(names[item] for item in found.suspects.items),
        found.rows,
        found.users,
        found.before,
        found.after,
        found.suspects.nearest,
        names,
        None if far is None else misfit_words(far, names, protocol),
    )
