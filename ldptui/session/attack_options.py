"""The Python code that a user lets run: by options, and after a question.

Light: the workbench hands it on to its background worker and never loads such an attack itself.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from ldptui.core.base.files import fault_of

from ..terminal.settings import offered_files, refuse_unreadable

if TYPE_CHECKING:
    from ldptui.core.experiment import Experiment
    from ldptui.core.plugins import Allowed
    from ldptui.core.plugins import Guess as Guess


ASKS: Final = (
    "ctrl+r shows it and asks, where it lies beside the scenario, is installed or is in a file of "
    "the settings; --attack-file FILE lets the code of another file run"
)


class Code(Struct, frozen=True):
    """The Python code that a command's options let run: names of packages' code, and files.

    offered : files whose code the workbench asks about.
    """

    names: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    offered: tuple[Path, ...] = ()


def check_travel(experiment: Experiment, code: Code) -> None:
    """Refuse code in files of this machine on a cluster, whose workers do not have them.

    Raises ScenarioError. A file that is allowed and not asked for is no matter.
    """
    from ldptui.core import plugins
    from ldptui.core.base.errors import ScenarioError

    for source in plugins.sources(experiment, allowed(code)):
        if isinstance(source.place, Path):
            rule = f"cannot run the {source.label} from a file of this machine: install it"
            how = f"on the workers, and name it by --allow-{source.what}"
            raise ScenarioError(f"{rule} {how}", "--cluster")


FLAGS: Final = {"names": "--allow-attack", "files": "--attack-file", "offered": "--offered-file"}
"""The options of a worker for the fields of its `Code`."""


def add_to_worker(parser: argparse.ArgumentParser) -> None:
    """Add the options of `FLAGS`, of the workbench's background worker."""
    for name, flag in FLAGS.items():
        kind = str if name == "names" else Path
        parser.add_argument(flag, dest=name, action="append", default=[], type=kind)


def code_of(options: argparse.Namespace) -> Code:
    """The code that the options of a worker let run."""
    return Code(**{name: tuple(getattr(options, name)) for name in FLAGS})


def as_arguments(code: Code) -> list[str]:
    """The arguments that `add_to_worker` reads, for a process in another folder."""
    return [
        *(f"{FLAGS['names']}={name}" for name in code.names),
        *(f"{FLAGS['files']}={file.absolute()}" for file in code.files),
        *(f"{FLAGS['offered']}={file.absolute()}" for file in code.offered),
    ]


def guesses_in(path: Path) -> tuple[Guess, ...]:
    """The code in a Python file that a scenario can name; it runs none of it.

    Raises FileError, ScenarioError.
    """
    from ldptui.core.plugins import guesses

    return guesses(path)


def faults(files: Sequence[Path]) -> list[str]:
    """A sentence for each file of the settings that cannot be read."""
    return [f"attack_files: {file}: {fault}" for file in files if (fault := fault_of(file))]


def _given(code: Code) -> Allowed:
    from ldptui.core.plugins import Allowed

    return Allowed(code.names, tuple(file.expanduser().absolute() for file in code.files))


def with_agreed(code: Code, agreed: Sequence[Sequence[Any]]) -> Allowed:
    """The code that a workbench lets run: that which the user agreed to (`Code.agreed`) as well."""
    from ldptui.core.plugins import Source

    seen = tuple(
        Source(name, digest, Path(place) if is_file else place, what)
        for what, name, is_file, place, digest in agreed
    )
    return replace(_given(code), seen=seen, how=ASKS)


def allowed(code: Code) -> Allowed:
    """The attacks that the options let run, asked for or not; those of the settings are offered.

    Raises FileError where they name a file that cannot be read.
    """
    refuse_unreadable([file.expanduser() for file in code.files])
    return replace(_given(code), offered=offered_files())


def permitted(experiment: Experiment, code: Code) -> Experiment:
    """The experiment, ready to run: what it asks for must be allowed by the options alone.

    Raises ScenarioError, which says how to allow it and tells of the files of the settings, or
    FileError.
    """
    from ldptui.core import plugins

    return plugins.permit(experiment, allowed(code))
