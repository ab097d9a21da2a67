"""The places of ldptui's files. Nothing is created by asking."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

NAME = "ldptui"
STORE = "LDPTUI_STORE"
"""The variable that names another store."""


def config_file() -> Path:
    """Settings of the user: theme, charset, keys."""
    return platformdirs.user_config_path(NAME, appauthor=False) / "config.toml"


def scenarios_dir() -> Path:
    """The user's own scenarios, shown in the library."""
    return platformdirs.user_data_path(NAME, appauthor=False) / "scenarios"


def store_file() -> Path:
    """The runs that are kept."""
    return platformdirs.user_data_path(NAME, appauthor=False) / "runs.sqlite3"


def chosen_store(given: str | None) -> tuple[Path, bool]:
    """The file of the store, and whether somebody chose it, by an option or the variable."""
    chosen = given or os.environ.get(STORE)
    return (Path(chosen).expanduser(), True) if chosen else (store_file(), False)


def state_dir() -> Path:
    """Drafts, crash reports, logs."""
    return platformdirs.user_state_path(NAME, appauthor=False)


def current_dir() -> Path:
    """The folder that the program was started in; the user's own where it was removed since."""
    try:
        return Path.cwd()
    except OSError:
        return Path.home()
