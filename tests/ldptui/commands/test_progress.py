"""The line of progress."""

from __future__ import annotations

import io

import pytest
from support.commands import TINY

from ldptui.commands import run_progress
from ldptui.core.experiment import compile
from ldptui.core.running.runner import Progress, run
from ldptui.core.scenario import parse


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_line_shows_share_counts_rate_and_cell_and_is_erased() -> None:
    experiment = compile(parse(TINY + '[sweep]\n"attack.share" = [0.1, 0.2]'))
    *_, last = run(experiment)
    halfway = Progress(last.results, 4, 8, 2.0, experiment.cells[1])
    swept = ["protocol.kind", "attack.share"]
    written = run_progress.progress_line(halfway, swept, 79)
    assert written.startswith(" 50% ████")
    for word in ("4/8", "2 trials/s", "2.0 s left", "oue share=0.2"):
        assert word in written
    assert len(written) <= 79
    terminal = Terminal()
    line = run_progress.ProgressLine(terminal)
    line.show_progress(halfway, swept)
    line.tell("too soon")
    assert terminal.getvalue().count("50%") == 1
    line.erase()
    assert terminal.getvalue().endswith("\r\x1b[K")
    line.show_progress(halfway, swept)
    assert terminal.getvalue().count("50%") == 1


@pytest.mark.parametrize(("stream", "quiet"), [(io.StringIO(), False), (Terminal(), True)])
def test_the_line_is_drawn_on_a_terminal_alone_and_never_if_quiet(
    stream: io.StringIO, quiet: bool
) -> None:
    line = run_progress.ProgressLine(stream, quiet)
    line.show(lambda _: "far")
    line.erase()
    assert stream.getvalue() == ""
