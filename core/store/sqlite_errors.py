"""Errors of a store's file, in one sentence each."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ..base.errors import FileError, LdpError

REASONS: Final = {
    "not a database": "is not a store of ldptui",
    "malformed": "is damaged: SQLite cannot read it",
    "full": "cannot be written: the disk is full",
    "readonly": "cannot be written: it is read-only",
    "locked": "is being written by another process for very long",
    "disk I/O": "cannot be read or written: the disk reports an error",
    "unable to open": "cannot be opened: is the folder there, and may you write to it?",
}

CORRUPTION_ERRORS: Final = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)
"""The exceptions of reading a file that others have changed; msgspec's are of them."""


@contextlib.contextmanager
def sqlite_error_context(path: Path | None) -> Iterator[None]:
    """Turn SQLite's errors into FileError, in one sentence."""
    try:
        yield
    except (sqlite3.Error, OverflowError) as error:
        message = str(error)
        sentence = next((words for key, words in REASONS.items() if key in message), None)
        where = path or "the store in memory"
        raise FileError(f"{where} {sentence or f'cannot be used: {message}'}") from error


@contextlib.contextmanager
def corruption_context(path: Path | None, what: str = "") -> Iterator[None]:
    """Turn the errors of a file that others have changed into FileError.

    what : is damaged, "" for the file as a whole.
    """
    try:
        yield
    except LdpError:
        raise
    except CORRUPTION_ERRORS as error:
        where = f"{path or 'the store'} is damaged: {what}{': ' if what else ''}"
        raise FileError(f"{where}{error}") from error
