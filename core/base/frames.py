"""Tables in Parquet and Arrow files, by pyarrow: a batch of rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, BinaryIO, Final

from .errors import ContentError, FileError, ScenarioError, reason_of
from .files import Source, check_file

FRAMES: Final = {".parquet": "Parquet", ".arrow": "Arrow", ".feather": "Arrow", ".ipc": "Arrow"}
"""The formats of files that are not text, by the ends of their names."""

ROWS: Final = 1 << 16
"""The number of rows read at once."""


def pyarrow_for(path: Source) -> Any:
    """The module pyarrow; raises ScenarioError if pyarrow is not installed."""
    try:
        import_module("pyarrow.compute")
        import_module("pyarrow.ipc")
        import_module("pyarrow.parquet")
        return import_module("pyarrow")
    except ImportError:
        rule = f"{path} needs pyarrow, as Parquet and Arrow do (pip install 'ldptui[parquet]')"
        raise ScenarioError(rule) from None


Batches = Callable[[Sequence[str], int], Iterator[Any]]
"""Record batches of the named columns, of so many rows at most, each checked throughout."""


@contextmanager
def frame_file(path: Source) -> Iterator[tuple[Any, Batches]]:
    """A context manager of a Parquet or Arrow file: its schema and a function that yields its
    batches.

    The file is opened here, not in the library, so that audit hooks see the file that is opened.
    Raises ContentError for invalid bytes, FileError if the file cannot be opened.
    """
    pyarrow = pyarrow_for(path)
    kind = FRAMES[path.suffix.lower()]
    try:
        check_file(path)
        with path.open("rb") as file:
            schema, parts = (_parquet if kind == "Parquet" else _ipc)(pyarrow, file)

            def batches(names: Sequence[str], most: int) -> Iterator[Any]:
                for part in parts(list(names)):
                    part.validate(full=True)
                    yield from (part.slice(at, most) for at in range(0, part.num_rows, most))

            yield schema, batches
    except pyarrow.ArrowException as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ContentError(f"{path} is not {kind}, or damaged: {reason}") from error
    except MemoryError as error:
        rule = "or damaged: it asks for more memory than there is"
        raise ContentError(f"{path} is not {kind}, {rule}") from error
    except FileError:
        raise
    except OSError as error:
        if error.errno is None:  # the library's, of bytes that it cannot decode
            reason = str(error).splitlines()[0] if str(error) else "it cannot be decoded"
            raise ContentError(f"{path} is not {kind}, or damaged: {reason}") from error
        raise FileError(f"{path} cannot be read: {reason_of(error)}") from error


Parts = Callable[[list[str]], Iterator[Any]]
"""Record batches of the named columns, as they are in a file."""


def _parquet(pyarrow: Any, file: BinaryIO) -> tuple[Any, Parts]:
    opened = pyarrow.parquet.ParquetFile(file)
    return opened.schema_arrow, lambda names: opened.iter_batches(ROWS, columns=names)


def _ipc(pyarrow: Any, file: BinaryIO) -> tuple[Any, Parts]:
    """Arrow has two forms, which the first bytes tell apart."""
    whole = file.read(6) == b"ARROW1"
    file.seek(0)
    if not whole:
        stream = pyarrow.ipc.open_stream(file)
        return stream.schema, lambda names: (part.select(names) for part in stream)
    opened = pyarrow.ipc.open_file(file)
    places = range(opened.num_record_batches)
    return opened.schema, lambda names: (opened.get_batch(at).select(names) for at in places)


def as_texts(column: Any, name: str, path: Source) -> list[str]:
    """The cells of a column as texts, "" for a missing one; raises ContentError for types without a
    text form.
    """
    pyarrow = pyarrow_for(path)
    if pyarrow.types.is_floating(column.type):  # 2.0 as Python has it
        return ["" if cell is None else repr(cell) for cell in column.to_pylist()]
    try:
        cells: list[str] = pyarrow.compute.cast(column, pyarrow.string()).fill_null("").to_pylist()
    except pyarrow.ArrowException as error:
        rule = f"must hold numbers or UTF-8 text in {path}, got {column.type}"
        raise ContentError(f"column {name} {rule}") from error
    return cells
