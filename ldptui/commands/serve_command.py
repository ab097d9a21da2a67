"""`ldptui serve`: the workbench in the browsers of this machine."""

from __future__ import annotations

import os
import shlex
import socket
import sys
from typing import Final

from ldptui.core.base.errors import ScenarioError

from ..terminal.exits import DONE, USAGE
from ..terminal.output import note

MISSING: Final = "ldptui serve needs textual-serve: pip install 'ldptui[web]'"


def serve_workbench(name: str | None, port: int) -> int:
    """Serve the workbench until an interrupt; returns the exit code."""
    try:
        import textual_serve  # noqa: F401
    except ImportError:
        note(MISSING)
        return USAGE
    from .app_start import scenario_path
    from .local_server import HOST, LocalServer

    scenario = scenario_path(name)
    words = [sys.executable, "-P", "-m", "ldptui", *([str(scenario)] * bool(scenario))]
    try:
        socket.create_server((HOST, port)).close()  # before an address is named
        LocalServer(shlex.join(words), port).serve()
    except OSError as error:
        rule = f"must be a free port ({os.strerror(error.errno or 0)}), got {port}"
        raise ScenarioError(rule, key="--port") from None
    return DONE
