"""The report of a crash for a developer, in a file whose path a user can pass on."""

from __future__ import annotations

import contextlib
import os
import platform
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

from .. import __version__
from .places import state_dir


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
