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
    asked = {"key": 1, "parts": [part], "folder": ".", "interval": 0, **more}
    return answered(Request(1, (Part(name, document),), "."), asked)


def answered(request: Request, asked: dict[str, Any]) -> tuple[Snapshot, list[dict[str, Any]]]:
    """The last snapshot of a run of this request, and all lines.

    asked : what the worker is sent of it.
    """
    document = checked(json.loads(json.dumps(asked)))
    inbox, out = Inbox(), io.BytesIO()
    inbox._newest = document
    Run(document, inbox, out).work()
    so_far = RunSoFar(request)
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    for line in lines[1:]:
        so_far.take(line)
    return so_far.snapshot, lines
