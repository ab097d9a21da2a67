"""What a copy of ldptui says of itself: its pages, its version, its keys."""

from __future__ import annotations

import os
import platform
import sys
import webbrowser
from importlib import metadata
from pathlib import Path
from typing import Final

from ldptui.core.base.errors import FileError, suggest
from ldptui.core.base.files import is_there

from .. import __version__
from ..terminal import exits
from ..terminal.output import write_out

SITE: Final = Path(__file__).parents[1] / "site"
"""The folder that `make site` writes; a package that `make dist` built has them there."""


def open_page(name: str, opens: bool) -> int:
    """Print the path of a documentation page, and open it in a browser if there is a screen;
    returns the exit code.
    """
    path = page(name)
    write_out(f"{path}\n")
    if opens and sys.stdout.isatty() and has_screen():
        webbrowser.open(path.as_uri())
    return exits.DONE


def page(name: str, site: Path = SITE) -> Path:
    """The file of a documentation page; raises FileError if it does not exist."""
    if not is_there(site / "index.html"):
        raise FileError(f"this copy of ldptui came without its pages: {_where_pages_are()}")
    names = sorted(path.stem for path in site.glob("*.html") if path.stem != "404")
    if name not in names:
        hint = suggest(name, names, f"there are {', '.join(names)}")
        raise FileError(f"{name} is not a page{hint}")
    return site / f"{name}.html"


def _where_pages_are() -> str:
    """The place where the pages can be read, or be made."""
    source = Path(__file__).parents[2] / "docs"
    if is_there(source / "tutorial.md"):
        return f"they are text in {source}, and `make site` makes them for a browser"
    urls = metadata.metadata("ldptui").get_all("Project-URL") or []
    named = dict(url.split(", ", 1) for url in urls)
    return (
        f"{named.get('Documentation', 'the source')} has them, and a wheel that `make dist` built"
    )


def has_screen() -> bool:
    """True if a browser could show a page here; over SSH mostly False."""
    return sys.platform == "darwin" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))


def version(verbose: bool) -> int:
    """Print the version; verbose : also the versions of the libraries that compute, and which loops
    are compiled.
    """
    lines = [f"ldptui {__version__}"]
    if verbose:
        from ldptui.core.kernels.loops import LOOPS

        LOOPS.load()
        numpy = metadata.version("numpy")
        lines.append(f"Python {platform.python_version()}, NumPy {numpy}, {platform.machine()}")
        lines.append(f"loops that count reports: {LOOPS.words}")
    write_out("\n".join([*lines, ""]))
    return exits.DONE
