"""The progress bar."""

from __future__ import annotations

import io

from support.commands import TINY

from ldptui.commands import run_progress
from ldptui.core.experiment import compile
from ldptui.core.running.runner import Progress, run
from ldptui.core.scenario import parse


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_bar_shows_share_counts_rate_and_cell_and_is_erased() -> None:
    experiment = compile(parse(TINY + '[sweep]\n"attack.share" = [0.1, 0.2]'))
    *_, last = run(experiment)
    halfway = Progress(last.results, 4, 8, 2.0, experiment.cells[1])
    line = run_progress.progress_line(halfway, ["protocol.kind", "attack.share"], 79)
    assert line.startswith(" 50% ████")
    for word in ("4/8", "2 trials/s", "2.0 s left", "oue share=0.2"):
        assert word in line
    assert len(line) <= 79
    terminal = Terminal()
    bar = run_progress.Bar(terminal, experiment, quiet=False)
    bar.show(halfway)
    bar.show(halfway)  # too soon
    assert terminal.getvalue().count("50%") == 1
    bar.erase()
    assert terminal.getvalue().endswith("\r\x1b[K")


def test_the_bar_is_drawn_on_a_terminal_alone_and_never_if_quiet() -> None:
    experiment = compile(parse(TINY))
    *_, last = run(experiment)
    for stream, quiet in ((io.StringIO(), False), (Terminal(), True)):
        bar = run_progress.Bar(stream, experiment, quiet)
        bar.show(last)
        bar.erase()
        assert stream.getvalue() == ""
