"""Reports as a client writes them, a line each: a row of CSV, or an object of JSON lines."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..base.errors import ScenarioError, got
from ..law.pure import LocalMechanism, Reports
from .files import check_row, reports_from
from .layout import Column, layout

WIDE: Final = 64
"""Bytes of a line that are compared as text; of a longer one, its first half and a digest."""


@dataclass(frozen=True)
class Lines:
    """The lines of one protocol's reports."""

    protocol: LocalMechanism
    columns: Sequence[Column]

    @classmethod
    def of(cls, protocol: LocalMechanism) -> Lines:
        return cls(protocol, layout(protocol))

    @property
    def header(self) -> bytes:
        """The names of the columns, as the first line of a file of CSV has them."""
        return ",".join(column.name for column in self.columns).encode()

    def __call__(self, lines: list[bytes], first: int) -> Reports:
        """The reports of lines; raises ScenarioError with the first line that is none.

        first : the number of the first line, for the sentence.
        """
        quick = self._quick(lines)
        if quick is not None:
            return quick
        rows = [self._row(line, first + at) for at, line in enumerate(lines)]
        cells = list(zip(*rows, strict=True))
        try:
            parts = [column.read(held) for column, held in zip(self.columns, cells, strict=True)]
            return reports_from(self.columns, parts, self.protocol)
        except (ValueError, TypeError, OverflowError):
            for at, row in enumerate(rows):
                check_row(f"report {first + at}", self.columns, row, self.protocol)
            raise

    def _quick(self, lines: list[bytes]) -> Reports | None:
        """The same of many lines at once; None where some are not as the others."""
        if lines[0].lstrip().startswith(b"{"):
            return self._quick_objects(lines)
        if any(column.holds == "numbers" for column in self.columns):
            return None
        fields = [(column.name, column.quick) for column in self.columns]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                texts = b"\n".join(lines).decode("ascii").split("\n")
                cells: Any = np.loadtxt(texts, fields, delimiter=",", comments=None, ndmin=1)
            if len(cells) != len(lines):
                return None
            parts = [column.parsed(cells[column.name]) for column in self.columns]
            return reports_from(self.columns, parts, self.protocol)
        except (ValueError, UserWarning, OverflowError):
            return None

    def _quick_objects(self, lines: list[bytes]) -> Reports | None:
        try:
            rows = json.loads(b"[" + b",".join(lines) + b"]")
            cells = [[row[column.name] for row in rows] for column in self.columns]
            if len(rows) != len(lines):
                return None
            parts = [column.read(held) for column, held in zip(self.columns, cells, strict=True)]
            return reports_from(self.columns, parts, self.protocol)
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
            return None

    def _row(self, line: bytes, number: int) -> list[Any]:
        """The cells of a line; raises ScenarioError."""
        names = [column.name for column in self.columns]
        text = line.decode("utf-8", "replace").strip()
        if text.startswith("{"):
            try:
                row = json.loads(text)
            except (ValueError, RecursionError):
                row = None
            if isinstance(row, dict) and all(name in row for name in names):
                return [row[name] for name in names]
            rule = f"must be an object with {' and '.join(names)}"
            raise ScenarioError(f"report {number} {rule}, {got(text)}")
        cells = [cell.strip() for cell in text.split(",")] if len(names) > 1 else [text]
        if len(cells) != len(names):
            rule = f"must be {','.join(names)}"
            raise ScenarioError(f"report {number} {rule}, {got(text)}")
        return cells


def opaque(lines: list[bytes], _: int) -> NDArray[np.bytes_]:
    """S[n]: lines compared as text, whatever they hold."""
    return np.array([_narrow(line.rstrip(b"\r")) for line in lines], dtype=f"S{WIDE}")


def _narrow(line: bytes) -> bytes:
    if len(line) <= WIDE:
        return line
    half = WIDE // 2
    return line[:half] + blake2b(line, digest_size=half // 2).hexdigest().encode()
