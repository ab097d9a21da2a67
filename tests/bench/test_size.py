"""The counting of code lines: what counts, and what does not."""

from __future__ import annotations

import pytest
import size

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
    ("text", "expected"),
    [("", (1, 0, 0)), ("# only\n\n", (1, 0, 0)), ("x = 1; y = 2\n", (1, 1, 0)), (TEXT, (1, 10, 2))],
)
def test_code_lines_are_lines_with_code(text: str, expected: tuple[int, int, int]) -> None:
    assert size.size_of(text) == size.Size(*expected)


def test_the_rooms_add_up() -> None:
    rooms = ("core/task", "ldptui/widgets")
    parts = [size.total((room,)) for room in rooms]
    assert all(part.lines for part in parts)
    assert sum(parts, size.Size()) == size.total(rooms)
    assert all(path.is_relative_to(size.ROOT / "ldptui") for path in size.files("ldptui"))
    counted = {*size.files("ldptui")} & set(size.files("core"))
    assert not counted, "the link in ldptui is not followed"
