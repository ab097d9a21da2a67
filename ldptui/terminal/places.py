"""The places of ldptui's files. Nothing is created by asking."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

NAME = "ldptui"
STORE = "LDPTUI_STORE"
"""The variable that names another store."""


def config_file() -> Path:
    """The path of the user's settings file: theme, charset, keys."""
    return platformdirs.user_config_path(NAME, appauthor=False) / "config.toml"


def scenarios_dir() -> Path:
    """The folder of the user's own scenarios."""
    return platformdirs.user_data_path(NAME, appauthor=False) / "scenarios"


def store_file() -> Path:
    """The path of the store of runs."""
    return platformdirs.user_data_path(NAME, appauthor=False) / "runs.sqlite3"


def chosen_store(given: str | None) -> tuple[Path, bool]:
    """The path of the store, and whether an option or environment variable chose it."""
    chosen = given or os.environ.get(STORE)
    return (Path(chosen).expanduser(), True) if chosen else (store_file(), False)


def state_dir() -> Path:
    """The folder of drafts, crash reports and logs."""
    return platformdirs.user_state_path(NAME, appauthor=False)


def deployment_mark() -> Path:
    """The path of the file that is there once the user has opened a deployment of their own."""
    return state_dir() / "deployment-opened"


def current_dir() -> Path:
    """The folder in which the program was started; the user's home if it no longer exists."""
    try:
        return Path.cwd()
    except OSError:
        return Path.home()
