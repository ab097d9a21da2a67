"""A small scenario of twenty trials in a file, and the store of the tests."""

import os
from pathlib import Path

import pytest
from support.commands import TWENTY


@pytest.fixture
def tiny(tmp_path: Path) -> str:
    path = tmp_path / "tiny.toml"
    path.write_text(TWENTY, encoding="utf-8")
    return str(path)


@pytest.fixture
def kept() -> Path:
    """The store that the tests' environment names."""
    return Path(os.environ["LDPTUI_STORE"])
