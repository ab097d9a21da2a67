"""The background worker as the app sees it: one warm child that runs, one that waits.

Everything here lives on the event loop: no thread, no NumPy. The worker's lines come in,
complete snapshots go out.

Importing the package loads nothing: the worker's process is below it, and has no use for the app's
end of the wire.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .engine import COMMAND as COMMAND
    from .engine import LAB as LAB
    from .engine import Engine as Engine

__all__ = ["COMMAND", "LAB", "Engine"]


def __getattr__(name: str) -> Any:
    """Load the engine on first use (PEP 562)."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(".engine", __name__), name)
