"""Letters on paper: the widths of words, formulas as LaTeX, and charts made compact."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from io import StringIO
from typing import Any, Final
from unittest import mock
from xml.etree import ElementTree as Tree

from ...text import format as fmt

SIZE: Final = 7.0
"""Points of all letters of a figure at the width at which it is printed."""
LINE: Final = 1.25 * SIZE
"""Points from one line of a text to the next."""
_RAISED: Final = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"


@cache
def width_of(text: str) -> float:
    """The width of a text in points, in matplotlib's own font."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family="DejaVu Sans", size=SIZE)
    return float(text_to_path.get_text_width_height_descent(text, font, False)[0])


def filled(text: str, room: float) -> str:
    """The text in lines that are as long as fit in this many points."""
    return "\n".join(_lines(text.split(" "), room)).replace("\u00a0", " ")


def wrapped(text: str, room: float) -> str:
    """The text in lines of about one length, as few as fit in this many points."""
    words = text.split(" ")
    lines = _lines(words, room)
    widest = max(map(width_of, words))
    while len(lines) > 1 and (room := 0.97 * room) > widest:
        narrower = _lines(words, room)
        if len(narrower) > len(lines):
            break
        lines = narrower
    return "\n".join(lines)


def _lines(words: Sequence[str], room: float) -> list[str]:
    lines = [words[0]]
    for word in words[1:]:
        longer = f"{lines[-1]} {word}"
        if width_of(longer) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def unbroken(text: str) -> str:
    """The text as one word to `filled`."""
    return text.replace(" ", "\u00a0")


def in_columns(labels: Sequence[str], handle: float, room: float) -> tuple[int, list[int]]:
    """The columns of a legend that fit in this many points, and the order of its entries.

    A legend fills its columns downwards; in this order it reads along its rows. handle : the points
    that an entry takes besides its letters.
    """
    for columns in range(len(labels), 0, -1):
        parts = [range(first, len(labels), columns) for first in range(columns)]
        taken = sum(handle + max(width_of(labels[at]) for at in part) for part in parts)
        if taken <= room:
            break
    return columns, [at for part in parts for at in part]


def with_powers(label: str) -> str:
    """The label of a tick with its raised digits as matplotlib sets powers of ten itself."""
    parts = re.fullmatch(f"(.*?)(10)([{_RAISED}]+)", label)
    if parts is None:
        return label
    power = "".join("0123456789-"[_RAISED.index(sign)] for sign in parts[3])
    return rf"$\mathdefault{{{parts[1].strip()}10^{{{power}}}}}$"


def tick(value: float, _: object = None) -> str:
    """The number of a tick, short, with a true minus sign."""
    return fmt.short(value).replace("-", "−")


_SIGNS: Final = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "…": r"\dots{}", "–": "--",
    **{sign: f"\\{sign}" for sign in "_&#${}"},
    **{sign: rf"\ensuremath{{\{name}}}" for sign, name in {
        "≤": "leq", "≥": "geq", "±": "pm", "×": "times", "∞": "infty", "·": "cdot", "→": "to",
        "≠": "neq", "≈": "approx", "ε": "varepsilon", "φ": "varphi", "√": "surd", "∈": "in",
        "▸": "triangleright",
    }.items()},
}  # fmt: skip
"""Signs of a text in LaTeX; Greek letters and raised and lowered ones have a rule."""
_TEXT: Final = re.compile(r"(?<=\\catcode`\\%=\\active\\def%\{\\%\})(.*)(?=\}\}%$)", re.MULTILINE)
"""The text of a label, behind what matplotlib writes before it."""


def in_pgf(figure: Any) -> str:
    """A figure of matplotlib for a document with the package pgf, drawn without LaTeX.

    Its texts are measured in matplotlib's font, which is wide; LaTeX sets them in its own.
    """
    from matplotlib.backends.backend_pgf import RendererPgf

    for artist in figure.findobj(lambda artist: bool(artist.get_rasterized())):
        artist.set_rasterized(False)  # it would be a picture in a file of its own
    pgf = StringIO()
    with mock.patch.object(RendererPgf, "get_text_width_height_descent", _measured):
        figure.savefig(pgf, format="pgf")
    drawn = pgf.getvalue()
    drawn = _TEXT.sub(lambda text: _in_latex(text[0]), drawn[drawn.index(r"\begingroup") :])
    return drawn.replace("\n", "\n\\providecommand{\\mathdefault}[1]{#1}%\n", 1)


def _measured(self: Any, s: str, prop: Any, ismath: Any) -> tuple[float, float, float]:
    """Width, height and descent of a text, in place of asking LaTeX."""
    from matplotlib.textpath import TextToPath

    scale = self.points_to_pixels(1.0)
    width, height, descent = TextToPath().get_text_width_height_descent(s, prop, ismath)
    return scale * width, scale * height, scale * descent


def _in_latex(text: str) -> str:
    """A text in LaTeX; powers of ten are so already."""
    if r"\mathdefault" in text:
        return text
    signs = text.replace(r"\ensuremath{-}", "−")
    return "".join(map(_sign, signs)).replace("−", r"\ensuremath{-}")


def _sign(sign: str) -> str:
    if sign in _SIGNS:
        return _SIGNS[sign]
    how, _, code = unicodedata.decomposition(sign).partition(" ")
    if how in ("<super>", "<sub>"):
        mark = "^" if how == "<super>" else "_"
        return rf"\ensuremath{{{mark}{{{chr(int(code, 16)).replace('−', '-')}}}}}"
    greek = re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER (\w+)", unicodedata.name(sign, ""))
    if greek is None:
        return sign
    name = greek[2].replace("LAMDA", "LAMBDA")
    return rf"\ensuremath{{\{name.lower() if greek[1] == 'SMALL' else name.capitalize()}}}"


DECIMALS: Final = 2
"""The decimals of a coordinate in points, of which 0.01 are 4 µm."""
FONTS: Final = "'DejaVu Sans', Verdana, sans-serif"
"""Matplotlib's own font, and those that are as wide or narrower."""
NAMES: Final = {
    "": "http://www.w3.org/2000/svg",
    "xlink": "http://www.w3.org/1999/xlink",
    "dc": "http://purl.org/dc/elements/1.1/",
    "cc": "http://creativecommons.org/ns#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
}
"""The namespaces by their prefixes."""
_SVG, _DC = f"{{{NAMES['']}}}", f"{{{NAMES['dc']}}}"
_GROUP, _PATH = f"{_SVG}g", f"{_SVG}path"
_LINK: Final = f"{{{NAMES['xlink']}}}href"
_LINE: Final = frozenset(f"{_SVG}{name}" for name in ("g", "path", "text", "metadata", "defs"))
"""Elements after which a line ends."""
_DROPPED: Final = frozenset(f"{_DC}{name}" for name in ("type", "format", "creator"))
_NUMBERED: Final = ("d", "x", "y", "width", "height", "transform", "style", "viewBox")
"""Attributes of numbers."""


def compact(svg: str) -> str:
    """The picture with rounded numbers, without names and groups that say nothing.

    Lines of one look that follow one another, as the whiskers of points, become one path.
    """
    for prefix, name in NAMES.items():
        Tree.register_namespace(prefix, name)
    root = Tree.fromstring(re.sub(r";? font-family: [^;\"]*", "", svg))
    root.set("style", f"font-family: {FONTS}")
    _style_marks(root)
    _shorten(root, set(re.findall(r'(?:url\(|href=")#(\w+)', svg)))
    return Tree.tostring(root, "unicode") + "\n"


def _style_marks(root: Tree.Element) -> None:
    """Say the look of a mark once, where it is defined, and not wherever it stands."""
    marks = {mark.get("id"): mark for mark in root.iter(_PATH)}
    placed: dict[str, list[Tree.Element]] = {}
    for use in root.iter(f"{_SVG}use"):
        placed.setdefault(use.get(_LINK, "").removeprefix("#"), []).append(use)
    for name, uses in placed.items():
        looks = {use.attrib.get("style", "") for use in uses}
        mark = marks.get(name)
        if mark is None or len(looks) > 1:
            continue
        # Its own style counts more than the one it inherits.
        both = "; ".join(filter(None, (*looks, mark.get("style", ""))))
        if both:
            styles = dict(part.split(": ", 1) for part in both.split("; "))
            mark.set("style", "; ".join(map(": ".join, styles.items())))
        for use in uses:
            use.attrib.pop("style", None)


def _shorten(element: Tree.Element, used: set[str]) -> None:
    """Shorten an element and all in it, in place. used : the names that are referred to."""
    if element.get("id") not in used:
        element.attrib.pop("id", None)
    for name in _NUMBERED:
        if name in element.attrib and "scale" not in element.attrib[name]:
            element.set(name, _rounded(element.attrib[name]))
    if not (element.text or "").strip():
        element.text = None
    element.tail = "\n" if element.tag in _LINE else None
    inner: list[Tree.Element] = []
    for child in element:
        if child.tag not in _DROPPED:
            _shorten(child, used)
            inner += child if child.tag == _GROUP and not child.attrib else [child]
    element[:] = []
    for child in inner:
        if len(element) and _alike(element[-1], child):
            element[-1].set("d", f"{element[-1].get('d')} {child.get('d')}")
        else:
            element.append(child)


def _alike(one: Tree.Element, other: Tree.Element) -> bool:
    """True for two lines of one look."""
    return (
        one.tag == other.tag == _PATH
        and "fill: none" in one.get("style", "")
        and {**one.attrib, "d": ""} == {**other.attrib, "d": ""}
    )


def _rounded(numbers: str) -> str:
    """The text with its numbers rounded, in one line."""
    short = re.sub(r"(?<![\w#])-?\d+\.\d{3,}(?:e-?\d+)?", _round, numbers)
    return " ".join(short.split())


def _round(number: re.Match[str]) -> str:
    text = f"{float(number[0]):.{DECIMALS}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
