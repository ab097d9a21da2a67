"""Data that plotext 6.1 aborts on or never ends with: `draw` stands in front of it."""

import subprocess
import sys

import pytest

from ldptui.charts.draw import draw
from ldptui.charts.rows import DARK, Look
from ldptui.charts.series import Axis, Plot, Series

DRAWN = """
import math
from ldptui.charts.draw import draw
from ldptui.charts.rows import DARK, Look
from ldptui.charts.series import Axis, Plot, Series
x, y, error, log, low, high, label = {arguments}
style = {style!r}
axis = Axis(label, log=log, low=low, high=high)
plot = Plot(label, Axis(label), axis, (Series(label, x, y, "series-0", style, error=error),))
strips = draw(plot, Look(60, 20, DARK))
assert len(strips) == 20 and all(strip.cell_length == 60 for strip in strips)
print("drawn")
"""

NAN, INF = "math.nan", "math.inf"


def run(code: str, timeout: float) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=timeout, check=False
    )


CASES = {
    "nan in y": ("[1, 2, 3]", f"[1, {NAN}, 2]", None, False, None, None),
    "nan in x": (f"[1, {NAN}, 3]", "[1, 2, 3]", None, False, None, None),
    "all nan": (f"[{NAN}] * 3", f"[{NAN}] * 3", f"[{NAN}] * 3", False, None, None),
    "infinite": ("[1, 2, 3]", f"[1, {INF}, -{INF}]", f"[{INF}] * 3", False, None, None),
    "far out": ("[1, 2, 3]", "[0, 1e12, 0.5]", "[1e12] * 3", False, 0, 1),
    "far out on both": ("[1, 1e12, 3]", "[0, 1e12, 0.5]", None, False, 0, 1),
    "farthest": ("[1, 2, 3]", "[0, 1.7e308, -1.7e308]", "[1.7e308] * 3", False, 0, 1),
    "log of zero": ("[1, 2, 3]", "[1, 0, -1]", "[2, 2, 2]", True, None, None),
    "log far out": ("[1, 2, 3]", "[1, 1e300, 1e-300]", "[1, 1, 1]", True, 0.5, 2),
    "bad limits": ("[1, 2, 3]", "[1, 2, 3]", None, True, 0, INF),
    "nan limits": ("[1, 2, 3]", "[1, 2, 3]", None, False, NAN, NAN),
    "narrow limits": ("[1, 2, 3]", "[1, 2, 3]", None, False, 2, "2 + 1e-15"),
    "constant": ("[1, 1, 1]", "[1, 1, 1]", None, False, None, None),
    "many": ("range(100_000)", "[(k * 7919) % 1000 for k in range(100_000)]", None, False, 0, 10),
}


@pytest.mark.every(2)
@pytest.mark.parametrize("style", ["line", "points"])
def test_draw_survives_the_same_data(style: str) -> None:
    """All cases in one process: one that kills or hangs it fails the test."""
    # Starting a process costs more than all the cases; each prints its name before it runs.
    parts = []
    for name, case in CASES.items():
        arguments = f"({', '.join(map(str, case))}, 'label')"
        parts.append(
            f"print({name!r}, flush=True)" + DRAWN.format(arguments=arguments, style=style)
        )
    done = run("\n".join(parts), timeout=60)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert done.stdout.count("drawn") == len(CASES), done.stdout
    assert done.stderr == ""


def test_draw_leaves_no_state_behind() -> None:
    first = Plot("a", Axis("x"), Axis("y"), (Series("a", [1, 2], [1, 2], "series-0"),))
    points = Series("b", [1, 9], [9, 1], "clean", "points", error=[1, 2])
    other = Plot("b", Axis("x", log=True), Axis("y", log=True), (points,))
    before = draw(first, Look(50, 15, DARK))
    draw(other, Look(90, 40, DARK, "ascii"))
    assert before == draw(first, Look(50, 15, DARK))
