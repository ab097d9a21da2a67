"""A visitor of `ldptui serve`: a process that opens no file of the server but its own.

The gate is an audit hook, so that it holds for whatever opens a file in Python: a scenario's data,
a table of the lab, a path that is completed. What it refuses is an OSError, told as any other one.
Behind the gate stands the system's own wall, where the system has one (`landlock`): it also holds
for libraries that open files by themselves.
"""

from __future__ import annotations

import errno
import os
import resource
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ldptui.core.base.files import is_file

from . import landlock

if TYPE_CHECKING:
    from textual.app import App

HOME: Final = "LDPTUI_VISITOR"
"""The variable with the folder of a visitor, which is all that its processes may open."""
REFUSAL: Final = "a server opens no files of its own for visitors"
WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
NULL: Final = ("/dev/null", "/dev/urandom")
LIBRARIES: Final = ("/usr", "/lib", "/lib64", "/etc/ld.so.cache")
"""The places of the system's libraries, which the linker reads."""
LIMITS: Final = {
    resource.RLIMIT_AS: 8 << 30,
    resource.RLIMIT_CPU: 3600,
    resource.RLIMIT_FSIZE: 1 << 30,
    resource.RLIMIT_CORE: 0,
}
"""The limits of each process of a visitor: bytes of memory, seconds of computing, bytes a file."""
TOUCHING: Final = frozenset({
    "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.link", "os.symlink", "os.truncate",
    "os.chmod", "os.chown", "os.utime", "shutil.rmtree", "shutil.move", "shutil.copyfile",
})  # fmt: skip
"""Events that change files; all of their paths must be the visitor's."""
LISTING: Final = frozenset({"os.listdir", "os.scandir", "sqlite3.connect"})
"""Events whose first path must be the visitor's or of the program."""
STARTING: Final = frozenset({"subprocess.Popen", "os.posix_spawn"})
"""Events that start a program, which must be Python; from 3.13 on the first raises the second."""
NEVER: Final = frozenset({
    "os.system", "os.exec", "os.spawn", "socket.connect", "socket.bind",
})  # fmt: skip


def visiting() -> bool:
    """Return whether this process belongs to a visitor."""
    return HOME in os.environ


def confine() -> None:
    """Let this process open nothing from now on but its visitor's folder and the program itself.

    What it may use of the machine is limited as well. Without a visitor it does nothing. It cannot
    be taken back.
    """
    if not visiting():
        return
    sys.dont_write_bytecode = True
    home = os.path.realpath(os.environ[HOME])
    program = tuple(os.path.realpath(place) for place in _program())
    for limit, most in LIMITS.items():
        _, hard = resource.getrlimit(limit)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(limit, (most, most))
    landlock.restrict((*LIBRARIES, sys.base_prefix, sys.prefix, *program), (home, *NULL))

    def within(path: Any, *folders: str) -> bool:
        if isinstance(path, int) or path is None:  # open already; the current folder
            return True
        place = os.path.realpath(os.fsdecode(path))
        return place in NULL or any(
            place == folder or place.startswith(folder + os.sep) for folder in folders
        )

    def gate(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode, flags = arguments
            reads = not set(mode or "") & set("wax+") and not flags & WRITING
            allowed = within(path, home, *(program if reads else ()))
        elif event in LISTING:
            allowed = arguments[0] == ":memory:" or within(arguments[0], home, *program)
        elif event in TOUCHING:
            paths = [each for each in arguments if isinstance(each, str | bytes | os.PathLike)]
            allowed = all(within(path, home) for path in paths)
        elif event in STARTING:
            allowed = os.fsdecode(arguments[0]) == sys.executable
        else:
            allowed = event not in NEVER
        if not allowed:
            named = arguments[0] if arguments and isinstance(arguments[0], str) else None
            raise PermissionError(errno.EACCES, REFUSAL, named)

    sys.addaudithook(gate)


def _program() -> set[str]:
    """The folders of Python, of installed packages, and of ldptui's own."""
    folders = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    for name in ("ldptui", "ldptui.core", "ldptui.scenarios"):
        spec = find_spec(name)
        folders |= set(spec.submodule_search_locations or ()) if spec is not None else set()
    return folders


def hand_over(app: App[Any], path: Path) -> str:
    """Give a browser the file that was written for it; a sentence, "" in a terminal."""
    if not app.is_web or not is_file(path):
        return ""
    # To guess the type would read the system's list of them.
    app.deliver_binary(path, mime_type="application/octet-stream")
    return f"{path.name} is downloaded by the browser"
