"""Opens the workbench: what must be right before Textual takes the terminal, and after it."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ldptui.core.base.files import is_file

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..app import Workbench
    from ..engine.replay import RunReplay
    from ..terminal.settings import Settings
    from .common_options import Opening

HEADLESS = "for a run without a screen: ldptui run SCENARIO"


def unfit_terminal(charset: str | None = None) -> str | None:
    """The sentence that says why the workbench cannot be shown in this terminal; None if it can.

    charset : the value of --charset; "ascii" can be shown in any locale.
    """
    if os.environ.get("TEXTUAL_DRIVER"):  # a browser shows it
        return None
    for name, handle in (("standard input", sys.__stdin__), ("standard output", sys.__stdout__),
                         ("standard error", sys.__stderr__)):  # fmt: skip
        if handle is None or not handle.isatty():
            return f"the workbench needs a terminal, and {name} is none; {HEADLESS}"
    if os.environ.get("TERM", "dumb") in ("", "dumb"):
        term = os.environ.get("TERM", "")
        return f"the workbench needs a terminal that can draw, got TERM={term!r}; {HEADLESS}"
    locale = _other_locale()
    if locale is not None and "ascii" not in (charset, os.environ.get("LDPTUI_CHARSET")):
        return (
            f"the workbench needs a UTF-8 locale, got {locale}; "
            f"try: export LC_ALL=C.UTF-8, or --charset ascii; {HEADLESS}"
        )
    return None


def _other_locale() -> str | None:
    """The locale or the encoding that is not UTF-8; None where all is well.

    In the C locale Python writes UTF-8 whatever the terminal reads (PEP 538, PEP 540). That is
    right where nobody chose a locale, as on a bare machine, but not where C or POSIX was chosen.
    """
    encoding = (sys.__stderr__.encoding if sys.__stderr__ else "") or ""
    if encoding.lower().replace("-", "") != "utf8":
        return encoding
    if not sys.flags.utf8_mode or os.environ.get("PYTHONUTF8") or "utf8" in sys._xoptions:
        return None
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):  # the first that is set decides
        chosen = os.environ.get(name, "")
        if name == "LC_CTYPE" and chosen == "C.UTF-8":
            continue  # set by Python itself, whose UTF-8 mode is for other locales
        if chosen:
            other = not chosen.lower().replace("-", "").partition(".")[2].startswith("utf8")
            return f"{name}={chosen}" if other else None
    return None


def open_workbench(
    options: Opening,
    scenario: str | None = None,
    *,
    run_replay: RunReplay | None = None,
    collection: dict[str, Any] | None = None,
    commands: Callable[[], Sequence[str]] = tuple,
) -> int:
    """Run the workbench until the user quits it; returns the exit code.

    scenario : the path or bundled name of the scenario to open.
    run_replay : the stored run to replay.
    collection : the form fields about the report files to show.
    commands : returns the names of all commands, to suggest one if there is no such scenario.
    """
    path = scenario_path(scenario, commands)
    reason = unfit_terminal(options.charset)
    if reason is not None:
        print(f"ldptui: {reason}", file=sys.stderr)
        return 2
    from ..terminal.settings import load_settings

    settings = load_settings(
        Path(options.config) if options.config else None,
        theme=options.theme,
        charset=options.charset,
        mouse=options.mouse,
        allow_attacks=options.allow_attacks,
        attack_files=options.code_files,
        cluster=options.cluster,
    )
    if options.log_file:
        from .command_logs import log_to

        log_to(Path(options.log_file))
    app = asyncio.run(_show(settings, path, options, run_replay, collection))
    gc.freeze()  # Python would search all of it for circles before it ends
    return _end_workbench(app)


async def _show(
    settings: Settings, path: Path | None, options: Opening, run_replay: RunReplay | None,
    collection: dict[str, Any] | None,
) -> Workbench:  # fmt: skip
    """The app, after the user has quit it."""
    lab_engine = None
    if collection is not None:
        from ..engine.engine import Engine
        from .reports_opening import first_question

        lab_engine = await Engine.begin(first_question(collection))
    from ..app import Workbench
    from ..terminal import places

    app = Workbench(
        settings,
        path,
        store=places.chosen_store(options.store)[0] if options.keep else None,
        run_replay=run_replay,
        collection=collection,
        lab_engine=lab_engine,
    )
    await app.run_async(mouse=settings.mouse)
    return app


def _end_workbench(app: Workbench) -> int:
    """The exit code of a workbench that was left; prints the bug that ended it, if any."""
    from ..terminal.output import note

    if app.crash is not None:
        where = f"; the report is in {app.crash_file}" if app.crash_file else ""
        note(f"ldptui: bug: {type(app.crash).__name__}: {app.crash}{where}")
        return 70
    return app.return_code or 0


def scenario_path(
    scenario: str | None, commands: Callable[[], Sequence[str]] = tuple
) -> Path | None:
    """The file of a path or of a bundled scenario's name; None if `scenario` is None.

    Raises LdpError if there is no such file.
    """
    if scenario is None:
        return None
    from ldptui.core.base.errors import FileError

    from ..session.scenario_file import locate

    path = locate(scenario, commands)
    if not is_file(path):
        raise FileError(f"{scenario} must be a file, which is read again")
    return path
