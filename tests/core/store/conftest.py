"""A store that is opened, and the blocks that are computed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ldptui import core
from ldptui.core.store import Store, open_store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "runs.sqlite3"


@pytest.fixture
def kept(path: Path) -> Iterator[Store]:
    with open_store(path) as opened:
        yield opened


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int, int]]:
    """The (cell, block, trials) that are computed from now on."""
    seen: list[tuple[int, int, int]] = []
    original = core.Cell.block

    def spied(cell: core.Cell, number: int, trials: int, *more: Any) -> Any:
        seen.append((cell.index, number, trials))
        return original(cell, number, trials, *more)

    monkeypatch.setattr(core.Cell, "block", spied)
    return seen
