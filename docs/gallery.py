"""Makes the gallery from the bundled scenarios: `python docs/gallery.py [NAME …]`.

`gallery.toml` says which chart a scenario has there and what to see on it. The part of
docs/scenarios.md between two marks is written from that; the pictures of the names, of all without
one, are drawn by `ldptui plot`. Drawing all takes minutes.
"""

from __future__ import annotations

import sys
import tomllib
from itertools import chain
from pathlib import Path
from typing import Any, Final

from ldptui.commands.cli import main as ldptui

FOLDER: Final = Path(__file__).parent
PAGE: Final = FOLDER / "scenarios.md"
MARKS: Final = ("<!-- gallery -->\n", "<!-- end of the gallery -->\n")
"""The lines of the page around what is made here."""


def main(names: list[str]) -> None:
    """Draw the pictures of some scenarios and write the page."""
    for name in names or list(rows()):
        if "chart" in rows()[name]:
            draw(name, rows()[name])
    PAGE.write_text(page(), encoding="utf-8")


def rows() -> dict[str, dict[str, Any]]:
    """The scenarios with `see` and mostly a `chart`, in the page's order."""
    return tomllib.loads((FOLDER / "gallery.toml").read_text(encoding="utf-8"))


def draw(name: str, row: dict[str, Any]) -> None:
    """Draw the picture of a scenario; it ends with an error where the command does."""
    picture = FOLDER / "gallery" / f"{name}.svg"
    picture.parent.mkdir(exist_ok=True)
    if ldptui([*words(name, row), "--quiet", "--out", str(picture)]):
        sys.exit(f"{name} was not drawn")


def words(name: str, row: dict[str, Any]) -> list[str]:
    """The command that draws the picture of a scenario, without the file."""
    options = {"--chart": "chart", "--metric": "metric", "--allow": "allow"}
    given = ([option, row[key]] for option, key in options.items() if key in row)
    return ["plot", name, *chain.from_iterable(given)]


def page() -> str:
    """The page with the part that is made here."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(MARKS[0])
    after = rest.partition(MARKS[1])[2]
    parts = (part for name, row in rows().items() for part in entry(name, row))
    return "\n".join([f"{before}{MARKS[0]}", *parts, f"{MARKS[1]}{after}"])


def entry(name: str, row: dict[str, Any]) -> list[str]:
    """A scenario's part of the page."""
    chart = row.get("chart")
    shown = [f"![{name}](gallery/{name}.svg)\n"] if chart else []
    return [f"### `{name}`\n", *shown, f"{row['see']}\n"]


if __name__ == "__main__":
    main(sys.argv[1:])
