"""The server behind `ldptui serve`: Textual's own, bound to this machine, for its own pages alone.

Whoever connects drives a process that reads and writes the user's files. Browsers let every page
connect to every address, this machine's too, but say whose page it is: other pages are refused.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from aiohttp import web
from textual_serve.server import Server

from ..terminal.output import note

HOST: Final = "127.0.0.1"
NAMES: Final = ("localhost", HOST)
"""The names of this machine: another name that leads here is a stranger's."""
FOREIGN: Final = re.compile(r'<link\b[^>]*\bhref="https?://[^>]*>')
"""The style sheet of another host that Textual's page asks for: it would learn of every visit."""


class LocalServer(Server):
    """Serves the workbench to browsers on a port of this machine."""

    def __init__(self, command: str, port: int) -> None:
        super().__init__(command, HOST, port, "ldptui", f"http://localhost:{port}")

    def initialize_logging(self) -> None:
        """Switch off the logs of Textual's server: its tracebacks show local variables."""
        logging.getLogger("textual-serve").setLevel(logging.CRITICAL + 1)

    async def on_startup(self, app: web.Application) -> None:  # noqa: ARG002 - Textual's
        note(f"ldptui is served at {self.public_url} until ctrl+c")

    async def handle_index(self, request: web.Request) -> web.Response:
        page: web.Response = await super().handle_index(request)  # type: ignore[assignment]
        page.text = FOREIGN.sub("", page.text or "")
        return page

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        if not is_own_page(request.headers):
            raise web.HTTPForbidden(text="this page is no page of this server")
        if not web.WebSocketResponse().can_prepare(request):
            raise web.HTTPBadRequest(text="this address is for the pages of this server")
        return await super().handle_websocket(request)


def is_own_page(headers: Mapping[str, str]) -> bool:
    """True if an HTTP request comes from a page of this server."""
    origin, host = headers.get("Origin"), headers.get("Host", "")
    try:
        name = urlsplit(f"//{host}").hostname
        return name in NAMES and (origin is None or urlsplit(origin).netloc == host)
    except ValueError:
        return False
