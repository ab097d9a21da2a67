"""The facts that a report of a problem should contain."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from textual.app import App

from .. import __version__
from ..terminal import places


def debug_info(app: App[Any]) -> str:
    """The facts that a report of a problem should contain; nothing of the scenario."""

    rows = [("ldptui", __version__), ("Python", platform.python_version())]
    for name in ("textual", "plotext", "numpy", "scipy", "pydantic", "xxhash"):
        try:
            rows.append((name, version(name)))
        except PackageNotFoundError:
            rows.append((name, "not installed"))
    rows += [
        ("platform", platform.platform()),
        ("size", f"{app.size.width} × {app.size.height}"),
        ("theme", app.theme),
        ("charset", str(getattr(app, "charset", "?"))),
        ("colours", "none (NO_COLOR)" if app.no_color else str(app.console.color_system)),
        ("encoding", str(getattr(sys.__stderr__, "encoding", "?"))),
        ("settings", str(places.config_file())),
        ("scenarios", str(places.scenarios_dir())),
        ("state", str(places.state_dir())),
    ]
    for name in ("TERM", "COLORTERM", "LANG", "LC_ALL", "TMUX", "STY",
                 "SSH_CONNECTION", "TERM_PROGRAM"):  # fmt: skip
        rows.append((f"${name}", os.environ.get(name, "–")))
    return "\n".join(f"{name:<16}{value}" for name, value in rows) + "\n"
