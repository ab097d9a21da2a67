"""The workbench of one visitor of `ldptui serve`, in a folder that is gone when it ends."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from ..terminal.visitor import HOME, confine


def main() -> int:
    """Show the workbench; the scenario to begin with is the one argument there may be."""
    home = Path(tempfile.mkdtemp(dir=os.environ.get("LDPTUI_VISITORS"), prefix="visitor-"))
    try:
        return _visit(home, sys.argv[1:])
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _visit(home: Path, arguments: list[str]) -> int:
    for variable in ("CONFIG", "DATA", "STATE", "CACHE"):
        os.environ[f"XDG_{variable}_HOME"] = str(home / ".ldptui" / variable.lower())
    for variable in ("HOME", "TMPDIR", HOME):
        os.environ[variable] = str(home)
    for variable in ("LDPTUI_STORE", "LDPTUI_CONFIG", "LDPTUI_VISITORS"):
        os.environ.pop(variable, None)
    tempfile.tempdir = None
    path = None
    for argument in arguments[:1]:
        path = home / Path(argument).name
        shutil.copyfile(argument, path)
    os.chdir(home)
    confine()
    from ..app import Workbench
    from ..terminal import places
    from ..terminal.settings import Settings

    app = Workbench(Settings(), path, store=places.store_file())
    app.run()
    return app.return_code or 0


if __name__ == "__main__":
    sys.exit(main())
