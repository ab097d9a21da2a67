"""`ldptui serve`: the workbench in browsers, a process and a folder for each visitor."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from ldptui.core.base.errors import ScenarioError

from ..terminal.exits import DONE, USAGE
from ..terminal.output import note

MISSING: Final = "ldptui serve needs textual-serve: pip install 'ldptui[web]'"
LOCAL: Final = ("localhost", "127.0.0.1", "::1")


def serve(options: argparse.Namespace) -> int:
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

    try:
        scenario = scenario_path(options.scenario)
    except FileNotFoundError as error:
        raise ScenarioError(str(error)) from error
    parent = Path(tempfile.mkdtemp(prefix="ldptui-visitors-"))
    os.environ["LDPTUI_VISITORS"] = str(parent)
    try:
        server(options, scenario).serve()
    finally:
        shutil.rmtree(parent, ignore_errors=True)
    return DONE


def server(options: argparse.Namespace, scenario: Path | None) -> Any:
    """The server of these options; its visitors begin with this scenario."""
    from aiohttp import web
    from textual_serve.server import Server

    class Workbenches(Server):
        """Serves pages of its own address alone, and a limited number of visitors."""

        visitors = 0

        def initialize_logging(self) -> None:
            """Its tracebacks would show local variables."""

        async def on_startup(self, app: web.Application) -> None:  # noqa: ARG002 - Textual's
            note(f"ldptui is served at {self.public_url} until ctrl+c")

        async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
            if not allowed(request.headers, options.host, self.public_url):
                raise web.HTTPForbidden(text="this page is no page of this server")
            if self.visitors >= options.visitors:
                raise web.HTTPServiceUnavailable(text="too many visitors: try again later")
            self.visitors += 1
            try:
                return await super().handle_websocket(request)
            finally:
                self.visitors -= 1

    words = [
        sys.executable,
        "-P",
        "-m",
        "ldptui.commands.visit",
        *([str(scenario)] * bool(scenario)),
    ]
    return Workbenches(shlex.join(words), options.host, options.port, "ldptui", options.public_url)


def allowed(headers: Mapping[str, str], host: str, public: str) -> bool:
    """Return whether a connection comes from a page of this server, as browsers tell.

    Browsers let every page connect to every address, `localhost` too, but say whose page it is. A
    server that is bound to this machine is spoken to by a name of this machine, not by a
    stranger's name that leads here.
    """
    origin, asked = headers.get("Origin"), headers.get("Host", "")
    if origin is not None and urlsplit(origin).netloc not in (asked, urlsplit(public).netloc):
        return False
    name = urlsplit(f"//{asked}").hostname or ""
    return host not in LOCAL or name in (*LOCAL, urlsplit(public).hostname)
