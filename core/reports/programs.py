"""Reports and sums of other programs, whose conventions differ from those of our files.

google/rappor writes the first bit at the end, and counts by cohort with the number of reports in
front. pure-LDP and multi-freq-LDPy hash the decimal digits of an item by xxHash32, take the
remainder as the bucket, and write it before a seed of 64 bits, of which the lower half counts;
LDP Toolbox does so too, and writes a report of SS and THE as the list of its items. Prio adds up
counts modulo a prime: a sum below zero appears as a number just below the prime.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final
from warnings import warn

import numpy as np
import xxhash

from ..base.errors import LdpWarning, ScenarioError, got
from ..base.files import Source
from ..base.number_column import as_number
from ..base.tables import Batch, spot, table_rows, whole_number
from ..lab.columns import read_columns
from ..law.mechanism import name_of
from ..law.pure import LocalMechanism
from ..protocols.hashing import LocalHashing
from ..protocols.rappor import Rappor
from ..protocols.subset import SubsetSelection
from ..protocols.the import Thresholding
from .column_layout import layout, nobody
from .file_cells import CELLS, load_arrays
from .report_counts import Counted, counted
from .report_files import ReportFile, require_reports
from .sources import format_of, unpack_name

PRIMES: Final = {
    2**64 - 2**32 + 1: "Field64",
    2**66 * 4611686018427387897 + 1: "Field128",
}
"""The fields of Prio, by their primes (draft-irtf-cfrg-vdaf)."""

HEAD: Final = ("client", "cohort")
"""How the reports of google/rappor begin; its counts have no head."""


def unwrap_count(count: int, item: str) -> int:
    """The count, or if it is just below a prime of Prio, the negative number that it stands for.

    Warns with LdpWarning in the latter case.
    """
    for prime, name in PRIMES.items():
        if prime // 2 < count < prime:
            words = f"the count of {item}, {count}, wrapped below zero in {name} of Prio"
            warn(f"{words}: it is read as {count - prime}", LdpWarning, stacklevel=2)
            return count - prime
    return count


def read_sums(path: Path, label: str, column: str) -> dict[str, float]:
    """The published frequency or count of each item by its name, from a file.

    path : a table, or in JSON an array of objects, like the summaries of the Attribution Reporting
    API, or of numbers alone, like an aggregate of DAP. label, column : the columns of names and
    values. Raises LdpError for an invalid file, a cell that is no number, or an item named twice.
    """
    if path.suffix.lower() == ".json":
        (batch,) = [*CELLS["json"](path, {})] or [Batch((), [[]])]
        rows = [row if isinstance(row, dict) else {label: item, column: row}
                for item, row in enumerate(batch.cells[0])]  # fmt: skip
        pairs = [(str(row.get(label, "")), str(row.get(column, ""))) for row in rows]
    else:
        named, numbers = (
            [each.values[code] for code in each.codes.tolist()]
            for each in read_columns(path, [label, column])
        )
        pairs = [*zip(named, numbers, strict=True)]
    sums = dict[str, float]()
    for name, written in pairs:
        is_whole = written.isdecimal() and len(written) < 60  # of a field of 128 bits
        number = float(unwrap_count(int(written), name)) if is_whole else as_number(written)
        if number is None:
            rule = f"must be numeric, but the column {column!r} holds {written[:40]!r}"
            raise ScenarioError(rule, key="column")
        sums[name] = number
    if len(sums) < len(pairs):
        raise ScenarioError(f"must name each item once in {label!r}", key="label")
    return sums


def count_program(
    program: str, files: Sequence[Source], protocol: LocalMechanism, labels: Sequence[str] | None
) -> Counted:
    """The support counts of all reports in files of another program.

    program : a key of PROGRAMS. Raises LdpError for an invalid file, or a protocol whose reports
    the program writes as we do.
    """
    known = PROGRAMS[program]
    count = next((known[kind] for kind in known if isinstance(protocol, kind)), None)
    if count is None:
        rule = f"must be left out for {name_of(protocol)}, whose reports are read as they are"
        raise ScenarioError(f"{rule}, {got(program)}", key="program")
    parts: list[Counted] = [count(source, protocol, labels) for source in files]
    return require_reports(sum(parts[1:], start=parts[0]), files)


def _count_hashed(source: Source, protocol: Any, labels: Sequence[str] | None) -> Counted:
    """The counts of reports (bucket, seed), each supporting the items that it may be of."""
    total = counted(nobody(protocol), protocol, labels)
    counts, reports = total.counts.copy(), 0
    words = [str(item).encode() for item in range(protocol.domain_size)]
    for row, pair in enumerate(_rows_in(source, "value", "seed"), 1):
        whole = [whole_number(str(each)) for each in pair] if isinstance(pair, list) else []
        bucket, number = whole if len(whole) == 2 else (None, None)
        if bucket is None or number is None or bucket >= protocol.hash_range:
            rule = f"must be a bucket below {protocol.hash_range} and a seed, {got(pair)}"
            raise ScenarioError(f"{spot(source, row)} {rule}")
        seed = number & 0xFFFFFFFF
        held = [
            xxhash.xxh32_intdigest(word, seed) % protocol.hash_range == bucket for word in words
        ]
        counts, reports = counts + np.array(held), reports + 1
    return Counted(protocol, counts, reports, total.labels)


def _count_items(source: Source, protocol: Any, labels: Sequence[str] | None) -> Counted:
    """The counts of reports that are the lists of their items."""
    d, rows = protocol.domain_size, []
    for line, row in enumerate(_rows_in(source), 1):
        parts = row.strip("[] ").replace(",", " ").split() if isinstance(row, str) else row
        items = [whole_number(str(each)) for each in parts] if isinstance(parts, list) else [None]
        if any(item is None or item >= d for item in items) or len({*items}) < len(items):
            rule = f"must be a list of different items below {d}, {got(row)}"
            raise ScenarioError(f"{spot(source, line)} {rule}")
        rows.append([int(item in items) for item in range(d)])
    file = ReportFile(source, layout(protocol), protocol)
    return counted(
        file.check_rows(Batch(range(1, 1 + len(rows)), [rows])).reports, protocol, labels
    )


def _rows_in(source: Source, *fields: str) -> Iterator[Any]:
    """Each report, a list where it is one; raises LdpError. fields : their names in objects."""
    names, kind = dict.fromkeys(fields or ["report"], "reports"), format_of(unpack_name(source))
    if kind == "npy" and not isinstance(arrays := load_arrays(source), dict):
        yield from arrays.tolist()
    elif kind in ("json", "jsonl"):
        for batch in CELLS[kind](source, {}):
            for row in batch.cells[0]:
                if isinstance(row, dict):
                    held = [row.get(name) for name in names]
                    row = held if fields else held[0]
                yield row
    else:
        for batch in CELLS[kind](source, names):
            yield from map(list, zip(*batch.cells, strict=True)) if fields else batch.cells[0]


def _count_filters(source: Source, protocol: Any, labels: Sequence[str] | None) -> Counted:
    """The counts of reports of google/rappor, or those that its sum_bits wrote."""
    shape = protocol.cohorts, protocol.bits
    with table_rows(source) as rows:
        first = next(rows, [])
        if tuple(first[:2]) == HEAD:
            cohorts, bits = [], []
            for row in rows:
                if len(row) != 5:
                    raise ScenarioError(f"{spot(source, rows.line_num)} must have 5 cells")
                cohorts.append(row[1])
                bits.append(row[4][::-1])
            file, lines = ReportFile(source, layout(protocol), protocol), range(2, 2 + len(bits))
            reports = file.check_rows(Batch(lines, [cohorts, bits])).reports
            return counted(reports, protocol, labels)
        table = [[whole_number(cell.strip()) for cell in row] for row in (first, *rows)]
    if {len(row) for row in table} != {shape[1] + 1} or len(table) != shape[0]:
        rule = f"must have {shape[0]} rows, of a number of reports and {shape[1]} counts"
        raise ScenarioError(f"{source} {rule}", key="reports")
    if any(cell is None or cell > (row[0] or 0) for row in table for cell in row):
        raise ScenarioError(f"{source} must have counts of at most its reports", key="reports")
    counts = np.roll(np.array(table, dtype=np.int64), -1, axis=1)
    known = counted(nobody(protocol), protocol, labels).labels
    return Counted(protocol, counts, int(counts[:, -1].sum()), known)


PROGRAMS: Final[dict[str, dict[type[Any], Any]]] = {
    "rappor": {Rappor: _count_filters},
    "pure-ldp": {LocalHashing: _count_hashed},
    "multi-freq-ldpy": {LocalHashing: _count_hashed},
    "ldp-toolbox": {
        LocalHashing: _count_hashed, SubsetSelection: _count_items, Thresholding: _count_items,
    },
}  # fmt: skip
"""The reader of each program's files, by the protocols whose reports need one of their own."""
