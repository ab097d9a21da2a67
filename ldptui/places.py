"""Where files live. Nothing is created by asking."""

from __future__ import annotations

from pathlib import Path

import platformdirs

NAME = "ldptui"


def config_file() -> Path:
    """Settings of the user: theme, charset, keys."""
    return platformdirs.user_config_path(NAME, appauthor=False) / "config.toml"


def scenarios_dir() -> Path:
    """The user's own scenarios, shown in the library."""
    return platformdirs.user_data_path(NAME, appauthor=False) / "scenarios"


def store_file() -> Path:
    """The runs that are kept."""
    return platformdirs.user_data_path(NAME, appauthor=False) / "runs.sqlite3"


def state_dir() -> Path:
    """Drafts, crash reports, logs."""
    return platformdirs.user_state_path(NAME, appauthor=False)
