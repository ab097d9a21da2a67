"""The commands that are no questions, in their groups: names alone, as help is to be quick."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

GROUPS: Final[Mapping[str, tuple[str, str]]] = {
    "simulate": (
        "a scenario, its closed forms, its pictures", "run theory scenarios record plot"
    ),
    "runs": ("what was simulated and kept", "runs resume replay compare game"),
    "real reports": (
        "of users of your own, and the programs that send them", "perturb client"
    ),
    "questions": ("that need no simulation; each has a tab of the lab", ""),
    "program": ("what ldptui brings along", "schema cite keys docs completion serve"),
}  # fmt: skip
"""The groups of commands: what each is about, and the commands that are no questions."""

MODULES: Final = {
    name: f"{__package__}.{group.rpartition(' ')[2]}_commands"
    for group, (_, names) in GROUPS.items()
    for name in names.split()
}
"""The module of each command."""
