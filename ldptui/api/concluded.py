"""Reports of real users, and what they still tell if a share of them is fake."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ldptui.core.base.errors import ScenarioError, check_among, got
from ldptui.core.base.files import Piped
from ldptui.core.base.ranges import ALPHA, SHARE
from ldptui.core.base.sampling import Floats
from ldptui.core.bounds.robust import ballot_of
from ldptui.core.lab import concluding
from ldptui.core.lab.rungs import RUNGS, Row, Terms, mechanism
from ldptui.core.law.capabilities import check_estimates
from ldptui.core.law.numbers import tells_numbers
from ldptui.core.law.pure import LocalMechanism, PureProtocol, Reports
from ldptui.core.protocols import PROTOCOLS
from ldptui.core.reports.arguments import LARGEST, local, number, reports_of, switch, whole, words
from ldptui.core.reports.arguments import names as item_names
from ldptui.core.reports.counted import END, Counted, read_all
from ldptui.core.reports.files import read_rows
from ldptui.core.reports.sources import Places, sources
from ldptui.core.theory.evidence import Evidence, of_reports, of_sums

from ..text import format as text
from ..text import table
from .collected import SHOWN, misfit_words
from .table import Framed

MOST: Final = 10**15
"""Reports that published frequencies can come from, at most."""
AT_ONCE: Final = 1 << 16
"""Reports of an array that are looked at at once."""

UNSEEN: Final = "fakes whose reports look like an honest population's cannot be seen"


@dataclass(frozen=True, eq=False, repr=False)
class Conclusions(concluding.Concluded, Framed):
    """The answer of `conclude`: what reports tell if a share of them may be fake.

    Attributes
    ----------
    labels
        The names of d items.
    reports
        N, their number.
    share
        That of the fakes, at most.
    estimates
        float64[d].
    low, high
        float64[d], the ends of intervals that cover whatever the fakes send.
    naive_low, naive_high
        float64[d], the same if nobody were fake.
    sharp
        Whether low and high assume that all reports together look honest.
    confidence
        That of each interval and bound.
    claims
        With `text` and `overturning` (`share`, `low`) each.
    floor
        With `fakes`, `share` and `items`; None where neither reports nor counts are there.
    misfit
        What hardly any reports of the protocol say; None where they can be of it.
    overturned
        Of another claim of `ldptui.core.bounds.claims`, the share that overturns it.
    """

    @property
    def unfit(self) -> NDArray[np.bool_]:
        """bool[d]: the items that no frequency fits, whatever up to `share` of fakes sent."""
        below = (self.high <= 0) & (self.estimates < 0)
        return np.asarray(below | ((self.low >= 1) & (self.estimates > 1)))

    def rows(self) -> list[dict[str, Any]]:
        """A row for each item: item, estimate, low, high, naive_low, naive_high.

        Where no frequency fits, low and high are None.

        Examples
        --------
        >>> from ldptui import protocol
        >>> grr = protocol("grr", items=4, epsilon=1.0)
        >>> conclude(np.array([0, 3, 0], np.uint32), grr, share=0.1).rows()[3]["item"]
        '3'
        """
        names = ("low", "high", "naive_low", "naive_high")
        columns = {"item": self.labels, "estimate": self.estimates.tolist()}
        columns |= {name: getattr(self, name).tolist() for name in names}
        for item in np.flatnonzero(self.unfit).tolist():
            columns["low"][item] = columns["high"][item] = None
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def document(self) -> dict[str, Any]:
        """Plain values, for JSON.

        Examples
        --------
        >>> from ldptui import protocol
        >>> grr = protocol("grr", items=4, epsilon=1.0)
        >>> conclude(np.array([0, 3, 0], np.uint32), grr, share=0.1).document()["fakes"]
        {'at_least': 0.0, 'confidence': 0.95}
        """
        floor = self.floor
        return {
            "share": self.share,
            "items": self.rows(),
            "claims": [
                {
                    "claim": each.text,
                    "overturning_share": each.overturning.share,
                    "low": each.overturning.low,
                }
                for each in self.claims
            ],
            "fakes": {
                "at_least": 0.0 if floor is None else floor.share,
                "confidence": self.confidence,
            },
        }

    @property
    def sentences(self) -> list[str]:
        """A sentence for each claim, and for the fakes."""
        sure = text.percent(self.confidence)
        said = []
        for each in self.claims:
            beta, low = each.overturning.share, each.overturning.low
            if not each.overturning.stands:
                said.append(f"{each.text}: noise alone may overturn it")
                continue
            stands = "" if low > self.share else f", so {text.percent(self.share)} may overturn it"
            said.append(
                f"{each.text}: it takes {text.percent(beta)} of fakes to overturn it, "
                f"at least {text.percent(low)} ({sure}){stands}"
            )
        for item in np.flatnonzero(self.unfit)[:SHOWN].tolist():
            wrong = text.short(float(self.estimates[item]))
            said.append(
                f"{self.labels[item]}: no frequency fits an estimate of {wrong}, "
                f"with {text.percent(self.share)} of fakes neither ({sure})"
            )
        return [*said, *self._fakes(sure)]

    def _fakes(self, sure: str) -> Iterator[str]:
        floor = self.floor
        if floor is None:
            yield "fakes: estimates do not tell how many there are at least; reports do"
        elif not floor.fakes:
            yield f"fakes: nothing is proved; {UNSEEN}"
        else:
            shown = ", ".join(self.labels[item] for item in floor.items[:SHOWN])
            more = ", …" * (floor.items.size > SHOWN)
            what = f"{'all' if floor.every else 'none'} of {shown}{more}"
            yield (
                f"fakes: at least {text.percent(floor.share)} of the reports ({sure}), "
                f"as {text.count(floor.seen)} support {what}; {UNSEEN}"
            )
            if floor.share > self.share:
                yield f"what holds up to {text.percent(self.share)} of fakes holds no more"

    def __repr__(self) -> str:
        order = np.argsort(-self.estimates, kind="stable")[:SHOWN].tolist()

        def ends(low: Floats, high: Floats) -> list[str]:
            return [f"{low[item]:.5f} … {high[item]:.5f}" for item in order]

        columns = [
            [self.labels[item] for item in order],
            [f"{self.estimates[item]:.5f}" for item in order],
            ends(self.naive_low, self.naive_high),
            [
                "none fits" if unfit else said
                for unfit, said in zip(
                    self.unfit[order].tolist(), ends(self.low, self.high), strict=True
                )
            ],
        ]
        robust = f"{text.percent(self.share)} fake{', sharp' * self.sharp}"
        heads = ["item", "estimate", f"{text.percent(self.confidence)} if nobody is fake", robust]
        shown = len(order)
        more = f"; the {shown} largest" * (len(self.labels) > shown)
        reports = text.plural(self.reports, "report")
        parts = [
            f"{text.count(len(self.labels))} items of {reports}, up to {robust}{more}",
            table.plain_table(heads, [list(row) for row in zip(*columns, strict=True)]),
            "\n".join(self.sentences),
        ]
        if self.misfit is not None:
            parts.append(misfit_words(self.misfit, self.labels))
        if self.sharp:
            parts.append("sharp: if all reports together look like an honest population's")
        return "\n\n".join(part.rstrip() for part in parts)


def conclude(
    reports: Reports | Counted | concluding.Heard | Places,
    protocol: LocalMechanism,
    *,
    share: float,
    claims: Sequence[str] = (),
    sharp: bool = False,
    confidence: float = 0.95,
    labels: Sequence[str] | None = None,
    trust: str = "local",
    users: int | None = None,
    weight: int = 3,
) -> Conclusions:
    """The conclusions that hold if up to a share of the reports is fake.

    Parameters
    ----------
    reports
        As `protocol.perturb` makes them; their counts; the files that hold reports or counts; or
        what was heard of them before, with its floor. Files of reports are read twice: standard
        input cannot be. With `users`: published frequencies, float64[d].
    protocol
        As `protocol` makes it.
    share
        β, in [0, 1).
    claims
        Such as "apple > pear", "fig in top 5", "fig > 0.02", "a + b > c + d".
    sharp
        Assume that all reports together look like those of an honest population.
    confidence
        The confidence of each interval, of the bound of each claim, and of the floor on the fakes.
    labels
        The names of the items, else their numbers.
    trust
        Whom users trust: "local" or "shuffled", where a fake sends what it likes, "verified", where
        it has to run the protocol, or, with `users`, "aggregated-histogram", "aggregated-multihot",
        "aggregated-sumvec" or "curator", where it is counted for items that it names.
    users
        The number of reports of published frequencies; None where the reports are there.
    weight
        The most items of a vector of the circuit multihot.

    Raises
    ------
    ScenarioError
        For a protocol of whose reports nothing bounds what a fake can say, for reports that it does
        not send, and for a claim that is none.

    Examples
    --------
    >>> from ldptui import protocol
    >>> oue, rng = protocol("oue", items=4, epsilon=2.0), np.random.default_rng(0)
    >>> sent = oue.perturb(np.repeat([0, 1, 2], [30_000, 15_000, 5_000]), rng)
    >>> found = conclude(sent, oue, share=0.01, claims=["0 > 1"])
    >>> bool(found.low[0] < 0.6 < found.high[0]), found.claims[0].overturning.low > 0.01
    (True, True)
    """
    pure, names = concludable(protocol, labels)
    share, sharp = number(share, "share", SHARE), switch(sharp, "sharp")
    confidence = number(confidence, "confidence", ALPHA)
    weight = whole(weight, "weight", 2)
    row = rung_of(words(trust, "trust"))
    if sharp and (row.proves or not row.by_reports):
        rule = f"must be left out with the trust {trust}: its fakes always look honest"
        raise ScenarioError(f"{rule}, {got(sharp)}", key="sharp")
    asked: dict[str, Any] = {
        "labels": names, "claims": _claims(claims), "confidence": confidence,
    }  # fmt: skip
    if users is not None:
        users = whole(users, "users", 1, MOST)
    if not row.by_reports:
        if users is None:
            rule = f"is required with the trust {trust}: the number of users of the sum"
            raise ScenarioError(rule, key="users")
        terms = Terms(pure.epsilon, weight=weight)
        return concluded_of(_summed(reports, users, row, pure, terms), share, **asked)
    if users is not None:
        said = np.clip(ballot_of(pure).means(_published(reports, pure)), pure.least_support, 1.0)
        evidence = of_reports(pure, said, users, proved=row.proves)
        return concluded_of(evidence, share, sharp=sharp, **asked)
    if isinstance(reports, concluding.Heard):
        heard = reports
    elif isinstance(reports, Counted):
        heard = concluding.heard_counts(pure, reports.counts, reports.reports, confidence)
    else:
        heard = heard_reports(reports, pure, confidence, labels)
    if not heard.reports:
        raise ScenarioError("must be at least one, got none", key="reports")
    means = heard.counts / heard.reports
    evidence = of_reports(pure, means, heard.reports, proved=row.proves)
    return concluded_of(evidence, share, sharp=sharp, floor=heard.floor, **asked)


def concluded_of(evidence: Evidence, share: float, **asked: Any) -> Conclusions:
    """The conclusions from evidence, with the options of `core.lab.concluding.concluded`."""
    return Conclusions(**vars(concluding.concluded(evidence, share, **asked)))


def rung_of(trust: str) -> Row:
    """The rung of a name; raises ScenarioError."""
    check_among(trust, RUNGS, "trust")
    return RUNGS[trust]


def _summed(estimates: Any, users: int, row: Row, pure: PureProtocol, terms: Terms) -> Evidence:
    """The evidence of the histogram that servers or a curator release."""
    kind = next(iter(PROTOCOLS))  # of no account: its users send no reports
    curator: Any = mechanism(row, kind, pure.domain_size, users, terms)
    return of_sums(curator, _published(estimates, pure), users)


def _published(estimates: Any, pure: PureProtocol) -> Floats:
    """Published frequencies, float64[d]; raises ScenarioError."""
    made = np.asarray(estimates)
    if made.dtype.kind not in "fiu" or made.shape != (pure.domain_size,):
        shape = f"{made.dtype} of shape {made.shape}"
        rule = (
            f"must be {pure.domain_size} published frequencies where users are given, got {shape}"
        )
        raise ScenarioError(rule, key="reports")
    if not (np.abs(made) <= LARGEST).all():
        raise ScenarioError(f"must be numbers of at most {LARGEST:g}", key="reports")
    return made.astype(np.float64)


def concludable(
    protocol: LocalMechanism, labels: Sequence[str] | None
) -> tuple[PureProtocol, Sequence[str]]:
    """The protocol and the names of its items; raises ScenarioError where no law bounds fakes."""
    if tells_numbers(local(protocol)):
        rule = "must not be a protocol of numbers: ldptui estimate --low --high --share has the"
        raise ScenarioError(f"{rule} robust interval of their mean", key="protocol.kind")
    check_estimates(protocol, "protocol.kind")
    try:
        ballot_of(protocol)
    except ScenarioError as error:
        raise ScenarioError(error.rule, key="protocol.kind") from error
    named = item_names(labels, protocol.domain_size)
    pure: Any = protocol
    return pure, named or [*map(str, range(protocol.domain_size))]


def _claims(claims: Sequence[str]) -> list[str]:
    if not isinstance(claims, list | tuple):
        raise ScenarioError("must be a list of claims", key="claims")
    return [words(claim, "claims") for claim in claims]


def heard_reports(
    reports: Reports | Places, protocol: PureProtocol, confidence: float,
    labels: Sequence[str] | None,
) -> concluding.Heard:  # fmt: skip
    """The counts of reports, and the floor that they prove; raises LdpError."""
    if isinstance(reports, np.ndarray):
        made = reports_of(reports, protocol)

        def of_array() -> Iterator[Reports]:
            return (made[at : at + AT_ONCE] for at in range(0, len(made), AT_ONCE))

        return concluding.heard(of_array, protocol, confidence)
    named = sources(reports)
    kept = [source for source in named if source.suffix == END]
    if kept:
        if len(kept) < len(named):
            raise ScenarioError("must be files of counts alone, or of reports alone", "reports")
        first, *others = read_all(kept, protocol, labels)
        total = sum(others, start=first)
        if not total.reports:
            raise ScenarioError("must be at least one, got none", key="reports")
        return concluding.heard_counts(protocol, total.counts, total.reports, confidence)
    if any(isinstance(source, Piped) for source in named):
        raise ScenarioError("must be files, which are read twice, got standard input", "reports")

    def of_files() -> Iterator[Reports]:
        return (rows.reports for rows in read_rows(named, protocol))

    return concluding.heard(of_files, protocol, confidence)
