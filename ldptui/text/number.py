"""Numbers as people write them."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

UNITS: Final = {
    "%": -2, "k": 3, "thousand": 3, "m": 6, "million": 6, "bn": 9, "billion": 9,
}  # fmt: skip
"""Words behind a number, and the power of ten that each multiplies it with."""
GAP: Final = re.compile(r"(?<=\d)[ _\u00a0\u2009\u202f](?=\d)")
"""What may stand between groups of digits."""
NUMBER: Final = re.compile(
    rf"([+-]?(?:[1-9]\d{{0,2}}(?:,\d{{3}})+|\d+\.?\d*|\.\d+)(?:e[+-]?\d{{1,3}})?)"
    rf"\s*({'|'.join(UNITS)})?"
)
POWER: Final = re.compile(r"(\d{1,3})\^(\d{1,2})")


def read_number(text: str) -> Decimal | None:
    """The number that a text stands for; None for any other text.

    `1_000_000`, `1 000 000`, `1,000,000`, `1e6`, `10^6`, `1m`, `1 million`; `5 %` is 0.05.
    """
    plain = GAP.sub("", text.strip()).lower()
    if power := POWER.fullmatch(plain):
        return Decimal(int(power[1]) ** int(power[2]))
    if (number := NUMBER.fullmatch(plain)) is None:
        return None
    value = Decimal(number[1].replace(",", ""))
    return value.scaleb(UNITS[number[2]]) if number[2] else value
