"""`ldptui` on the command line, and `python -m ldptui`."""

from __future__ import annotations

import gc
import os
import signal
import sys

from .terminal import exits, interrupts


def _missing_signal() -> str | None:
    """The first of what ldptui needs of the platform's signals that is not there."""
    needed = ("SIGTERM", "SIGKILL", "SIGHUP", "pthread_sigmask")
    return next((name for name in needed if not hasattr(signal, name)), None)


def main() -> int:
    """Run the command line; the exit code."""
    if (without := _missing_signal()) is not None:
        print(
            f"ldptui: {sys.platform} has no {without}, which stops a run; ldptui runs on Linux and "
            "macOS, and on Windows in WSL",
            file=sys.stderr,
        )
        return exits.USAGE
    # What a start makes stays: searching it after every 700 objects takes a seventh of the time.
    gc.set_threshold(50_000, 20, 20)
    # Processes that start here would import what lies in the folder that one is in.
    os.environ["PYTHONSAFEPATH"] = "1"
    # SIGTERM is as ctrl-c: what is finished is printed, and no process of a pool is left.
    interrupts.raise_on_signals()
    try:
        from .commands.cli import main as command

        code = command()
    except KeyboardInterrupt:
        code = exits.INTERRUPTED
    except Exception:
        if not interrupts.heard():
            raise
        code = exits.INTERRUPTED
    interrupts.heed_no_more()
    if code == exits.INTERRUPTED:
        # An interrupted run may still be computing on another thread: nobody waits for it. Python
        # would complain of the semaphores that its worker processes leave.
        if (used := sys.modules.get("multiprocessing.util")) is not None:
            used._run_finalizers(0)
        os._exit(code)
    return code


if __name__ == "__main__":
    sys.exit(main())
