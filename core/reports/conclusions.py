"""What reports of real users, their counts or published sums tell if a share may be fake."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ..base.errors import ScenarioError, check_among, got
from ..base.files import Piped, Source
from ..base.sampling import Floats
from ..bounds.robust import ballot_of
from ..lab.concluding import Concluded, Heard, concluded, heard, heard_counts
from ..lab.rungs import RUNGS, Row, Terms, mechanism
from ..law.mechanism import check_estimates
from ..law.numbers import NumericProtocol
from ..law.pure import PureProtocol, Reports
from ..protocols import PROTOCOLS
from ..theory.evidence import of_reports, of_sums
from .arguments import LARGEST, local, reports_of
from .counted import END, Counted, read_all
from .files import read_rows

AT_ONCE: Final = 1 << 16
"""Reports of an array that are looked at at once."""


def rung_of(trust: str) -> Row:
    """The rung of a name; raises ScenarioError."""
    check_among(trust, RUNGS, "trust")
    return RUNGS[trust]


def check_concludable(protocol: Any) -> PureProtocol:
    """The protocol; raises ScenarioError where no law bounds what a fake can say."""
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


def hear_reports(
    reports: Reports | Counted | Sequence[Source], protocol: PureProtocol, confidence: float,
    labels: Sequence[str] | None,
) -> Heard:  # fmt: skip
    """The counts of reports, of an array or of files, and the floor that they prove.

    Files of reports are read twice. Raises LdpError.
    """
    if isinstance(reports, Counted):
        return _hear_counts([reports], protocol, confidence)
    if isinstance(reports, np.ndarray):
        made = reports_of(reports, protocol)
        places = range(0, len(made), AT_ONCE)
        return heard(lambda: (made[at : at + AT_ONCE] for at in places), protocol, confidence)
    kept = [source for source in reports if source.suffix == END]
    if kept and len(kept) < len(reports):
        raise ScenarioError("must be files of counts alone, or of reports alone", "reports")
    if kept:
        return _hear_counts(read_all(kept, protocol, labels), protocol, confidence)
    if any(isinstance(source, Piped) for source in reports):
        raise ScenarioError("must be files, which are read twice, got standard input", "reports")
    return heard(
        lambda: (rows.reports for rows in read_rows(reports, protocol)), protocol, confidence
    )


def _hear_counts(parts: Sequence[Counted], protocol: PureProtocol, confidence: float) -> Heard:
    first, *others = parts
    total = sum(others, start=first)
    if not total.reports:
        raise ScenarioError("must be at least one, got none", key="reports")
    return heard_counts(protocol, total.counts, total.reports, confidence)


def conclude_reports(
    told: Heard, protocol: PureProtocol, trust: Row, share: float, *, sharp: bool, **asked: Any
) -> Concluded:
    """The conclusions from the counts of reports and the floor of their fakes."""
    if not told.reports:
        raise ScenarioError("must be at least one, got none", key="reports")
    means = told.counts / told.reports
    evidence = of_reports(protocol, means, told.reports, proved=trust.proves)
    return concluded(evidence, share, sharp=sharp, floor=told.floor, **asked)


def conclude_published(
    estimates: Any, users: int, protocol: PureProtocol, trust: Row, share: float, *,
    sharp: bool, weight: int, **asked: Any,
) -> Concluded:  # fmt: skip
    """The conclusions from frequencies that a server, or a curator, published of n users."""
    said = _published(estimates, protocol)
    if trust.by_reports:
        held = np.clip(ballot_of(protocol).means(said), protocol.least_support, 1.0)
        evidence = of_reports(protocol, held, users, proved=trust.proves)
        return concluded(evidence, share, sharp=sharp, **asked)
    kind = next(iter(PROTOCOLS))  # of no account: its users send no reports
    terms = Terms(protocol.epsilon, weight=weight)
    curator: Any = mechanism(trust, kind, protocol.domain_size, users, terms)
    return concluded(of_sums(curator, said, users), share, **asked)


def _published(estimates: Any, protocol: PureProtocol) -> Floats:
    """Published frequencies, float64[d]; raises ScenarioError."""
    made = np.asarray(estimates)
    if made.dtype.kind not in "fiu" or made.shape != (protocol.domain_size,):
        rule = f"must be {protocol.domain_size} published frequencies where users are given"
        raise ScenarioError(f"{rule}, {got(f'{made.dtype} of shape {made.shape}')}", key="reports")
    if not (np.abs(made) <= LARGEST).all():
        raise ScenarioError(f"must be numbers of at most {LARGEST:g}", key="reports")
    return made.astype(np.float64)
