"""The real program in a real terminal: a pty, the worker process, signals and all."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.terminal import Terminal, ldptui

from ldptui.questions.choices import BUNDLED

READY = r"preview done"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def app(home: Path) -> Iterator[Terminal]:
    """The workbench at 120 × 40 on the quickstart, its first preview done."""
    with Terminal(ldptui(), 120, 40, home=home) as terminal:
        terminal.until(READY)
        yield terminal


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.long
def test_a_storm_of_resizes_and_a_stop_from_outside_leave_it_as_it_was(app: Terminal) -> None:
    for columns, rows in [(80, 24), (200, 60), (50, 10), (61, 18), (160, 45), (99, 30)] * 3:
        app.resize(columns, rows)
        app.read(0.01)
    app.resize(50, 12)
    app.until(r"ldptui needs 60 × 18")
    app.resize(120, 40)
    app.until(r"Quickstart")
    app.signal(signal.SIGSTOP)
    app.until(lambda _: app.state == "T")
    app.signal(signal.SIGCONT)
    app.until(lambda _: app.state != "T" and b"\x1b[?1049h" in app.tail)
    app.quiet()
    app.send("4", "right")
    app.until("Gain of the attack over")
    app.send("ctrl+q")

    assert app.wait() == 0
    assert app.echoes


@pytest.mark.every(3)
@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM, signal.SIGINT])
def test_a_signal_saves_the_draft_and_the_next_start_has_it(
    home: Path, number: signal.Signals
) -> None:
    with Terminal(ldptui(), 120, 40, home=home) as app:
        app.until(READY)
        app.send("1")
        app.send("up")
        app.until("● SUE")
        app.until(READY)
        children = app.children()
        app.signal(number)

        assert 128 + number == app.wait()
        assert app.restored
        assert not any(alive(pid) for pid in children)
    drafts = list(home.rglob("draft*"))
    assert any('kind = \\"sue\\"' in draft.read_text() for draft in drafts)

    # A bare machine sets no locale.
    with Terminal(ldptui(), 120, 40, env={"LC_ALL": "", "LANG": ""}, home=home) as again:
        again.until(r"draft of .* restored")
        text = again.until(READY)
        assert all(word in text for word in ("Quickstart", "Protocol", "Attack", "● SUE"))
        children = again.children()
        again.send("ctrl+q")

        assert again.wait() == 0
        assert again.restored
        assert not any(alive(pid) for pid in children)


@pytest.mark.every(2)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_in_the_first_moments_gives_the_terminal_back(
    home: Path, number: signal.Signals
) -> None:
    with Terminal(ldptui(), 80, 24, home=home) as app:
        while not app.bytes:  # the terminal has been changed, and nothing is drawn
            app.read()
        app.signal(number)
        assert app.wait() == 128 + number
        assert app.restored
        assert app.echoes


@pytest.mark.long
@pytest.mark.parametrize("shell", [(), ("sh", "-c", 'trap "" HUP; "$@"; exit $?', "sh")])
def test_a_dropped_connection_saves_the_draft_and_leaves_nothing(
    home: Path, shell: tuple[str, ...]
) -> None:
    """shell : the leader of the session, which alone hears of it, and lives on."""
    with Terminal([*shell, *ldptui()], 120, 40, home=home) as app:
        app.until(READY)
        app.send("1")
        app.send("up")
        app.until("● SUE")
        app.until(READY)
        children = app.children()

        assert app.hang_up(limit=10.0) == 128 + signal.SIGHUP
        assert not any(alive(pid) for pid in children)
    drafts = list(home.rglob("draft*"))
    assert any('kind = \\"sue\\"' in draft.read_text() for draft in drafts)


@pytest.mark.parametrize(
    ("env", "words"),
    [({"TERM": "dumb"}, "TERM='dumb'"), ({"LC_ALL": "C", "PYTHONUTF8": "0",
      "PYTHONCOERCECLOCALE": "0", "LANG": "C", "PYTHONIOENCODING": "latin-1"}, "UTF-8"),
     ({"LC_ALL": "C"}, "got LC_ALL=C;"), ({"LC_ALL": "", "LANG": "POSIX"}, "got LANG=POSIX;")],
)  # fmt: skip
def test_an_unfit_terminal_is_refused(home: Path, env: dict[str, str], words: str) -> None:
    with Terminal(ldptui(), 80, 24, env=env, home=home) as app:
        assert app.wait() == 2
        assert words in app.text.replace("\n", "")
        assert "ldptui run" in app.text.replace("\n", "")


@pytest.mark.long
@pytest.mark.parametrize(
    ("env", "options"),
    [({"LC_ALL": "xx_XX.UTF-8"}, ()), ({"LC_ALL": "C", "PYTHONUTF8": "1"}, ()),
     ({"LC_ALL": "C"}, ("--charset", "ascii"))],
)  # fmt: skip
def test_a_terminal_of_no_chosen_locale_is_taken(
    home: Path, env: dict[str, str], options: tuple[str, ...]
) -> None:
    """One that is not installed was still chosen for its UTF-8; ASCII is of every locale."""
    with Terminal(ldptui(*options), 80, 24, env=env, home=home) as app:
        app.until("Parameters")
        app.send("ctrl+q")
        assert app.wait() == 0


def test_no_terminal_is_refused() -> None:
    done = subprocess.run(
        ldptui(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30, check=False
    )

    assert done.returncode == 2
    assert "ldptui run" in done.stderr
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1


@pytest.mark.long
def test_ascii_means_every_cell(home: Path) -> None:
    with Terminal(ldptui("--charset", "ascii"), 120, 40, home=home) as terminal:
        terminal.until(READY)
        for key in ("f3", "f4", "f5", "f1"):
            terminal.send(key)
            terminal.quiet(0.2)
            assert terminal.text.isascii()
        assert "Help" in terminal.text
        terminal.send("escape", "ctrl+q")
        assert terminal.wait() == 0


def test_reports_are_opened_on_their_answer(home: Path) -> None:
    """The lab shows it before the workbench below has forms; a fault stands in the form."""
    reports = str(BUNDLED / "reports.csv")
    words = ("--protocol", "oue", "--epsilon", "1", "--items")
    with Terminal(ldptui(reports, *words, "16"), 120, 40, home=home) as terminal:
        terminal.until("estimate ± error")
        terminal.send("escape")
        terminal.until("Parameters")
        terminal.send("ctrl+q")
        assert terminal.wait() == 0
    with Terminal(ldptui(reports, *words, "40"), 120, 40, home=home) as terminal:
        terminal.until("report must be 10 hexadecimal digits")
        terminal.send("ctrl+q")
        assert terminal.wait() == 0
