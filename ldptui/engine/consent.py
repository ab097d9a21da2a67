"""The code that a run asks for and that is not allowed yet, found by a process of its own."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from typing import Final

from ..session.consent import Code
from .wire import from_json

SEEK: Final = (sys.executable, "-P", "-m", "ldptui.engine.worker.seeking")


async def seek(
    code: Sequence[tuple[str, str]],
    folder: str,
    agreed: Sequence[tuple[object, ...]],
    allowed: Sequence[str] = (),
) -> tuple[Code, ...]:
    """The code under these names that the user has to be asked about.

    code : the purpose and the name of each. folder : of the scenario. agreed : what the user has
    agreed to already; allowed : the arguments for what is allowed without a question.
    """
    if not code:
        return ()
    pipe = asyncio.subprocess.PIPE
    child = await asyncio.create_subprocess_exec(
        *SEEK, *allowed, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL
    )
    asked = {"code": list(code), "folder": folder, "agreed": list(agreed)}
    written, _ = await child.communicate(json.dumps(asked).encode())
    found = written if child.returncode == 0 else b"[]"
    return from_json(found, tuple[Code, ...])
