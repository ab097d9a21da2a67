"""Numbers to text: values with their uncertainty, counts, times and rates.

The convention, wherever a person reads: whole numbers stand in groups of three from five digits on
(1000, 10 000) or have an exponent (1e9); an error has two significant digits and its value as many
decimals; a value alone has four significant digits at most, one that somebody set has six, and
exponents look like 1e-6; shares of one are percentages where that is said (12.5 %). Values in
messages are `core.base.errors.spelled`, which does the same. JSON and CSV have every digit.

Plain Python on purpose: importing this costs nothing. All functions accept ints, floats and NumPy
scalars, never raise on a number, and write a missing value (None or NaN) as an en dash. The sign
of a negative number is the ASCII hyphen, so that what is copied can be pasted into a program.
`to_ascii` spells any of these texts with ASCII alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

MISSING = "–"
"""The sign that stands where there is no number."""

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_PLAIN_DIGITS = {**dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789", strict=True)), "⁻": "-", "⁺": "+"}
_PLAIN_DIGITS |= dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True))
# fmt: off
_SPELLINGS = {
    **_PLAIN_DIGITS,
    "–": "-", "—": "-", "−": "-", "·": ".", "×": "x", "±": "+-", "∓": "-+", "∞": "inf",
    "≤": "<=", "≥": ">=", "≠": "!=", "≈": "~", "√": "sqrt ", "∑": "sum ", "Σ": "sum ",
    "→": "->", "←": "<-", "↔": "<->", "⇒": "=>", "↑": "^", "↓": "v", "∈": "in", "…": "...",
    "‘": "'", "’": "'", "“": '"', "”": '"', "½": "1/2",
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "Δ": "delta", "ε": "epsilon",
    "ϵ": "epsilon", "η": "eta", "θ": "theta", "λ": "lambda", "μ": "mu", "µ": "mu", "ν": "nu",
    "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau", "φ": "phi", "χ": "chi", "ω": "omega",
    "ξ": "xi", "ℓ": "l",
    "\u00a0": " ", "\u2009": " ", "\u202f": " ", "∀": "all ",
    "⊕": "xor", "⟲": "rotl", "≫": ">>",
}
_GREEK = "αβγδΔεϵηθλμνπρστφχωξ"

ASCII_CELLS: Final = {
    # What a field, a run or a line is marked with: these stand side by side.
    "●": "*", "○": "o", "★": "!", "✓": "Y", "✗": "X", "×": "x", "↔": "&", "◐": "%",
    "◌": ",", "▶": ">", "▸": ">", "◂": "<", "‹": "<", "›": ">", "‖": "|", "■": "#", "◆": "*",
    "◇": "o", "…": "_", "±": "~", "∓": "~", "·": ".", "•": "*", "∙": ".", "∘": ".", "≈": "~",
    "∝": "~", "≡": "=", "△": "^", "□": "#", "⊕": "^", "⟲": "<", "≫": ">",
    # An arrow is no "greater than", infinity no number, and ½ is not 1.
    "→": ":", "⇒": ":", "←": "<", "↑": "^", "↓": "v", "⇧": "S", "⏎": "J", "▾": "v", "▲": "^",
    "▼": "v", "▽": "v", "≤": "<", "≥": ">", "≠": "#", "∞": "I", "½": "h", "√": "V", "′": "'",
    "⌊": "[", "⌋": "]", "⌈": "[", "⌉": "]", "∀": "a", "∈": "i", "°": "o", "₋": "-",
    # Small letters are taken: ε, σ and μ stand beside e, s and m.
    "α": "A", "β": "B", "γ": "g", "δ": "D", "Δ": "^", "ε": "E", "ϵ": "E", "η": "h", "θ": "Q",
    "λ": "L", "ℓ": "l", "μ": "u", "µ": "u", "ν": "v", "π": "P", "Π": "P",
    "ρ": "R", "σ": "S", "Σ": "Z", "∑": "Z", "τ": "T", "φ": "F", "Φ": "F", "χ": "c", "ψ": "y",
    "ω": "w", "ξ": "x",
    **_PLAIN_DIGITS,
    # Bars from low to high and from short to long, shades, and rules.
    "▁": ".", "▂": ":", "▃": "-", "▄": "=", "▅": "+", "▆": "*", "▇": "H", "█": "#", "▉": "#",
    "▊": "#", "▋": "#", "▌": "|", "▍": "|", "▎": "|", "▏": "|", "▐": "|", "▕": "|", "░": ".",
    "▒": "+", "▓": "#", "▞": "#", "▔": "-", "╭": "+", "╮": "+", "╰": "+", "╯": "+", "┌": "+",
    "┐": "+", "└": "+", "┘": "+", "├": "+", "┤": "+", "┬": "+", "┴": "+", "┼": "+", "─": "-",
    "━": "-", "│": "|", "┃": "|", "┊": "|", "┏": "+", "┓": "+", "┗": "+", "┛": "+", "╸": "-",
    "╺": "-", "╴": "-", "╶": "-", "╵": "|", "╷": "|", "╌": "-", "┄": "-", "┈": "-",
    "⎧": "/", "⎨": "<", "⎩": "\\", "⎛": "/", "⎜": "|", "⎝": "\\", "⎞": "\\", "⎟": "|", "⎠": "/",
}
"""Symbols as one ASCII character each: for cells of a screen, where no text may grow.

Two that stand in one picture and mean different things have different characters.
"""
# fmt: on


def estimate(value: float | None, error: float | None = None) -> str:
    """A value with its standard error: `estimate(0.12345, 0.00123)` is `0.1235 ± 0.0012`.

    The error has two significant digits and the value as many decimals. Where that would take a
    row of zeros, both share one power of ten: `(1.235 ± 0.012)e-6`. Without a usable error (None,
    NaN, infinite, zero) this is `short(value)`.
    """
    if value is None or not error or not (math.isfinite(value) and math.isfinite(error)):
        return short(value)
    error = abs(float(error))
    exponent = _exponent(error, 2)
    power = max(exponent, _exponent(value, 2)) if value else exponent
    if power - exponent > 15:  # the error is below the precision of a float
        return f"{short(value)} ± {short(error, 2)}"
    if -5 <= power <= 5:
        places = 1 - exponent
        return f"{fixed_decimals(value, places)} ± {fixed_decimals(error, places)}"
    places = 1 - exponent + power
    scaled, width = (fixed_decimals(_shift(x, -power), places) for x in (value, error))
    return f"({scaled} ± {width})e{power}"


def decimals(errors: Iterable[float | None]) -> int:
    """The number of decimals that show the smallest error with two significant digits (0 to 12).

    The common precision of a column of numbers; with no usable error in it, 4.
    """
    usable = [abs(e) for e in errors if e is not None and math.isfinite(e) and e != 0]
    if not usable:
        return 4
    return min(12, max(0, 1 - min(_exponent(e, 2) for e in usable)))


def fixed_decimals(value: float | None, places: int, *, sign: bool = False) -> str:
    """The value with `places` decimals; negative `places` round to tens, hundreds, …

    Thousands are not grouped, and a value that rounds to zero has no sign.
    """
    if value is None or not math.isfinite(value):
        return _not_finite(value)
    rounded = round(float(value), places) + 0.0  # + 0.0 turns -0.0 into 0.0
    return f"{rounded:{'+' if sign and rounded else ''}.{max(0, places)}f}"


def plus_minus(error: float, places: int) -> str:
    """An error as `± 0.12`, with `places` decimals or, if they were all 0, with two digits."""
    return f"± {fixed_decimals(error, places) if round(error, places) else short(error, 2)}"


def short(value: float | None, digits: int = 4, *, sign: bool = False, zeros: bool = False) -> str:
    """The number with at most `digits` significant digits and no trailing zeros: `0.0312`, `12
    345`, `1.5e-7`.

    Digits before the point are never rounded away below a million; beyond that, and below a
    thousandth, the number is written with an exponent. zeros : a rounded number keeps its trailing
    zeros.
    """
    if value is None or not math.isfinite(value):
        return _not_finite(value)
    value = float(value)
    if value == 0:
        return "0"
    mark = "+" if sign else ""
    exponent = _exponent(value, digits)
    if -4 < exponent < 6:
        text = f"{value:{mark}.{max(0, digits - 1 - exponent)}f}"
        if "." not in text:
            return mark * (value > 0) + count(float(text))
        return text if zeros and float(text) != value else text.rstrip("0").rstrip(".")
    text = f"{value:{mark}.{digits - 1}e}"
    mantissa, _, power = text.partition("e")
    if "." in mantissa and not (zeros and float(text) != value):
        mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{mantissa}e{int(power)}"


def chosen_value(value: float | None, digits: int = 6) -> str:
    """A value that a user has set, such as ε or β; a share below 1 is never rounded to 1."""
    return short(value, _digits_below(1, value, digits))


def count(number: float | None, width: int | None = None) -> str:
    """A whole number with its digits in groups of three, from five digits on: `1000`, `1 000 000`.

    Where that is wider than `width` cells, an exponent with as many digits as fit: `1e9`, `1.23e9`
    (one digit at least, so the text can still be wider than a very small `width`).
    """
    if number is None or not math.isfinite(number):
        return _not_finite(number)
    whole = round(number)
    text = f"{whole:,}".replace(",", " ") if abs(whole) >= 10_000 else str(whole)
    if width is None or len(text) <= width:
        return text
    for digits in range(5, 0, -1):
        mantissa, _, power = f"{float(number):.{digits - 1}e}".partition("e")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        compact = f"{mantissa}e{int(power)}"
        if len(compact) <= width:
            break
    return compact if len(compact) < len(text) else text


def plural(number: int, noun: str, ending: str = "s") -> str:
    """A whole number with its noun: `1 bit`, `2 bits`."""
    return f"{count(number)} {noun}" + ("" if number == 1 else ending)


def duration(seconds: float | None) -> str:
    """A time span with at most two units: `40 ms`, `3.2 s`, `4 min 05 s`, `2 h 03 min`."""
    if seconds is None or not math.isfinite(seconds):
        return _not_finite(seconds)
    sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
    if seconds < 0.0005:
        return "0 s" if seconds == 0 else f"{sign}<1 ms"
    if seconds < 0.9995:
        return f"{sign}{seconds * 1000:.0f} ms"
    if seconds < 9.95:
        return f"{sign}{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{sign}{whole} s"
    if whole < 3600:
        return f"{sign}{whole // 60} min {whole % 60:02d} s"
    minutes = round(seconds / 60)
    if minutes < 24 * 60:
        return f"{sign}{minutes // 60} h {minutes % 60:02d} min"
    hours = round(seconds / 3600)
    return f"{sign}{hours // 24} d {hours % 24:02d} h"


def rate(per_second: float | None, unit: str = "") -> str:
    """A rate a second, or a minute or an hour when it is slow: `12.3/s`, `4 trials/min`."""
    unit = f" {unit}" if unit else ""
    if per_second is None or not math.isfinite(per_second):
        return f"{_not_finite(per_second)}{unit}/s"
    for scale, time in ((1, "s"), (60, "min"), (3600, "h")):
        if per_second == 0 or abs(per_second * scale) >= 1 or time == "h":
            break
    number = per_second * scale
    text = count(number) if 1000 <= abs(number) < 1e6 else short(number, 3)
    return f"{text}{unit}/{time}"


def percent(share: float | None, digits: int = 3) -> str:
    """A share of one as a percentage, `digits` significant digits at most: `12.5 %`, `0.05 %`."""
    if share is None or not math.isfinite(share):
        return _not_finite(share)
    return f"{short(share * 100, _digits_below(100, share * 100, digits))} %"


def power_of_ten(exponent: int) -> str:
    """A power of ten with a superscript exponent: `10⁻³`; see `to_ascii` for `1e-3`."""
    return "10" + str(exponent).translate(_SUPERSCRIPTS)


def to_ascii(text: str) -> str:
    """The text in ASCII: `10⁻³` is `1e-3`, `±` is `+-`, `ε` is `epsilon`.

    Accents are dropped (`é` is `e`); any other character becomes one `?`.
    """
    if text.isascii():
        return text
    import re
    import unicodedata

    def plain_power(found: re.Match[str]) -> str:
        power = "".join(_PLAIN_DIGITS[c] for c in found[2])
        return f"{found[1] or ''}e{power}" if found[1] else f"1e{power}"

    # "2·10⁻³" → "2e-3", "10⁻³" → "1e-3", other raised digits: "x²" → "x^2".
    text = re.sub(r"(?:(\d[\d.]*)[·×])?\b10([⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)", plain_power, text)
    text = re.sub(r"([⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)", r"^\1", text)
    text = re.sub(r"(?<=[^\W\d])∞", "_inf", text)
    text = re.sub(rf"\^(\d+)([{_GREEK}])", r"^(\1 \2)", text)  # "e^2ε" is no (e^2)ε
    # A product of letters: "βa" is no word.
    text = re.sub(rf"(?<=[{_GREEK}])(?=[a-zA-Z{_GREEK}])|(?<=[a-zA-Z])(?=[{_GREEK}])", " ", text)
    letters: list[str] = []
    for char in text:
        if char.isascii():
            letters.append(char)
        elif char in _SPELLINGS:
            letters.append(_SPELLINGS[char])
        elif char in ASCII_CELLS:
            letters.append(ASCII_CELLS[char])
        elif not unicodedata.combining(char):
            base = unicodedata.normalize("NFKD", char).encode("ascii", "ignore").decode()
            letters.append(base or "?")
    return "".join(letters)


def ascii_cells(text: str) -> str:
    """The text in ASCII with the same number of cells."""
    if text.isascii():
        return text
    from rich.cells import get_character_cell_size

    letters: list[str] = []
    for char in text.replace("↔ ", "<>"):  # the mark of what is swept has two cells
        width = 1 if char.isascii() else get_character_cell_size(char)
        if char.isascii() or width == 0:
            letters.append(char if char.isascii() else "")
        else:
            letters.append((ASCII_CELLS.get(char) or to_ascii(char)[:1] or "?").ljust(width, "?"))
    return "".join(letters)


def _digits_below(limit: float, value: float | None, digits: int) -> int:
    """The digits, or as many more as keep a value below a limit from being rounded to it."""
    # What is nearer to the limit is the rounding of a sum.
    if value is not None and 0.9 * limit < value < limit * (1 - 1e-9):
        while float(f"{value:.{digits - 1}e}") >= limit:
            digits += 1
    return digits


def _exponent(value: float, digits: int) -> int:
    """The decimal exponent of the value once it is rounded to `digits` significant digits."""
    return int(f"{value:.{digits - 1}e}".partition("e")[2])


def _shift(value: float, power: int) -> float:
    """value · 10**power by moving the point of the written digits: 10.0**power may be 0 or inf."""
    mantissa, _, exponent = f"{value:.17e}".partition("e")
    return float(f"{mantissa}e{int(exponent) + power}")


def _not_finite(value: float | None) -> str:
    if value is None or math.isnan(value):
        return MISSING
    return "∞" if value > 0 else "-∞"


def searching(done: int, total: int) -> str:
    """The progress of the search for a goal's answers, in words."""
    return f"searching for the smallest attack: {done} of {total} cells"


def drawn_by(digest: str, numpy: str) -> str:
    """A digest with the NumPy version that drew its numbers; "" if the version is unknown."""
    return f"{digest}, random numbers of NumPy {numpy}" if numpy else digest
