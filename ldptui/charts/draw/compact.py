"""An SVG picture of matplotlib in a third of its letters: what is drawn stays the same."""

from __future__ import annotations

import re
from typing import Final
from xml.etree import ElementTree as Tree

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
