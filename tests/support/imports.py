"""The modules that a start imports."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ("numpy", "scipy", "textual", "rich", "plotext", "pydantic", "tomlkit", "xxhash")


LIGHT = {f"ldptui.core.base{room}" for room in ("", ".errors", ".files", ".named", ".ranges")}
"""The modules of the simulator that come with the declarations of arguments: they need no NumPy."""

PROBE = """
import contextlib, io, sys
from ldptui.__main__ import main
sys.argv = ["ldptui", *{arguments!r}]
with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
    code = main()
print(code, *sorted(name for name in sys.modules if "." not in name or name.startswith("ldptui.")))
"""


def imported(*arguments: str) -> tuple[int, set[str]]:
    """The exit code, and the top-level modules (and ldptui's) that were imported."""
    program = PROBE.format(arguments=list(arguments))
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    code, *names = done.stdout.split()
    return int(code), set(names)
