"""What tests of strangers' attacks have: settings of their own, a scenario that asks for one."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.plugin_cases import toml


@pytest.fixture
def no_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The settings file of the tests."""
    path = tmp_path / "config.toml"
    path.write_text("")
    monkeypatch.setenv("LDPTUI_CONFIG", str(path))
    return path


@pytest.fixture
def scenario(tmp_path: Path) -> str:
    """A stranger's scenario that asks for "honest"."""
    path = tmp_path / "stranger.toml"
    path.write_text(toml("honest"), encoding="utf-8")
    return str(path)
