"""Numbers to text, case by case."""

import math
from pathlib import Path

import pytest

import ldptui
from ldptui.app import NAMES as KEY_NAMES
from ldptui.text import format as fmt


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (0.12345, 0.00123, "0.1235 ± 0.0012"),
        (0.12345, 0.000996, "0.1235 ± 0.0010"),  # the error rounds up to the next decade
        (0.5, 0.25, "0.50 ± 0.25"),
        (-0.0312, 0.01, "-0.031 ± 0.010"),
        (12.3, 4.56, "12.3 ± 4.6"),
        (123.4, 56.7, "123 ± 57"),
        (12345, 1234, "12300 ± 1200"),
        (1.2346e-6, 1.23e-8, "(1.235 ± 0.012)e-6"),
        (1.2346e9, 1.23e7, "(1.235 ± 0.012)e9"),
        (0.0, 1.5e-9, "(0.0 ± 1.5)e-9"),
        (1e-9, 2e-7, "(0.0 ± 2.0)e-7"),
        (0.000012, 0.0000034, "0.0000120 ± 0.0000034"),
        (0.5, 1e-8, "0.500000000 ± 0.000000010"),
        (1e300, 1e-300, "1e300 ± 1e-300"),
        (0.25, 0.0, "0.25"),
        (0.25, None, "0.25"),
        (0.25, math.nan, "0.25"),
        (0.25, math.inf, "0.25"),
        (math.nan, 0.1, "–"),
        (None, 0.1, "–"),
        (math.inf, 0.1, "∞"),
        (-1e-9, 0.01, "0.000 ± 0.010"),  # no minus zero
        (0.25, -0.01, "0.250 ± 0.010"),
    ],
)
def test_estimate(value: float | None, error: float | None, text: str) -> None:
    assert fmt.estimate(value, error) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (-0.0, "0"),
        (1, "1"),
        (0.1, "0.1"),
        (0.031249, "0.03125"),
        (-0.031249, "-0.03125"),
        (1024, "1024"),
        (12345, "12 345"),
        (-123456, "-123 456"),
        (999999.9, "1e6"),
        (1234567, "1.235e6"),
        (0.001, "0.001"),
        (0.00012346, "1.235e-4"),
        (0.99999, "1"),
        (1e-300, "1e-300"),
        (1e12, "1e12"),
        (math.nan, "–"),
        (-math.inf, "-∞"),
        (None, "–"),
    ],
)
def test_short(value: float | None, text: str) -> None:
    assert fmt.short(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.02998, "0.0300"),  # beside 0.0298
        (0.03, "0.03"),
        (12.0, "12"),
        (12.01, "12.0"),
        (0.9999, "1.00"),
        (120034.5, "120 034"),
        (1.0003e-7, "1.00e-7"),
        (1e-7, "1e-7"),
        (0.0, "0"),
    ],
)
def test_a_number_that_is_rounded_may_keep_its_zeros(value: float, text: str) -> None:
    assert fmt.short(value, 3, zeros=True) == text


@pytest.mark.parametrize(
    ("number", "width", "text"),
    [
        (0, None, "0"),
        (999, None, "999"),
        (1000, None, "1000"),
        (9999, None, "9999"),
        (10_000, None, "10 000"),
        (-10_000, None, "-10 000"),
        (10**9, None, "1 000 000 000"),
        (10**9, 13, "1 000 000 000"),
        (10**9, 12, "1e9"),
        (1234567890, 7, "1.235e9"),
        (1234567890, 4, "1e9"),
        (100, 2, "100"),  # the exponent would be no shorter
        (-1234, None, "-1234"),
        (math.nan, None, "–"),
        (math.inf, None, "∞"),
        (None, None, "–"),
    ],
)
def test_count(number: float | None, width: int | None, text: str) -> None:
    assert fmt.count(number, width) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (0.0001, "<1 ms"),
        (0.04, "40 ms"),
        (0.9996, "1.0 s"),
        (3.21, "3.2 s"),
        (9.96, "10 s"),
        (59.7, "1 min 00 s"),
        (245, "4 min 05 s"),
        (3599.6, "1 h 00 min"),
        (7385, "2 h 03 min"),
        (86400 * 2 + 3 * 3600, "2 d 03 h"),
        (-5, "-5.0 s"),
        (math.inf, "∞"),
        (None, "–"),
    ],
)
def test_duration(seconds: float | None, text: str) -> None:
    assert fmt.duration(seconds) == text


@pytest.mark.parametrize(
    ("per_second", "text"),
    [
        (0, "0/s"),
        (12.34, "12.3/s"),
        (1234.5, "1234/s"),
        (2.5e6, "2.5e6/s"),
        (0.5, "30/min"),
        (0.001, "3.6/h"),
        (1e-9, "3.6e-6/h"),
        (math.nan, "–/s"),
    ],
)
def test_rate(per_second: float, text: str) -> None:
    assert fmt.rate(per_second) == text


@pytest.mark.parametrize(
    ("share", "as_chosen", "as_percent"),
    [
        (0.9999999, "0.9999999", "99.99999 %"), (0.99996, "0.99996", "99.996 %"),
        (0.95, "0.95", "95 %"), (1.0, "1", "100 %"), (1 - 1e-12, "1", "100 %"),
        (1.00001, "1", "100 %"), (None, "–", "–"),
    ],
)  # fmt: skip
def test_a_share_below_one_is_not_written_as_one(
    share: float | None, as_chosen: str, as_percent: str
) -> None:
    assert (fmt.chosen_value(share, 4), fmt.percent(share)) == (as_chosen, as_percent)


def test_percent() -> None:
    assert fmt.percent(0.05) == "5 %"
    assert fmt.percent(0.12345) == "12.3 %"
    assert fmt.percent(1) == "100 %"
    assert fmt.percent(0.0004) == "0.04 %"
    assert fmt.percent(None) == "–"


def test_a_column_takes_the_decimals_of_its_smallest_error() -> None:
    assert fmt.decimals([0.0123, 0.00456, None, math.nan, 0.0]) == 4
    assert fmt.decimals([12.0, 150.0]) == 0
    assert fmt.decimals([]) == 4
    assert fmt.decimals([1e-300]) == 12


def test_fixed() -> None:
    assert fmt.fixed_decimals(1.005, 1) == "1.0"
    assert fmt.fixed_decimals(-0.0001, 2) == "0.00"
    assert fmt.fixed_decimals(1234, -2) == "1200"
    assert fmt.fixed_decimals(0.5, 2, sign=True) == "+0.50"
    assert fmt.fixed_decimals(None, 2) == "–"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("plain", "plain"),
        ("10⁻³", "1e-3"),
        ("10⁰", "1e0"),
        ("2·10⁻³", "2e-3"),
        ("2.5×10¹²", "2.5e12"),
        ("σ² ± 1", "sigma^2 +- 1"),
        ("privacy budget ε", "privacy budget epsilon"),
        ("café – 東京", "cafe - ??"),
        ("x₁ ≤ ∞", "x1 <= inf"),
        ("ε∞", "epsilon_inf"),
        ("βa, e^(εc/2), rβ", "beta a, e^(epsilon c/2), r beta"),  # products, no words
        ("e^2ε", "e^(2 epsilon)"),
        ("2ε, ε₁, σ_x, Σε", "2epsilon, epsilon1, sigma_x, sum epsilon"),
        ("e\u0301", "e"),
        ("🎉", "?"),
    ],
)
def test_to_ascii(text: str, plain: str) -> None:
    assert fmt.to_ascii(text) == plain


PICTURES = (
    "● ○ ↔ = ✗ × › ★ … ± + →",  # beside the fields of a form
    "● ✓ ◐ ✗ ◌ ▶ ★ + × … ·",  # the runs
    "d δ e ε s σ Σ m μ a α b β p π l λ t τ f φ i ∞ 8 1 ½",  # names and numbers
    "≥ → = ≤",  # why a protocol is recommended
    "▁ ▂ ▃ ▄ ▅ ▆ ▇ █",  # shares over the rounds
    "⁻ ⁰ ¹ ² ³ ⁴ ⁵ ⁶ ⁷ ⁸ ⁹",
    "▶ ■ ‖ ● ─",  # a recording
)


@pytest.mark.parametrize("signs", PICTURES)
def test_signs_of_one_picture_have_different_cells(signs: str) -> None:
    cells = [fmt.ascii_cells(sign) for sign in signs.split()]
    assert len(set(cells)) == len(cells), dict(zip(signs.split(), cells, strict=True))
    assert all(len(cell) == 1 and cell.isascii() and cell != "?" for cell in cells)


def test_every_sign_of_the_program_has_a_cell() -> None:
    """Braille and quadrants are of charts, which draw with other characters in ASCII."""
    files = [*Path(ldptui.__path__[0]).rglob("*.py"), *Path(ldptui.__path__[0]).rglob("*.toml")]
    signs = {char for file in files for char in file.read_text(encoding="utf-8")}
    printed = {sign for sign in signs if sign.isprintable() and not "\u2800" <= sign <= "\u28ff"}
    printed -= {*"▀▖▗▘▙▚▛▜▝▞▟", *map(chr, KEY_NAMES)}
    assert len(printed) > 200
    assert [sign for sign in printed if sign != "?" and fmt.ascii_cells(sign) == "?"] == []


@pytest.mark.parametrize("function", [fmt.short, fmt.count, fmt.duration, fmt.rate, fmt.percent])
@pytest.mark.parametrize("value", [None, math.nan, math.inf, -math.inf, 5e-324, 1.7e308, -1.7e308])
def test_nothing_raises(function: object, value: float | None) -> None:
    assert callable(function)
    text = function(value)
    assert text
    assert fmt.to_ascii(text).isascii()
    assert fmt.estimate(value, value)
    assert fmt.estimate(value, 1e-5)
    assert fmt.estimate(1.0, value)
