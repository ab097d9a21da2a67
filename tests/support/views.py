"""Every view of the app, out of the product's own tables, and the way to it.

A view is a pane, a tab of the charts, a dialog or a tab of the lab. `views` lists those that the
product has, `show` leads to one of them.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace
from textual.pilot import Pilot
from textual.screen import Screen

from ldptui import screens
from ldptui.app import Workbench, WorkbenchPalette
from ldptui.charts.kinds import KINDS
from ldptui.questions.topics import TOPICS
from ldptui.screens.dialogs.paths import PathScreen, fault_to_read
from ldptui.screens.dialogs.prompts import (
    ConsentScreen,
    TextScreen,
)
from ldptui.screens.lab.lab_screen import LabScreen
from ldptui.screens.workbench.panes import CHARTS
from ldptui.screens.workbench.title import NAMES
from ldptui.session.consent import UnseenCode
from ldptui.session.snapshot import LabQuestion, Request, Snapshot
from ldptui.widgets.dialog import ModalScreen
from ldptui.widgets.picker import Offer, PickerScreen
from support.fake_engine import FakeEngine, LabEngine
from support.told import answered
from support.waiting import seen, until


class Working(FakeEngine, LabEngine):
    """Simulates at once, in the test's process; each run takes a tenth of a second, it says."""

    def run(self, request: Request | LabQuestion) -> None:
        FakeEngine.run(self, request)
        if isinstance(request, LabQuestion):
            LabEngine.answer(self)
        elif not request.full:
            self.finish(simulated(request))


def simulated(request: Request) -> Snapshot:
    """The last snapshot of a run of the worker, with nothing of this machine in it."""
    snapshot, _ = answered(replace(request, interval=0))
    return replace(snapshot, seconds=0.1, digest="xxh3:0", numpy="2.4.6")


SWEPT: Final = """format = 1
title = "Eight items"
trials = 4

[population]
kind = "counts"
counts = [3679, 1840, 1226, 920, 736, 613, 526, 460]

[protocol]
kind = "oue"
epsilon = 1.0

[attack]
kind = "mga"
share = 0.05
targets = { items = [2, 5] }

[[defence]]
kind = "fiad"

[sweep]
"attack.share" = [0.01, 0.05, 0.1]
"protocol.epsilon" = [0.5, 1.0]
"""
ROUNDS: Final = """format = 1
title = "Four rounds"
trials = 4

[population]
kind = "zipf"
items = 9
users = 4000
exponent = 1.0

[protocol]
kind = "grr"
epsilon = 2.0

[attack]
targets = { items = [7] }

[[attack.phase]]
rounds = 2
share = 0.0
mix = [ { kind = "mga", weight = 1 } ]

[[attack.phase]]
rounds = 2
share = 0.2
mix = [ { kind = "mga", weight = 1 } ]

[campaign]
rounds = 4
"""
GOAL: Final = """format = 1
title = "One in ten"
trials = 4

[population]
kind = "zipf"
items = 16
users = 100_000
exponent = 1.0

[protocol]
kind = "sue"
epsilon = 1.0

[attack]
kind = "mga"
targets = { items = [13] }

[goal]
metric = "target_frequency"
at_least = 0.1
over = "malicious"
"""
RAPPOR: Final = """format = 1
title = "Noise upon noise"
trials = 4

[population]
kind = "uniform"
items = 6
users = 3000

[protocol]
kind = "rappor"
form = "basic"
f = 0.5
p = 0.5
q = 0.75
"""
NUMBERS: Final = """format = 1
title = "A distribution of numbers"
seed = 1
trials = 4
[population]
kind = "beta"
items = 32
users = 100_000
a = 2.0
b = 5.0
[protocol]
kind = "sw"
epsilon = 2.0
bins = 64
[attack]
kind = "top"
share = 0.1
targets = { items = [31] }
[task]
kind = "distribution"
low = 0.0
high = 100.0
"""

HITTERS: Final = """format = 1
title = "The four that lead"
trials = 4

[population]
kind = "zipf"
items = 64
users = 50_000
exponent = 1.3

[protocol]
kind = "olh"
epsilon = 2.0

[attack]
kind = "mga"
share = 0.05
targets = { items = [60, 61] }

[task]
kind = "heavy-hitters"
k = 4
bits = 6
groups = 3

[sweep]
"attack.share" = [0.01, 0.05]
"""
SCENARIOS: Final = {
    "swept": SWEPT, "rounds": ROUNDS, "goal": GOAL, "rappor": RAPPOR, "hitters": HITTERS,
    "numbers": NUMBERS,
}  # fmt: skip


CODE: Final = UnseenCode("attack", "half", "/home/ann/attacks.py", True, "0123456789abcdef", 12)

OF_OTHERS: Final = {
    "tab Timeline": "rounds", "tab Answer": "goal", "tab Privacy": "rappor",
    "tab Levels": "hitters", "tab Items": "hitters", "tab Success": "hitters",
    "tab Distribution": "numbers",
}  # fmt: skip
"""The scenarios of the views that SWEPT does not have."""

PICKED: Final = (
    Offer("grr", "grr", "best for small d"),
    Offer("hr", "hr", "few bits", refused="needs d > 2"),
)

DIALOGS: Final[Mapping[str, Callable[[], Screen[Any]] | tuple[str, ...]]] = {
    "HelpScreen": ("f1",),
    "WorkbenchPalette": ("ctrl+p",),
    "LibraryScreen": ("ctrl+o",),
    "SaveScreen": ("ctrl+s",),
    "ExportScreen": ("ctrl+e",),
    "PathScreen": lambda: PathScreen(
        "A table to read", Path("/home/ann"), fault_to_read, "chooses"
    ),
    "ConfirmScreen": ("ctrl+r", "ctrl+q"),
    "PickerScreen": lambda: PickerScreen("protocol", PICKED, "grr"),
    "TextScreen": lambda: TextScreen("run 1 → run 2", "attack.share  0.05 → 0.1"),
    "ConsentScreen": lambda: ConsentScreen((CODE,)),
}
"""How each dialog is opened over the charts: the keys, or the screen itself."""


def dialogs() -> set[str]:
    """The names of all dialogs; those that only others are made of are left out."""
    for module in pkgutil.walk_packages(screens.__path__, f"{screens.__name__}."):
        importlib.import_module(module.name)
    found: set[type[Any]] = {WorkbenchPalette, PickerScreen}
    bases: list[type[Any]] = [ModalScreen]
    while bases:
        subclasses = bases.pop().__subclasses__()
        bases += subclasses
        found |= {each for each in subclasses if each.__module__.startswith("ldptui.screens")}
    return {each.__name__ for each in found}


def views() -> list[str]:
    """The names of all views that the product has, those of one scenario in a row."""
    panes = [f"pane {name}" for name in NAMES.values()]
    tabs = [f"tab {kind.title}" for kind in KINDS.values() if kind.title]
    topics = [f"lab {topic.title}" for topic in TOPICS.values()]
    return sorted([*sorted(dialogs()), *panes, *tabs, *topics], key=scenario_of, reverse=True)


def scenario_of(view: str) -> str:
    return OF_OTHERS.get(view, "swept")


async def show(view: str, app: Workbench, pilot: Pilot[Any]) -> None:
    """Show a view of the scenario that is open, and wait for all that it shows."""
    screen = app.workbench
    kind, _, name = view.partition(" ")
    match kind:
        case "pane":
            number = next(number for number, words in NAMES.items() if words == name)
            await pilot.press(f"alt+{number}")
        case "tab":
            screen.action_pane(CHARTS)
            screen.charts.tab = next(kind.name for kind in KINDS.values() if kind.title == name)
        case "lab":
            if app.screen is screen:
                screen.action_lab()
                await pilot.pause()
            assert isinstance(app.screen, LabScreen)
            app.screen.tab = next(key for key, topic in TOPICS.items() if topic.title == name)
        case _:
            screen.action_pane(CHARTS)
            opened = DIALOGS[view]
            if callable(opened):
                app.push_screen(opened())
            else:
                await pilot.press(*opened)
    await settled(app, pilot)


async def leave(app: Workbench, pilot: Pilot[Any]) -> None:
    """Close the dialog or the lab, and let a run come to its end."""
    engine = app.workbench._engine
    assert isinstance(engine, Working)
    while app.screen is not app.workbench:
        await pilot.press("escape")
    if engine.active is not None:
        engine.finish(simulated(engine.active))
        await settled(app, pilot)


def rests(lab: LabScreen) -> bool:
    """True once the tab that is shown has its whole answer."""
    return lab.page.answer is not None and lab._question is None


async def settled(app: Workbench, pilot: Pilot[Any]) -> None:
    """Wait until nothing is simulated, computed in a thread or moved any more."""
    screen = app.workbench
    engine = screen._engine
    assert isinstance(engine, Working)

    def still() -> bool:
        busy = screen.waits_for("preview") or (engine.active and not engine.active.full)
        lab = app.screen
        busy = busy or (isinstance(lab, LabScreen) and not rests(lab))
        return not busy and all(worker.is_finished for worker in app.workers)

    before = None
    while before != seen(app):
        before = seen(app)
        await until(pilot, still)
