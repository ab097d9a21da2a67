"""Makes the pictures of the README from the real program: `python docs/picture.py`."""

from __future__ import annotations

import asyncio
import os
import tempfile
from pathlib import Path

from ldptui.app import Workbench
from ldptui.screens.lab.screen import LabScreen
from ldptui.terminal.settings import Settings


async def main() -> None:
    """Open the quickstart and then the lab, wait for what they show, and write them as SVG."""
    app = Workbench(Settings())
    async with app.run_test(size=(120, 36)) as pilot:
        screen = app.workbench
        while not (screen.shelf.runs and screen.shelf.runs[-1].snapshot.status == "done"):
            await pilot.pause(0.05)
        await pilot.press("alt+4")
        await pilot.pause(0.2)
        write(app, "workbench")
        await pilot.press("6")
        await pilot.pause(0.2)
        await pilot.press("6")
        lab = app.screen
        assert isinstance(lab, LabScreen)
        while "trust" not in lab.answers:
            await pilot.pause(0.05)
        await pilot.pause(0.2)
        write(app, "lab")
        await screen.shut_down()


def write(app: Workbench, name: str) -> None:
    """Write the screen as SVG."""
    picture = app.export_screenshot(title="ldptui", simplify=True)
    Path(__file__).with_name(f"{name}.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        for name in ("CONFIG", "DATA", "STATE", "CACHE"):
            os.environ[f"XDG_{name}_HOME"] = home
        asyncio.run(main())
