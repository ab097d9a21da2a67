"""the frequencies of items from reports, with intervals"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from ldptui.core.base.errors import ContentError, ScenarioError
from ldptui.core.base.ranges import SHARE, Range

from .collection import (
    BitOrder,
    Confidence,
    DomainFile,
    High,
    Labels,
    Low,
    NewFile,
    Program,
    Reports,
    Sender,
    SenderBudget,
    SenderItems,
    SenderKeys,
    Settings,
    is_distributed,
    is_listed,
    is_ranged,
)
from .options import Argument, Blank, HelpGroup, OnlyIf, Without
from .parameters import OUTPUT
from .question import Steps, question

if TYPE_CHECKING:
    from ldptui.core.reports.report_counts import Counted

    from .description_answer import DescriptionAnswer
    from .frequency_answer import FrequencyAnswer, GroupAnswer
    from .number_answer import NumberAnswer
    from .reports_input import ReportCollection

    Estimate: TypeAlias = FrequencyAnswer | GroupAnswer | NumberAnswer

ITEMS = HelpGroup("more about items")
NUMBERS = HelpGroup("more about numbers")

Corrections: TypeAlias = Annotated[
    tuple[str, ...],
    "KIND",
    Argument(flags=("--correct",), repeated=True, role="value"),
    Blank("", only=is_listed),
]
Parts: TypeAlias = Annotated[
    int | None, Range(2, 1024), "K", Blank(20, only=is_distributed), NUMBERS
]
FakeShare: TypeAlias = Annotated[
    float | None, SHARE, "B", Blank(only=is_ranged), Without("by"), NUMBERS
]


@question("Estimates", "What do these reports say?", group="My reports", place=1)
def estimate(
    reports: Reports,
    protocol: Sender = "",
    *,
    epsilon: SenderBudget = None,
    items: SenderItems = None,
    domain: DomainFile = None,
    low: Low = None,
    high: High = None,
    settings: Annotated[Settings, "KEY=VALUE"] = (),
    bit_order: BitOrder = "big",
    program: Program = None,
    labels: Labels = None,
    confidence: Confidence = 0.95,
    corrections: Corrections = (),
    top: Annotated[int | None, Range(1), "K", Blank(only=is_listed), ITEMS] = None,
    simultaneous: Annotated[bool, Blank(only=is_listed), ITEMS] = False,
    parts: Parts = None,
    fit: Annotated[Literal["ems", "em"] | None, NUMBERS] = None,
    share: FakeShare = None,
    by: Annotated[str | None, "COLUMN"] = None,
    defend: Annotated[str | None, "KIND,…", Without("by"), ITEMS] = None,
    trials: Annotated[int, Range(0, 10_000), "N", ITEMS] = 20,
    rows_out: Annotated[NewFile, OnlyIf("defend", "whose filters drop rows"), OUTPUT] = None,
    counts_out: Annotated[NewFile, Without("by"), OUTPUT] = None,
    force: Annotated[bool, OUTPUT] = False,
    strict: Annotated[bool, OUTPUT] = False,
    describe: Annotated[bool, OUTPUT] = False,
    **keys: SenderKeys,
) -> Steps[Any]:
    """Estimate the frequencies of items from reports, with an interval for each item; of
    numbers their mean, and their distribution.

    Parameters
    ----------
    reports : files (.csv, .jsonl, .parquet, .arrow, .counts), folders, patterns, - for standard
        input
    protocol : grr, oue, olh, …; or your own, FILE.py:NAME
    epsilon : privacy budget ε of a report
    items : items are the numbers 0 … D - 1
    domain : the names of the items, one a line, in place of their number
    low : users hold numbers, from X on
    high : with low: up to X
    settings : another key of the protocol, as hash_range=8; may be repeated
    bit_order : the first bit of a byte is its highest one (big), or its lowest (little)
    program : the program that wrote the files, where it has a format of its own
    confidence : confidence of an interval
    corrections : correct the estimates, as by norm-sub; may be repeated
    top : print the K largest estimates, and how surely each item is among the top K
    simultaneous : add intervals that cover all items together
    parts : print the distribution of the numbers over K equal parts
    fit : that distribution is smoothed (ems), or the likeliest (em)
    share : print an interval of the mean that holds if at most this share of reports is fake
    by : estimate each group of users, whose names are in this column of the files
    defend : print the estimates after these filters, alarms and corrections, as fiad,norm-sub
    trials : simulated collections that give the rates of filters; with 0 there are no rates
    rows_out : write the numbers of the rows that filters drop to this file
    counts_out : write the counts to this file, which estimate reads as well (.counts)
    force : replace files that exist
    strict : the exit code is 7 where the reports hardly fit the protocol
    describe : print what the files look like, and which options read them

    Examples
    --------
    ldptui estimate reports.csv --protocol oue --epsilon 1 --items 16
    ldptui estimate day-*.csv --protocol olh --epsilon 2 --domain names.txt --top 5
    """
    from .frequency_answer import FrequencyAnswer
    from .reports_input import check_kind, check_new_files, count_reports, open_collection

    if describe or (isinstance(protocol, str) and not protocol):
        return _describe(reports, describe)
    collection = open_collection(
        reports, protocol, epsilon=epsilon, items=items, domain=domain, low=low, high=high,
        settings=settings, keys=keys, labels=labels, bit_order=bit_order, program=program,
    )  # fmt: skip
    check_kind(
        collection.is_of_numbers, {"parts": parts, "fit": fit, "share": share}, by=by,
        corrections=corrections, defend=defend, simultaneous=simultaneous, top=top,
    )  # fmt: skip
    check_new_files(collection, domain, force, rows_out=rows_out, counts_out=counts_out)
    how = {"confidence": confidence, "corrections": corrections, "labels": labels, "top": top}
    how["is_simultaneous"] = simultaneous
    yield f"counting {collection.source}"
    if by is not None:
        return _estimate_groups(collection, by, how, strict)
    total = count_reports(collection)
    if collection.is_of_numbers:
        answer: Estimate = _estimate_mean(collection, total, confidence, share, parts, fit, strict)
    else:
        steps = _estimate_items(collection, total, how, defend, trials, rows_out)
        answer = FrequencyAnswer(**(yield from steps), collection=collection, is_strict=strict)
    if counts_out is not None:
        total.write(counts_out)
    return answer


def _describe(reports: Any, is_wanted: bool) -> DescriptionAnswer:
    """What files look like; raises ScenarioError with the same where an estimate was wanted."""
    from ldptui.core.reports.describing import describe_file
    from ldptui.core.reports.sources import keep_sources, sources

    from .description_answer import DescriptionAnswer
    from .reports_input import places_of

    places = places_of(reports)
    if not places:
        raise ScenarioError("is required", key="protocol")
    with keep_sources(sources(places)) as kept:
        found = tuple(map(describe_file, kept))
    if not is_wanted and found[0].is_of_counts:
        raise ContentError(found[0].sentence)
    if not is_wanted:
        raise ScenarioError(f"is required: {found[0].sentence}", key="protocol")
    return DescriptionAnswer(found)


def _estimate_mean(
    collection: ReportCollection, total: Counted, confidence: float, share: float | None,
    parts: int | None, fit: str | None, is_strict: bool,
) -> NumberAnswer:  # fmt: skip
    """The mean of the users' numbers, and their distribution."""
    from ldptui.core.reports.numbers import estimate_mean

    from .number_answer import NumberAnswer

    found = estimate_mean(total, confidence, share, parts, fit or "ems")
    return NumberAnswer(**vars(found), collection=collection, is_strict=is_strict)


def _estimate_items(
    collection: ReportCollection, total: Counted, how: Mapping[str, Any], defend: str | None,
    trials: int, rows_out: str | None,
) -> Generator[str, None, dict[str, Any]]:  # fmt: skip
    """The frequencies of all users' items, and what steps of a server make of them."""
    from ldptui.core.reports.frequency_estimates import estimate_frequencies
    from ldptui.core.reports.steps import defend_reports

    from .reports_input import write_rows

    rows = () if defend is None else collection.rows_again
    found = vars(estimate_frequencies(total, **how))
    if defend is None:
        return found
    yield f"putting {collection.source} behind {defend}"
    kinds = tuple(kind.strip() for kind in defend.split(","))
    steps = defend_reports(rows, collection.protocol, kinds, found["labels"], trials)
    write_rows(rows_out, steps.rows)
    return {**found, "defended": steps.values, "steps": steps}


def _estimate_groups(
    collection: ReportCollection, by: str, how: Mapping[str, Any], is_strict: bool
) -> GroupAnswer:
    """The frequencies of groups of users, and the differences between them."""
    from ldptui.core.law.moments import Unbiased
    from ldptui.core.reports.frequency_estimates import estimate_frequencies
    from ldptui.core.reports.groups import count_groups
    from ldptui.core.theory import differences

    from .frequency_answer import LISTED, FrequencyAnswer, GroupAnswer

    if collection.files is None:
        raise ScenarioError("needs files of reports, which have the column", key="by")
    totals = count_groups(collection.files, collection.protocol, by, collection.labels)
    groups = {
        name: FrequencyAnswer(**vars(estimate_frequencies(total, **how)), collection=collection)
        for name, total in totals.items()
    }
    found: Sequence[Any] = ()
    comparisons = 0
    if isinstance(collection.protocol, Unbiased) and not how["corrections"]:
        counts, users = zip(*((each.counts, each.reports) for each in totals.values()), strict=True)
        found, comparisons = differences(collection.protocol, counts, users, how["confidence"])
    return GroupAnswer(
        by, groups, found[:LISTED], len(found), comparisons,
        collection=collection, is_strict=is_strict,
    )  # fmt: skip
