"""The counting of code lines: what counts, and what does not."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

PLACE = Path(__file__).parents[2] / "bench" / "size.py"
SPEC = importlib.util.spec_from_file_location("bench_size", PLACE)
assert SPEC is not None
assert SPEC.loader is not None
SIZE = sys.modules[SPEC.name] = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(SIZE)

TEXT = '''"""A module.

Told in three lines.
"""

import os  # why

# a comment


NAME = """kept
text"""
"""What stands below a name counts as its docstring."""


class Kind:
    """A class."""

    async def one(self) -> int:
        """Told."""
        return (
            1

            + 2
        )


def two() -> None: ...
'''


@pytest.mark.parametrize(
    ("text", "size"),
    [("", (1, 0, 0)), ("# only\n\n", (1, 0, 0)), ("x = 1; y = 2\n", (1, 1, 0)), (TEXT, (1, 10, 2))],
)
def test_code_lines_are_lines_with_code(text: str, size: tuple[int, int, int]) -> None:
    assert SIZE.size_of(text) == SIZE.Size(*size)


def test_the_rooms_add_up() -> None:
    rooms = ("core/task", "ldptui/widgets")
    parts = [SIZE.total((room,)) for room in rooms]
    assert all(part.lines for part in parts)
    assert sum(parts, SIZE.Size()) == SIZE.total(rooms)
    assert all(path.is_relative_to(SIZE.ROOT / "ldptui") for path in SIZE.files("ldptui"))
    counted = {*SIZE.files("ldptui")} & set(SIZE.files("core"))
    assert not counted, "the link in ldptui is not followed"
