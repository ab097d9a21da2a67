"""A small scenario in a file."""

from pathlib import Path

import pytest
from support.commands import TINY


@pytest.fixture
def tiny(tmp_path: Path) -> str:
    path = tmp_path / "tiny.toml"
    path.write_text(TINY, encoding="utf-8")
    return str(path)
