"""A figure for paper: its caption, and the scenario that its file carries."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ldptui.core.base.errors import FileError

from ..text import format as text

DRAWN: Final = (".svg", ".pdf", ".png", ".pgf")
"""The ends of the names of files that are drawn."""
MARK: Final = "ldptui-scenario:"


def caption(title: str, seed: int, trials: int, digest: str, numpy: str) -> str:
    """The line below a figure."""
    return f"{title} · seed {seed} · {text.count(trials)} trials · {text.drawn_by(digest, numpy)}"


def embedded(document: Mapping[str, Any], digest: str, numpy: str) -> str:
    """The scenario, its digest and NumPy's version, in letters that every format keeps."""
    whole = json.dumps({"scenario": document, "digest": digest, "numpy": numpy}, ensure_ascii=True)
    return MARK + base64.b64encode(whole.encode()).decode()


@dataclass(frozen=True)
class Carried:
    """The content of a figure. numpy : the version that drew it, "" in those of older ldptui."""

    document: dict[str, Any]
    digest: str
    numpy: str


def carried(path: Path) -> Carried | None:
    """The scenario that a figure carries, and its digest; None where the file carries none."""
    try:
        match = re.search(MARK.encode() + rb"([A-Za-z0-9+/=]+)", path.read_bytes())
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}") from None
    if match is None:
        return None
    try:
        whole = json.loads(base64.b64decode(match[1]))
        return Carried(dict(whole["scenario"]), str(whole["digest"]), str(whole.get("numpy", "")))
    except (ValueError, KeyError, TypeError):
        raise FileError(f"{path}: the scenario in it is damaged") from None
