"""Every pane, tab and dialog against its picture in text: snapshots/*.txt, which were looked at.

A view that the product gets and this file does not know fails. The views are shown one after
another in one app: the runs that a pane lists are those which the views before it have started.
`LDPTUI_UPDATE_SNAPSHOTS=1 pytest -m long` writes the pictures anew; then look at them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Final

import numpy as np
import pytest
from msgspec.structs import replace
from rich.cells import cell_len
from support.views import SCENARIOS, Working, leave, scenario_of, settled, show, views
from support.waiting import seen, until
from support.workbench_app import own_home  # noqa: F401

from ldptui.app import Workbench
from ldptui.screens import library_screen
from ldptui.session.draft import draft_of
from ldptui.terminal import places
from ldptui.terminal.settings import Settings
from ldptui.text.format import ascii_cells

SIZES: Final = ("80x24", "120x40")
NUMPY: Final = "2.4"
"""The version of NumPy whose random numbers the pictures show."""

SNAPSHOTS = Path(__file__).with_name("snapshots")
HOME = Path("/home/ann")

READ: Final[Mapping[str, tuple[str, ...]]] = {
    "pane Protocol": ("1 Protocol", "● OUE", "protocols …"),
    "pane Parameters": ("2 Parameters", "counts", "privacy budget ε", "6 × 4 trials"),
    "pane Attack": ("3 Attack", "mga", "share of fake users β", "target items T", "▸ more"),
    "pane Charts": ("4 Charts", "Gain of the attack", "share of fake users β", "closed form"),
    "pane Runs": ("5 Runs", "#3", "24 trials", "OUE, MGA, counts, over β ε", "Eight items"),
    "tab Frequencies": ("Targets, top items", "estimate", "true", "before"),
    "tab Gain": ("Gain of the attack over", "share of fake users β", "closed form", "simulated"),
    "tab Error": ("Error without attack over", "privacy budget ε", "GRR", "OUE", "OLH"),
    "tab Map": ("Gain, defended", "across: ε", "mean of 4 trials", "0.05"),
    "tab Trials": ("Estimates of single trials", "before", "after", "true", "▸ 2", "▸ 5"),
    "tab Detection": ("Score of fiad", "genuine users", "fake users", "526 fake"),
    "tab One report": ("A genuine user", "A fake user: MGA", "Perturbation", "Crafting"),
    "tab Grid": ("All metrics over the share of fake users β", "enter opens the one"),
    "tab Table": ("closed form", "measured", "b sort", "/ filter"),
    "tab Equations": ("27 with numbers, 54 in the list", "p = 1/2  = 0.5", "eq 12, Wang et"),
    "tab Timeline": ("Estimates of the targets over the rounds", "round", "all 4 rounds"),
    "tab Answer": ("fakes m", "3210", "as it is", "OUE instead"),
    "tab Privacy": ("all reports of an item", "0.5371", "ε of t reports"),
    "tab Levels": ("Survivors over the levels", "true hitters"),
    "tab Items": ("Counts of users", "gained", "never named"),
    "tab Distribution": ("Distribution of the users' numbers", "share of the users", "shift +"),
    "tab Success": ("Targets among the top k over", "simulated", "0.01"),
    "lab Accuracy": ("How exact is a trusted curator?", "privacy budget ε", "a count is off by"),
    "lab Price": ("What does local privacy cost?", "Error of what is estimated"),
    "lab Choose": ("Is the most frequent item found?", "Finding the most frequent item"),
    "lab Sensitivity": ("What does one person change?", "Clipping the sum", "bound C"),
    "lab Ledger": ("What do all releases cost together?", "release 1"),
    "lab Check": ("Is ε kept?", "How likely a loss above t is: oue", "Proved by enumeration"),
    "lab Disclose": ("What does a table give away?", "People by how many fit what is known"),
    "lab Synthetic": ("Which rows can be given away?", "Synthetic and true frequencies"),
    "lab Plan": ("How many users does it take?", "without an attack", "users n"),
    "lab Design": ("Which protocol bears the attack?", "Noise over what one fake can lift"),
    "lab Estimates": ("What do these reports say?", "OUE, ε = 1, d = 16, 4000 reports"),
    "lab Screening": ("Are fakes among these reports?", "Pairs of items beside what honest"),
    "lab Conclude": ("What can I still conclude?", "if nobody is fake", "up to 1 % fake"),
    "lab Audit": ("Do these clients keep ε?", "ε shown, beside the promise", "0.8191"),
    "lab Guess": ("What does a report give away?",),
    "lab Infer": ("Which attribute is a report about?", "named"),
    "lab Trust": ("Whom do I trust?",),
    "lab Deployment": ("What can fakes do to my deployment?", "lift 2 items by"),
    "HelpScreen": ("The gain of the attack", "Help · keys below", "esc closes"),
    "WorkbenchPalette": ("an action, a value (beta 1%", "Run all trials", "My deployment"),
    "LibraryScreen": ("quickstart", "billion-users", "Claim: fake users who are 5%", "enter opens"),
    "SaveScreen": ("Save the scenario", "/home/ann/scenarios/eight-items.toml", "enter saves"),
    "ExportScreen": ("Results, CSV", "Figure, 84 mm", "Figure, 174 mm", "eight-items-gain.pdf"),
    "PathScreen": ("type or paste a path", "tab completes"),
    "ConfirmScreen": ("Quit and lose it?", "Quit (y)", "Stay (n)"),
    "PickerScreen": ("protocol  2 of 2", "grr", "best for small d", "✗ needs d > 2"),
    "TextScreen": ("run 1 → run 2", "attack.share  0.05 → 0.1", "y copies"),
    "ConsentScreen": ("Let this code run?", "half", "/home/ann/attacks.py", "0123456789abcdef",
                      "Allow until quit (y)"),
}  # fmt: skip
"""What must be read in each view, at every size from 80 × 24."""

TITLES: Final = {name: draft_of(text, HOME).title for name, text in SCENARIOS.items()}

BUNDLED = library_screen.bundled_entries


def bundled() -> list[library_screen.LibraryEntry]:
    """The entries of the bundled scenarios, installed where the pictures say."""
    return [replace(entry, path=HOME / "ldptui" / entry.path.name) for entry in BUNDLED()]


async def pictures(
    size: str,
    monkeypatch: pytest.MonkeyPatch,
    settings: Settings = Settings(),  # noqa: B008 (it is frozen)
) -> dict[str, str]:
    """All views at a size, as text: one start of the app."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(
        "ldptui.screens.help_screen.LOOPS", SimpleNamespace(words="compiled by numba")
    )
    monkeypatch.setattr("time.strftime", lambda *_: "12:00:00")
    for module in ("workbench.file_actions", "dialogs.paths", "lab.lab_screen"):
        monkeypatch.setattr(f"ldptui.screens.{module}.current_dir", lambda: HOME)
    monkeypatch.setattr(library_screen, "bundled_entries", bundled)
    monkeypatch.setattr(places, "scenarios_dir", lambda: HOME / "scenarios")
    app, shown, opened = Workbench(settings, None, Working), dict[str, str](), ""
    width, height = map(int, size.split("x"))
    async with app.run_test(size=(width, height)) as pilot:
        screen = app.workbench
        await until(pilot, lambda: screen.draft is not None)
        for view in views():
            if opened != (opened := scenario_of(view)):
                screen.open_draft(draft_of(SCENARIOS[opened], HOME))
                await settled(app, pilot)
            await show(view, app, pilot)
            shown[view] = "\n".join(row.rstrip() for row in seen(app).splitlines())
            await leave(app, pilot)
    return shown


def looked_at(size: str) -> dict[str, str]:
    """The pictures of a size that were looked at, by view."""
    text = (SNAPSHOTS / f"{size}.txt").read_text(encoding="utf-8")
    parts = re.split(r"^== (.*)\n", text, flags=re.MULTILINE)[1:]
    return {
        view: picture.rstrip("\n") for view, picture in zip(parts[::2], parts[1::2], strict=True)
    }


@pytest.mark.parametrize("size", SIZES)
def test_every_view_of_the_product_has_a_picture_and_its_words(size: str) -> None:
    width, height = map(int, size.split("x"))
    assert set(READ) == set(views()) == set(looked_at(size))
    for view, picture in looked_at(size).items():
        rows = picture.split("\n")
        assert len(rows) <= height
        assert max(map(cell_len, rows)) <= width
        for words in READ[view]:
            assert words in picture, f"{view} does not say {words!r}"
        for name, title in TITLES.items():
            assert name == scenario_of(view) or title not in picture
        hints = rows[-1].split()
        assert {"^q", "^p"} <= set(hints)
        assert {"?", "f1"} & set(hints)  # in a text a question mark is text


BESIDE: Final = {"tab Error": 7, "tab Gain": 8, "tab Success": 6}
"""Rows under the tabs at 120 × 40 that are not the chart: the verdict has two, the axes three with
the name of x, the legend and the note one each."""


@pytest.mark.parametrize("view", BESIDE)
def test_a_curve_has_most_rows_of_its_pane(view: str) -> None:
    pane = [row[44:] for row in looked_at("120x40")[view].split("\n")]
    end = next(at for at, row in enumerate(pane) if row.startswith("╰"))
    rows = pane[3:end]
    drawn = [at for at, row in enumerate(rows) if re.match(r"│[^│┤└]{1,7}[│┤└]", row[:9])]
    numbers = len(drawn) + 1
    assert [*drawn] == [*range(drawn[0], drawn[0] + len(drawn))]
    assert len(rows) - numbers <= BESIDE[view]
    assert len(rows) >= 26


@pytest.mark.long
@pytest.mark.skipif(not np.__version__.startswith(f"{NUMPY}."), reason=f"drawn by NumPy {NUMPY}")
@pytest.mark.parametrize("size", SIZES)
async def test_every_view_is_the_one_looked_at(size: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = await pictures(size, monkeypatch)
    if os.environ.get("LDPTUI_UPDATE_SNAPSHOTS"):
        text = "".join(f"== {view}\n{picture}\n" for view, picture in sorted(shown.items()))
        (SNAPSHOTS / f"{size}.txt").write_text(text, encoding="utf-8")
    expected = looked_at(size)
    for view, picture in shown.items():
        assert picture == expected[view], f"{view} is not the picture looked at"


@pytest.mark.long
async def test_ascii_has_a_stand_in_for_every_character(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = await pictures("80x24", monkeypatch, Settings(charset="ascii"))
    seen_in = {char: view for view, picture in shown.items() for char in picture if char != "?"}
    assert not {char: view for char, view in seen_in.items() if ascii_cells(char) == "?"}
