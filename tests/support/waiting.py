"""Waiting in tests of the app: for a state, never for a time, never again after a failure.

`pilot.press`, `pilot.click` and `pilot.pause` end with `idle` below: nothing is ready to run and
nothing is left to lay out or to draw. So a plain pause is enough after anything that the event loop
does by itself, however many steps it takes: a message, a mount, a screen that is pushed, a
call_after_refresh, a key that waits its turn. It is not enough for timers and threads: there a test
says with `until` what it waits for.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from linecache import getline
from typing import Any

from textual._context import active_app
from textual.app import App
from textual.css.query import NoMatches
from textual.pilot import Pilot

LIMIT_S = 30.0
FRAME_S = 1 / 120


def seen(app: App[Any]) -> str:
    """Every row of the screen, as text."""
    rows = app.screen._compositor.render_strips()
    return "\n".join(row.text for row in rows)


async def until(pilot: Pilot[Any], state: Callable[[], object], limit: float = LIMIT_S) -> None:
    """Let the app work until `state()` holds; a widget that it asks for may not be there yet.

    Fails after `limit` seconds with the text of the screen.
    """
    end = time.monotonic() + limit
    while not _holds(state):
        if time.monotonic() > end:
            code = state.__code__
            what = getline(code.co_filename, code.co_firstlineno).strip()
            raise AssertionError(f"{what}: it did not come; the screen is:\n{seen(pilot.app)}")
        await pilot.pause(FRAME_S)
    await pilot.pause()


def _holds(state: Callable[[], object]) -> bool:
    try:
        return bool(state())
    except NoMatches:
        return False


async def idle(*_: float) -> None:
    """Let the event loop run until only timers, threads and processes can bring anything more.

    It stands for `textual._wait.wait_for_idle`, by which the process is idle once it has used less
    than 1 ms of the processor in 20 ms: on a loaded machine also in the middle of its work.

    Its limit is time of the processor, which does not pass while others have it.
    """
    loop: Any = asyncio.get_running_loop()
    app = active_app.get()
    end = time.process_time() + LIMIT_S
    while True:
        await asyncio.sleep(0)
        if not loop._ready:
            if app.is_running and app.screen_stack:
                app.screen._on_timer_update()  # a frame: what waits for one is ready now
            await asyncio.sleep(0)
            if not loop._ready:
                hearing = _hearing(app)
                if hearing is None:
                    return
                await asyncio.wait({hearing})
        if time.process_time() > end:
            raise AssertionError(f"the app is never idle; the screen is:\n{seen(app)}")


def _hearing(app: App[Any]) -> asyncio.Task[None] | None:
    """The task of the keys that wait for those before them: it looks again after a pause."""
    queue = getattr(app, "key_queue", None)
    return None if queue is None else queue._task


_asks_all = Pilot._wait_for_screen


async def heard(pilot: Pilot[Any], timeout: float = LIMIT_S) -> bool:
    """Wait until no widget has a message left to hear.

    It stands for `Pilot._wait_for_screen`, which sends one to every widget and waits for them: nine
    of ten messages of a test. They are sent only where, with nothing ready to run, some widget does
    not wait for its next message: it is in the middle of one that needs a timer or a thread.
    """
    await idle()
    screen = pilot.app.screen_stack[-1:]
    widgets = [pilot.app, *(node for one in screen for node in one.walk_children(with_self=True))]
    if all(widget._message_queue.ready_event._waiters for widget in widgets):
        return True
    return await _asks_all(pilot, timeout)
