"""Files of reports: CSV, JSON, Parquet, Arrow and NumPy, one row for each user; see
docs/reports.md.

In JSON a row is an object with the columns of `layout`; Parquet and Arrow have binary columns.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice, repeat
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from ..base.errors import ScenarioError, got
from ..base.files import Format, Source, whole_file
from ..base.tables import (
    Batch,
    Columns,
    spot,
)
from ..law.pure import Items, LocalMechanism, Reports, Rng
from ..protocols.exact import Exact
from .arguments import file_path, local, reports_of, whole, words
from .arrow import BATCH, Write, arrow_writer
from .column_layout import MARK, ReportColumn, check_real, layout, nobody, parts_of
from .file_cells import CELLS
from .report_counts import END, Counted, counted, read_all
from .sources import Places, format_of, order_of, sources, unpack_name

WORDS: Final = "U32"
"""NumPy's type of the cells of groups that are read quickly; a full one may be longer."""

LONGEST: Final = 200
"""Characters of the name of a group, at most."""


# Writing.


def write_reports(
    path: str | Path,
    batches: Iterable[Reports],
    protocol: LocalMechanism,
    *,
    for_tests: int | None = None,
    keep: Mapping[str, Iterable[str]] | None = None,
) -> int:
    """Write reports in batches to a file that appears complete or not at all; returns their number.

    Parameters
    ----------
    path
        The path of the file, which ends in .csv, .jsonl, .parquet or .arrow.
    batches
        As `protocol.perturb` makes them; the first axis is users.
    protocol
        As `protocol` makes it.
    for_tests
        The seed of reports that nobody sends, which the column `for_tests` then says.
    keep
        More columns by their names, a text for each report, as the users' groups. Nothing is drawn
        for them: whoever reads the file reads them.

    Raises
    ------
    ScenarioError
        For reports that the protocol does not send, and for those of SHE.
    FileError
        Where the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from ldptui import protocol
    >>> grr = protocol("grr", items=4, epsilon=1.0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "reports.csv"
    ...     count = write_reports(path, [grr.perturb([0, 3])], grr)
    ...     count, sum(len(batch) for batch in read_reports(path, grr))
    (2, 2)
    """
    path, columns, count = file_path(path), layout(local(protocol)), 0
    more = _more(columns, {} if keep is None else keep)
    if for_tests is None and isinstance(protocol, Exact):
        for_tests = 0
    if for_tests is not None:
        more[MARK] = repeat(str(whole(for_tests, "for_tests")))
    if not isinstance(batches, Iterable) or isinstance(batches, np.ndarray):
        raise ScenarioError("must be a list of batches, [reports] of one", key="batches")
    kind = format_of(path, "path")
    with whole_file(path) as file, WRITERS[kind](path, file, columns, [*more]) as write:
        for batch in batches:
            reports = reports_of(batch, protocol)
            count += len(reports)
            cells = [[*islice(column, len(reports))] for column in more.values()]
            if any(len(column) < len(reports) for column in cells):
                raise ScenarioError("must have a text for each report, got fewer", key="keep")
            write(reports, cells)
    return count


def _more(columns: Sequence[ReportColumn], keep: Mapping[str, Iterable[str]]) -> dict[str, Any]:
    """The cells of each column beside those of the reports, checked as they are read."""
    if not isinstance(keep, Mapping):
        raise ScenarioError(f"must be a dict of columns by their names, {got(keep)}", "keep")
    for name, held in keep.items():
        _check_beside(words(name, "keep"), [MARK, *(each.name for each in columns)], "keep")
        if isinstance(held, str) or not isinstance(held, Iterable):
            raise ScenarioError(f"must be a list of texts, {got(held)}", f"keep.{name}")
    return {name: (words(cell, "keep") for cell in held) for name, held in keep.items()}


def _check_beside(name: str | None, own: Sequence[str], key: str) -> None:
    """Refuse a column that the reports have themselves; raises ScenarioError."""
    if name in own:
        raise ScenarioError(f"must be a column beside those of the reports, {got(name)}", key=key)


def send_reports(protocol: LocalMechanism, values: Items, rng: Rng) -> Reports:
    """Honest reports as real users send them; raises ScenarioError for a protocol that is only
    simulated.

    values : int64[n], items. rng : a secure generator, or a seeded one in tests.
    """
    check_real(protocol)
    return protocol.perturb(values, rng)


@contextmanager
def _csv_writer(
    _: Path, file: BinaryIO, columns: Sequence[ReportColumn], more: Sequence[str]
) -> Iterator[Write]:
    names = [column.name for column in columns]
    file.write((",".join([*names, *map(_quote_cell, more)]) + "\n").encode())
    row = ",".join(["%s"] * (len(names) + len(more)))
    yield _text_writer(file, columns, row, [_quote_cell] * len(more))


def _quote_cell(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if {*cell} & {*',"\r\n'} else cell


@contextmanager
def _json_writer(
    _: Path, file: BinaryIO, columns: Sequence[ReportColumn], more: Sequence[str]
) -> Iterator[Write]:
    cells = {"number": "%s", "bytes": '"%s"', "numbers": "[%s]"}
    held = [(column.name, cells[column.holds]) for column in columns]
    parts = [f"{json.dumps(name)}: {cell}" for name, cell in (*held, *zip(more, repeat("%s")))]
    written = [str if name == MARK else json.dumps for name in more]
    yield _text_writer(file, columns, f"{{{', '.join(parts)}}}", written, between=", ")


def _text_writer(
    file: BinaryIO,
    columns: Sequence[ReportColumn],
    row: str,
    more: Sequence[Callable[[str], str]],
    between: str = " ",
) -> Write:
    """Writes rows as lines.

    row : with %s for each cell. more : how the cells of each further column are written. between :
    the numbers of a cell.
    """

    def write(batch: Reports, beside: Sequence[Sequence[str]]) -> None:
        if len(batch):
            cells: list[Iterable[str]] = [
                column.cells(part, between) for column, part in parts_of(columns, batch)
            ]
            cells += [map(each, held) for each, held in zip(more, beside, strict=True)]
            lines = map(f"{row}\n".__mod__, zip(*cells, strict=True))
            file.write("".join(lines).encode())

    return write


WRITERS: Final[dict[Format, Callable[..., AbstractContextManager[Write]]]] = {
    "csv": _csv_writer,
    "jsonl": _json_writer,
    "parquet": partial(arrow_writer, "parquet"),
    "arrow": partial(arrow_writer, "arrow"),
}


# Reading.


def read_reports(places: Places, protocol: LocalMechanism) -> Iterator[Reports]:
    """The reports of files, a batch at a time, each checked.

    Parameters
    ----------
    places
        A file that ends in .csv, .jsonl or .json (also packed, .gz), .parquet, .arrow, .npy or
        .npz, a folder of such files, a pattern, "-" for standard input; or several of these.
    protocol
        As `protocol` makes it.

    Raises
    ------
    ScenarioError
        With the line of the first report that the protocol does not send.
    FileError
        Where a file cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> from ldptui import protocol
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "reports.jsonl"
    ...     _ = path.write_text('{"report": 3}\\n{"report": 0}\\n')
    ...     [batch.tolist() for batch in read_reports(path, protocol("grr", 4, epsilon=1.0))]
    [[3, 0]]
    """
    for rows in read_rows(sources(places), local(protocol)):
        yield rows.reports


@dataclass(frozen=True, eq=False)
class ReportRows:
    """A batch of rows of a report file.

    reports : of their users. group : str[n], the cells of the column that groups users; None
    without.
    """

    reports: Reports
    group: NDArray[np.str_] | None = None


def read_rows(
    named: Iterable[Source], protocol: LocalMechanism, by: str | None = None
) -> Iterator[ReportRows]:
    """Yields the reports of files in batches, with the cells of the column `by`.

    Raises LdpError for a file that cannot be read, or its first invalid row.
    """
    named, names = list(named), dict.fromkeys((each.name for each in layout(protocol)), "reports")
    _check_beside(by, [*names], "by")
    if by is not None:
        names[by] = "by"
    kinds = [format_of(unpack_name(source)) for source in named]
    for source, kind in zip(named, kinds, strict=True):
        file = ReportFile(source, layout(protocol, order_of(source)), protocol, by)
        if kind == "csv":
            yield from file.csv_rows()
        else:
            yield from map(file.check_rows, CELLS[kind](source, names))


def counted_in(
    named: Sequence[Source], protocol: LocalMechanism, labels: Sequence[str] | None
) -> Counted:
    """The support counts of all reports in files of reports and files of counts.

    Raises LdpError for an invalid file, and without a report.
    """
    kept = [source for source in named if source.suffix == END]
    reports = [source for source in named if source.suffix != END]
    total = counted((rows.reports for rows in read_rows(reports, protocol)), protocol, labels)
    return require_reports(sum(read_all(kept, protocol, labels), start=total), named)


def require_reports(total: Counted, named: Sequence[Source]) -> Counted:
    """The counts; raises ScenarioError if they are of no reports."""
    if not total.reports:
        places = ", ".join(map(str, named))
        raise ScenarioError(f"{places} must hold at least one report, got none")
    return total


@dataclass(frozen=True)
class ReportFile:
    """One file of reports, with the columns of its protocol.

    by : the column that groups users; None if reports are not grouped.
    """

    source: Source
    columns: Sequence[ReportColumn]
    protocol: LocalMechanism
    by: str | None = None

    def csv_rows(self) -> Iterator[ReportRows]:
        names = [column.name for column in self.columns]
        types = [column.quick for column in self.columns]
        keys = {}
        if self.by is not None:
            names, types, keys = [*names, self.by], [*types, WORDS], {self.by: "by"}
        wanted = Columns(self.source, names, "reports", BATCH, keys)
        yield from wanted.read(self.check_rows, self._quick, types)

    def _quick(self, cells: NDArray[Any]) -> ReportRows | None:
        fields, group = cells.dtype.names or (), None
        if self.by is not None:
            if (group := uncut(cells[[fields[-1]]])) is None:
                return None
            group = np.char.strip(group)
        pairs = zip(self.columns, fields[: len(self.columns)], strict=True)
        try:
            parts = [column.parse_cells(cells[field]) for column, field in pairs]
            return ReportRows(reports_from(self.columns, parts, self.protocol), group)
        except ValueError:
            return None

    def check_rows(self, batch: Batch) -> ReportRows:
        """The reports in a batch of rows; raises ScenarioError at the first invalid line."""
        held, group = batch.cells[: len(self.columns)], None
        if self.by is not None:
            cells = zip(batch.lines, batch.cells[-1], strict=True)
            group = np.array([self._word(line, cell) for line, cell in cells], dtype=np.str_)
        try:
            parts = [column.read(cells) for column, cells in zip(self.columns, held, strict=True)]
            return ReportRows(reports_from(self.columns, parts, self.protocol), group)
        except (ValueError, TypeError, OverflowError):
            for line, row in zip(batch.lines, zip(*held, strict=True), strict=True):
                check_row(spot(self.source, line), self.columns, row, self.protocol)
            raise

    def _word(self, line: int, cell: Any) -> str:
        """The group of a row: a text, or a number as a text; "" for a missing one."""
        shown = "" if cell is None else str(cell).strip()
        if isinstance(cell, dict | list) or len(shown) > LONGEST:
            rule = f"{self.by} must be a word of at most {LONGEST} characters, {got(cell)}"
            raise ScenarioError(f"{spot(self.source, line)}: {rule}")
        return shown


def uncut(cells: NDArray[Any]) -> NDArray[np.str_] | None:
    """The cells as one column of the type WORDS; None if a cell may have been cut to its length."""
    (field,) = cells.dtype.names or ()
    texts: NDArray[np.str_] = cells[field]
    longest = texts.dtype.itemsize // 4
    return None if (np.char.str_len(texts) == longest).any() else texts


def check_row(
    where: str, columns: Sequence[ReportColumn], row: Sequence[Any], protocol: LocalMechanism
) -> None:
    """Raise ScenarioError for the first invalid cell of a row, or for an invalid report."""
    parts = []
    for column, cell in zip(columns, row, strict=True):
        try:
            parts.append(column.read([cell]))
        except (ValueError, TypeError, OverflowError):
            raise ScenarioError(f"{where}: {column.fault_of(cell)}") from None
    try:
        reports_from(columns, parts, protocol)
    except ValueError as error:
        raise ScenarioError(f"{where}: the report {error}") from None


def reports_from(
    columns: Sequence[ReportColumn], parts: Sequence[Reports], protocol: LocalMechanism
) -> Reports:
    """The reports with these parts in their columns; raises ValueError for reports that the
    protocol never sends.
    """
    nothing = nobody(protocol)
    made = np.empty((len(parts[0]), *nothing.shape[1:]), dtype=nothing.dtype)
    for column, part in zip(columns, parts, strict=True):
        (made if made.dtype.names is None else made[column.name])[...] = part
    protocol.validate_reports(made, len(made))  # a check: the law of SHE's reports is not clipped
    return made
