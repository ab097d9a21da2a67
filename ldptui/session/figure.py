"""A figure for paper: its caption, and the scenario that its file carries."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from core.errors import FileError

from ..text import format as text

DRAWN: Final = (".svg", ".pdf", ".png", ".pgf")
"""The ends of the names of files that are drawn."""
MARK: Final = "ldptui-scenario:"


def caption(title: str, document: Mapping[str, Any], trials: int, digest: str) -> str:
    """The line below a figure."""
    return f"{title} · seed {document.get('seed', 0)} · {text.count(trials)} trials · {digest}"


def embedded(document: Mapping[str, Any], digest: str) -> str:
    """The scenario and its digest, in letters that every format keeps as they are."""
    whole = json.dumps({"scenario": document, "digest": digest}, ensure_ascii=True)
    return MARK + base64.b64encode(whole.encode()).decode()


def carried(path: Path) -> tuple[dict[str, Any], str] | None:
    """The scenario that a figure carries, and its digest; None where the file carries none."""
    try:
        match = re.search(MARK.encode() + rb"([A-Za-z0-9+/=]+)", path.read_bytes())
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}") from None
    if match is None:
        return None
    try:
        whole = json.loads(base64.b64decode(match[1]))
        return dict(whole["scenario"]), str(whole["digest"])
    except (ValueError, KeyError, TypeError):
        raise FileError(f"{path}: the scenario in it is damaged") from None
