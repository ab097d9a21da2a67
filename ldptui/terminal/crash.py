"""Facts for a developer: the report of a crash in a file, and what a report of a problem needs."""

from __future__ import annotations

import contextlib
import os
import platform
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import __version__
from . import places
from .places import state_dir

if TYPE_CHECKING:
    from textual.app import App


PARTS = ("textual", "plotext", "numpy", "scipy", "pydantic", "xxhash")
"""The packages whose versions matter."""


def versions() -> list[tuple[str, str]]:
    """The versions of ldptui and of the libraries it uses."""
    rows = [("ldptui", __version__), ("Python", platform.python_version())]
    for name in PARTS:
        try:
            rows.append((name, version(name)))
        except PackageNotFoundError:
            rows.append((name, "not installed"))
    return [*rows, ("platform", platform.platform())]


def write_report(error: BaseException | None, arguments: Sequence[str] = ()) -> Path | None:
    """Write versions and the traceback to a file; returns its path, None if no file can
    be written.
    """
    rows = [("arguments", repr(list(arguments))), *versions()]
    trace = "".join(traceback.format_exception(error)) if error is not None else "no exception"
    report = "\n".join([*(f"{name}: {value}" for name, value in rows), "", trace])
    name = f"ldptui-crash-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    for folder in (state_dir, tempfile.gettempdir):
        with contextlib.suppress(Exception):
            path = Path(folder()) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(report, encoding="utf-8", errors="backslashreplace")
            return path
    return None


def debug_info(app: App[Any]) -> str:
    """The facts for a bug report, without anything of the scenario."""
    variables = ("TERM", "COLORTERM", "LANG", "LC_ALL", "TMUX", "STY", "SSH_CONNECTION",
                 "TERM_PROGRAM")  # fmt: skip
    rows = [
        *versions(),
        ("size", f"{app.size.width} × {app.size.height}"),
        ("theme", app.theme),
        ("charset", str(getattr(app, "charset", "?"))),
        ("colours", "none (NO_COLOR)" if app.no_color else str(app.console.color_system)),
        ("encoding", str(getattr(sys.__stderr__, "encoding", "?"))),
        ("settings", str(places.config_file())),
        ("scenarios", str(places.scenarios_dir())),
        ("state", str(places.state_dir())),
        *((f"${name}", os.environ.get(name, "–")) for name in variables),
    ]
    return "\n".join(f"{name:<16}{value}" for name, value in rows) + "\n"
