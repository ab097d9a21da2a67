"""A run of the worker inside the test's process, and the lines that it writes."""

from __future__ import annotations

import io
import json
from typing import Any

from ldptui.engine.wire import RunSoFar
from ldptui.engine.worker.inbox import Inbox, checked
from ldptui.engine.worker.run import Run
from ldptui.session.snapshot import Part, Request, Snapshot


def told(
    document: Any, name: str = "base", *, by_trial: bool = False, **more: Any
) -> tuple[Snapshot, list[dict[str, Any]]]:
    """The last snapshot of a run of one part, and all lines of the worker."""
    part = {"name": name, "document": document, "by_trial": by_trial}
    request = checked({"key": 1, "parts": [part], "folder": ".", "interval": 0, **more})
    inbox, out = Inbox(), io.BytesIO()
    inbox._newest = request
    Run(request, inbox, out).work()
    so_far = RunSoFar(Request(1, (Part(name, document),), "."))
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    for line in lines[1:]:
        so_far.take(line)
    return so_far.snapshot, lines
