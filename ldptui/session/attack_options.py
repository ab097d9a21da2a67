"""The Python code that a user lets run: by options, and after a question.

Light: the workbench hands it on to its background worker and never loads such an attack itself.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from msgspec import Struct

from ldptui.core.base.files import fault_of

from ..terminal.settings import refuse_unreadable

if TYPE_CHECKING:
    from ldptui.core.base.code import What
    from ldptui.core.experiment import Experiment
    from ldptui.core.plugins import CodePermission

    from . import consent
    from .snapshot import Request


ASKS: Final = (
    "ctrl+r names its file and lets you allow it; --code FILE allows that of a file elsewhere"
)


class AllowedCode(Struct, frozen=True):
    """The Python code that a command's options permit: names published by packages, and files.

    offered : files whose code runs only after the user's consent.
    """

    names: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    offered: tuple[Path, ...] = ()


def check_travel(experiment: Experiment, code: CodePermission) -> None:
    """Raise ScenarioError if a cluster would need code from a local file, which its workers do not
    have.

    A permitted file whose code the scenario does not name is ignored.
    """
    from ldptui.core import plugins
    from ldptui.core.base.errors import ScenarioError

    for source in plugins.code_locations(experiment, code):
        if isinstance(source.place, Path):
            rule = f"cannot run the {source.label} from a file of this machine: install it"
            how = "on the workers, and name it by --allow"
            raise ScenarioError(f"{rule} {how}", "--cluster")


FLAGS: Final = {"names": "--allow", "files": "--code", "offered": "--offered-file"}
"""The options of a worker for the fields of its `AllowedCode`."""


def add_to_worker(parser: argparse.ArgumentParser) -> None:
    """Add the options `FLAGS` to the argument parser of the worker process."""
    for name, flag in FLAGS.items():
        kind = str if name == "names" else Path
        parser.add_argument(flag, dest=name, action="append", default=[], type=kind)


def code_of(options: argparse.Namespace) -> AllowedCode:
    """The plug-in code that the parsed options of a worker permit."""
    return AllowedCode(**{name: tuple(getattr(options, name)) for name in FLAGS})


def code_in(arguments: Sequence[str]) -> AllowedCode:
    """The plug-in code that the arguments of a worker permit."""
    parser = argparse.ArgumentParser(add_help=False)
    add_to_worker(parser)
    return code_of(parser.parse_known_args(arguments)[0])


def as_arguments(code: AllowedCode) -> list[str]:
    """The arguments by which `add_to_worker` reads this permission in a process in
    another folder.
    """
    return [
        *(f"{FLAGS['names']}={name}" for name in code.names),
        *(f"{FLAGS['files']}={file.absolute()}" for file in code.files),
        *(f"{FLAGS['offered']}={file.absolute()}" for file in code.offered),
    ]


def faults(files: Sequence[Path]) -> list[str]:
    """A sentence for each file named in the settings that cannot be read."""
    return [f"attack_files: {file}: {fault}" for file in files if (fault := fault_of(file))]


def with_agreed(code: AllowedCode, agreed: Sequence[Sequence[Any]]) -> CodePermission:
    """The permission for the code that the options and the user's consent allow."""
    from ldptui.core.plugins import CodeLocation, CodePermission

    seen = tuple(
        CodeLocation(name, digest, Path(place) if is_file else place, what)
        for what, name, is_file, place, digest in agreed
    )
    return CodePermission(code.names, _whole(code.files), agreed_code=seen, how=ASKS)


def unseen_code(request: Request, arguments: Sequence[str]) -> tuple[consent.UnseenCode, ...]:
    """The plug-in code of a request that needs the user's consent; runs none of it.

    arguments : of a worker. Code that cannot be found is left out.
    """
    from ldptui.core.base.errors import LdpError
    from ldptui.core.plugins import code_candidate, find_code
    from ldptui.core.plugins.code_location import read_code

    from . import consent

    code, found = code_in(arguments), []
    for table, name in request.python_code:
        what = cast("What", table)
        try:
            find_code(name, with_agreed(code, request.agreed), what)
        except LdpError:
            source = code_candidate(name, what, Path(request.folder), code.offered)
            if source is not None:
                is_file, place = isinstance(source.place, Path), str(source.place)
                lines = len(read_code(Path(place)).splitlines()) if is_file else 0
                found.append(consent.UnseenCode(what, name, place, is_file, source.digest, lines))
    return tuple(found)


def allow_code(names: Sequence[str], files: Sequence[Path]) -> CodePermission:
    """The permission for the plug-in code that options name.

    Raises FileError for a file that cannot be read.
    """
    from ldptui.core.plugins import CodePermission

    refuse_unreadable([file.expanduser() for file in files])
    return CodePermission(tuple(names), _whole(files))


def _whole(files: Sequence[Path]) -> tuple[Path, ...]:
    return tuple(file.expanduser().absolute() for file in files)
