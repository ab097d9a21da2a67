"""Makes the pictures of the README from the real program: `python docs/picture.py`.

That of the workbench moves: it is the first five minutes of the README, screen by screen.
"""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from textual.pilot import Pilot

from ldptui.app import Workbench
from ldptui.terminal.settings import Settings

WORKBENCH: Final = (
    ((), ("lift items 40, 70 and 100", "preview done")),
    (("4", "right"), ("the gain is 0.474", "MGA on OUE")),
    (("1", "k", "k"), ("the gain is 3.69", "MGA on GRR")),
    (("j", "j", "4", *["right"] * 3), ("A genuine user", "A fake user: MGA")),
    (("escape", "M"), ("; best defence", "no defence can get below", "change the value")),
)
"""The keys of each screen of the picture that moves, and what stands on it at last."""
LAB: Final = ((("6", "7"), ("Whom do I trust?", "Fakes that overturn a gap", "into the form")),)
STOP_S: Final = 4.0
"""Seconds that a screen is shown."""
STILL: Final = 0
"""The screen that is shown where nothing moves."""

_PART: Final = re.compile(r"<text\b.*?</text>|<rect\b[^>]*/>", re.DOTALL)
_BODY: Final = re.compile(r'(?<=-matrix">\n)(.*)(?=</g>\s*</g>\s*</svg>)', re.DOTALL)


async def main() -> None:
    """Walk through the quickstart and then the lab, and write what they show as SVG."""
    app = Workbench(Settings())
    async with app.run_test(size=(120, 36)) as pilot:
        write("workbench", moving([await screen(pilot, *stop) for stop in WORKBENCH], STILL))
        write("lab", [await screen(pilot, *stop) for stop in LAB][-1])
        await app.workbench.shut_down()


async def screen(pilot: Pilot[None], keys: Sequence[str], words: Sequence[str]) -> str:
    """The screen as SVG, once the keys are pressed and all the words stand on it."""
    await pilot.press(*keys)
    for _ in range(600):
        picture = pilot.app.export_screenshot(title="ldptui", simplify=True)
        shown = picture.replace("&#160;", " ")
        if all(each in shown for each in words):
            return picture
        await pilot.pause(0.1)
    raise SystemExit(f"{words} did not come; the screen is in {write('missing', picture)}")


def write(name: str, picture: str) -> Path:
    """The file beside this one that now holds the picture."""
    path = Path(__file__).with_name(f"{name}.svg")
    path.write_text(picture, encoding="utf-8")
    return path


def moving(pictures: Sequence[str], still: int) -> str:
    """Screens of one size as one SVG, which shows them in turn.

    What all have alike is there once. still : the one that is shown where motion is not wanted,
    and by what knows no animation.
    """
    styles: dict[str, str] = {}
    pages = [_parts(picture, styles) for picture in pictures]
    same = set(pages[0]).intersection(*pages[1:])
    shared = [part for part in pages[0] if part in same]
    drawn = [part for part in shared if part.startswith("<rect")]  # grounds, below all words
    for at, page in enumerate(pages):
        rest = "".join(part for part in page if part not in same)
        drawn.append(f'<g class="stop s{at}">{rest}</g>')
    drawn += [part for part in shared if part.startswith("<text")]
    body = _BODY.sub(lambda _: "\n".join(drawn) + "\n", _plain(pictures[0]))
    rules = [f".{name} {{ {style} }}" for style, name in styles.items()]
    rules += _in_turn(len(pages), still)
    body = re.sub(r'<clipPath id="terminal-line-.*?</clipPath>\n?', "", body, flags=re.DOTALL)
    return re.sub(r"(\.terminal-r\d+ \{.*?\}\n\s*)+", "\n".join(rules) + "\n", body, count=1)


def _plain(picture: str) -> str:
    """The picture with a name of its classes that does not depend on what it shows."""
    return re.sub(r"terminal-\d+", "terminal", picture)


def _parts(picture: str, styles: dict[str, str]) -> list[str]:
    """The grounds and the words of a screen; their styles are added to those of all."""
    plain = _plain(picture)
    own = dict(re.findall(r"\.terminal-(r\d+) \{ (.*?) \}", plain))
    found = _BODY.search(plain)
    assert found is not None
    parts = list[str]()
    for part in _PART.findall(found[0]):
        text = part.partition(">")[2].removesuffix("</text>").replace("&#160;", " ")
        if part.startswith("<text") and not text.strip():
            continue
        part = re.sub(r' clip-path="[^"]*"', "", part)
        for name in re.findall(r"terminal-(r\d+)", part):
            shared = styles.setdefault(own[name], f"r{len(styles) + 1}")
            part = part.replace(f"terminal-{name}", shared)
        parts.append(part)
    return parts


def _in_turn(count: int, still: int) -> list[str]:
    """The rules by which one of the stops is to be seen at any time."""
    whole = STOP_S * count
    rules = [".stop { visibility: hidden; }", f".s{still} {{ visibility: visible; }}"]
    turns = [f".stop {{ animation: {whole:g}s step-end infinite; }}"]
    for at in range(count):
        begin, end = (100 * STOP_S * each / whole for each in (at, at + 1))
        steps = ["0% { visibility: hidden; }"] * (at > 0)
        steps += [f"{begin:.4g}% {{ visibility: visible; }}"]
        steps += [f"{end:.4g}% {{ visibility: hidden; }}"] * (at < count - 1)
        rules.append(f"@keyframes s{at} {{ {' '.join(steps)} }}")
        turns.append(f".s{at} {{ animation-name: s{at}; }}")
    moved = "\n".join(turns)
    return [*rules, f"@media (prefers-reduced-motion: no-preference) {{\n{moved}\n}}"]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        for name in ("CONFIG", "DATA", "STATE", "CACHE"):
            os.environ[f"XDG_{name}_HOME"] = home
        asyncio.run(main())
