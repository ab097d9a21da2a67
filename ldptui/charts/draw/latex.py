"""Figures in PGF, written without LaTeX, whose texts every LaTeX reads."""

from __future__ import annotations

import re
import unicodedata
from io import StringIO
from typing import Any, Final
from unittest import mock

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
