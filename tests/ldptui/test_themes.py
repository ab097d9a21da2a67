"""The colours of our themes: every text can be read on its ground, every mark is told from it.

The ratios are those of WCAG 2.2, 1.4.3 and 1.4.11; controls that cannot be used are exempt there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Final, get_args

import pytest
from support.fake_engine import FakeEngine
from textual.color import Color, rgb_to_lab
from textual.theme import Theme
from textual.widgets import Input

import ldptui
from ldptui.app import DARK, LIGHT, Workbench
from ldptui.charts import rows
from ldptui.charts.series import Tone
from ldptui.terminal.settings import Settings

TEXT: Final = 4.5
MARK: Final = 3.0
TEXTS: Final = (
    "foreground", "foreground-muted", "text-muted", "text-accent", "text-primary",
    "text-secondary", "text-warning", "text-error",
)  # fmt: skip
EXEMPT: Final = {"text-disabled"}
GROUNDS: Final = ("background", "surface", "panel")
CURSOR: Final = "block-cursor-blurred-background"
"""The ground of the row at a cursor, over any other ground."""


def luminance(color: Color) -> float:
    parts = [part / 255 for part in (color.r, color.g, color.b)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: Color, second: Color) -> float:
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def over(color: Color, ground: Color) -> Color:
    return ground.blend(color, color.a, alpha=1.0)


def text_on(value: str, ground: Color) -> Color:
    """A text's colour on a ground: `auto 60%` is that much of black or of white."""
    if not value.startswith("auto"):
        return over(Color.parse(value), ground)
    share = float(value.split()[1].rstrip("%")) / 100
    return ground.blend(ground.get_contrast_text(1.0), share, alpha=1.0)


def grounds(colours: dict[str, str]) -> list[Color]:
    plain = [Color.parse(colours[name]) for name in GROUNDS]
    return [*plain, *(over(Color.parse(colours[CURSOR]), ground) for ground in plain[:2])]


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_every_text_can_be_read_on_every_ground(theme: Theme) -> None:
    colours = theme.to_color_system().generate()
    faint = [
        (name, ground.hex, round(contrast(text_on(colours[name], ground), ground), 2))
        for name in TEXTS
        for ground in grounds(colours)
        if contrast(text_on(colours[name], ground), ground) < TEXT
    ]
    assert faint == []


@pytest.mark.parametrize(
    ("theme", "palette"), [(DARK, rows.DARK), (LIGHT, rows.LIGHT)], ids=["dark", "light"]
)
def test_every_mark_is_told_from_its_ground_and_words_in_its_colour_are_read(
    theme: Theme, palette: rows.ChartPalette
) -> None:
    ground = Color.parse(theme.background or "")
    for tone in ("true", "clean", "measured", "attacked", "theory", "target"):
        assert contrast(Color.parse(palette.style(tone)), ground) >= TEXT, tone
    for colour in palette.series:
        assert contrast(Color.parse(colour), ground) >= MARK, colour
    own = Color.parse(palette.background)
    for colour in (palette.foreground, palette.muted):
        assert contrast(Color.parse(colour), own) >= TEXT, colour


APART: Final = 24.0
"""The least distance of two roles in CIE L*a*b*; about 2 is a difference that one just sees."""


def too_near(colours: Mapping[str, str]) -> list[tuple[str, str]]:
    """The pairs of roles whose colours look alike."""
    places = {role: rgb_to_lab(Color.parse(colour)) for role, colour in colours.items()}
    return [
        (one, other)
        for one, other in combinations(places, 2)
        if math.dist(*((at.L, at.a, at.b) for at in (places[one], places[other]))) < APART
    ]


@pytest.mark.parametrize(("theme", "at"), [(DARK, 0), (LIGHT, 1)], ids=["dark", "light"])
def test_one_colour_has_one_meaning(theme: Theme, at: int) -> None:
    """Focus, target and swept are three things; what was gained, simulated or refused, too."""
    colours = {role: pair[at] for role, pair in rows.ROLES.items()}
    assert too_near(colours) == []
    used = (theme.accent, theme.secondary, theme.error, theme.warning)
    assert used == tuple(colours[role] for role in ("focus", "swept", "refused", "doubtful"))
    assert theme.success == theme.foreground
    assert too_near({**colours, "target": colours["focus"]})  # as it was
    assert too_near({**colours, "measured": colours["attacked"]})


@pytest.mark.parametrize("palette", [rows.ANSI_DARK, rows.ANSI_LIGHT], ids=["dark", "light"])
def test_the_colours_of_a_terminal_have_one_meaning_in_charts(palette: rows.ChartPalette) -> None:
    drawn = [palette.style(tone) for tone in get_args(Tone) if not tone.startswith("series-")]
    assert len({*drawn}) == len(drawn)


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
async def test_what_may_be_typed_can_be_read_before_it_is(theme: Theme) -> None:
    """Some placeholders are instructions: "name=ε,δxN"."""
    app = Workbench(Settings(theme=theme.name), None, FakeEngine)
    async with app.run_test() as pilot:
        await app.screen.mount(field := Input(placeholder="name=ε,δxN"))
        await pilot.pause()
        style = field.get_component_rich_style("input--placeholder")
    assert style.italic
    assert style.color is not None
    assert style.bgcolor is not None
    ground = Color.from_rich_color(style.bgcolor)
    assert contrast(Color.from_rich_color(style.color), ground) >= TEXT


def test_no_text_has_another_colour() -> None:
    """All colours of texts in the product are among those that are checked here."""
    root = Path(ldptui.__file__).parent
    source = "\n".join(path.read_text("utf-8") for path in root.rglob("*.py"))
    used = set(re.findall(r"(?<![-\w])color: \$([a-z-]+)", source))
    used |= set(re.findall(r"\"\$((?:text|foreground)[a-z-]*)[ \"]", source))
    assert used - EXEMPT <= {*TEXTS}
