"""The workbench in a browser: whose pages may connect, and a real server."""

from __future__ import annotations

import asyncio
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import aiohttp
import pyte
import pytest
from support.commands import Captured, fail

from ldptui.commands.local_server import is_own_page
from ldptui.terminal import exits


@pytest.mark.parametrize(
    ("origin", "asked", "own"),
    [
        (None, "localhost:8000", True),  # no browser
        ("http://localhost:8000", "localhost:8000", True),
        ("http://127.0.0.1:8000", "127.0.0.1:8000", True),
        ("http://evil.example", "localhost:8000", False),
        ("null", "localhost:8000", False),
        ("http://localhost:9000", "localhost:8000", False),
        ("http://evil.example:8000", "evil.example:8000", False),  # a name that leads here
        (None, "[::1", False),
        (None, "", False),
    ],
)
def test_only_pages_of_the_server_connect(origin: str | None, asked: str, own: bool) -> None:
    headers = {"Host": asked} | ({} if origin is None else {"Origin": origin})
    assert is_own_page(headers) == own


def test_bad_options_are_refused(capsys: Captured) -> None:
    said = fail(capsys, exits.USAGE, "serve", "--port", "0")
    assert said == "--port must be in [1, 65 535], got 0"


@contextmanager
def serving() -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server of the quickstart, and its port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = [sys.executable, "-m", "ldptui", "serve", "quickstart", "--port", str(port)]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        try:
            assert "is served at" in server.stderr.readline()
            wait_for(port)
            yield server, port
        finally:
            if server.poll() is None:
                server.send_signal(signal.SIGINT)
                server.wait(30)


def wait_for(port: int) -> None:
    """Wait until a server listens, which it does just after it has said its address."""
    end = time.monotonic() + 30
    while True:
        try:
            socket.create_connection(("localhost", port), timeout=5).close()
        except ConnectionRefusedError:
            assert time.monotonic() < end
        else:
            return


async def test_a_server_shows_the_workbench_and_refuses_others_in_a_line() -> None:
    with serving() as (server, port):
        url = f"http://localhost:{port}"
        async with aiohttp.ClientSession() as session:
            for headers, status in (
                ({}, 400),  # no page of the server asks so
                ({"Host": "[::1"}, 403),
                ({"Origin": "http://evil.example"}, 403),
            ):
                async with session.get(f"{url}/ws", headers=headers) as answer:
                    assert answer.status == status
                    assert (await answer.text()).count("\n") == 0
            async with session.get(url) as page:
                assert "https://fonts" not in await page.text()
            async with session.ws_connect(f"{url}/ws") as bad:
                await bad.send_str("not JSON")  # ends this visit alone
                async with asyncio.timeout(30):
                    while not bad.closed:
                        await bad.receive()
            async with session.ws_connect(f"{url}/ws?width=100&height=30") as browser:
                while (await browser.receive(60)).type != aiohttp.WSMsgType.BINARY:
                    pass
        taken = subprocess.run(
            [sys.executable, "-m", "ldptui", "serve", "--port", str(port)],
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert taken.returncode == exits.USAGE
        (line,) = taken.stderr.splitlines()
        assert line.startswith("--port must be a free port (Address")
        server.send_signal(signal.SIGINT)
        assert server.wait(30) == 0
        assert server.stderr is not None
        assert server.stderr.read() == ""


# In a real browser.

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)


class Seen:
    """The screen that the page was sent, and the pictures of the page."""

    def __init__(self, page: Any) -> None:
        self.page, self.screen = page, pyte.Screen(120, 40)
        self._stream = pyte.ByteStream(self.screen)
        page.on("websocket", self._connected)

    def _connected(self, websocket: Any) -> None:
        size = dict(pair.split("=") for pair in websocket.url.split("?")[1].split("&"))
        self.screen.resize(int(size["height"]), int(size["width"]))
        websocket.on("framereceived", self._received)

    def _received(self, frame: bytes | str) -> None:
        if isinstance(frame, bytes):
            self._stream.feed(frame)

    @property
    def text(self) -> str:
        return "\n".join(self.screen.display)

    def until(self, words: str) -> None:
        end = time.monotonic() + 60
        while words not in self.text:
            assert time.monotonic() < end, self.text
            self.page.wait_for_timeout(50)


@pytest.mark.long
@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium: apt install chromium")
def test_a_browser_shows_the_quickstart_and_follows_an_edit() -> None:
    from playwright.sync_api import sync_playwright

    with serving() as (_, port), sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1200, "height": 800})
        seen = Seen(page)
        page.goto(f"http://localhost:{port}")
        seen.until("preview done")
        assert "Quickstart: an attack moves an estimate" in seen.text
        before, picture = seen.text, page.screenshot()
        page.locator(".xterm-helper-textarea").focus()
        page.keyboard.press("Control+p")
        seen.until("Search")
        page.keyboard.type("eps 2")
        page.keyboard.press("Enter")
        seen.until("OUE ε=2")
        seen.until("preview done")
        assert seen.text != before
        assert page.screenshot() != picture
        browser.close()
