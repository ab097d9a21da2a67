"""The layout at the three sizes against pictures that were looked at: tests/snapshots/*.svg.

The text of every row is compared, not its colours, which change with every release of Textual.
LDPTUI_UPDATE_SNAPSHOTS=1 writes the pictures anew; then look at them.
"""

from __future__ import annotations

import html
import os
import re
from pathlib import Path

import pytest
from support.fake_engine import FakeEngine, base_snapshot
from support.waiting import seen, until
from textual.pilot import Pilot
from textual.widget import Widget

from ldptui.app import Workbench
from ldptui.terminal.settings import Settings

SNAPSHOTS = Path(__file__).with_name("snapshots")
SCENARIO = """format = 1
title = "Eight items"
trials = 20

[population]
kind = "counts"
counts = [3679, 1840, 1226, 920, 736, 613, 526, 460]

[protocol]
kind = "grr"
epsilon = 1.0

[attack]
kind = "mga"
share = 0.05
targets = { items = [2, 5] }
"""


def rows(svg: str) -> list[str]:
    """The text of a screenshot, one string a row, blanks folded."""
    found: dict[str, list[tuple[float, str]]] = {}
    for x, y, text in re.findall(
        r'<text[^>]*? x="([\d.]+)" y="([\d.]+)"[^>]*>(.*?)</text>', svg, flags=re.DOTALL
    ):
        found.setdefault(y, []).append((float(x), html.unescape(text)))
    lines = ("".join(text for _, text in sorted(parts)) for parts in found.values())
    return [re.sub(r"[\s\xa0]+", " ", line).strip() for line in lines]


async def settled(app: Workbench, engine: FakeEngine, pilot: Pilot[object]) -> str:
    """The picture once no preview runs or is about to, and nothing moves any more.

    A pane that comes late, or another tab, asks for a preview a moment after it is shown; forms
    are laid out step by step.
    """
    before, picture = "", app.export_screenshot()
    while app.workbench.simulating._debounce or engine.active or rows(before) != rows(picture):
        if engine.active is not None:
            engine.finish(base_snapshot(engine.active.key))
        await pilot.pause()
        before, picture = picture, app.export_screenshot()
    return picture


async def test_the_left_column_folds_what_is_not_used_and_a_low_screen_shows_one_pane(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("CONFIG", "DATA", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{place}_HOME", str(tmp_path / place.lower()))
    path = tmp_path / "eight.toml"
    path.write_text(f'{SCENARIO}\n[sweep]\n"attack.share" = [0.01, 0.02]\n')
    app = Workbench(Settings(), path, FakeEngine)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = app.workbench

        def pane(number: int) -> Widget:
            return screen.query_one(f"#pane-{number}")

        await until(pilot, lambda: "─2 Parameters · counts" in seen(app))
        assert "─2 Parameters · counts  ε 1  ↔ β" in seen(app)
        assert "─3 Attack · mga" in seen(app)
        await pilot.press("2")
        # Nothing of the parameters is below a fold: the sweep is seen.
        assert "─1 Protocol · GRR  p = 0.2797" in seen(app)
        assert "2 cells × 20 trials" in seen(app)
        assert "share of fake users β" in seen(app)
        await pilot.click(offset=(10, pane(3).region.y))
        assert (screen.pane, pane(3).region.height > 20, pane(2).region.height) == (3, True, 1)

        await pilot.press("z")
        assert pane(3).region.size == (120, 37)
        assert not pane(4).region
        await pilot.press("alt+z")
        assert (pane(3).region.width, bool(pane(4).region)) == (44, True)

        await pilot.resize_terminal(120, 30)
        await until(pilot, lambda: pane(3).region.width == 120)
        assert not pane(4).region
        assert "1 Protocol  2 Parameters  3 Attack  4 Charts" in seen(app).splitlines()[0]
        await pilot.press("f5")
        assert pane(4).region.size == (120, 27)


@pytest.mark.parametrize(
    ("name", "size", "keys"),
    [
        ("charts-80x24", (80, 24), ()),
        ("attack-80x24", (80, 24), ("f4",)),
        ("workbench-120x40", (120, 40), ()),
        ("equations-120x40", (120, 40), ("f5", *"llllll")),
        ("workbench-200x60", (200, 60), ()),
    ],
)
async def test_the_layout_is_the_one_looked_at(
    name: str,
    size: tuple[int, int],
    keys: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for place in ("CONFIG", "DATA", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{place}_HOME", str(tmp_path / place.lower()))
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("time.strftime", lambda *_: "12:00:00")
    path = tmp_path / "eight.toml"
    path.write_text(SCENARIO)
    app = Workbench(Settings(), path, FakeEngine)
    async with app.run_test(size=size) as pilot:
        engine = app.workbench._engine
        assert isinstance(engine, FakeEngine)
        await until(pilot, lambda: engine.active)
        engine.finish(base_snapshot(engine.active.key))
        for key in keys:
            await pilot.press(key)
        picture = await settled(app, engine, pilot)
    expected = SNAPSHOTS / f"{name}.svg"
    if os.environ.get("LDPTUI_UPDATE_SNAPSHOTS"):
        SNAPSHOTS.mkdir(exist_ok=True)
        expected.write_text(picture, encoding="utf-8")
    (tmp_path / f"{name}.svg").write_text(picture, encoding="utf-8")

    assert rows(picture) == rows(expected.read_text(encoding="utf-8"))
    assert len(rows(picture)) == size[1] + 1  # and the title of the picture
