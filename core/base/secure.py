"""Random numbers for reports of real users, from the operating system, drawn in bulk."""

from __future__ import annotations

import os
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from .errors import RunError, ScenarioError, got


def generator(rng: object) -> np.random.Generator:
    """The given random generator, or a cryptographically secure one for None.

    Raises ScenarioError for anything else.
    """
    if rng is None:
        return secure()
    if not isinstance(rng, np.random.Generator):
        raise ScenarioError(f"must be a numpy.random.Generator or left out, {got(rng)}", key="rng")
    return rng


def secure() -> np.random.Generator:
    """A cryptographically secure random generator, unpredictable in both directions."""
    return SystemCoins()


class SystemCoins(np.random.Generator):
    """A random generator that takes fresh bytes from the operating system for every draw.

    NumPy's own generators are for simulation: the state of PCG64 follows from some hundred bytes of
    its output (Bouillaguet, Martinez, Sauvage, ToSC 2020). No state is kept between two draws.
    Raises RunError for other draws than those defined here, and if the system has no random bytes.
    """

    def __init__(self) -> None:
        super().__init__(np.random.PCG64(0))  # which nothing here draws from

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """float64: uniform multiples of 2^-53 in [0, 1); raises RunError for another dtype, or for
        `out`.
        """
        if dtype is not np.float64 or out is not None:
            raise RunError("coins of the operating system are doubles, in an array of their own")
        made = (_words(_count(size), np.uint64) >> np.uint64(11)).astype(np.float64)
        made *= 2.0**-53
        return _shape_values(made, size)

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64,
        endpoint: bool = False,
    ) -> Any:  # fmt: skip
        """Uniform integers in [low, high), or in [0, low) if `high` is None.

        Words of as many bits as the range needs are drawn until one is inside, so that all are
        equally likely. Raises RunError for an empty range.
        """
        if high is None:
            low, high = 0, low
        last = int(high) - int(low) - (not endpoint)
        if not 0 <= last < 2**64:
            raise RunError(f"must have ends that enclose whole numbers, {got([low, high])}")
        drawn = _up_to(last, _count(size))
        if low:
            drawn = drawn.astype(np.uint64) + np.uint64(int(low) % 2**64)
        return _shape_values(drawn.astype(dtype, copy=False), size)

    def geometric(self, p: Any, size: Any = None) -> Any:
        """Geometric random numbers: the number of trials of probability p until the first success,
        1, 2, ….
        """
        left = np.log1p(-self.random(_count(size)))
        return _shape_values(np.maximum(np.ceil(left / np.log1p(-p)), 1).astype(np.int64), size)

    @property
    def bit_generator(self) -> Any:
        raise RunError("coins of the operating system have no state")


def _refuse(name: str) -> Any:
    def draw(*_: object, **__: object) -> NoReturn:
        raise RunError(f"no {name} is drawn from coins of the operating system")

    return draw


for _name in dir(np.random.Generator):
    if not _name.startswith("_") and _name not in vars(SystemCoins):
        setattr(SystemCoins, _name, _refuse(_name))


def _words(count: int, dtype: Any) -> NDArray[Any]:
    """Fresh words, [count]; raises RunError where the system has none."""
    try:
        return np.frombuffer(bytearray(os.urandom(count * np.dtype(dtype).itemsize)), dtype)
    except (NotImplementedError, OSError) as error:
        raise RunError(f"the operating system gives no random bytes: {error}") from None


def _up_to(last: int, count: int) -> NDArray[Any]:
    """Unsigned [count], uniform in 0 … last."""
    if not last:
        return np.zeros(count, dtype=np.uint8)
    dtype = np.min_scalar_type(last)
    mask = dtype.type((1 << last.bit_length()) - 1)
    made = _words(count, dtype)
    if mask != np.iinfo(dtype).max:
        made = made & mask
    if last == mask:
        return made
    outside = np.flatnonzero(made > last)
    while outside.size:
        made[outside] = _words(outside.size, dtype) & mask
        outside = outside[made[outside] > last]
    return made


def _count(size: Any) -> int:
    return 1 if size is None else int(np.prod(size, dtype=np.int64))


def _shape_values(values: NDArray[Any], size: Any) -> Any:
    return values[0] if size is None else values.reshape(size)
