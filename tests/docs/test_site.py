"""The pages as a site: every one is in it, none warns, and nothing is fetched from elsewhere."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from collections import Counter
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import gallery
import picture
import pytest
from rich.console import Console
from support.pages import NAMES, ROOT, page

from ldptui import scenarios
from ldptui.core.scenario import load
from ldptui.explain.equation_list import equations
from ldptui.session.exporting import read_figure

LISTED = [equation for equation in equations() if equation.number is not None]


def test_every_page_is_in_the_navigation() -> None:
    nav = set(re.findall(r": (\S+\.md)$", page("mkdocs.yml"), flags=re.MULTILINE))
    above = {"README.md": "index.md"}
    assert {above.get(name, name.removeprefix("docs/")) for name in NAMES} <= nav


def test_the_theory_page_has_every_equation_with_its_verdict() -> None:
    theory = page("docs/theory.md")
    headings = re.findall(r"^### (\d+)\. (.*)$", theory, flags=re.MULTILINE)
    assert headings == [(str(number), LISTED[number - 1].title) for number in range(1, 42)]
    of = Counter(equation.verdict for equation in LISTED)
    counts = rf"{of['ok']} are right .* {of['loose']} are loose .* {of['wrong']} are wrong, and "
    counts += f"{of['missing']} stand in print only as tables"
    assert re.search(counts, " ".join(theory.split()))


@pytest.mark.long
def test_the_site_is_built_and_fetches_nothing(tmp_path: Path) -> None:
    assert importlib.util.find_spec("mkdocs"), "make test-long installs what the site needs"
    build = ("mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path))
    done = subprocess.run(
        [sys.executable, "-m", *build], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    pages = [*tmp_path.rglob("*.html")]
    assert len(pages) > len(NAMES)
    loaded = r"<(?:script|link|img|iframe)[^>]*(?:src|href)=\"?(?:https?:)?//[^\s>]*"
    for path in pages:
        assert re.findall(loaded, path.read_text(encoding="utf-8")) == [], path.name
    assert (tmp_path / "theory.html").read_text(encoding="utf-8").count("<math") >= len(LISTED)


def test_the_gallery_has_every_scenario_and_is_up_to_date() -> None:
    assert set(gallery.rows()) == set(scenarios.names())
    if page("docs/scenarios.md") != gallery.page():
        pytest.fail(
            "the gallery is older than the scenarios: run python docs/gallery.py quickstart"
        )


def test_every_picture_of_the_gallery_is_that_of_its_scenario() -> None:
    pictures = {path.stem: path for path in (ROOT / "docs" / "gallery").iterdir()}
    assert set(pictures) == {name for name, row in gallery.rows().items() if "chart" in row}
    for name, path in pictures.items():
        kept = read_figure(path)
        assert kept is not None
        assert path.stat().st_size < 60_000, "draw it again: a picture is some 20 kB"
        assert kept.document == load(scenarios.path(name)).document, f"draw {name} again"


def _screen(*rows: str) -> str:
    """A screen of these rows as SVG."""
    console = Console(width=20, file=StringIO(), record=True, force_terminal=True)
    for row in rows:
        console.print(row)
    return console.export_svg(title="ldptui")


def _shown(moved: str, at: int) -> list[tuple[str, ...]]:
    """The grounds and words that are seen at a stop: what they are, where, in which style."""
    styles = dict(re.findall(r"\.(r\d+) \{ (.*?) \}", moved))
    stops = re.findall(r'<g class="stop s(\d+)">(.*?)</g>', moved, flags=re.DOTALL)
    seen = re.sub(r'<g class="stop .*?</g>', "", moved, flags=re.DOTALL)
    seen = seen[seen.index('-matrix">') :] + dict(stops)[str(at)]
    parts = re.findall(r"<(text|rect) (.*?)(?:/>|>(.*?)</text>)", seen, flags=re.DOTALL)
    return sorted((kind, re.sub(r"\br\d+", lambda name: styles[name[0]], where), words)
                  for kind, where, words in parts)  # fmt: skip


def test_a_picture_that_moves_is_its_screens_in_turn() -> None:
    screens = [
        _screen("[red]β 0[/]", "[on blue]same[/]"),
        _screen("[bold]β 0.1[/] [red]▒▒[/]", "[on blue]same[/]"),
        _screen("[on blue]β[/] [green]▒▒[/]", "[on blue]same[/]"),
    ]
    moved = picture.moving(screens, 1)
    assert moved.count(">same<") == 1
    for at, screen in enumerate(screens):
        assert _shown(moved, at) == _shown(picture.moving([screen], 0), 0)
    assert _shown(moved, 0) != _shown(moved, 1)


def test_the_picture_of_the_workbench_shows_one_stop_at_a_time() -> None:
    path = ROOT / "docs" / "workbench.svg"
    text = path.read_text("utf-8")
    assert path.stat().st_size < 400_000
    assert not [*ElementTree.fromstring(text).iter("script")]
    turns = [
        [
            (float(at), how == "visible")
            for at, how in re.findall(r"([\d.]+)% \{ visibility: (\w+)", rule)
        ]
        for rule in re.findall(r"@keyframes s\d+ \{(.*)\}\n", text)
    ]
    for at in range(1000):
        seen = [max(step for step in turn if step[0] <= at / 10)[1] for turn in turns]
        assert sum(seen) == 1, at
    assert len(turns) == len(picture.WORKBENCH)
    for at, (_, words) in enumerate(picture.WORKBENCH):
        parts = [part.replace("&#160;", " ") for *_, part in _shown(text, at)]
        assert all(any(each in part for part in parts) for each in words), at
    still, moves = text.split("@media (prefers-reduced-motion: no-preference)")
    assert re.findall(r"\.s(\d+) \{ visibility: visible; \}", still) == [str(picture.STILL)]
    assert "animation" not in still
    assert "animation" in moves
