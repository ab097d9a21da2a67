"""The workbench in a browser: whose pages may connect, what a visitor may open, and a real one."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import aiohttp
import numpy as np
import pyte
import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st
from support.commands import Captured, fail

from ldptui.commands.visitors import (
    HEIGHT,
    WIDTH,
    MessageError,
    Workbenches,
    allowed,
    read,
)
from ldptui.session import attack_options
from ldptui.terminal import exits, landlock
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
    code = attack_options.Code(("one_by_one",), (Path("x.py"),))
    assert attack_options.with_agreed(code, agreed).seen
    monkeypatch.setenv(HOME, "/nowhere")
    never = attack_options.with_agreed(code, agreed)
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
    assert "neither a file nor a bundled" in fail(capsys, exits.NO_FILE, "serve", "nothing-here")


# The wall of the system, behind the gate.

WALL = """
import ctypes, os, resource, sqlite3, sys
from pathlib import Path
from ldptui.terminal import landlock
from ldptui.terminal.visitor import LIMITS, confine
here, outside = Path.cwd(), Path(sys.argv[1])
(here / "own.csv").write_text("item")
confine()
assert [resource.getrlimit(limit)[0] for limit in LIMITS] == [*LIMITS.values()]
libc = ctypes.CDLL(None, use_errno=True)  # what opens a file without Python, as libraries do
assert libc.open(str(here / "own.csv").encode(), os.O_RDONLY) > 0
assert libc.open(str(here / "new").encode(), os.O_WRONLY | os.O_CREAT, 0o600) > 0
for path, flags in (
    (outside / "secret.csv", os.O_RDONLY),
    (outside / "new", os.O_WRONLY | os.O_CREAT),
    (landlock.__file__, os.O_WRONLY),
    ("/etc/passwd", os.O_RDONLY),
):
    opened = libc.open(str(path).encode(), flags, 0o600)
    print(path, os.strerror(ctypes.get_errno()) if opened < 0 else "was opened")
for name in (f"file:{outside}/secret.sqlite3?mode=ro", f"file:{here}/own.sqlite3"):
    try:
        with sqlite3.connect(":memory:", uri=True) as database:
            database.execute("ATTACH ? AS other", (name,))
            database.execute("CREATE TABLE IF NOT EXISTS other.x (y)")
        print("attached")
    except sqlite3.Error as error:
        print("refused")
"""


@pytest.mark.skipif(not landlock.version(), reason="this system has no Landlock")
def test_libraries_open_no_file_of_the_server_either(tmp_path: Path) -> None:
    home, outside = tmp_path / "home", tmp_path / "outside"
    home.mkdir()
    outside.mkdir()
    (outside / "secret.csv").write_text("secret")
    sqlite3.connect(outside / "secret.sqlite3").close()
    done = subprocess.run(
        [sys.executable, "-P", "-c", WALL, str(outside)],
        cwd=home, env={**os.environ, HOME: str(home)}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stderr == ""
    *opened, of_others, own = done.stdout.splitlines()
    assert len(opened) == 4
    assert all(line.endswith("Permission denied") for line in opened)
    assert (of_others, own) == ("refused", "attached")


async def test_a_server_without_the_systems_wall_says_so(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Workbenches("ldptui", "localhost", 8000, None, 1)
    for version, said in ((1, 1), (0, 2)):
        monkeypatch.setattr(landlock, "version", lambda version=version: version)
        await server.on_startup(web.Application())
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) == said
    assert lines[1].startswith("this system has no Landlock: Python's own gate alone keeps")


# What a browser says.

KINDS = st.sampled_from(["stdin", "resize", "ping", "blur", "focus", "kill", ""])
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | KINDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=6,
)


@given(envelope=ANY | st.tuples(KINDS, ANY))
def test_a_message_is_one_of_five_or_refused(envelope: object) -> None:
    text = json.dumps(envelope)
    try:
        message = read(text)
    except MessageError:
        return
    assert isinstance(envelope, tuple | list)
    assert message.kind in ("stdin", "resize", "ping", "blur", "focus")
    assert message.kind == json.loads(text)[0]


def test_a_screen_has_a_largest_size() -> None:
    huge = json.dumps(["resize", {"width": 100_000, "height": 10**30}])
    assert read(huge).data == (WIDTH, HEIGHT)
    assert read('["resize", {"width": 80, "height": 24}]').data == (80, 24)
    assert read('["resize", {"width": 0, "height": -5}]').data == (1, 1)
    for wrong in ('["resize", {"width": "80", "height": 24}]', '["resize"]', "[" * 10**5, ""):
        with pytest.raises(MessageError):
            read(wrong)


CONFINED = """
import resource, sys
from ldptui.terminal.visitor import confine

confine()
print(*(resource.getrlimit(limit)[1] for limit in (
    resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_FSIZE, resource.RLIMIT_CORE)))
for excess in (lambda: bytearray(9 << 30), lambda: file.truncate((1 << 30) + 1)):
    with open(sys.argv[1], "wb") as file:
        file.truncate(1 << 30)
        try:
            excess()
        except (MemoryError, OSError) as error:
            print(type(error).__name__, getattr(error, "strerror", ""))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems limit no address space")
def test_a_visitors_process_has_limits_of_the_system(tmp_path: Path) -> None:
    """8 GiB of memory, an hour of computing, files of 1 GiB: the kernel refuses a byte more."""
    home = tmp_path.resolve()
    done = subprocess.run(
        [sys.executable, "-c", CONFINED, str(home / "large")],
        env={**os.environ, "LDPTUI_VISITOR": str(home)}, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        f"{8 << 30} 3600 {1 << 30} 0",
        "MemoryError ",
        "OSError File too large",
    ]


# A real server, and visitors who are no browsers.

HOSTILE = (
    '["resize", {"width": "x", "height": 24}]', '["resize", 7]', '["stdin", {"a": 1}]', '["stdin"]',
    "not JSON", "[]", "{}", "null", '["kill", 9]', '["ping", {}]', "[" * 1000, '"resize"',
)  # fmt: skip
"""Messages that no page of the server sends."""


@contextmanager
def serving(tmp_path: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server of the quickstart, and its port; it leaves no folder of a visitor in `tmp_path`."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = [sys.executable, "-m", "ldptui", "serve", "quickstart", "--port", str(port), *options]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        try:
            assert "is served at" in server.stderr.readline()
            wait_for(port)
            yield server, port
        finally:
            if server.poll() is None:
                server.send_signal(signal.SIGINT)
                server.wait(30)
    assert [*tmp_path.glob("ldptui-visitors-*")] == []


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


def children(pid: int) -> list[int]:
    """The processes that a process has started and that have not ended."""
    running = []
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        with suppress(FileNotFoundError, ProcessLookupError):  # it ended meanwhile
            if ") Z " not in Path(f"/proc/{child}/stat").read_text():
                running.append(int(child))
    return running


async def first_frame(websocket: aiohttp.ClientWebSocketResponse) -> None:
    """Wait until the workbench of a visitor shows something."""
    while (await websocket.receive(60)).type != aiohttp.WSMsgType.BINARY:
        pass


async def closed(websocket: aiohttp.ClientWebSocketResponse) -> None:
    """Wait until the server has let a visitor go."""
    async with asyncio.timeout(30):
        while not websocket.closed:
            await websocket.receive()


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
async def test_a_hostile_visitor_is_let_go_and_costs_nobody_else_anything(tmp_path: Path) -> None:
    with serving(tmp_path) as (server, port):
        url = f"http://localhost:{port}/ws?width=100000&height=100000"
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(url) as good,
            session.ws_connect(url) as bad,
        ):
            await first_frame(good)
            await first_frame(bad)
            assert len(children(server.pid)) == 2
            await bad.send_str('["resize", {"width": 100000, "height": 100000}]')
            await bad.send_str('["resize", {"width": 100000, "height": "x"}]')
            await closed(bad)
            async with asyncio.timeout(30):
                while len(children(server.pid)) > 1:
                    await asyncio.sleep(0)
                await good.send_str('["ping", "still there"]')
                while (sent := await good.receive()).type != aiohttp.WSMsgType.TEXT:
                    pass
            assert json.loads(sent.data) == ["pong", "still there"]
            # A process that hears nothing keeps neither its visitor's place nor the server.
            (stuck,) = children(server.pid)
            os.kill(stuck, signal.SIGSTOP)
            server.send_signal(signal.SIGTERM)
            assert server.wait(20) == 0
            assert not Path(f"/proc/{stuck}").exists()
        assert server.stderr is not None
        said = server.stderr.read()
        assert said.count("\n") == 1, said
        assert "a visitor is let go after a message" in said


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
async def test_a_visitor_who_is_just_starting_ends_without_a_word(tmp_path: Path) -> None:
    with serving(tmp_path) as (server, port):
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(f"http://localhost:{port}/ws"),
        ):
            async with asyncio.timeout(30):
                while not children(server.pid):
                    await asyncio.sleep(0)
                (starting,) = children(server.pid)
                while b"visit" not in Path(f"/proc/{starting}/cmdline").read_bytes():
                    await asyncio.sleep(0)
                os.kill(starting, signal.SIGKILL)
                while children(server.pid):
                    await asyncio.sleep(0)
            server.send_signal(signal.SIGINT)
            assert server.wait(20) == 0
        assert server.stderr is not None
        assert server.stderr.read() == ""


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
async def test_two_hundred_hostile_messages_end_in_a_line_each(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    with serving(tmp_path, "--visitors", "200") as (server, port):
        async with aiohttp.ClientSession() as session:
            for text in rng.choice(HOSTILE, 200):
                async with session.ws_connect(f"http://localhost:{port}/ws") as bad:
                    await bad.send_str(str(text))
                    await closed(bad)
        async with asyncio.timeout(30):
            while children(server.pid):
                await asyncio.sleep(0)
        server.send_signal(signal.SIGINT)
        assert server.wait(20) == 0
        assert server.stderr is not None
        lines = server.stderr.read().splitlines()
        assert len(lines) == 200
        assert all("a visitor is let go" in line for line in lines)


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
    """The place of a server of the quickstart."""
    with serving(tmp_path) as (_, port):
        yield f"http://localhost:{port}"


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
