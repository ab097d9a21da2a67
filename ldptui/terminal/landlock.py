"""Landlock, the system's own wall around a process: it opens no path but those that it is given.

It holds for whatever opens a file, code that is not Python's too, and for all processes that are
started later; it cannot be taken back. Linux has it from 5.13 on, where it is switched on.
Source: Linux, Documentation/userspace-api/landlock.rst.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Iterable
from typing import Final

from ldptui.core.base.files import is_folder

CREATE_RULESET: Final = 444
ADD_RULE: Final = 445
RESTRICT_SELF: Final = 446
VERSION: Final = 1
"""The flag with which `CREATE_RULESET` tells the version that the kernel knows."""
PATH_BENEATH: Final = 1
NO_NEW_PRIVILEGES: Final = 38

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
ALL: Final = (1 << 13) - 1
"""The rights of the first version: to read, write, make and remove files of every kind."""
MORE: Final = {2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
"""The rights that later versions added: to move files, to truncate them, to control devices."""
OF_FILES: Final = EXECUTE | WRITE_FILE | READ_FILE | MORE[3] | MORE[5]

RULESET: Final = struct.Struct("=Q")
"""The rights that a ruleset takes away unless a rule gives them back."""
BENEATH: Final = struct.Struct("=Qi")
"""A rule: these rights for all beneath an open folder, or for one file."""


def version() -> int:
    """The version of Landlock that this system has; 0 where it has none."""
    if sys.platform != "linux":
        return 0
    return max(0, _system(CREATE_RULESET, None, 0, VERSION))


def restrict(read: Iterable[str], write: Iterable[str]) -> bool:
    """Let this thread, and what it starts, open only these paths and all that lies beneath.

    read : files and folders to be read and executed. write : those to be written too. A path that
    is not there is passed over. False where the system has no Landlock; raises OSError where it
    refuses.
    """
    known = version()
    if not known:
        return False
    rights = ALL | sum(more for since, more in MORE.items() if since <= known)
    asked = RULESET.pack(rights)
    ruleset = _checked(_system(CREATE_RULESET, asked, len(asked), 0))
    try:
        for path in read:
            _add(ruleset, path, EXECUTE | READ_FILE | READ_DIR)
        for path in write:
            _add(ruleset, path, rights)
        _checked(ctypes.CDLL(None, use_errno=True).prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0))
        _checked(_system(RESTRICT_SELF, ruleset, 0))
    finally:
        os.close(ruleset)
    return True


def _add(ruleset: int, path: str, rights: int) -> None:
    try:
        parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        of_path = rights if is_folder(path) else rights & OF_FILES
        rule = BENEATH.pack(of_path, parent)
        _checked(_system(ADD_RULE, ruleset, PATH_BENEATH, rule, 0))
    finally:
        os.close(parent)


def _system(*arguments: object) -> int:
    """The answer of a system call; -1 where it failed, with the reason in ctypes' errno."""
    return int(ctypes.CDLL(None, use_errno=True).syscall(*arguments))


def _checked(answer: int) -> int:
    if answer < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return answer
