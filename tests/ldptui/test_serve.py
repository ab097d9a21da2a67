"""The workbench in a browser: whose pages may connect, what a visitor may open, and a real one."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyte
import pytest
from support.commands import Captured, fail

from ldptui.commands.serve import allowed
from ldptui.session import attack_options
from ldptui.terminal import exits
from ldptui.terminal.visitor import HOME, REFUSAL

GATE = """
import os, sqlite3, subprocess, sys
from pathlib import Path
from ldptui.terminal.visitor import confine
here, outside = Path.cwd(), Path(sys.argv[1])
confine()
(here / "own.csv").write_text("item\\n")
assert (here / "own.csv").read_text()
sqlite3.connect(here / "own.sqlite3").close()
os.replace("own.csv", "own2.csv")
import ldptui.core.base.files, tomllib  # the program itself can be read
subprocess.run([sys.executable, "-c", ""], check=True)
for forbidden in (
    lambda: (outside / "secret.csv").read_text(),
    lambda: (outside / "new").write_text("x"),
    lambda: Path(ldptui.core.base.files.__file__).open("a"),
    lambda: list(outside.iterdir()),
    lambda: os.replace("own2.csv", outside / "new"),
    lambda: (outside / "secret.csv").unlink(),
    lambda: (outside / "new").mkdir(),
    lambda: (here / "link").symlink_to(outside / "secret.csv"),
    lambda: Path(f"../{outside.name}/secret.csv").read_text(),
    lambda: sqlite3.connect(outside / "secret.csv"),
    lambda: Path("/proc/self/environ").read_bytes(),
    lambda: subprocess.run(["cat", str(outside / "secret.csv")]),
    lambda: os.system("true"),
):
    try:
        forbidden()
    except PermissionError as error:
        print(error.strerror)
    else:
        print("was allowed")
"""


def test_a_visitor_opens_and_writes_nothing_but_its_own(tmp_path: Path) -> None:
    home, outside = tmp_path / "home", tmp_path / "outside"
    home.mkdir()
    outside.mkdir()
    (outside / "secret.csv").write_text("secret")
    done = subprocess.run(
        [sys.executable, "-P", "-c", GATE, str(outside)],
        cwd=home, env={**os.environ, HOME: str(home)}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.splitlines() == [REFUSAL] * 13
    assert [path.name for path in outside.iterdir()] == ["secret.csv"]


def test_no_code_that_a_visitor_names_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    agreed = [("attack", "x", True, "/x.py", "0")]
    options = type("Options", (), {"allow_attacks": ["one_by_one"], "attack_files": ["x.py"]})()
    assert attack_options.with_agreed(options, agreed).seen
    monkeypatch.setenv(HOME, "/nowhere")
    never = attack_options.with_agreed(options, agreed)
    assert (never.names, never.files, never.seen) == ((), (), ())
    assert never.how == attack_options.NEVER


@pytest.mark.parametrize(
    ("origin", "asked", "host", "right"),
    [
        (None, "localhost:8000", "localhost", True),  # no browser
        ("http://localhost:8000", "localhost:8000", "localhost", True),
        ("http://127.0.0.1:8000", "127.0.0.1:8000", "localhost", True),
        ("http://evil.example", "localhost:8000", "localhost", False),
        ("null", "localhost:8000", "localhost", False),
        ("http://localhost:9000", "localhost:8000", "localhost", False),
        ("http://evil.example:8000", "evil.example:8000", "localhost", False),  # leads here
        ("http://box:8000", "box:8000", "0.0.0.0", True),
        ("https://public.example", "localhost:8000", "localhost", True),  # behind a proxy
    ],
)
def test_only_pages_of_the_server_connect(
    origin: str | None, asked: str, host: str, right: bool
) -> None:
    headers = {"Host": asked} | ({} if origin is None else {"Origin": origin})
    public = "https://public.example" if origin == "https://public.example" else "http://localhost"
    assert allowed(headers, host, public) == right


def test_bad_options_are_refused(capsys: Captured) -> None:
    said = fail(capsys, exits.USAGE, "serve", "--port", "0")
    assert said == "--port must be in [1, 65535], got 0"
    assert "neither a file nor a bundled" in fail(capsys, exits.USAGE, "serve", "nothing-here")


# In a real browser.

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)


class Seen:
    """The screen that the page was sent, and the pictures of the page."""

    def __init__(self, page: Any) -> None:
        self.page, self.screen = page, pyte.Screen(120, 40)
        self._stream = pyte.ByteStream(self.screen)
        self.downloads: list[str] = []
        page.on("websocket", self._connected)

    def _connected(self, websocket: Any) -> None:
        size = dict(pair.split("=") for pair in websocket.url.split("?")[1].split("&"))
        self.screen.resize(int(size["height"]), int(size["width"]))
        websocket.on("framereceived", self._received)

    def _received(self, frame: bytes | str) -> None:
        if isinstance(frame, bytes):
            self._stream.feed(frame)
        elif "deliver_file_start" in frame:
            self.downloads.append(json.loads(frame)[1])

    @property
    def text(self) -> str:
        return "\n".join(self.screen.display)

    def until(self, words: str) -> None:
        end = time.monotonic() + 60
        while words not in self.text:
            assert time.monotonic() < end, self.text
            self.page.wait_for_timeout(50)


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """A server of the quickstart, and where it is."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "ldptui", "serve", "quickstart", "--port", str(port)]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        try:
            assert "is served at" in server.stderr.readline()
            yield f"http://localhost:{port}"
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(30)
    assert [*tmp_path.glob("ldptui-visitors-*")] == []


@pytest.mark.long
@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium: apt install chromium")
def test_a_browser_shows_the_quickstart_and_follows_an_edit(address: str) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1200, "height": 800})
        page.add_init_script("window.open = () => null")  # the test asks for the download itself
        seen = Seen(page)
        page.goto(address)
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

        # What is saved is a download, and a file of the server is refused.
        page.locator(".xterm-helper-textarea").focus()
        downloads: list[Any] = []
        page.context.on(
            "page", lambda other: other.on("download", lambda each: downloads.append(each))
        )
        page.keyboard.press("Control+s")
        seen.until("Save the scenario")
        page.keyboard.press("Enter")
        seen.until("is downloaded by the browser")
        (key,) = seen.downloads
        assert "epsilon = 2" in page.request.get(f"{address}/download/{key}").text()
        page.keyboard.press("Control+o")
        seen.until("Open a scenario")
        page.keyboard.press("Control+a")
        page.keyboard.type("/etc/passwd")
        page.keyboard.press("Enter")
        seen.until("a server opens no files of its own")
        assert "root:" not in seen.text
        browser.close()

    request = urllib.request.Request(
        f"{address}/ws", headers={"Origin": "http://evil.example", "Upgrade": "websocket"}
    )
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(request)
