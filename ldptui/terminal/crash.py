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


def write_report(error: BaseException | None, arguments: Sequence[str] = ()) -> Path | None:
    """Write versions and the traceback; the file's path, or None where nothing can be written."""
    versions = {"ldptui": __version__, "Python": platform.python_version()}
    for name in ("numpy", "pydantic", "textual", "plotext"):
        if name in sys.modules:
            versions[name] = getattr(sys.modules[name], "__version__", "?")
    report = "\n".join(
        [
            f"arguments: {list(arguments)!r}",
            f"platform: {platform.platform()}",
            *(f"{name}: {version}" for name, version in versions.items()),
            "",
            "".join(traceback.format_exception(error)) if error is not None else "no exception",
        ]
    )
    folders = []
    with contextlib.suppress(Exception):
        folders.append(state_dir())
    with contextlib.suppress(OSError):
        folders.append(Path(tempfile.gettempdir()))
    for folder in folders:
        path = folder / f"ldptui-crash-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            path.write_text(report, encoding="utf-8", errors="backslashreplace")
            return path
    return None


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
