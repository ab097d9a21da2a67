"""what reports still tell if a share of them is fake"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.base.ranges import SHARE, Range

from .choices import alike
from .collection import (
    BitOrder,
    Confidence,
    DomainFile,
    High,
    Labels,
    Low,
    Program,
    Reports,
    Sender,
    SenderBudget,
    SenderItems,
    SenderKeys,
    Settings,
)
from .options import Argument, Blank
from .question import Steps, question

if TYPE_CHECKING:
    from .conclude_answer import ConcludeAnswer

ANY_KIND = "grr"
"""A protocol of no account, but for its ε and d, where users send no reports."""
FakeShare: TypeAlias = Annotated[float, SHARE, "B", Blank(steps="hundredths")]
Claims: TypeAlias = Annotated[
    tuple[str, ...],
    "TEXT",
    Argument(renames=("claim",), flags=("--claim",), repeated=True, role="value"),
    Blank(""),
]
TRUSTS = alike("local", "verified", "shuffled")
"""The trust models whose users send reports, which a form has files of."""


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
    trust: Annotated[str, "TRUST", Blank(choices=TRUSTS)] = "local",
    share: FakeShare = 0.01,
    claims: Claims = (),
    sharp: Annotated[bool, Blank()] = False,
    confidence: Confidence = 0.95,
    estimates: Annotated[str | None, "FILE"] = None,
    users: Annotated[int | None, Range(1, 10**15), "N"] = None,
    column: Annotated[str, "NAME"] = "frequency",
    label: Annotated[str, "NAME"] = "item",
    weight: Annotated[int, Range(2), "W"] = 3,
    settings: Annotated[Settings, "KEY=VALUE"] = (),
    bit_order: BitOrder = "big",
    program: Program = None,
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
    confidence : the confidence of each statement
    trust : whom users trust: local, verified, shuffled; with estimates and without protocol
        aggregated-histogram, -multihot, -sumvec, curator
    estimates : a CSV table of all estimates, in place of reports
    users : the number of reports behind the estimates
    column : the column of the estimates
    label : the column of the items beside the estimates
    weight : items that a multihot proof admits
    epsilon : privacy budget ε of a report
    items : items are the numbers 0 … D - 1
    domain : the names of the items, one a line, in place of their number
    settings : another key of the protocol, as hash_range=8; may be repeated
    bit_order : of bytes: the first bit is the highest of a byte (big), or the lowest (little)
    program : that wrote the files, where it has a format of its own

    Examples
    --------
    ldptui conclude reports.csv --protocol oue --epsilon 1 --items 16 --share 0.01
    """
    from ldptui.core.reports import concluding

    from .conclude_answer import ConcludeAnswer
    from .reports_input import hear_collection, open_collection

    row = concluding.find_trust_model(trust)
    _check_given(reports, estimates, users, trust, protocol, sharp)
    protocol = ANY_KIND if isinstance(protocol, str) and not protocol else protocol
    if estimates is not None:
        reports, labels = _read_estimates(estimates, column, label, users, items, domain)
        items, domain = len(labels), None
    collection = open_collection(
        reports, protocol, epsilon=epsilon, items=items, domain=domain, low=low, high=high,
        settings=settings, keys=keys, labels=labels, bit_order=bit_order, program=program,
    )  # fmt: skip
    pure = concluding.check_concludable(collection.protocol)
    asked: dict[str, Any] = {
        "claims": concluding.read_claims(claims, collection.names), "labels": collection.names,
        "confidence": confidence, "sharp": sharp,
    }  # fmt: skip
    if users is not None:
        found = concluding.conclude_published(
            reports, users, pure, row, share, weight=weight, **asked
        )
    else:
        yield f"reading {collection.source}"
        told = hear_collection(collection, confidence)
        found = concluding.conclude_reports(told, pure, row, share, **asked)
    return ConcludeAnswer(**vars(found), collection=collection)


def _check_given(
    reports: Any, estimates: str | None, users: int | None, trust: str, protocol: Any, sharp: bool
) -> None:
    """Refuse what does not go with whom users trust, or together; raises ScenarioError."""
    from ldptui.core.reports.concluding import find_trust_model

    from .reports_input import places_of

    row, places = find_trust_model(trust), places_of(reports)
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


def _read_estimates(
    table: str, column: str, label: str, users: int | None, items: int | None, domain: str | None
) -> tuple[Any, list[str]]:
    """The frequencies of a table of estimates or of counts, and the names of their items."""
    from pathlib import Path

    import numpy as np

    from ldptui.core.reports.programs import read_sums

    if users is None:
        raise ScenarioError("is required: the number of reports", key="users")
    sums = read_sums(Path(table), label, column)
    if domain is not None or items not in (None, len(sums)):
        rule = f"must be left out: the table names the items, {len(sums)} of them"
        raise ScenarioError(rule, key="items" if domain is None else "domain")
    held = np.array([*sums.values()])
    # Counts of users, as in `ldptui plan`.
    held = held / users if np.abs(held).sum() > 2 else held
    return held, [*sums]
