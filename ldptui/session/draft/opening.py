"""Drafts of what is opened: a file, or the scenario of a kept run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ldptui import scenarios

from ...terminal.places import current_dir, is_folder
from .editing import draft_of
from .state import Draft


def opened(path: Path) -> Draft:
    """The draft of a file; a bundled scenario is a copy that has no file of its own yet."""
    text = path.read_text(encoding="utf-8-sig").replace("\r\n", "\n")
    bundled = path.parent == scenarios.path("quickstart").parent
    return draft_of(text, path.parent, None if bundled else path)


def reopened(document: Mapping[str, Any], source: str) -> Draft:
    """The draft of a kept scenario, in the folder of the file that it came from, if any."""
    from ldptui.core.scenario import to_toml

    folder = Path(source).parent if source else current_dir()
    return draft_of(to_toml(document), folder if is_folder(folder) else current_dir())
