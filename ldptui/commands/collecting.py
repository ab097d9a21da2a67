"""Reports of real users, made and read: ldptui perturb, ldptui estimate."""

from __future__ import annotations

import csv
import io
import json
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ldptui.core.base.errors import ScenarioError, got, one_line
from ldptui.core.base.files import write_atomically
from ldptui.core.base.secure import secure
from ldptui.core.base.tables import Batch, Columns, spot, table_rows, whole_number
from ldptui.core.lab.columns import as_number
from ldptui.core.law.pure import Items, LocalMechanism, Reports
from ldptui.core.plugins import available
from ldptui.core.scenario import read_text

from ..api.by_name import protocol as protocol_of
from ..api.collected import Frequencies, concluded
from ..api.coverage import REPETITIONS
from ..api.files import format_of, read_reports, sent, write_reports
from ..terminal import exits
from ..terminal.output import check_writable, note, write_out
from ..text import format as text
from .reading import toml_value

OPTIONS: Final = {
    "items": "--items", "protocol.kind": "--protocol", "protocol.epsilon": "--epsilon",
    "corrections": "--correct", "confidence": "--confidence", "coverage": "--coverage",
}  # fmt: skip
"""The options that set parameters, by their keys."""


def perturb(options: Namespace) -> int:
    """Write a report for each user of a CSV file."""
    out = Path(options.out)
    format_of(out, "--out")
    _check_new(out, options, options.data)
    rng = _generator(options)
    labels, protocol = _agreed(options)
    batches = (sent(protocol, held, rng) for held in _held(options, labels, protocol))
    count = write_reports(out, batches, protocol, for_tests=options.seed)
    if not options.quiet:
        note(f"wrote {out}: {text.count(count)} reports{', for tests alone' * options.for_tests}")
    return exits.DONE


def _generator(options: Namespace) -> np.random.Generator:
    """The random numbers of the reports: those of tests can be drawn again, by anybody."""
    seed = options.seed
    if seed is not None and seed < 0:
        raise ScenarioError(f"must be at least 0, {got(seed)}", key="--seed")
    if options.for_tests != (seed is not None):
        if seed is None:
            raise ScenarioError("takes the number that draws the reports: --seed N", "--for-tests")
        rule = "draws reports that anybody can trace back to the users' items"
        raise ScenarioError(f"{rule}: without it they are secret; --for-tests allows it", "--seed")
    return secure() if seed is None else np.random.default_rng(seed)


def _check_new(out: Path, options: Namespace, read: str) -> None:
    """Refuse an output that is read as well, or that is there already; raises LdpError."""
    for path in filter(None, (read, options.domain, options.protocol.rpartition(":")[0])):
        if out.exists() and Path(path).exists() and out.samefile(path):
            raise ScenarioError(f"must be another file than {path}, which is read", key="--out")
    if out.is_file() and not options.force:
        rule = f"must be a new file, and {out} is there already"
        raise ScenarioError(f"{rule} (--force replaces it)", key="--out")
    check_writable(out)


def estimate(options: Namespace) -> int:
    """Print the frequencies that a file of reports tells."""
    out = None if options.out in (None, "-") else Path(options.out)
    if out is not None:
        _check_new(out, options, options.reports)
    labels, protocol = _agreed(options)
    counts, users = _counted(read_reports(options.reports, protocol), protocol)
    if not users:
        raise ScenarioError(f"{options.reports} must hold at least one report, got none")
    with _by_options():
        answer = concluded(
            counts, users, protocol, options.corrections, options.confidence, labels,
            options.coverage,
        )  # fmt: skip
    written = _written(answer, options.format)
    if out is not None:
        write_atomically(out, written)
        if not options.quiet:
            note(f"wrote {out}")
    else:
        write_out(written, exactly=options.format != "table")
    if answer.misfit is not None and options.format != "table":
        note(f"ldptui: {one_line(answer.misfit)}")
    return exits.DONE


def _agreed(options: Namespace) -> tuple[list[str] | None, LocalMechanism]:
    """The labels of the items, None for numbers, and the protocol."""
    labels = None if options.domain is None else _labels(Path(options.domain))
    keys = {}
    for setting in options.settings:
        key, equals, value = setting.partition("=")
        if not equals or not key.strip():
            raise ScenarioError(f"must be KEY=VALUE, {got(setting)}", key="--set")
        keys[key.strip().removeprefix("protocol.")] = toml_value(value)
    if options.epsilon is not None:
        keys["epsilon"] = options.epsilon
    items = options.items if labels is None else len(labels)
    own = ":" in options.protocol or options.protocol in available("protocol")
    kind = options.protocol if own else options.protocol.lower()
    with _by_options():
        return labels, protocol_of(kind, items, labels=labels, **keys)


@contextmanager
def _by_options() -> Iterator[None]:
    """Name the options in what is wrong with the values that they set."""
    try:
        yield
    except ScenarioError as error:
        raise ScenarioError(error.rule, OPTIONS.get(error.key, error.key), error.where) from error


def _labels(path: Path) -> list[str]:
    """The lines of a file, each the name of an item; raises ScenarioError, FileError."""
    labels = read_text(path).splitlines()
    seen: dict[str, int] = {}
    for line, label in enumerate(labels, 1):
        name = label.strip()
        if not name:
            raise ScenarioError(f"{path} line {line} must name an item, it is empty")
        if name in seen:
            first, blanks = labels[seen[name] - 1], ""
            if first != label:
                blanks = " but for blanks at an end, which cells are read without"
            rule = f"names {label!r}, as line {seen[name]} does{blanks}"
            raise ScenarioError(f"{path} line {line} {rule}")
        seen[name] = line
    if len(labels) < 2:
        raise ScenarioError(f"{path} must name at least 2 items, got {len(labels)}")
    return labels


def _held(
    options: Namespace, labels: list[str] | None, protocol: LocalMechanism
) -> Iterator[Items]:
    """The items of the users, batch by batch."""
    path = Path(options.data)
    name = options.column or _only_column(path)
    number, quick, kind = _by_number(protocol.domain_size) if labels is None else _by_label(labels)

    def exact(batch: Batch) -> Items:
        cells = [cell.strip() for cell in batch.cells[0]]
        items = list(map(number, cells))
        if None in items:
            at = items.index(None)
            among = "in the domain" if labels else f"a number in [0, {protocol.domain_size})"
            missing = ": a missing value?" * (not cells[at])
            rule = f"{name} must be {among}, {got(cells[at])}{missing}"
            raise ScenarioError(f"{spot(path, batch.lines[at])}: {rule}")
        return np.array(items, dtype=np.int64)

    def parsed(cells: NDArray[Any]) -> Items | None:
        (field,) = cells.dtype.names or ()
        return quick(cells[field])

    yield from Columns(path, [name], "--column").read(exact, parsed, [kind])


def _only_column(path: Path) -> str:
    with table_rows(path) as rows:
        header = next(rows, [])
    if len(header) != 1:
        known = ", ".join(header[:12]) or "none"
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


def _counted(batches: Iterator[Reports], protocol: LocalMechanism) -> tuple[Any, int]:
    counts: Any = 0
    users = 0
    for batch in batches:
        counts = counts + protocol.support_counts(batch)
        users += len(batch)
    return counts, users


def _written(found: Frequencies, kind: str) -> str:
    if kind == "table":
        none = "no intervals: the noise has no closed form"
        if found.corrections:
            none += " after a correction; --coverage measures them"
        notes = [] if found.std is not None else [none]
        if found.coverage is not None:
            share = text.estimate(found.coverage.mean, found.coverage.standard_error)
            notes += ["", f"intervals cover {share} of the items, in {REPETITIONS} simulated",
                      "collections of what Norm-Sub makes of the estimates"]  # fmt: skip
        return "\n".join([repr(found), *notes]) + "\n"
    rows = found.rows()
    if kind == "csv":
        buffer = io.StringIO()
        writer = csv.DictWriter(buffer, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(row | {"label": _cell(row["label"])} for row in rows)
        return buffer.getvalue()
    measured = found.coverage
    coverage = {} if measured is None else {
        "coverage": {"mean": measured.mean, "standard_error": measured.standard_error,
                     "repetitions": REPETITIONS},
    }  # fmt: skip
    document = {
        "reports": found.reports,
        "corrections": list(found.corrections),
        "confidence": found.confidence if found.std is not None else None,
        **coverage,
        "misfit": found.misfit,
        "items": rows,
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _cell(label: str) -> str:
    """A label as a cell that steers no terminal and is no formula of a spreadsheet."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in label)
    formula = shown.startswith(("=", "+", "-", "@")) and as_number(shown) is None
    return f"'{shown}" if formula else shown
