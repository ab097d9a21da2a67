"""`ldptui` on the command line, and `python -m ldptui`."""

from __future__ import annotations

import os
import signal
import sys


def main() -> int:
    """Run the command line; the exit code."""
    # As ctrl-c: what is finished is printed, and no process of a pool is left.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        from .commands.cli import main as command

        code = command()
    except KeyboardInterrupt:
        code = 130
    if code == 130:
        # An interrupted run may still be computing on another thread: nobody waits for it. Python
        # would complain of the semaphores that its worker processes leave.
        if (used := sys.modules.get("multiprocessing.util")) is not None:
            used._run_finalizers(0)
        os._exit(code)
    return code


if __name__ == "__main__":
    sys.exit(main())
