"""`ldptui serve`: the workbench in browsers, a process and a folder for each visitor."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from ldptui.core.base.errors import ScenarioError

from ..terminal.exits import DONE, USAGE
from ..terminal.output import note
from .options import Serve

MISSING: Final = "ldptui serve needs textual-serve: pip install 'ldptui[web]'"


def serve(options: Serve) -> int:
    """Serve until it is interrupted; returns the exit code."""
    try:
        import textual_serve  # noqa: F401
    except ImportError:
        note(MISSING)
        return USAGE
    if not 0 < options.port < 65536:
        raise ScenarioError(f"must be in [1, 65535], got {options.port}", key="--port")
    if options.visitors < 1:
        raise ScenarioError(f"must be at least 1, got {options.visitors}", key="--visitors")
    from .start import scenario_path

    scenario = scenario_path(options.scenario)
    parent = Path(tempfile.mkdtemp(prefix="ldptui-visitors-"))
    os.environ["LDPTUI_VISITORS"] = str(parent)
    try:
        server(options, scenario).serve()
    finally:
        shutil.rmtree(parent, ignore_errors=True)
    return DONE


def server(options: Serve, scenario: Path | None) -> Any:
    """The server of these options; its visitors begin with this scenario."""
    from .visitors import Workbenches

    words = [
        sys.executable,
        "-P",
        "-m",
        "ldptui.commands.visit",
        *([str(scenario)] * bool(scenario)),
    ]
    return Workbenches(
        shlex.join(words), options.host, options.port, options.public_url, options.visitors
    )
