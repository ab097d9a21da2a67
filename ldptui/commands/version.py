"""The version, and those of what computes."""

from __future__ import annotations

import platform
from importlib import metadata

from .. import __version__
from ..terminal import exits
from ..terminal.output import write_out


def version(verbose: bool) -> int:
    """Print the version; verbose: also those of what computes, and which loops it has."""
    lines = [f"ldptui {__version__}"]
    if verbose:
        from ldptui.core.kernels.loops import LOOPS

        LOOPS.load()
        numpy = metadata.version("numpy")
        lines.append(f"Python {platform.python_version()}, NumPy {numpy}, {platform.machine()}")
        lines.append(f"loops that count reports: {LOOPS.words}")
    write_out("\n".join([*lines, ""]))
    return exits.DONE
