"""Keys typed at once end in the draft and the screen that the same keys typed slowly give."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Sequence

import pytest
from support.fake_engine import FakeEngine
from support.waiting import idle, seen, until
from support.workbench_app import own_home, workbench
from textual.events import Key
from textual.keys import _character_to_key
from textual.pilot import Pilot

from ldptui.screens.workbench.screen import WorkbenchScreen
from ldptui.session.autosave import load_draft
from ldptui.widgets.picker import PickerScreen
from ldptui.widgets.status import StatusLine

__all__ = ["own_home"]

PANES = "123"
WALKING = ["tab", "tab", "tab", "shift+tab", "up", "down", "left", "right", "right", "right"]
DOING = ["enter", "escape", "a", "delete", "space", "ctrl+z", "asterisk", "backspace", "home"]
TYPED = "0123789.1e-"
"""No number of the charts, the runs or the lab: those are no forms."""


def keys_of(rng: random.Random, steps: int) -> list[str]:
    """Random keys that walk through the forms, and edit what they come to."""
    keys: list[str] = []
    while len(keys) < steps:
        match rng.randrange(10):
            case 0:
                keys += ["escape", rng.choice(PANES)]
            case 1 | 2 | 3 | 4:
                keys += [rng.choice(WALKING)] * rng.randint(1, 4)
            case 5:
                keys += rng.choices(TYPED, k=rng.randint(1, 3))
            case _:
                keys.append(rng.choice(DOING))
    return keys[:steps]


def send(pilot: Pilot[None], key: str) -> None:
    """Hand a key to the app as its driver does, and wait for nothing."""
    letter = key if len(key) == 1 else None
    event = Key(key if letter is None else _character_to_key(letter), letter)
    event.set_sender(pilot.app)
    pilot.app.post_message(event)


@pytest.fixture(autouse=True)
def no_clocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a form does by the clock while its script is broken, it does never.

    What plays stays where it began: slow keys on a busy machine would find it a stop further. And
    a preview lasts until the next one: whether escape comes in time to stop one, or finds it done,
    is a question of the clock as well.
    """
    monkeypatch.setattr("ldptui.session.autosave.REST_S", 1e6)  # else slow keys are two edits
    for place in ("draft_screen.REST_S", "replay_bar.TICK_S"):
        monkeypatch.setattr(f"ldptui.screens.workbench.{place}", 1e6)
    monkeypatch.setattr(FakeEngine, "cancel", lambda _: None)


async def settled(screen: WorkbenchScreen, pilot: Pilot[None]) -> None:
    """Wait until every key is heard, and its preview begun and shown."""
    await until(pilot, lambda: screen.app.key_queue.is_empty and tried(pilot))
    await until(pilot, lambda: not (screen.waits_for("preview") or screen.waits_for("show")))
    await until(pilot, lambda: all(worker.is_finished for worker in screen.app.workers))


async def walk(
    sequences: Sequence[Sequence[str]], size: tuple[int, int], *, at_once: bool
) -> list[tuple[str, str, str]]:
    """The draft, the widget with the focus and the screen after each of these sequences."""
    ends = []
    async with workbench(size=size) as (screen, _, pilot):
        screen.app.animation_level = "none"  # what scrolls is there at once
        await settled(screen, pilot)
        for keys in sequences:
            for key in keys:
                send(pilot, key)
                if not at_once:
                    await idle()
            await settled(screen, pilot)
            draft = screen.draft
            assert draft is not None
            ends.append((draft.text, repr(screen.focused), without_times(screen)))
    load_draft()  # the next start is a first one again
    return ends


def tried(pilot: Pilot[None]) -> bool:
    """True unless a picker still asks, in a thread, what can be picked."""
    shown = pilot.app.screen
    return not isinstance(shown, PickerScreen) or shown.tried


def without_times(screen: WorkbenchScreen) -> str:
    """The rows of the screen without the line of the status, and the times of runs left out."""
    rows = seen(screen.app).splitlines()
    del rows[screen.query_one(StatusLine).region.y]
    return re.sub(r"\d\d:\d\d:\d\d", "hh:mm:ss", "\n".join(rows))


def sequences_of(seed: str, number: int) -> list[list[str]]:
    """Sequences of keys, each from the state that the one before has left."""
    rng = random.Random(seed)
    first = [[*keys_of(rng, 4)] for _ in range(number)]
    return [[rng.choice(PANES), *first[0]], *first[1:]]


SIZES = [(60, 18), (80, 24), (120, 40)]


@pytest.mark.parametrize(
    ("number", "size"),
    [*((number, SIZES[0]) for number in range(1)),
     *(pytest.param(number, size, marks=pytest.mark.long)
       for number in range(1, 30) for size in SIZES)],
)  # fmt: skip
async def test_fast_keys_do_what_slow_keys_do(number: int, size: tuple[int, int]) -> None:
    """Twenty-five sequences of keys in `make test`, two thousand with those of `make test-long`."""
    sequences = sequences_of(f"fast hands {number} {size}", 25)
    slow = await walk(sequences, size, at_once=False)
    fast = await walk(sequences, size, at_once=True)
    for keys, one, other in zip(sequences, slow, fast, strict=True):
        assert other == one, keys


async def test_keys_are_heard_where_a_task_begins_as_it_is_made() -> None:
    """As in the app from Python 3.12 on, where the first key that waited made it deaf."""
    eager = getattr(asyncio, "eager_task_factory", None)
    asyncio.get_running_loop().set_task_factory(eager)
    async with workbench() as (screen, _, pilot):
        for key in ("1", "j"):
            send(pilot, key)
        await until(pilot, lambda: screen.app.key_queue.is_empty)
        assert screen.draft is not None
        assert 'kind = "blh"' in screen.draft.text
