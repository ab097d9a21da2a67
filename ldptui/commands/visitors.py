"""The visitors of `ldptui serve`: what a browser may say, and a process for each that ends with it.

Textual's own server trusts what a browser sends. Here a message is read once, at the door, and a
visitor who sends another kind of message is let go.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import re
import shlex
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from aiohttp import WSMsgType, web
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager
from textual_serve.server import Server, to_int

from ..terminal import landlock
from ..terminal.output import note

LOCAL: Final = ("localhost", "127.0.0.1", "::1")
FOREIGN: Final = re.compile(r'<link\b[^>]*\bhref="https?://[^>]*>')
"""The style sheet of another host that Textual's page asks for: it would learn of every visitor."""
POLICY: Final = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' ws: wss:"
)
"""The policy of the page: a browser asks no other host for anything."""
WIDTH: Final = 500
HEIGHT: Final = 200
"""The largest screen of a visitor, in columns and rows; a larger one is taken to be this large."""
MESSAGE: Final = 1 << 20
"""The longest message, in bytes: a paste of a megabyte."""
PARTING: Final = 1.0
"""Seconds that a process has to end by itself, its folder removed, before it is killed."""


class MessageError(Exception):
    """A message that no page of this server sends; its text says what is wrong with it."""


@dataclass(frozen=True)
class Message:
    """What a browser says: its kind, and what comes with it.

    kind : "stdin" with text, "resize" with (columns, rows), "ping" with text, "blur", "focus".
    """

    kind: str
    data: Any = None


def read(text: str) -> Message:
    """The message that a browser sent; raises MessageError."""
    try:
        envelope = json.loads(text)
    except (ValueError, RecursionError):
        raise MessageError("it is not JSON") from None
    match envelope:
        case ["stdin", str(data)]:
            return Message("stdin", data)
        case ["resize", {"width": int(width), "height": int(height)}]:
            return Message("resize", size(width, height))
        case ["ping", str() | int() | float() | None as data] if len(str(data)) <= 64:
            return Message("ping", data)
        case ["blur" | "focus" as kind, *_]:
            return Message(kind)
    raise MessageError("it is neither keys nor a size, a ping, a blur or a focus")


def size(width: int, height: int) -> tuple[int, int]:
    """The nearest size of a screen that a visitor may have."""
    return min(max(1, width), WIDTH), min(max(1, height), HEIGHT)


class Visit(AppService):
    """The process of one visitor, which leads a group of processes of its own."""

    def __init__(
        self, command: str, websocket: web.WebSocketResponse, downloads: DownloadManager
    ) -> None:
        async def close() -> None:
            await websocket.close()

        super().__init__(
            command,
            write_bytes=websocket.send_bytes,
            write_str=websocket.send_str,
            close=close,
            download_manager=downloads,
        )

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        words: Sequence[str] = shlex.split(self.command)
        self._process = process = await asyncio.create_subprocess_exec(
            *words,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env=self._build_environment(width=width, height=height),
            start_new_session=True,
        )
        self._stdin = process.stdin
        return process

    async def take(self, message: Message) -> None:
        """Hand a message on to the process."""
        match message.kind:
            case "stdin":
                # A lone surrogate is no character of any keyboard.
                await self.send_bytes(message.data.encode("utf-8", "replace"))
            case "resize":
                await self.set_terminal_size(*message.data)
            case "blur":
                await self.blur()
            case "focus":
                await self.focus()

    async def stop(self) -> None:
        """Ask the process to end, and kill it and what it started where it does not."""
        with contextlib.suppress(TimeoutError, ConnectionError):
            async with asyncio.timeout(PARTING):
                await super().stop()
        await self.kill()

    async def kill(self) -> None:
        """End the process and all of its group now; nothing happens where they have ended."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            await self._process.wait()


class Workbenches(Server):
    """Serves pages of its own address alone, and a limited number of visitors.

    command : the process of a visitor. most : visitors at one time.
    """

    def __init__(self, command: str, host: str, port: int, public: str | None, most: int) -> None:
        super().__init__(command, host, port, "ldptui", public)
        self.most = most
        self.visits: dict[Visit, web.WebSocketResponse] = {}

    def initialize_logging(self) -> None:
        """Nothing of its own: its tracebacks would show local variables.

        A process that is ended while it starts is no failure; what one that fails has said is shown
        in any case.
        """
        logging.getLogger("textual-serve").setLevel(logging.CRITICAL + 1)
        logging.getLogger("asyncio").setLevel(logging.ERROR)  # it warns of one that ends after us

    async def on_startup(self, app: web.Application) -> None:  # noqa: ARG002 - Textual's
        note(f"ldptui is served at {self.public_url} until ctrl+c")
        if not landlock.version():
            note("this system has no Landlock: Python's own gate alone keeps visitors' files")

    async def on_shutdown(self, app: web.Application) -> None:  # noqa: ARG002 - Textual's
        await asyncio.gather(*(visit.kill() for visit in self.visits))
        for websocket in list(self.visits.values()):
            with contextlib.suppress(TimeoutError, ConnectionError):
                async with asyncio.timeout(1):
                    await websocket.close()

    async def handle_index(self, request: web.Request) -> web.Response:
        page: web.Response = await super().handle_index(request)  # type: ignore[assignment]
        page.text = FOREIGN.sub("", page.text or "")
        page.headers["Content-Security-Policy"] = POLICY
        return page

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        if not allowed(request.headers, self.host, self.public_url):
            raise web.HTTPForbidden(text="this page is no page of this server")
        if len(self.visits) >= self.most:
            raise web.HTTPServiceUnavailable(text="too many visitors: try again later")
        websocket = web.WebSocketResponse(heartbeat=15, max_msg_size=MESSAGE)
        visit = Visit(self.command, websocket, self.download_manager)
        self.visits[visit] = websocket
        try:
            await websocket.prepare(request)
            columns = to_int(request.query.get("width", ""), 80)
            rows = to_int(request.query.get("height", ""), 24)
            await visit.start(*size(columns, rows))
            await self._converse(websocket, visit)
        except MessageError as error:
            note(f"a visitor is let go after a message that no page of ldptui sends: {error}")
        except ConnectionError:
            pass  # the browser is gone
        finally:
            await visit.stop()
            del self.visits[visit]
            await websocket.close()
        return websocket

    async def _converse(self, websocket: web.WebSocketResponse, visit: Visit) -> None:
        async for sent in websocket:
            if sent.type != WSMsgType.TEXT:
                raise MessageError("it is not text")
            message = read(sent.data)
            if message.kind == "ping":
                await websocket.send_json(["pong", message.data])
            else:
                await visit.take(message)


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
