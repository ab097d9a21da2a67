"""Conclusions from reports of real users, their counts or published sums, a share of which may be
fake.

The reports are read twice. First they are counted, and a sample is kept, in which sets of items are
searched that are supported together too often; then these sets are counted in all reports. Memory
does not grow with the number of reports.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from ..base.errors import ScenarioError, check_among, got
from ..base.files import Source
from ..base.sampling import Counts, Floats
from ..bounds.claims import Claim, Overturning, overturning_share
from ..bounds.fakes import Floor, ItemChain, floor_of, floor_of_counts, honest_rates, least_fakes
from ..bounds.robust import ballot_of
from ..defences.floor import count_chain, grow_sets, sizes_of
from ..lab.trust_models import TRUST_MODELS, Terms, TrustModel, mechanism
from ..law.mechanism import check_estimates
from ..law.numeric_protocol import NumericProtocol
from ..law.pure import PureProtocol, Reports
from ..law.together import tells_together
from ..protocols import PROTOCOLS
from ..theory import ImpossibleEstimates
from ..theory.evidence import Evidence, of_reports, of_sums
from .arguments import LARGEST, list_members, local, words
from .claim_words import claim_of
from .column_layout import nobody
from .reading import Read, ReadPart, reread
from .report_counts import END, Counted, read_all

SAMPLED: Final = 1 << 15
"""Reports in which sets are looked for."""

COUNTED: Final = 2
"""Sets of each direction that are counted among all reports, and all that they grow from."""


@dataclass(frozen=True, eq=False)
class Heard:
    """The counts of N reports, and the proved lower bound on the number of fakes among them."""

    counts: Counts
    reports: int
    floor: Floor


def find_trust_model(trust: str) -> TrustModel:
    """The trust model with this name; raises ScenarioError for an unknown name."""
    check_among(trust, TRUST_MODELS, "trust")
    return TRUST_MODELS[trust]


def check_concludable(protocol: Any) -> PureProtocol:
    """The protocol, if it is pure and one report's contribution to an item is bounded; else raises
    ScenarioError.
    """
    if isinstance(local(protocol), NumericProtocol):
        rule = "must not be a protocol of numbers: ldptui estimate --low --high --share has the"
        raise ScenarioError(f"{rule} robust interval of their mean", key="protocol.kind")
    check_estimates(protocol, "protocol.kind")
    try:
        ballot_of(protocol)
    except ScenarioError as error:
        raise ScenarioError(error.rule, key="protocol.kind") from error
    pure: PureProtocol = protocol
    return pure


def read_claims(claims: Any, labels: Sequence[str]) -> dict[str, Claim]:
    """The claims by their texts; raises ScenarioError for an invalid text."""
    return {
        text: claim_of(words(text, "claims"), labels) for text in list_members(claims, "claims")
    }


def hear_reports(
    reports: Reports | Counted | Sequence[Source], protocol: PureProtocol, confidence: float = 0.95,
    labels: Sequence[str] | None = None,
) -> Heard:  # fmt: skip
    """The support counts of reports, and the lower bound on the number of fakes that they prove.

    reports : an array, counts, or files of one of both kinds. labels : the items' names, to check
    files of counts. Raises LdpError for invalid reports, and if there are none.
    """
    parts = [reports] if isinstance(reports, Counted) else []
    if not isinstance(reports, Counted | np.ndarray):
        files = [source for source in reports if source.suffix == END]
        if files and len(files) < len(reports):
            raise ScenarioError("must be files of counts alone, or of reports alone", "reports")
        parts = read_all(files, protocol, labels)
    if not isinstance(reports, Counted) and not parts:
        with reread(reports, protocol) as read:
            return hear_batches(read, protocol, confidence)
    first, *others = parts
    total = sum(others, start=first)
    return _hear_counts(protocol, total.counts, total.reports, confidence)


def hear_batches(read: Read, protocol: PureProtocol, confidence: float = 0.95) -> Heard:
    """The support counts of all reports, and the lower bound on the number of fakes that they
    prove.

    read : a function that reads the reports from the start, in batches. Raises ScenarioError
    without a report, and for a protocol whose reports are unbounded.
    """
    ballot_of(protocol)
    part = ReadPart(SAMPLED)
    counts, users = protocol.support_counts(nobody(protocol)), 0
    for reports in read():
        counts, users = counts + protocol.support_counts(reports), users + len(reports)
        if tells_together(protocol):
            part.add(reports)
    if not users or not tells_together(protocol):
        return _hear_counts(protocol, counts, users, confidence)
    chains = tuple(grow_sets(protocol, part.reports))
    if users > SAMPLED:
        chains = _promising(protocol, chains, confidence, len(part.reports))
        seen = [np.zeros(chain.items.size, dtype=np.int64) for chain in chains]
        for reports in read():
            for total, chain in zip(seen, chains, strict=True):
                total += count_chain(protocol, reports, chain)
        chains = tuple(
            ItemChain(chain.items, total, chain.every)
            for chain, total in zip(chains, seen, strict=True)
        )
    return Heard(counts, users, floor_of(protocol, chains, users, sizes_of(protocol), confidence))


def _hear_counts(protocol: PureProtocol, counts: Counts, users: int, confidence: float) -> Heard:
    """The counts of N reports, and the floor that counts alone prove."""
    if not users:
        raise ScenarioError("must be at least one, got none", key="reports")
    return Heard(counts, users, floor_of_counts(protocol, counts, users, confidence))


def _promising(
    protocol: PureProtocol, chains: tuple[ItemChain, ...], confidence: float, sampled: int
) -> tuple[ItemChain, ...]:
    """The chains of each direction that would prove most if nothing else had been looked for."""
    rates = honest_rates(protocol, sizes_of(protocol))
    unpaid, kept = np.log(1 - confidence), list[ItemChain]()
    for every, rate in ((True, rates[0]), (False, rates[1])):

        def proves(chain: ItemChain, rate: Any = rate) -> int:
            least = least_fakes(chain.seen, sampled, rate[: chain.items.size], unpaid)
            return int(least.max())

        some = [chain for chain in chains if chain.every == every]
        kept += sorted(some, key=proves, reverse=True)[:COUNTED]
    return tuple(kept)


@dataclass(frozen=True, eq=False)
class ClaimRobustness:
    """A claim in words, and the share of fakes that overturns it."""

    text: str
    overturning: Overturning


@dataclass(frozen=True, eq=False, repr=False)
class RobustConclusion:
    """Statements on frequencies that hold if a given share of N reports may be fake.

    labels : the names of d items. estimates : float64[d]. low, high : float64[d], the ends of
    intervals that cover the true frequencies whatever the fakes send. naive_low, naive_high :
    float64[d], the ends if no report is fake. sharp : whether low and high assume that all reports
    together look honest. confidence : of each interval, each bound and the floor. claims : the
    requested claims. floor : the proved number of fakes; None if neither reports nor counts are
    known. misfit : an estimate that is impossible for the protocol; None if there is none.
    overturned : a function that returns the share of fakes that overturns a claim.
    """

    labels: tuple[str, ...]
    reports: int
    share: float
    estimates: Floats
    low: Floats
    high: Floats
    naive_low: Floats
    naive_high: Floats
    sharp: bool
    confidence: float
    claims: tuple[ClaimRobustness, ...] = ()
    floor: Floor | None = None
    misfit: ImpossibleEstimates | None = None
    overturned: Callable[[Claim], Overturning] = field(repr=False, kw_only=True)


def conclude_evidence(
    evidence: Evidence,
    share: float,
    *,
    labels: Sequence[str],
    claims: Mapping[str, Claim] = MappingProxyType({}),
    sharp: bool = False,
    confidence: float = 0.95,
    floor: Floor | None = None,
) -> RobustConclusion:
    """The robust statements from the mean count of each item.

    claims : by their texts, as `read_claims` returns them. Raises ScenarioError if `sharp`
    intervals of the protocol cannot be computed.
    """
    names, estimates = tuple(labels), evidence.estimates

    def find_overturning(claim: Claim) -> Overturning:
        return overturning_share(
            claim, evidence.means, evidence.ballot, evidence.noise, confidence, evidence.quantile
        )

    half = evidence.halves(confidence)
    low, high = evidence.intervals(share, confidence, sharp)
    return RobustConclusion(
        names, evidence.reports, share, estimates, low, high, estimates - half, estimates + half,
        sharp, confidence,
        tuple(ClaimRobustness(text, find_overturning(claim)) for text, claim in claims.items()),
        floor,
        evidence.misfit(),
        overturned=find_overturning,
    )  # fmt: skip


def conclude_reports(
    told: Heard, protocol: PureProtocol, trust: TrustModel, share: float, **asked: Any
) -> RobustConclusion:
    """The robust statements from the counts of reports and the proved lower bound on their
    fakes.
    """
    means = told.counts / told.reports
    evidence = of_reports(protocol, means, told.reports, proved=trust.proves)
    return conclude_evidence(evidence, share, floor=told.floor, **asked)


def conclude_published(
    estimates: Any, users: int, protocol: PureProtocol, trust: TrustModel, share: float, *,
    sharp: bool, weight: int, **asked: Any,
) -> RobustConclusion:  # fmt: skip
    """The robust statements from frequencies, float64[d], of n users that a server or curator
    published.

    Raises ScenarioError for another shape or type.
    """
    said = _check_published(estimates, protocol)
    if trust.by_reports:
        held = np.clip(ballot_of(protocol).means(said), protocol.least_support, 1.0)
        evidence = of_reports(protocol, held, users, proved=trust.proves)
        return conclude_evidence(evidence, share, sharp=sharp, **asked)
    kind = next(iter(PROTOCOLS))  # of no account: its users send no reports
    terms = Terms(protocol.epsilon, weight=weight)
    curator: Any = mechanism(trust, kind, protocol.domain_size, users, terms)
    return conclude_evidence(of_sums(curator, said, users), share, **asked)


def _check_published(estimates: Any, protocol: PureProtocol) -> Floats:
    """Published frequencies, float64[d]; raises ScenarioError."""
    made = np.asarray(estimates)
    if made.dtype.kind not in "fiu" or made.shape != (protocol.domain_size,):
        rule = f"must be {protocol.domain_size} published frequencies where users are given"
        raise ScenarioError(f"{rule}, {got(f'{made.dtype} of shape {made.shape}')}", key="reports")
    if not (np.abs(made) <= LARGEST).all():
        raise ScenarioError(f"must be numbers of at most {LARGEST:g}", key="reports")
    return made.astype(np.float64)
