"""The arms of a cell: a collection with or without the attack, with or without the defence."""

from __future__ import annotations

from typing import Final, NamedTuple


class Arm(NamedTuple):
    """An arm of a cell: a collection with or without the attack, with or without the defence.

    All arms share the genuine reports.
    """

    attacked: bool
    defended: bool = False

    @property
    def name(self) -> str:
        """The arm's name in every output: clean, attacked, clean_defended, attacked_defended."""
        name = "attacked" if self.attacked else "clean"
        return f"{name}_defended" if self.defended else name

    @property
    def before(self) -> Arm:
        """The arm without the attack, and with the same defence or none."""
        return Arm(False, self.defended)


CLEAN: Final = Arm(False)
ATTACKED: Final = Arm(True)

UNDEFENDED: Final = (CLEAN, ATTACKED)
"""The arms of a cell without a defence."""

CLEAN_DEFENDED: Final = Arm(False, True)
ATTACKED_DEFENDED: Final = Arm(True, True)

DEFENDED: Final = (CLEAN_DEFENDED, ATTACKED_DEFENDED)
"""The other arms of a cell with one."""

ARMS: Final = (*UNDEFENDED, *DEFENDED)
"""All arms, in the order of columns and charts."""
