"""Pictures of the screen, as SVG that fetches nothing from elsewhere."""

from __future__ import annotations

import re
from typing import Final

FONTS: Final = "'DejaVu Sans Mono', 'Fira Code', Menlo, Consolas, monospace"
"""Fonts of a terminal, the first that is there; each run of letters is as wide in any of them."""


def with_local_fonts(svg: str) -> str:
    """The SVG of Rich with local fonts in place of web fonts."""
    fetched = r"\s*<!-- Generated with Rich .*?-->|@font-face \{.*?\}\s*"
    plain = re.sub(fetched, "", svg, flags=re.DOTALL)
    return plain.replace("font-family: Fira Code, monospace", f"font-family: {FONTS}")
