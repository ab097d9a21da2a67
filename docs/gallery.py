"""Makes the gallery from the bundled scenarios: `python docs/gallery.py [NAME …]`.

`gallery.toml` says which chart a scenario has there and what to see on it. The page is written from
that and from the scenarios' claims; the pictures of the names, of all without one, are drawn by
`ldptui plot`. Drawing all takes minutes.
"""

from __future__ import annotations

import sys
import tomllib
from itertools import chain
from pathlib import Path
from typing import Any, Final

from ldptui import scenarios
from ldptui.commands.cli import main as ldptui
from ldptui.core.scenario import load
from ldptui.session.claim import claim_of

FOLDER: Final = Path(__file__).parent
HEAD: Final = """\
# Gallery

Each bundled scenario with its claim, which a test checks, and what to see. Points are simulated;
lines are closed forms. `ldptui NAME` opens one, and `ldptui plot NAME --out NAME.svg` draws its
picture, where no other command stands beneath it; `ldptui replay NAME.svg` computes it again.
"""


def main(names: list[str]) -> None:
    """Draw the pictures of some scenarios and write the page."""
    for name in names or list(rows()):
        if "chart" in rows()[name]:
            draw(name, rows()[name])
    (FOLDER / "gallery.md").write_text(page(), encoding="utf-8")


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
    """The page."""
    parts = (part for name, row in rows().items() for part in entry(name, row))
    return "\n".join([HEAD, *parts])


def entry(name: str, row: dict[str, Any]) -> list[str]:
    """A scenario's part of the page."""
    path = scenarios.path(name)
    chart = row.get("chart")
    shown = [f"![{name}, {chart}](gallery/{name}.svg)\n"] if chart else []
    usual = words(name, row) == ["plot", name, "--chart", "gain"] or not chart
    line = f"ldptui {name}" if usual else f"ldptui {' '.join(words(name, row))} --out {name}.svg"
    return [
        f"## {load(path).title}\n",
        *shown,
        f"**See:** {row['see']}\n",
        f"**Claim:** {claim_of(path.read_text(encoding='utf-8'))}\n",
        f"`{line}`\n",
    ]


if __name__ == "__main__":
    main(sys.argv[1:])
