"""Attacks in Python that the workbench writes: a copy of the example, in the user's editor."""

from __future__ import annotations

import os
import shlex
import warnings
from pathlib import Path
from typing import Final

from ldptui.core.base.files import is_there

from .. import scenarios

EXAMPLE: Final = "one_by_one"
"""The bundled attack that a new one is a copy of."""
NEW: Final = "my_attack"


def find_attack_code(folder: Path, name: str) -> tuple[Path, int, str]:
    """The file, line and name of an attack in Python: beside the scenario, or a new copy of the
    example.

    Raises FileError, OSError.
    """
    from ldptui.core.plugins import code_candidate

    found = code_candidate(name, "attack", folder, ()) if name else None
    if found is not None and isinstance(found.place, Path):
        return found.place, found.line, name
    name = name if name.isidentifier() else NEW
    path = folder / f"{name}.py"
    if not is_there(path):
        text = scenarios.path("quickstart").with_name(f"{EXAMPLE}.py").read_text(encoding="utf-8")
        path.write_text(text.replace(EXAMPLE, name), encoding="utf-8")
    return path, 0, name


def syntax_fault(path: Path) -> str:
    """The first fault in the syntax of a file of Python, with its line; "" if there is none.

    Nothing of the file is run.
    """
    try:
        with warnings.catch_warnings(action="ignore"):
            compile(path.read_bytes(), path.name, "exec", dont_inherit=True)
    except SyntaxError as error:
        line = f" line {error.lineno}" if error.lineno else ""
        return f"{path.name}{line}: {error.msg}"
    except ValueError as error:  # for a null byte before Python 3.11.4
        return f"{path.name}: {error}"
    return ""


def editor_command(path: Path, line: int) -> list[str]:
    """The command that edits a file at a line: `$VISUAL`, `$EDITOR`, or vi."""
    command = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi")
    return [*command, *([f"+{line}"] if line else []), str(path)]
