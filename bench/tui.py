"""The byte and latency budgets of the workbench, measured on the real program in a real pty.

    make bench-tui            four sizes, some four minutes
    make bench-tui ARGS=--ssh as over a network (256 colours, one redraw a second)

Prints one row a figure: what was measured, the budget, and whether it is met. Bytes are what the
program writes to the terminal. Times are wall-clock and depend on what else the machine does; the
processor time that the app took for the same (Linux only) depends on it much less; the load is
told beside the table. The start is that of an installed program: its modules and those of its
libraries are compiled, which one start before the others sees to.

A figure is the median of several measurements, a p90 that of three series of keys: one that
something else has disturbed does not count, one that is late half of the time does. All that was
measured counts, and nothing is measured again because it was over.
"""

from __future__ import annotations

import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from support.terminal import Terminal, ldptui

SIZES = ((80, 24), (120, 30), (120, 40), (200, 60))
NONE = (math.inf,) * len(SIZES)
STARTS = 7
PICTURES = 8
SERIES = 3
BUDGETS = {
    "first frame, ms": (500, 500, 500, 500),
    "first frame, CPU ms": NONE,
    "first paint, kB": (25, 35, 45, 100),
    "idle for 2 s, bytes": (0, 0, 0, 0),
    "idle for 2 s, CPU ms": (5, 5, 5, 5),
    "key echo, kB": (1, 1.5, 1.5, 2),
    "edit to new picture, ms": (250, 250, 250, 250),
    "edit to new picture, CPU ms": NONE,
    "edit to new picture beside a busy process, ms": (250, 250, 250, 250),
    "redraw for a run's progress, kB": (2, 3.5, 4.5, 9),
    "key in a pane in a run, p90 ms": (60, 60, 60, 60),
    "key to a pane in a run, p90 ms": (60, 60, 60, 60),
    "cancel, ms": (200, 200, 200, 200),
    "quit, ms": (1000, 1000, 1000, 1000),
}

LONG = """format = 1
title = "A long run"
trials = 90_000
[population]
kind = "zipf"
items = 1024
users = 1_000_000
exponent = 1.0
[protocol]
kind = "oue"
epsilon = 1.0
[attack]
kind = "ria"
share = 0.05
targets = { pick = "random", count = 5 }
"""


def measure(columns: int, rows: int, env: dict[str, str], scenario: Path) -> dict[str, float]:
    """All figures at one size."""
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as home:
        starts = [_start(columns, rows, env, Path(home)) for _ in range(STARTS)]
        found["first frame, ms"] = statistics.median(wall for wall, _ in starts)
        found["first frame, CPU ms"] = statistics.median(cpu for _, cpu in starts)
        with Terminal(ldptui(), columns, rows, env=env, home=Path(home)) as app:
            app.until("preview done")
            app.quiet()
            found["first paint, kB"] = app.bytes / 1e3
            app.quiet(6.0)  # the last note goes, the draft is saved
            rests = [_rest(app) for _ in range(SERIES)]
            found["idle for 2 s, bytes"] = max(sent for sent, _ in rests)
            found["idle for 2 s, CPU ms"] = statistics.median(cpu for _, cpu in rests)
            found["key echo, kB"] = statistics.median(_echo(app) for _ in range(3))
            app.send("f2")
            app.quiet()
            pictures = [_picture(app, key) for key in ("up", "down") * (PICTURES // 2)]
            found["edit to new picture, ms"] = statistics.median(wall for wall, _ in pictures)
            found["edit to new picture, CPU ms"] = statistics.median(cpu for _, cpu in pictures)
            with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as busy:
                pictures = [_picture(app, key) for key in ("up", "down") * (PICTURES // 2)]
                busy.kill()
            found["edit to new picture beside a busy process, ms"] = statistics.median(
                wall for wall, _ in pictures
            )
            sent = app.send("ctrl+q")
            app.wait()
            found["quit, ms"] = (time.monotonic() - sent) * 1e3
        with Terminal(ldptui(str(scenario)), columns, rows, env=env, home=Path(home)) as app:
            app.until("preview done")
            app.quiet()
            app.send("ctrl+r")
            app.until(r"● run")
            app.quiet(0.05)
            found["redraw for a run's progress, kB"] = _redraw(app)
            found["key to a pane in a run, p90 ms"] = _latency(app, ("f3", "f4"))
            app.send("f3")
            app.quiet(0.1, 1.0)
            found["key in a pane in a run, p90 ms"] = _latency(app, ("tab", "shift+tab"))
            assert "● run" in app.text, app.text
            app.send("f2")
            app.quiet(0.1, 1.0)
            assert "● run" in app.text, app.text
            sent = app.send("escape")
            found["cancel, ms"] = (app.came("partial") - sent) * 1e3
            app.send("ctrl+q")
            app.wait()
    return found


def _start(columns: int, rows: int, env: dict[str, str], home: Path) -> tuple[float, float]:
    """From the start of the program to its first frame: wall and CPU ms."""
    with Terminal(ldptui(), columns, rows, env=env, home=home) as app:
        app.until("Charts")  # the name of the program gives way to a title
        found = (app.frames[-1][0] - app.started) * 1e3, app.cpu_ms
        app.until("preview done")
        app.send("ctrl+q")
        app.wait()
    return found


def _rest(app: Terminal) -> tuple[int, float]:
    """The bytes and the CPU ms of two seconds without a key."""
    before, cpu = app.bytes, app.cpu_ms
    app.quiet(2.0)
    return app.bytes - before, app.cpu_ms - cpu


def _echo(app: Terminal) -> float:
    """Kilobytes that one key costs: the focus moves to the next field."""
    app.send("f3")
    app.quiet()
    before = app.bytes
    app.send("tab")
    app.quiet()
    return (app.bytes - before) / 1e3


def _picture(app: Terminal, key: str) -> tuple[float, float]:
    """From a key that chooses another protocol to the last byte of its picture: wall and CPU ms."""
    before = app.cpu_ms
    sent, _ = _answered(app, key)  # until then the picture before says that its preview is done
    app.quiet(0.4)
    app.until("preview done")
    app.quiet(0.4)
    return (app.frames[-1][0] - sent) * 1e3, app.cpu_ms - before


def _redraw(app: Terminal) -> float:
    """The largest of the usual redraws in some seconds of a run: its 90 % quantile, in kB."""
    start = len(app.frames)
    end = time.monotonic() + 4
    while time.monotonic() < end:
        app.read(0.05)
    bursts: list[tuple[float, float]] = []
    for when, size in app.frames[start:]:
        if bursts and when - bursts[-1][0] < 0.05:
            bursts[-1] = (when, bursts[-1][1] + size)
        else:
            bursts.append((when, float(size)))
    sizes = sorted(size for _, size in bursts) or [0.0]
    return sizes[int(0.9 * (len(sizes) - 1))] / 1e3


def _latency(app: Terminal, keys: tuple[str, str]) -> float:
    """90 % quantile of key to first byte in ms, while a run is in progress: median of series."""
    return statistics.median(_quantile(app, keys) for _ in range(SERIES))


def _quantile(app: Terminal, keys: tuple[str, str]) -> float:
    found = []
    for key in keys * 10:
        app.quiet(0.03, 1.0)
        sent, answered = _answered(app, key)
        found.append((answered - sent) * 1e3)
    return sorted(found)[int(0.9 * (len(found) - 1))]


def _answered(app: Terminal, key: str) -> tuple[float, float]:
    """The times at which a key is sent and its first byte comes, or is waited for no longer."""
    count, sent = len(app.frames), app.send(key)
    while len(app.frames) == count and time.monotonic() - sent < 5:
        app.read(0.2)
    return sent, app.frames[count][0] if len(app.frames) > count else time.monotonic()


def main() -> int:
    ssh = "--ssh" in sys.argv[1:]
    env = {"SSH_CONNECTION": "192.0.2.1 1 192.0.2.2 22", "COLORTERM": ""} if ssh else {}
    with tempfile.TemporaryDirectory() as folder:
        scenario = Path(folder) / "long.toml"
        scenario.write_text(LONG)
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        _start(*SIZES[0], env, Path(folder))  # compiles what is not compiled
        load = os.getloadavg()[0]
        results = [measure(*size, env, scenario) for size in SIZES]
    print(f"load {load:.1f} before, {os.getloadavg()[0]:.1f} after, on {os.cpu_count()} cores; "
          f"medians of {STARTS} starts, {PICTURES} edits, {SERIES} series of 20 keys")  # fmt: skip
    print(f"{'figure':<46}" + "".join(f"{f'{c}x{r}':>22}" for c, r in SIZES))
    for name, budgets in BUDGETS.items():
        cells = []
        for result, budget in zip(results, budgets, strict=True):
            verdict = "ok" if result[name] <= budget else "OVER"
            said = f" of {budget:<5g}{verdict:>4}" if math.isfinite(budget) else " " * 13
            cells.append(f"{result[name]:>9.1f}{said}")
        print(f"{name:<46}" + "".join(f"{cell:>22}" for cell in cells))
    return 0


if __name__ == "__main__":
    sys.exit(main())
