"""what reports still tell if a share of them is fake"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.base.ranges import SHARE, Range

from .choices import alike
from .collection import (
    RUN,
    Confidence,
    DomainFile,
    High,
    Labels,
    Low,
    Reports,
    Sender,
    SenderBudget,
    SenderItems,
    SenderKeys,
    Settings,
    is_filed,
)
from .options import Argument, Blank
from .question import Steps, question

if TYPE_CHECKING:
    from ldptui.core.cell import Cell

    from .conclude_answer import ConcludeAnswer
    from .reports_input import ReportCollection

ANY_KIND = "grr"
"""A protocol of no account, but for its ε and d, where users send no reports."""
FakeShare: TypeAlias = Annotated[float, SHARE, "B", Blank(0.01, steps="hundredths")]
Claims: TypeAlias = Annotated[
    tuple[str, ...],
    "TEXT",
    Argument(renames=("claim",), flags=("--claim",), repeated=True, role="value"),
    Blank(""),
]
TRUSTS = alike("local", "verified", "shuffled")
"""The rungs whose users send reports, which a form has files of."""
SUBJECTS = (("files", "files of reports"), (RUN, "this scenario"))


@question("Conclude", "What can I still conclude?", group="My reports", place=3, live=True)
def conclude(
    reports: Reports = (),
    protocol: Sender = "",
    *,
    epsilon: SenderBudget = None,
    items: SenderItems = None,
    domain: DomainFile = None,
    low: Low = None,
    high: High = None,
    subject: Annotated[Literal["files", "run"], Blank(choices=SUBJECTS, bare=True)] = "files",
    trust: Annotated[str, "RUNG", Blank(choices=TRUSTS, only=is_filed)] = "local",
    share: FakeShare,
    claims: Claims = (),
    sharp: Annotated[bool, Blank()] = False,
    confidence: Confidence = 0.95,
    scenario: Annotated[Any, Argument(role="scenario")] = None,
    estimates: Annotated[str | None, "FILE"] = None,
    users: Annotated[int | None, Range(1, 10**15), "N"] = None,
    column: Annotated[str, "NAME"] = "frequency",
    label: Annotated[str, "NAME"] = "item",
    weight: Annotated[int, Range(2), "W"] = 3,
    settings: Annotated[Settings, "KEY=VALUE"] = (),
    labels: Labels = None,
    **keys: SenderKeys,
) -> Steps[ConcludeAnswer]:
    """Say what reports still tell if a share of them is fake: intervals that hold whatever the
    fakes send, the share that overturns a claim, and how many are fake at least.

    Parameters
    ----------
    reports : files (.csv, .jsonl, .parquet, .arrow; or .counts), folders, patterns
    protocol : grr, oue, olh, …; or your own, FILE.py:NAME
    share : at most this share is fake
    claims : "apple > pear", "fig in top 5", "fig > 0.02", "a + b > c"; may be repeated
    sharp : if all reports together look honest: narrower
    confidence : of each statement
    trust : whom users trust: local, verified, shuffled; with estimates and without protocol
        aggregated-histogram, -multihot, -sumvec, curator
    estimates : instead of reports: a CSV table of all estimates
    users : with estimates: the number of reports
    column : with estimates: their column
    label : with estimates: the column of the items
    weight : items that a multihot proof admits
    epsilon : privacy budget ε of a report
    items : items are the numbers 0 … D - 1
    domain : the names of the items, one a line, in place of their number
    settings : another key of the protocol, as hash_range=8; may be repeated

    Examples
    --------
    ldptui conclude reports.csv --protocol oue --epsilon 1 --items 16 --share 0.01
    """
    from ldptui.core.reports import conclusions

    from .conclude_answer import ConcludeAnswer
    from .reports_input import hear_collection, open_collection

    asked: dict[str, Any] = {"claims": claims, "confidence": confidence, "sharp": sharp}
    if subject == RUN:
        yield "drawing a trial of the scenario"
        return _conclude_run(scenario, share, asked)
    row = conclusions.rung_of(trust)
    _check_given(reports, estimates, users, trust, protocol, sharp)
    protocol = ANY_KIND if isinstance(protocol, str) and not protocol else protocol
    if estimates is not None:
        reports, labels = _read_estimates(estimates, column, label, users, items, domain)
        items, domain = len(labels), None
    collection = open_collection(
        reports, protocol, epsilon=epsilon, items=items, domain=domain, low=low,
        high=high,
        settings=settings, keys=keys, labels=labels,
    )  # fmt: skip
    pure = conclusions.check_concludable(collection.protocol)
    asked["labels"] = collection.names
    _check_claims(claims, collection)
    if users is not None:
        found = conclusions.conclude_published(
            reports, users, pure, row, share, weight=weight, **asked
        )
    else:
        yield f"reading {collection.source}"
        told = hear_collection(collection, confidence)
        found = conclusions.conclude_reports(told, pure, row, share, **asked)
    return ConcludeAnswer(**vars(found), source=collection.title, marks=collection.doubts)


def _check_given(
    reports: Any, estimates: str | None, users: int | None, trust: str, protocol: Any, sharp: bool
) -> None:
    """Refuse what does not go with whom users trust, or together; raises ScenarioError."""
    from ldptui.core.reports.conclusions import rung_of

    from .reports_input import places_of

    row, places = rung_of(trust), places_of(reports)
    if sharp and (row.proves or not row.by_reports):
        rule = f"must be left out with the trust {trust}: its fakes always look honest"
        raise ScenarioError(f"{rule}, {got(sharp)}", key="sharp")
    if not isinstance(protocol, str):
        if not row.by_reports and users is None:
            rule = f"is required with the trust {trust}: the number of users of the sum"
            raise ScenarioError(rule, key="users")
    elif row.by_reports:
        if not protocol:
            raise ScenarioError("is required: grr, oue, olh, …", key="protocol")
    elif protocol:
        rule = f"must be left out with the trust {trust}, to which users tell their items"
        raise ScenarioError(f"{rule}, {got(protocol)}", key="protocol")
    elif users is None:
        rule = f"is required with the trust {trust}: a table of the frequencies released"
        raise ScenarioError(rule, key="estimates")
    if estimates is not None and places != []:
        raise ScenarioError("takes the place of reports", key="estimates")
    if estimates is None and users is not None and places is not None:
        raise ScenarioError("goes with estimates: reports are counted", key="users")
    if "-" in (places or ()):
        raise ScenarioError("must be files, which are read twice, got standard input", "reports")


def _check_claims(claims: Any, collection: ReportCollection) -> None:
    """Refuse claims that are none, before anything is read; raises ScenarioError."""
    from ldptui.core.lab.claimed import claim_of
    from ldptui.core.reports.arguments import listed, words

    for claim in listed(claims, "claims"):
        claim_of(words(claim, "claims"), collection.names)


def _read_estimates(
    table: str, column: str, label: str, users: int | None, items: int | None, domain: str | None
) -> tuple[Any, list[str]]:
    """The frequencies of a table of estimates or of counts, and the names of their items."""
    from pathlib import Path

    import numpy as np

    from ldptui.core.lab.columns import read_columns

    if users is None:
        raise ScenarioError("is required: the number of reports", key="users")
    (named, numbers) = read_columns(Path(table), [label, column])
    size = named.codes.size
    if len(named.values) != size:
        raise ScenarioError(f"must name each item once in {label!r}", key="label")
    if domain is not None or items not in (None, size):
        rule = f"must be left out: the table names the items, {size} of them"
        raise ScenarioError(rule, key="items" if domain is None else "domain")
    held = numbers.numbers()
    # Counts of users, as in `ldptui plan`.
    held = held / users if np.abs(held).sum() > 2 else held
    return held, [str(named.values[code]) for code in named.codes.tolist()]


def _conclude_run(scenario: Any, share: float, asked: Mapping[str, Any]) -> ConcludeAnswer:
    """The conclusions from the first trial of the scenario's first cell, attacked."""
    from ldptui.core.lab.concluding import concluded, heard_counts
    from ldptui.core.law.mechanism import LocalMechanism
    from ldptui.core.reports.conclusions import check_concludable
    from ldptui.core.theory.evidence import of_cell

    from ..text import format as text
    from .conclude_answer import ConcludeAnswer
    from .parameters import read_cell

    cell = read_cell(scenario).peak
    if cell.python_code:
        raise ScenarioError("must be files: the scenario has code in Python", key="subject")
    if isinstance(cell.protocol, LocalMechanism):
        try:
            check_concludable(cell.local)
        except ScenarioError as error:
            rule = f"must be files: the protocol {error.rule}"
            raise ScenarioError(rule, key="subject") from error
    elif not cell.concludes:
        rule = "must be files: the protocol withholds bins, whose frequencies are not known"
        raise ScenarioError(rule, key="subject")
    if asked["sharp"] and (cell.trust.proves or not isinstance(cell.protocol, LocalMechanism)):
        rule = f"must be off with the trust {cell.trust.kind}: its fakes always look honest"
        raise ScenarioError(rule, key="sharp")
    counts, reports = _draw_counts(cell), cell.users + cell.malicious
    floor = None
    if cell.is_pure:
        floor = heard_counts(cell.pure, counts, reports, asked["confidence"]).floor
    evidence = of_cell(cell, cell.protocol.estimates(counts, reports).frequencies)
    labels = cell.population.labels or [*map(str, range(cell.population.domain_size))]
    found = concluded(evidence, share, floor=floor, labels=labels, **asked)
    kind = str(cell.parameters["protocol.kind"]).upper()
    title = f"{kind}, trial 1 with {text.percent(cell.share)} fake"
    truth = cell.population.histogram / cell.users
    return ConcludeAnswer(**vars(found), source=title, truth=truth)


@lru_cache(maxsize=2)
def _draw_counts(cell: Cell) -> Any:
    """The counts of a cell's first trial, attacked; kept while its shares are typed."""
    from ldptui.core.base.pulse import no_pulse
    from ldptui.core.collection.counts import block_counts

    return block_counts(cell, 0, 1, no_pulse)[1][0]
