"""Reports of real users, made: ldptui perturb."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.base.files import check_other, is_file
from ldptui.core.base.number_column import NumberColumn
from ldptui.core.base.secure import secure
from ldptui.core.base.tables import Batch, Columns, spot, table_rows, whole_number
from ldptui.core.law.pure import Items, LocalMechanism, Reports
from ldptui.core.reports.numbers import numbers_protocol, perturb_numbers
from ldptui.core.reports.report_files import WORDS, send_reports, uncut, write_reports
from ldptui.core.reports.sources import format_of

from ..terminal import exits
from ..terminal.output import check_writable, note
from ..text import format as text
from .option_groups import Perturbation
from .scenario_loading import by_options, load_agreement, span_of


def sent_numbers(
    options: Perturbation, column: str, protocol: LocalMechanism, rng: np.random.Generator
) -> Iterator[Reports]:
    """The reports of the numbers in a column, in batches; notes how many numbers were clipped."""
    telling = numbers_protocol(protocol)
    held = NumberColumn(
        Path(options.data), column, telling.low, telling.high, options.clip, "--column",
        "--clip takes the nearer end",
    )  # fmt: skip
    clipped = 0
    for batch in held.batches():
        numbers = held.clip_numbers(batch)
        clipped += int(np.count_nonzero(numbers != batch))
        yield perturb_numbers(protocol, numbers, rng)
    if clipped and not options.quiet:
        outside = f"{text.plural(clipped, 'number')} outside the range"
        note(f"{outside}: the nearer end is taken")


def perturb_table(options: Perturbation) -> int:
    """Write a report for each user of a table; returns the exit code."""
    out = _check_output(options)
    rng = _generator(options)
    span = span_of(options.low, options.high)
    labels, protocol = load_agreement(options, span)
    data = Path(options.data)
    column = options.column or _only_column(data)
    if column in options.keep:
        rule = f"must be another column than --column, whose cells nobody may see, {got(column)}"
        raise ScenarioError(rule, key="--keep")
    if options.clip and not span:
        raise ScenarioError("goes with --low, of a protocol of numbers", key="--clip")
    if span:
        batches = sent_numbers(options, column, protocol, rng)
    else:
        batches = (
            send_reports(protocol, held, rng)
            for held in _read_items(data, column, labels, protocol)
        )
    keep = {name: _read_cells(data, name) for name in options.keep}
    with by_options():
        count = write_reports(out, batches, protocol, for_tests=options.seed, keep=keep)
    if not options.quiet:
        reports = text.plural(count, "report")
        kept = f"; beside them, unprotected: {', '.join(keep)}" if keep else ""
        note(f"wrote {out}: {reports}{', for tests alone' * options.for_tests}{kept}")
    return exits.DONE


def _generator(options: Perturbation) -> np.random.Generator:
    """The random numbers of the reports: those of tests can be drawn again, by anybody."""
    seed = options.seed
    if options.for_tests != (seed is not None):
        if seed is None:
            raise ScenarioError("takes the number that draws the reports: --seed N", "--for-tests")
        rule = "draws reports that anybody can trace back to the users' items"
        raise ScenarioError(f"{rule}: without it they are secret; --for-tests allows it", "--seed")
    return secure() if seed is None else np.random.default_rng(seed)


def _read_items(
    path: Path, name: str, labels: list[str] | None, protocol: LocalMechanism
) -> Iterator[Items]:
    """The items of the users, batch by batch."""
    number, quick, kind = _by_number(protocol.domain_size) if labels is None else _by_label(labels)

    def exact(batch: Batch) -> Items:
        cells = [cell.strip() for cell in batch.cells[0]]
        items = list(map(number, cells))
        if None in items:
            at = items.index(None)
            among = "in the domain" if labels else f"a whole number in [0, {protocol.domain_size})"
            hint = "" if cells[at] else ": a missing value?"
            if labels is None and cells[at][:1].isalpha():
                hint = ": --domain FILE has items that are words"
            rule = f"{name} must be {among}, {got(cells[at])}{hint}"
            raise ScenarioError(f"{spot(path, batch.lines[at])}: {rule}")
        return np.array(items, dtype=np.int64)

    def parse_items(cells: NDArray[Any]) -> Items | None:
        (field,) = cells.dtype.names or ()
        return quick(cells[field])

    yield from Columns(path, [name], "--column").read(exact, parse_items, [kind])


def _read_cells(path: Path, name: str) -> Iterator[str]:
    """The cells of a column that is written beside the reports, as they are."""
    for cells in Columns(path, [name], "--keep").read(lambda rows: rows.cells[0], uncut, [WORDS]):
        yield from cells


def _only_column(path: Path) -> str:
    with table_rows(path) as rows:
        header = next(rows, [])
    if not header:
        raise ScenarioError(f"{path} is empty: it must have a header and a user a row")
    if len(header) != 1:
        known = ", ".join(header[:12])
        raise ScenarioError(f"is required: {path} has the columns {known}", key="--column")
    return header[0]


Reading = tuple[Callable[[str], int | None], Callable[[NDArray[Any]], Items | None], str]
"""The item of a cell, None where it is none; the items of an array, or None; and its type."""


def _by_label(labels: list[str]) -> Reading:
    number = {label.strip(): item for item, label in enumerate(labels)}
    names = np.array(sorted(number))
    items = np.array([number[name] for name in names.tolist()], dtype=np.int64)

    def quick(cells: NDArray[Any]) -> Items | None:
        place = np.minimum(np.searchsorted(names, cells), names.size - 1)
        return items[place] if (names[place] == cells).all() else None

    return number.get, quick, f"U{max(map(len, number)) + 1}"


def _by_number(domain_size: int) -> Reading:
    def number(cell: str) -> int | None:
        found = whole_number(cell)
        return found if found is not None and found < domain_size else None

    def quick(cells: NDArray[Any]) -> Items | None:
        fits = not cells.size or (cells.min() >= 0 and cells.max() < domain_size)
        return cells.astype(np.int64) if fits else None

    return number, quick, "i8"


def _check_output(options: Perturbation) -> Path:
    """The file of the reports; raises LdpError where it is read as well, or is there already."""
    out = Path(options.out)
    format_of(out, "--out")
    for path in (options.data, options.domain, options.protocol.rpartition(":")[0]):
        if path:
            check_other(out, path, "--out")
    if is_file(out) and not options.force:
        rule = f"must be a new file, and {out} is there already"
        raise ScenarioError(f"{rule} (--force replaces it)", key="--out")
    check_writable(out)
    return out
