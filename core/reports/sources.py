"""The files that reports are read from: paths, folders, patterns, standard input; and files of
items' names.
"""

from __future__ import annotations

import glob
import gzip
import io
import os
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeAlias
from warnings import warn

from ..base.errors import (
    ContentError,
    FileError,
    LdpWarning,
    ScenarioError,
    got,
    reason_of,
)
from ..base.files import (
    FORMATS,
    PACKED,
    READ,
    Format,
    LowFirst,
    Source,
    StdinFile,
    is_file,
    is_folder,
    is_there,
)
from ..scenario import read_text
from .arguments import file_path
from .column_layout import MARK, Order
from .report_counts import END

STARTS: Final = {
    b"PAR1": ".parquet", b"ARROW1": ".arrow", b"\xff\xff\xff\xff": ".arrow",
    b"{": ".jsonl", b"\xef\xbb\xbf{": ".jsonl", b"[": ".json", b"\x93NUMPY": ".npy", b"PK": ".npz",
}  # fmt: skip
"""The first bytes of each format, by the end of the name of such a file; CSV begins otherwise."""

GZIP: Final = b"\x1f\x8b"

Places: TypeAlias = str | Source | Sequence[str | Source]
"""What names files of reports: paths, folders, patterns, "-"; one, or several."""


ENDS: Final = 1 << 16
"""The bytes that are looked at for what a file says of itself."""


def format_of(path: Source, asked: str | None = None) -> Format:
    """The format of a file by its suffix; raises ScenarioError for an unknown one.

    asked : the option that names a file to write, for which there are fewer formats; None to read.
    """
    if asked is None:
        check_rows([path], "reports")
    known, end = READ if asked is None else FORMATS, path.suffix.lower()
    if end not in known:
        name = str(path) if isinstance(path, StdinFile) else path.name
        raise ScenarioError(f"must end in {', '.join(known)}, {got(name)}", key=asked or "reports")
    return known[end]


def check_rows(named: Iterable[Source], key: str) -> None:
    """Raise ScenarioError for files of counts if single reports are needed."""
    for source in named:
        if source.suffix == END:
            takers = "estimate, conclude and deployment"
            rule = (
                f"must have a row for each user: {source} is a file of counts, which {takers} take"
            )
            raise ScenarioError(rule, key=key)


def unpack_name(source: Source) -> Source:
    """The path of a file without a final .gz."""
    if isinstance(source, Path) and source.suffix.lower() == ".gz":
        return source.with_suffix("")
    return source


def order_of(source: Source) -> Order:
    """The bit order of a file's packed bytes: "big" if the first bit is the highest, else
    "little".
    """
    low_first = source.low_first if isinstance(source, StdinFile) else isinstance(source, LowFirst)
    return "little" if low_first else "big"


def sources(places: Places, order: Order = "big") -> list[Source]:
    """The named files, in order.

    A folder stands for every file of reports in it and in its folders, by name; a pattern such as
    `day-*.csv` for the matching files; "-" for standard input. order : of the bits in a byte.

    Raises ScenarioError for a file that is named twice, whose reports would count twice; FileError
    for a folder or a pattern without files. Warns of files whose reports are for tests.
    """
    named: list[Source] = []
    for place in places if isinstance(places, list | tuple) else (places,):
        named += [read_pipe()] if isinstance(place, str) and place == "-" else _files(place)
    seen: dict[str, Source] = {}
    for source in named:
        name = str(source) if isinstance(source, StdinFile) else os.path.realpath(source)
        if name in seen:
            raise ScenarioError(f"must be named once, got {seen[name]} and {source}", key="reports")
        seen[name] = source
    for sentence in test_doubts(named):
        warn(sentence, LdpWarning, stacklevel=2)
    if order == "big":
        return named
    return [
        replace(file, low_first=True) if isinstance(file, StdinFile) else LowFirst(file)
        for file in named
    ]


def test_doubts(named: Iterable[Source]) -> list[str]:
    """A warning for each file whose reports are marked as test reports."""
    return [
        f"{source} has reports for tests (for_tests), which protected nobody"
        for source in named
        if source.suffix != END and is_for_tests(source)
    ]


@contextmanager
def keep_sources(named: Sequence[Source]) -> Iterator[list[Source]]:
    """A context manager of the sources, each readable twice: standard input is copied to a
    temporary file.

    Raises FileError if standard input cannot be read.
    """
    with ExitStack() as stack:
        copies: list[Source] = []
        for source in named:
            if isinstance(source, StdinFile):
                copy = stack.enter_context(tempfile.TemporaryFile())
                try:
                    shutil.copyfileobj(source.file, copy)
                    copy.flush()
                except (OSError, EOFError, zlib.error) as error:
                    raise FileError(f"standard input cannot be read: {error}") from error
                copies.append(replace(source, file=copy, whole=False, kept=True))
            else:
                copies.append(source)
        yield copies


def _files(place: str | Source) -> Iterator[Source]:
    if isinstance(place, StdinFile):
        yield place
        return
    path = file_path(place)
    if is_folder(path):
        inside = [file for file in sorted(path.rglob("*")) if is_named_so(file) and is_file(file)]
        if not inside:
            ends = ", ".join(READ)
            raise FileError(f"{path} must hold at least one file of reports ({ends}), got none")
        yield from inside
    elif glob.has_magic(str(place)) and not is_there(path):
        fitting = [Path(name) for name in sorted(glob.glob(str(place), recursive=True))]  # noqa: PTH207
        if not fitting:
            raise FileError(f"{place} must name at least one file, it fits none")
        for file in fitting:
            yield from _files(file) if is_folder(file) else [file]
    else:
        yield path


def is_named_so(path: Path) -> bool:
    """Whether a file's name has a suffix of report files and is not hidden."""
    ends = PACKED if path.suffix.lower() == ".gz" else tuple(READ)
    return unpack_name(path).suffix.lower() in ends and not path.name.startswith(".")


def read_pipe() -> StdinFile:
    """Standard input, with the format that its first bytes show.

    Raises FileError if it cannot be read, or is a terminal.
    """
    if sys.stdin is None:
        raise FileError("standard input cannot be read: it is closed")
    file: Any = sys.stdin.buffer
    try:
        if file.isatty():
            raise FileError("standard input must be a file or a pipe of reports, got a terminal")
        packed = file.peek(2).startswith(GZIP)
        if packed:
            file = io.BufferedReader(gzip.GzipFile(fileobj=file))
        first = file.peek(8)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ContentError(f"standard input is not packed by gzip, or damaged: {error}") from error
    except OSError as error:
        raise FileError(f"standard input cannot be read: {reason_of(error)}") from error
    ends = (end for start, end in STARTS.items() if first.startswith(start))
    end = next(ends, ".csv")
    if packed and end not in PACKED:
        raise ContentError("standard input must be CSV or JSON lines where it is packed by gzip")
    return StdinFile(file, end, end not in PACKED)


def is_for_tests(source: Source) -> bool:
    """Whether a file is marked as test reports by a column, header or schema.

    False for a file that cannot be read, which is refused elsewhere.
    """
    if isinstance(source, StdinFile) or not is_file(source):
        return False
    end, packed = unpack_name(source).suffix.lower(), source.suffix.lower() == ".gz"
    try:
        with gzip.open(source, "rb") if packed else source.open("rb") as file:
            if end in (*PACKED, ".npy"):
                return MARK.encode() in file.readline(ENDS)
            file.seek(-min(ENDS, source.stat().st_size), os.SEEK_END)
            return MARK.encode() in file.read()
    except (OSError, EOFError, zlib.error):
        return False


def labels_in(path: Path) -> list[str]:
    """The lines of a file, each the name of an item.

    Raises ScenarioError for an empty or repeated name, or fewer than 2; FileError if it cannot be
    read.
    """
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
