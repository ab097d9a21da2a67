"""Data that plotext 6.1 does not expect: `chart.draw` stands in front of it.

Each case runs in a process of its own, because some of them kill it. When a case of `raw` plotext
starts to behave, plotext has been mended and the guard can be thought over again.
"""

import subprocess
import sys

import pytest

from ldptui.charts.draw import draw
from ldptui.charts.rows import DARK, Look
from ldptui.charts.series import Axis, Plot, Series

TIMEOUT = 20

RAW = """
import plotext
figure = plotext.figure
plotext.terminal.limit(False, False)
figure.clear(); figure.plot_size(60, 20)
{body}
print("built", len(figure.build().string()) > 0)
"""

DRAWN = """
import math, time
from ldptui.charts.draw import draw
from ldptui.charts.rows import DARK, Look
from ldptui.charts.series import Axis, Plot, Series
x, y, error, log, low, high, label = {arguments}
style = {style!r}
axis = Axis(label, log=log, low=low, high=high)
plot = Plot(label, Axis(label), axis, (Series(label, x, y, "series-0", style, error=error),))
draw(plot, Look(60, 20, DARK))
start = time.perf_counter()
strips = draw(plot, Look(60, 20, DARK))
assert len(strips) == 20 and all(strip.cell_length == 60 for strip in strips)
print("drawn", time.perf_counter() - start < 2)
"""

NAN, INF = "math.nan", "math.inf"


def run(code: str, timeout: float = TIMEOUT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=timeout, check=False
    )


def raw(body: str, timeout: float = TIMEOUT) -> subprocess.CompletedProcess[str]:
    """plotext alone."""
    return run(RAW.format(body=body), timeout)


@pytest.mark.parametrize(
    "data", ["[1, 2, 3], [1, float('nan'), 2]", "[1, float('nan'), 3], [1, 2, 3]"], ids=["y", "x"]
)
def test_raw_a_nan_in_a_line_aborts_the_process(data: str) -> None:
    done = raw(f"figure.draw(figure.signal({data}).lines(True))")
    assert done.returncode < 0  # killed by a signal: no exception to catch
    assert "built" not in done.stdout


def test_raw_a_line_far_out_of_the_axes_never_ends() -> None:
    body = "figure.ruler('y').lim(0, 1); figure.draw(figure.signal([1, 2], [0, 1e9]).lines(True))"
    try:
        done = raw(body, timeout=5)
    except subprocess.TimeoutExpired:
        return
    assert done.returncode < 0


@pytest.mark.every(2)
@pytest.mark.parametrize("bad", ["0", "-1", "float('inf')", "float('nan')"])
def test_raw_a_log_axis_raises(bad: str) -> None:
    done = raw(f"figure.ruler('y').scale('log'); figure.draw(figure.signal([1, 2], [1, {bad}]))")
    assert done.returncode != 0


def test_raw_error_bars_take_the_whole_height() -> None:
    body = (
        "figure.axes(False); figure.legend(False); figure.plot_size(9, 21)\n"
        "for r in 'xy': figure.ruler(r).ticks([], [])\n"
        "figure.ruler('y').lim(0, 20)\n"
        "figure.draw(figure.error([1], [10], [8]))\n"
        "rows = figure.build().string(colorless=True).split('\\n')\n"
        "print('height', sum(bool(row.strip()) for row in rows))"
    )
    done = raw(body)
    height = int(done.stdout.split("height ")[1].split()[0])
    assert 7 <= height <= 11  # ± 4 around 10: a half-width of 8 would be 17 rows


def test_raw_a_wide_marker_shifts_its_row() -> None:
    body = (
        "from rich.cells import cell_len\n"
        "figure.draw(figure.signal([1, 2], [1, 2], marker='東'))\n"
        "rows = figure.build().string(colorless=True).rstrip('\\n').split('\\n')\n"
        "print('widths', len({cell_len(row) for row in rows}))"
    )
    assert "widths 1" not in raw(body).stdout


def test_raw_a_plain_colour_is_no_pixel() -> None:
    done = raw("figure.axes(pixel=(200, 100, 50)); figure.draw(figure.signal([1], [1]))")
    assert done.returncode != 0
    assert "AttributeError" in done.stderr


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
    assert done.stdout.count("drawn True") == len(CASES), done.stdout
    assert done.stderr == ""


def test_draw_leaves_no_state_behind() -> None:
    first = Plot("a", Axis("x"), Axis("y"), (Series("a", [1, 2], [1, 2], "series-0"),))
    points = Series("b", [1, 9], [9, 1], "clean", "points", error=[1, 2])
    other = Plot("b", Axis("x", log=True), Axis("y", log=True), (points,))
    before = draw(first, Look(50, 15, DARK))
    draw(other, Look(90, 40, DARK, "ascii"))
    assert before == draw(first, Look(50, 15, DARK))
