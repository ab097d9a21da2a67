"""The output of a command and notes beside it; the terminal's width and colours."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any, BinaryIO, Final, TextIO

from ldptui.core.base.errors import FileError, one_line, reason_of
from ldptui.core.base.files import is_folder, is_there

from ..text import format as text
from ..text.folding import fold_text


def as_json(document: Any) -> str:
    """A document as indented JSON; values without a JSON type become text."""
    return json.dumps(document, indent=2, ensure_ascii=False, default=str) + "\n"


def write_json(document: Any) -> None:
    """Write a document as JSON to standard output."""
    write_out(as_json(document), exactly=True)


def write_out(written: str, exactly: bool = False) -> None:
    """Write text to standard output: data exactly, in UTF-8; words as the terminal can show them.

    To a terminal, data is also written as words, as a label may contain control characters.
    """
    out = sys.stdout
    raw = exactly and hasattr(out, "buffer") and not out.isatty()
    if out.isatty() and not exactly:
        written = fold_text(written, width())
    shown = written if raw else encodable(lines_shown(written, styled=not exactly), out)
    try:
        out.flush()
        if hasattr(out, "buffer"):
            encoding = "utf-8" if raw else out.encoding
            _write_whole(out.buffer, shown.encode(encoding, "surrogateescape"))
        else:
            out.write(shown)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise FileError(f"standard output cannot be written: {reason_of(error)}") from error


def _write_whole(stream: BinaryIO, data: bytes) -> None:
    """Write all data; with PYTHONUNBUFFERED a single write to a full disk may write a part of it
    without an error.
    """
    rest = memoryview(data)
    while rest:
        rest = rest[stream.write(rest) or 0 :]
    stream.flush()


def lines_shown(written: str, styled: bool = False) -> str:
    """Lines without characters that steer a terminal.

    styled : keep our codes for bold and faint.
    """
    if not styled:
        return "\n".join(map(one_line, written.split("\n")))
    parts = _EMPHASIS.split(written)  # every second one is an escape sequence
    parts[::2] = map(lines_shown, parts[::2])
    return "".join(parts)


_EMPHASIS: Final = re.compile(r"(\x1b\[[012]m)")
"""The escape sequences of `ldptui.text.table.layout.Style`."""


def encodable(written: str, stream: TextIO) -> str:
    """The text with characters that the stream's encoding lacks spelled out."""
    encoding = stream.encoding or "utf-8"
    try:
        written.encode(encoding)
    except UnicodeEncodeError:
        return text.to_ascii(written)
    return written


def note(sentence: str) -> None:
    """Write one line to standard error; write errors are ignored."""
    words = one_line(" ".join(sentence.splitlines()))
    with contextlib.suppress(OSError):
        print(encodable(words, sys.stderr), file=sys.stderr, flush=True)


def width() -> int:
    return max(40, shutil.get_terminal_size((80, 24)).columns)


def in_colour(stream: TextIO) -> bool:
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not plain


def check_writable(path: Path) -> None:
    """Check before a run that its output file can be written; raises FileError."""
    if is_folder(path):
        raise FileError(f"{path} cannot be written: it is a folder")
    folder = next((parent for parent in path.absolute().parents if is_there(parent)), None)
    if folder is not None and not (is_folder(folder) and os.access(folder, os.W_OK)):
        raise FileError(f"{path} cannot be written: {folder} is not a writable folder")
