"""The modules that a start imports."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence

HEAVY = ("numpy", "scipy", "textual", "rich", "plotext", "pydantic", "tomlkit", "xxhash")


LIGHT = {
    f"ldptui.core.base{room}" for room in ("", ".code", ".errors", ".files", ".named", ".ranges")
}
"""The modules of the simulator that come with the declarations of arguments: they need no NumPy."""

PROBE = """
import contextlib, io, sys
from ldptui.__main__ import main
for arguments in {commands!r}:
    sys.argv = ["ldptui", *arguments]
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
        code = main()
    print(code, *sorted(out for out in sys.modules if "." not in out or out.startswith("ldptui.")))
"""


def imported(*commands: Sequence[str]) -> Iterator[tuple[int, set[str]]]:
    """The exit code of each command, and the top-level modules (and ldptui's) that are there then.

    All in one process, so a module that one of them imports is there after the later ones as well.
    """
    for line in printed(PROBE.format(commands=[*map(list, commands)])).splitlines():
        code, *names = line.split()
        yield int(code), set(names)


def printed(program: str) -> str:
    """The output of a program in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout
