"""What reports of real users still tell if a share of them is fake: ldptui conclude."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ldptui.core.base.errors import ScenarioError, got, one_line
from ldptui.core.base.files import Source
from ldptui.core.lab.claimed import ClaimError, claim_of
from ldptui.core.lab.columns import read_columns
from ldptui.core.protocols import PROTOCOLS
from ldptui.core.reports.sources import sources

from ..api.collected import misfit_words
from ..api.concluded import Conclusions, rung_of
from ..api.concluded import conclude as concluded
from ..questions.report_options import ConcludeOptions
from ..terminal import exits
from ..terminal.output import note
from .outputs import check_outputs, in_format, write_result
from .reading import agreed, by_options


def conclude(options: ConcludeOptions) -> int:
    """Print the conclusions from files of reports, or from a table of estimates."""
    with by_options():
        options = _settled(options)
    try:
        table = options.estimates
        found, read = _reported(options) if table is None else (_estimated(options, table), [])
    except ClaimError as error:
        note(f"--{error}")
        for line in error.pointed:
            note(line)
        return exits.USAGE
    if found.misfit is not None and options.format != "table":
        note(f"ldptui: {one_line(misfit_words(found.misfit, found.labels))}")
    written = in_format(options.format, f"{found!r}\n", found.document, found.rows, read)
    write_result(options, options.format, written)
    return exits.DONE


def _reported(options: ConcludeOptions) -> tuple[Conclusions, list[Source]]:
    """The conclusions from files of reports, and the files."""
    if not options.reports:
        raise ScenarioError("is required, or --estimates", key="REPORTS")
    if "-" in options.reports:
        raise ScenarioError("must be files, which are read twice, got standard input", "REPORTS")
    if options.users is not None:
        raise ScenarioError("goes with --estimates: reports are counted", key="--users")
    if options.items is None and options.domain is None:
        raise ScenarioError("is required, or --domain", key="--items")
    with by_options():
        named = sources(options.reports)
    check_outputs(options, named, {"--out": options.out})
    labels, protocol = agreed(options)
    _check_claims(options, labels or [*map(str, range(protocol.domain_size))])
    with by_options():
        return concluded(named, protocol, labels=labels, **_asked(options)), named


def _estimated(options: ConcludeOptions, table: str) -> Conclusions:
    if options.reports:
        raise ScenarioError("takes the place of reports", key="--estimates")
    if options.users is None:
        raise ScenarioError("is required: the number of reports", key="--users")
    path = Path(table)
    check_outputs(options, [path], {"--out": options.out})
    (items, numbers) = read_columns(path, [options.label, options.column])
    if len(items.values) != items.codes.size:
        raise ScenarioError(f"must name each item once in {options.label!r}", key="--label")
    asked = options.items
    if options.domain is not None or asked not in (None, items.codes.size):
        raise ScenarioError(
            f"must be left out: the table names the items, {items.codes.size} of them",
            key="--domain" if options.domain is not None else "--items",
        )
    labels = [str(items.values[code]) for code in items.codes.tolist()]
    _check_claims(options, labels)
    _, protocol = agreed(replace(options, items=items.codes.size))
    held = numbers.numbers()
    # Counts of users, as in `ldptui plan`.
    held = held / options.users if np.abs(held).sum() > 2 else held
    with by_options():
        return concluded(held, protocol, labels=labels, users=options.users, **_asked(options))


def _asked(options: ConcludeOptions) -> dict[str, Any]:
    """The options that reports and estimates share."""
    names = ("share", "claims", "sharp", "confidence", "trust", "weight")
    return {name: getattr(options, name) for name in names}


def _settled(options: ConcludeOptions) -> ConcludeOptions:
    """Refuse a protocol where users send no reports, and none where they do."""
    row = rung_of(options.trust)
    if row.by_reports:
        if not options.protocol:
            raise ScenarioError("is required: grr, oue, olh, …", key="--protocol")
        return options
    if options.protocol:
        rule = f"must be left out with the trust {options.trust}, to which users tell their items"
        raise ScenarioError(f"{rule}, {got(options.protocol)}", key="--protocol")
    if options.estimates is None:
        rule = f"is required with the trust {options.trust}: a table of the frequencies released"
        raise ScenarioError(rule, key="--estimates")
    return replace(options, protocol=next(iter(PROTOCOLS)))  # of no account, but for ε and d


def _check_claims(options: ConcludeOptions, labels: Sequence[str]) -> None:
    """Refuse claims that are none, before anything is read; raises ClaimError."""
    for claim in options.claims:
        claim_of(claim, labels)
