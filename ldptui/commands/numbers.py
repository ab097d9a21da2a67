"""Numbers of real users, from the options of ldptui perturb and ldptui estimate."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import numpy as np

from ldptui.core.base.errors import ScenarioError, one_line
from ldptui.core.base.numbers import NumberColumn
from ldptui.core.law.pure import LocalMechanism, Reports

from ..api.files import counted_in
from ..api.numbers import Numbers, estimate_numbers, telling_of, told
from ..api.sources import sources
from ..lab.options import flag_of
from ..lab.questions.estimate import Options
from ..terminal import exits
from ..terminal.output import note
from ..text import format as text
from .options import Perturb
from .outputs import as_csv, check_outputs, tell_written, write_result
from .reading import agreed, by_options

OF_ITEMS: Final = (
    "correct", "coverage", "by", "defend", "simultaneous", "top", "screen", "rows_out",
)  # fmt: skip
"""The options of an estimate that read or correct frequencies of items."""


def sent_numbers(
    options: Perturb, column: str, protocol: LocalMechanism, rng: np.random.Generator
) -> Iterator[Reports]:
    """The reports of the numbers in a column, batch by batch; notes how many were clipped."""
    telling = telling_of(protocol)
    held = NumberColumn(
        Path(options.data), column, telling.low, telling.high, options.clip, "--column",
        "--clip takes the nearer end",
    )  # fmt: skip
    clipped = 0
    for batch in held.batches():
        numbers = held.clipped(batch)
        clipped += int(np.count_nonzero(numbers != batch))
        yield told(protocol, numbers, rng)
    if clipped and not options.quiet:
        outside = f"{text.count(clipped)} number{'s' * (clipped > 1)} outside the range"
        note(f"{outside}: the nearer end is taken")


def estimate_of_numbers(options: Options, span: Mapping[str, float]) -> int:
    """Print the mean, and the distribution, that files of reports of numbers tell."""
    for name in OF_ITEMS:
        if getattr(options, name):
            rule = "is of frequencies of items, got --low as well"
            raise ScenarioError(rule, key=flag_of(name))
    with by_options():
        named = sources(options.reports, options.input_format)
    check_outputs(options, named, {"--out": options.out, "--counts-out": options.counts_out})
    _, protocol = agreed(options, span)
    with by_options():
        telling_of(protocol)
        total = counted_in(named, protocol, None)
        found = estimate_numbers(
            total,
            protocol,
            confidence=options.confidence,
            share=options.share,
            parts=options.parts,
            fit=options.fit or "ems",
        )
    if options.counts_out is not None:
        total.write(options.counts_out)
        tell_written(options, options.counts_out)
    write_result(options, options.format, _written(found, options.format))
    if found.alarm is not None and options.format != "table":
        note(f"ldptui: {one_line(found.alarm)}")
    return exits.DONE


def _written(found: Numbers, kind: str) -> str:
    if kind == "table":
        return f"{found!r}\n"
    document = found.document()
    if kind == "json":
        return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    if found.distribution is not None:
        return as_csv(found.rows())
    return as_csv([{key: document[key] for key in ("reports", "mean", "std", "low", "high")}])
