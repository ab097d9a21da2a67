"""The pages that a package of ldptui brings along: ldptui docs."""

from __future__ import annotations

import difflib
import os
import sys
import webbrowser
from pathlib import Path
from typing import Final

from ldptui.core.base.errors import FileError

from ..terminal import exits
from ..terminal.output import write_out
from .options import Docs

SITE: Final = Path(__file__).parents[1] / "site"
"""The folder that `make site` writes; a package that `make dist` built has them there."""


def docs(options: Docs) -> int:
    """Print where a page is, and open it where a browser has a screen."""
    path = page(options.page)
    write_out(f"{path}\n")
    if options.opens and sys.stdout.isatty() and has_screen():
        webbrowser.open(path.as_uri())
    return exits.DONE


def page(name: str, site: Path = SITE) -> Path:
    """The file of a page; raises FileError where it is not there."""
    if not (site / "index.html").exists():
        raise FileError(
            "this copy of ldptui came without its pages: `make dist` builds a package that has "
            "them, and they can be read as text in the folder docs of the source"
        )
    names = sorted(path.stem for path in site.glob("*.html") if path.stem != "404")
    if name not in names:
        close = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(names)}"
        raise FileError(f"{name} is not a page ({hint})")
    return site / f"{name}.html"


def has_screen() -> bool:
    """Return whether a browser could show a page: over SSH there is mostly none."""
    return sys.platform == "darwin" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))
