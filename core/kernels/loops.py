"""The compiled loops of `.compiled`, loaded once there has been work enough for them.

Until then, and if numba is not installed, NumPy does the same: the numbers do not differ. Numba
reads settings from the current folder whenever it compiles, and they may name a cache of pickled
code; in a folder with such settings NumPy does the work.
"""

from __future__ import annotations

import importlib
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Final

from ..base.files import is_there
from ..base.work import whole

WORTH_S: Final = 0.15
"""Seconds of NumPy's work that loading the compiled loops takes about as long as."""

SETTINGS: Final = Path(".numba_config.yaml")
"""What numba reads of the current folder, whoever wrote it."""


class Loops:
    """The compiled (numba) or NumPy loops of this process.

    missing : why compilation is unavailable, "" before the first try.
    """

    def __init__(self) -> None:
        self.compiled: ModuleType | None = None
        self.missing = ""
        self._seconds = 0.0

    def after(self, seconds: float) -> ModuleType | None:
        """The compiled loops, or None to use NumPy.

        They are loaded once NumPy's work of this process, estimated as `seconds` per call, exceeds
        WORTH_S.
        """
        self._seconds += seconds
        if is_there(SETTINGS):
            return None
        if self.compiled is None and not self.missing and self._seconds > WORTH_S:
            self.load()
        return self.compiled

    def load(self) -> None:
        """Load the compiled loops now, if numba is available."""
        if is_there(SETTINGS):
            return
        try:
            self.compiled = whole(lambda: importlib.import_module("ldptui.core.kernels.compiled"))
        except Exception as error:  # numba refuses a NumPy that it does not know in many ways
            self.missing = str(error) or type(error).__name__

    @property
    def words(self) -> str:
        """The loops in use, for a message: "compiled by numba 0.68.1". Loads nothing."""
        if find_spec("numba") is None:
            return "NumPy's (pip install 'ldptui[fast]' compiles them)"
        numba = f"numba {metadata.version('numba')}"
        if is_there(SETTINGS):
            return f"NumPy's, as {numba} would obey {SETTINGS} in this folder"
        if self.missing:
            return f"NumPy's, as {numba} does not load: {self.missing.splitlines()[0]}"
        return f"compiled by {numba}"


LOOPS: Final = Loops()
