"""Files that appear complete or not at all, and standard input in place of a file."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, TypeAlias

from .errors import FileError, ScenarioError, reason_of

Format = Literal["csv", "jsonl", "json", "parquet", "arrow", "npy"]
FORMATS: Final[dict[str, Format]] = {
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".parquet": "parquet",
    ".arrow": "arrow",
}
"""The formats of files of reports that are written, by the ends of their names."""

READ: Final[dict[str, Format]] = {
    **FORMATS, ".json": "json", ".feather": "arrow", ".ipc": "arrow", ".npy": "npy", ".npz": "npy",
}  # fmt: skip
"""The formats of files of reports that are read."""

PACKED: Final = (".csv", ".jsonl", ".json")
"""The ends of names that .gz may follow."""


class LowFirst(type(Path())):  # type: ignore[misc]
    """A path of a file in which the first bit of a byte is its lowest one instead of its
    highest.
    """


@dataclass(frozen=True)
class StdinFile:
    """Standard input in place of a file; it can be read once.

    file : its bytes, uncompressed. suffix : that of a file with such content. whole : whether it is
    read through a temporary copy, which allows seeking. kept : whether `file` is already such a
    copy, which is read from its start each time. name : in messages. low_first : as of `LowFirst`.
    """

    file: Any
    suffix: str
    whole: bool = False
    kept: bool = False
    name: str = "standard input"
    low_first: bool = False

    def __str__(self) -> str:
        return self.name

    @contextmanager
    def open(self, _: str = "rb") -> Iterator[Any]:
        """A context manager of the bytes of standard input that were not read yet."""
        if self.kept:
            with os.fdopen(os.dup(self.file.fileno()), "rb") as again:
                again.seek(0)
                yield again
            return
        if not self.whole:
            yield self.file
            return
        with tempfile.TemporaryFile() as copy:
            shutil.copyfileobj(self.file, copy)
            copy.seek(0)
            yield copy


Source: TypeAlias = Path | StdinFile
"""What is read: a file, or standard input."""


# Up to Python 3.13, `Path.exists` and its like raise where a folder may not be entered or a name
# is too long.


def is_there(path: Path | str) -> bool:
    """Whether the path exists; False if the system does not let us know."""
    return os.path.exists(path)  # noqa: PTH110


def is_folder(path: Path | str) -> bool:
    """Whether the path is a folder; False if the system does not let us know."""
    return os.path.isdir(path)  # noqa: PTH112


def is_file(path: Path | str) -> bool:
    """Whether the path is a regular file; False if the system does not let us know."""
    return os.path.isfile(path)  # noqa: PTH113


def fault_of(file: Path) -> str:
    """The reason why a file cannot be read, in a few words; "" if the file can be read."""
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            return "it is a folder" if is_folder(file) else "it is no regular file"
    except (OSError, ValueError) as error:
        return reason_of(error).lower()
    return "" if os.access(file, os.R_OK) else "permission denied"


def check_other(out: Path, read: Path | str, key: str = "--out") -> None:
    """Raise ScenarioError if the output file is the input file."""
    if is_there(out) and is_there(read) and out.samefile(read):
        raise ScenarioError(f"must be another file than {read}, which is read", key=key)


MARKS: Final = (b"xxh3:", b"ldptui", b"cell,trial", b"standard_error", b"| quantity | value |")
"""The marks of files that we write: each has one of them near its start or end."""

_LOOKED_AT: Final = 1 << 16


def check_replaced(path: Path, key: str = "--out") -> None:
    """Raise LdpError rather than overwrite a file that this program did not write.

    Our own files can be computed again, and an empty file is worthless: both may be replaced.
    """
    try:
        if not is_file(path) or not (size := path.stat().st_size):
            return
        with path.open("rb") as file:
            start = file.read(_LOOKED_AT)
            file.seek(max(0, size - _LOOKED_AT))
            ends = start + file.read()
    except OSError as error:
        raise FileError(f"{path} cannot be read: {reason_of(error)}") from error
    if not any(mark in ends for mark in MARKS):
        rule = f"must be a new file, and {path} is there, which ldptui did not write"
        raise ScenarioError(f"{rule} (remove it first)", key=key)


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A context manager of a binary file to write, which appears complete or not at all; raises
    FileError.

    A link is followed. A device or a pipe is written directly.
    """
    try:
        if is_there(path) and not is_file(path):
            with path.open("wb") as file:
                yield file
            return
        path = path.resolve()
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            mode = path.stat().st_mode & 0o777 if is_there(path) else 0o666 & ~_umask()
            Path(draft).chmod(mode)
            Path(draft).replace(path)
        except BaseException:
            Path(draft).unlink(missing_ok=True)
            raise
    except FileError:  # of another file, which is read meanwhile
        raise
    except OSError as error:
        raise FileError(f"{path} cannot be written: {reason_of(error)}") from error


def check_file(path: Source) -> None:
    """Raise FileError for a device or a pipe, which may have no end."""
    if isinstance(path, Path) and is_there(path) and not (is_file(path) or is_folder(path)):
        raise FileError(f"{path} must be a file, got a device or a pipe, which may have no end")


def write_atomically(path: Path, text: str) -> None:
    """Write text to a file that appears complete or not at all; raises FileError."""
    with whole_file(path) as file:
        file.write(text.encode())


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
