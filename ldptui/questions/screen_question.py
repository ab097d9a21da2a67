"""whether fakes are among reports, and which"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from .collection import (
    BitOrder,
    DomainFile,
    High,
    Labels,
    Low,
    NewFile,
    Reports,
    Sender,
    SenderBudget,
    SenderItems,
    SenderKeys,
    Settings,
)
from .parameters import OUTPUT
from .question import Steps, question

if TYPE_CHECKING:
    from .screen_answer import ScreenAnswer


@question("Screening", "Are fakes among these reports?", group="My reports", place=2)
def screen(
    reports: Reports,
    protocol: Sender,
    *,
    epsilon: SenderBudget = None,
    items: SenderItems = None,
    domain: DomainFile = None,
    low: Low = None,
    high: High = None,
    settings: Annotated[Settings, "KEY=VALUE"] = (),
    bit_order: BitOrder = "big",
    labels: Labels = None,
    rows_out: Annotated[NewFile, OUTPUT] = None,
    force: Annotated[bool, OUTPUT] = False,
    **keys: SenderKeys,
) -> Steps[ScreenAnswer]:
    """Screen reports for fakes: verdicts with false-alarm rates that are proved, and who is
    suspicious. Exit code 6 where there is an alarm, 5 where there can be no verdict.

    Parameters
    ----------
    reports : files (.csv, .jsonl, .parquet, .arrow), folders, patterns, - for standard input
    protocol : grr, oue, olh, …; or your own, FILE.py:NAME
    epsilon : privacy budget ε of a report
    items : items are the numbers 0 … D - 1
    domain : the names of the items, one a line, in place of their number
    settings : another key of the protocol, as hash_range=8; may be repeated
    bit_order : of bytes: the first bit is the highest of a byte (big), or the lowest (little)
    rows_out : write the numbers of the suspicious rows, from 1 on
    force : replace files that are there

    Examples
    --------
    ldptui screen reports.csv --protocol oue --epsilon 1 --items 16
    """
    from ldptui.core.reports.screening import check_screenable

    from .reports_input import check_new_files, open_collection, screen_collection, write_rows
    from .screen_answer import ScreenAnswer

    collection = open_collection(
        reports, protocol, epsilon=epsilon, items=items, domain=domain, low=low, high=high,
        settings=settings, keys=keys, labels=labels, bit_order=bit_order,
    )  # fmt: skip
    check_screenable(collection.protocol)
    check_new_files(collection, domain, force, rows_out=rows_out)
    yield f"screening {collection.source}"
    found = ScreenAnswer(screen_collection(collection), collection=collection)
    write_rows(rows_out, found.rows)
    return found
