"""An app with the styles of the workbench."""

from __future__ import annotations

from pathlib import Path

from textual.app import App

import ldptui


class StyledApp(App[None]):
    """Shows a widget as the workbench does."""

    CSS_PATH = sorted(Path(ldptui.__file__).parent.rglob("*.tcss"))
