"""What each series of a plot looks like: its mark or its dashes, its style, its sample."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from ..rows import ASCII_MARKERS, MARKERS, Look
from ..series import Plot, Series
from .canvas import ASCII_DOTTED, ASCII_LINES
from .scale import Scale

if TYPE_CHECKING:
    from .scale import Floats

SPARE: Final = "●×□△◆+◇○▽≡HZ"
ASCII_SPARE: Final = "ox#+%@^&$=HZ"
TICKS: Final = ("#", "# # #", "# . #")
"""The dots of the points of clouds, which are too many for marks."""
CLOUD_SAMPLES: Final = {"#": "⠂⠄", "# # #": "⡇", "# . #": "⡅"}
"""The points of clouds as they are in the picture."""
CROWDED: Final = 0.75
"""Points for each column of a chart beyond which they are dots."""
SAMPLES: Final = ("──", "╴╶", "╌╌", "╸╺", "─·")
DOTTED_SAMPLES: Final = ("┄┄", "··", "╴·", "∙∙")


class Mark(Struct, frozen=True):
    """A series and its look: its sample in the legend, its style and its mark or dashes.

    dots : a pattern of dots in place of a letter.
    number : the number of its dash pattern.
    """

    series: Series
    sample: str
    style: str
    dots: str = ""
    glyph: str = ""
    number: int = 0


def marks_of(plot: Plot, look: Look) -> list[Mark]:
    """The look of each series, no two alike; very many points become dots."""
    is_ascii = look.charset == "ascii"
    markers, spare = (ASCII_MARKERS, ASCII_SPARE) if is_ascii else (MARKERS, SPARE)
    used, found = set[str](), list[Mark]()
    counts = {"line": 0, "dotted": 0, "cloud": 0}
    for series in plot.series:
        style = series_style(plot, series, look)
        match series.style:
            case "points":
                glyph = markers[series.tone]
                if glyph in used:
                    glyph = next((each for each in spare if each not in used), glyph)
                used.add(glyph)
                dots = ""
                if series.cloud and len(series.x) > CROWDED * look.width:
                    dots = TICKS[counts["cloud"] % len(TICKS)]
                    counts["cloud"] += 1
                sample = CLOUD_SAMPLES.get(dots, glyph) if not is_ascii else glyph
                found.append(Mark(series, sample, style, dots, glyph))
            case "band":
                found.append(Mark(series, ":" if is_ascii else "⢕⢕", style))
            case "floor":
                found.append(Mark(series, ".." if is_ascii else "⠌⠌", style))
            case kind:
                dotted = kind == "dotted"
                samples: Sequence[str] = DOTTED_SAMPLES if dotted else SAMPLES
                plain = ASCII_DOTTED if dotted else ASCII_LINES
                number = counts[kind]
                counts[kind] += bool(len(series.x))  # one without points names lines, and is none
                sample = (
                    plain[number % len(plain)] * 2 if is_ascii else samples[number % len(samples)]
                )
                found.append(Mark(series, sample if len(series.x) else "──", style, number=number))
    return found


def covered_words(marks: Sequence[Mark], x: Scale, y: Scale, drawn: Set[str]) -> str:
    """The marks of points that are nowhere to be seen, as later ones cover them: `●□ under ◇`; and
    in ASCII, where lines hide each other, the lines that are not.

    drawn : the characters of the picture.
    """
    import numpy as np

    above, under = dict[tuple[float, float], str](), dict[str, str]()
    for mark in reversed(marks):
        if mark.glyph and not mark.dots:
            u, v = np.round(x.places(mark.series.x)), np.round(y.places(mark.series.y))
            seen = (u >= 0) & (u < x.cells) & (v >= 0) & (v < y.cells)
            own = [*zip(u[seen].tolist(), v[seen].tolist(), strict=True)]
            if own and all(place in above for place in own):
                over = "".join(dict.fromkeys(above[place] for place in own))
                under[over] = mark.sample + under.get(over, "")
            for place in own:
                above.setdefault(place, mark.sample)
    words = [f"{signs} under {over}" for over, signs in under.items()]
    lines = [mark.sample for mark in marks
             if mark.sample.isascii() and not mark.glyph and len(mark.series.x)
             and mark.sample[0] not in drawn]  # fmt: skip
    words += [f"{' '.join(dict.fromkeys(lines))} under others"] if lines else []
    return "  ".join(words)


def crowded_columns(clouds: Sequence[Floats], x: Scale) -> frozenset[int]:
    """The columns that hold more than one point of a cloud, which would hide the true line."""
    import numpy as np

    found = set[int]()
    for cloud in clouds:
        places = x.places(cloud)
        columns, counts = np.unique(np.round(places[np.isfinite(places)]), return_counts=True)
        found.update(map(int, columns[counts > 1]))
    return frozenset(found)


def series_style(plot: Plot, series: Series, look: Look) -> str:
    """The style of a series; without enough colours, lines behind points are dim."""
    style = look.palette.style(series.tone)
    is_line = series.style in ("line", "dotted")
    if look.palette.has_colours or not is_line or style == look.palette.muted:
        return style
    return f"dim {style}" if any(each.style == "points" for each in plot.series) else style
