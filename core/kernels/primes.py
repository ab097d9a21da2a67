"""The constants of xxHash32, which NumPy's loops and the compiled ones share."""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

UInts: TypeAlias = NDArray[np.uint32]

PRIME_2: Final = np.uint32(0x85EBCA77)
PRIME_3: Final = np.uint32(0xC2B2AE3D)
PRIME_4: Final = np.uint32(0x27D4EB2F)
START: Final = np.uint32(0x165667B1 + 4)  # PRIME_5 + the length of the key
