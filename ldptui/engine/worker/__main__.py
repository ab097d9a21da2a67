"""The worker's process: it serves one request after the other, until standard input ends."""

from __future__ import annotations

import argparse
import os
import sys
import threading
from functools import partial

from ... import __version__


def versions() -> dict[str, str]:
    import numpy as np

    from ldptui.core.kernels.loops import LOOPS

    python = ".".join(map(str, sys.version_info[:3]))
    return {"ldptui": __version__, "python": python, "numpy": np.__version__, "loops": LOOPS.words}


def main() -> None:
    """Serve requests until standard input ends."""
    if sys.stdin is None:  # closed before the start
        return
    # Standard output carries the protocol and nothing else: stray prints go to standard error.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    from ...session import attack_options
    from ...session.snapshot import LabQuestion
    from ..wire import write
    from .inbox import Inbox

    inbox = Inbox()
    parser = argparse.ArgumentParser("ldptui.engine.worker")
    parser.add_argument(
        "--lab", action="store_true", help="import what the lab needs while it waits"
    )
    attack_options.add_to_worker(parser)
    parser.add_argument("--cluster", help="the cluster that computes whole runs")
    options = parser.parse_args()
    code = attack_options.code_of(options)
    inbox.interrupts()  # a stray ctrl-c does nothing
    lines = os.fdopen(os.dup(0), "rb")
    threading.Thread(target=inbox.listen, args=(lines,), daemon=True).start()
    # The simulator comes with these: from here on the end of standard input is noticed.
    from ldptui.core.plugins import permit_code

    from ...questions import import_bodies
    from .answering import Answering

    rest = import_bodies() if options.lab else iter(())
    if not options.lab:
        from . import run  # noqa: F401 - ready is who can run at once
    try:
        write(out, ready=versions())
        while True:
            request = inbox.requests.get()
            if isinstance(request, str):
                write(out, error=request)
            elif inbox.is_outdated(request):
                continue
            elif isinstance(request, LabQuestion):
                Answering(request, inbox, out).work()
                while inbox.requests.empty() and next(rest, ""):
                    pass  # what other questions need is there when they are asked
            else:
                from .run import RunningRequest

                permission = attack_options.with_agreed(code, request.agreed)
                permit = partial(permit_code, permission=permission)
                RunningRequest(request, inbox, out, permit, options.cluster).work()
    except BrokenPipeError:
        os._exit(0)  # the app is gone


if __name__ == "__main__":
    main()
