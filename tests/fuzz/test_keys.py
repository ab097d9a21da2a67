"""Random keys, pastes, resizes and clicks: the workbench lives, hears, and reports no crash."""

from __future__ import annotations

import random
import re
import signal
from contextlib import suppress
from pathlib import Path

import pytest
from support.terminal import KEYS, LIMIT_S, Terminal, ldptui
from support.workbench_app import own_home, workbench
from textual.errors import NoWidget
from textual.pilot import Pilot

from ldptui.widgets.status import StatusLine

__all__ = ["own_home"]


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random keys export files, too: they go where pytest clears them away."""
    monkeypatch.chdir(tmp_path)


SPECIAL = [*KEYS, "pageup", "pagedown", "delete", "insert", "shift+up", "shift+end"]
TYPED = "abcdefghijklmnopqrstuvwxyz0123456789"
SIZES = [(80, 24), (120, 40), (20, 5), (60, 18), (1, 1), (200, 60)]
LEAVING = {"ctrl+q", "ctrl+c", "ctrl+z"}


async def mash(pilot: Pilot[None], rng: random.Random, steps: int) -> None:
    """Press random keys, resize, and click at random."""
    for _ in range(steps):
        match rng.randrange(10):
            case 0:
                await pilot.resize_terminal(*rng.choice(SIZES))
            case 1:
                width, height = pilot.app.size
                place = rng.randrange(width), rng.randrange(height)
                with suppress(NoWidget):  # the pilot asks before a new size is laid out
                    await pilot.click(offset=place, times=rng.choice([1, 1, 2, 3]))
            case 2 | 3 | 4:
                await pilot.press(rng.choice(TYPED))
            case _:
                await pilot.press(rng.choice([key for key in SPECIAL if key not in LEAVING]))


@pytest.mark.every(2)
@pytest.mark.parametrize("number", range(2))
async def test_random_keys_do_not_bring_it_down(number: int) -> None:
    async with workbench(size=SIZES[number]) as (screen, _, pilot):
        await mash(pilot, random.Random(number), 60)
        assert screen.app.is_running
        assert not screen.app._notifications
        assert screen.query_one(StatusLine).is_attached


BYTES = [*KEYS.values(), "\x1b[5~", "\x1b[6~", "\x1b[3~", "\x1b[2~"]


SUMMARY = re.compile(r"^── (?:✗ )?([23] .*?)[ …]─*(?:│|╭|╰|$)", re.MULTILINE)


def told(app: Terminal) -> dict[str, str] | None:
    """The lines of the closed panes, by pane: the keys, the attack and the defences of the draft.

    Of a script that is no TOML, they show what was valid last: only its error is the draft's. None
    of a program that ends: one that was left waits for its workers first.
    """
    app.quiet(1.0, asleep=True)
    found: dict[str, str] = {}
    for key, closed in (("f3", "3 Attack"), ("f4", "2 Parameters")):
        app.send(key)
        line = re.compile(f"(?m)^── (✗ )?{closed}")
        text = app.until(
            lambda text, line=line: line.search(text) or not app.read(0.01), 4 * LIMIT_S
        )
        if not line.search(text):
            return None
        app.quiet(0.5, asleep=True)
        if broken := re.search(r"✗ line \d+", app.text):
            return {"script": broken[0]}
        rows = SUMMARY.findall(app.text)
        assert len(rows) == 1, app.text
        found |= {row[0]: row.rstrip() for row in rows}
    return found


@pytest.mark.long
@pytest.mark.parametrize("number", range(46))
def test_random_bytes_do_not_bring_it_down(number: int, tmp_path: Path) -> None:
    """The real program under 500 random keys, pastes, resizes and mouse events.

    It lives, and what its panes say is what the draft says that it keeps: another start has that.
    """
    rng = random.Random(number)
    sent = [key for key in BYTES if key not in (KEYS["ctrl+q"], KEYS["ctrl+z"])]
    with Terminal(ldptui(), *rng.choice(SIZES[:2]), home=tmp_path) as app:
        app.until("preview:? done", 10 * LIMIT_S)
        for _ in range(500):
            match rng.randrange(10):
                case 0:
                    app.resize(*rng.choice([*SIZES, (400, 120)]))
                case 1:
                    column = rng.randint(1, app.screen.columns)
                    row = rng.randint(1, app.screen.lines)
                    button = rng.choice([0, 0, 2, 64, 65])
                    app.send(f"\x1b[<{button};{column};{row}M\x1b[<{button};{column};{row}m")
                case 2:
                    text = "".join(rng.choices('abc 123\n"=[]é漢', k=rng.randint(1, 60)))
                    app.send(f"\x1b[200~{text}\x1b[201~")
                case 3 | 4:
                    app.send(rng.choice(TYPED))
                case _:
                    app.send(rng.choice(sent))
            if not app.read(0.01):
                break
        app.quiet(1.0, 20 * LIMIT_S, asleep=True)
        shown = None
        app.resize(120, 40)  # a smaller one shows one pane anyhow, and has no zoom to leave
        for _ in range(6):  # out of dialogs, the lab, a zoom and a replay
            app.send("escape")
            app.quiet(asleep=True)
        # It may have been left by Quit, in the palette or by a click.
        if app.read(0.01) and (shown := told(app)) is not None:
            app.send("ctrl+q", "ctrl+q")  # a dialog may ask after the first
        # Both stand behind 500 keys, which are some 15 s of computing: on a busy machine, minutes.
        code = app.wait(20 * LIMIT_S)
        # A ctrl+c may reach a program that was left and has given the terminal back.
        assert code == 0 or (shown is None and code == 128 + signal.SIGINT)
        assert not list(tmp_path.rglob("ldptui-crash*"))
    with Terminal(ldptui(), 120, 40, home=tmp_path) as app:
        app.until("2 Parameters ·|✗ ", 4 * LIMIT_S)  # the draft is there, valid or not
        assert shown is None or told(app) == shown
