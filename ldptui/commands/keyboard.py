"""The keys of the workbench as a file to edit: ldptui keys."""

from __future__ import annotations

from ..terminal import exits
from ..terminal.output import write_out
from ..terminal.settings import default_keys, load_settings
from .options import Nothing


def keys(options: Nothing) -> int:  # noqa: ARG001 - as every command
    """Print every key as it is now."""
    write_out(default_keys(load_settings().keys), exactly=True)
    return exits.DONE
