"""The arguments of the commands of `ldptui.commands.runs`. Imports nothing heavy."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Final, TypeAlias

from ...charts.kinds import on_paper
from ...session import attack_options

MakeParser = Callable[..., argparse.ArgumentParser]
Actions: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

COMMANDS: Final = ("runs", "resume", "replay", "record", "compare", "game", "plot")

RUN_WORDS: Final = 'RUN is a number that "ldptui runs" shows, or "last".'


def add_store(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    parser.add_argument(
        "--store",
        metavar="PATH",
        default=default,
        help="the file that keeps the runs (or set LDPTUI_STORE)",
    )


def add_action(actions: Actions, name: str, words: str) -> argparse.ArgumentParser:
    """The parser of one action of a command; words : what it does, from a small letter on."""
    sentence = f"{words[0].upper()}{words[1:]}."
    return actions.add_parser(name, help=words, description=sentence, allow_abbrev=False)


def add_keeping(parser: argparse.ArgumentParser) -> None:
    """Add the options of `ldptui run` for the store."""
    add_store(parser)
    parser.add_argument(
        "--no-store", dest="keep", action="store_false", help="keep nothing, know nothing"
    )
    parser.add_argument(
        "--fresh", action="store_true", help="compute again what the store already knows"
    )
    parser.add_argument(
        "--tag", dest="tags", action="append", default=[], metavar="TAG", help="tag the run"
    )
    parser.add_argument(
        "--shard",
        metavar="I/N",
        help="compute the I-th of N equal parts alone; runs import merges the stores",
    )
    add_cluster(parser)


def add_cluster(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--cluster",
        metavar="PLACE",
        help="compute on a cluster of Dask: tcp://HOST:PORT, a scheduler FILE.json, or local[:N]",
    )


def parser(
    command: str, make: MakeParser, add_scenario: Callable[..., None]
) -> argparse.ArgumentParser:
    """The parser of one of COMMANDS.

    make : a parser from its name, description and epilog. add_scenario : adds what names a
    scenario and changes it, as for `ldptui run`.
    """
    if command == "runs":
        return _runs(make)
    if command == "plot":
        made = _plot(make, add_scenario)
    elif command == "resume":
        made = make("ldptui resume", f"Go on with a run that was interrupted.\n{RUN_WORDS}")
        made.add_argument("run", metavar="RUN")
        attack_options.add_to(made)
        add_cluster(made)
        add_output(made)
    elif command == "replay":
        made = make(
            "ldptui replay",
            "Compute a kept run again and compare every fingerprint, and the floats to 1e-12\n"
            "relative. Exit code 0: identical; 1: the first difference is printed; 4: another\n"
            f"NumPy drew other numbers, and the means agree.\n{RUN_WORDS}",
        )
        made.add_argument(
            "--show",
            action="store_true",
            help="open the workbench and play it back instead; simulates nothing",
        )
        made.add_argument("run", metavar="RUN|FILE")
        made.add_argument("--workers", type=int, default=1, metavar="N", help="processes (1)")
        attack_options.add_to(made)
        made.add_argument(
            "--no-limits", dest="limits", action="store_false", help="lift the limits on sizes"
        )
        made.add_argument("--quiet", action="store_true", help="no progress bar, no notes")
    elif command == "record":
        made = make(
            "ldptui record",
            "Simulate a scenario and write one file that holds it all, to be shared: scenario,\n"
            "data of a CSV population, every trial. Read it with runs import or replay.",
        )
        add_scenario(made)
        made.add_argument("--out", required=True, metavar="FILE", help="write here")
        made.add_argument(
            "--tag", dest="tags", action="append", default=[], metavar="TAG", help="tag the run"
        )
    else:
        made = _game(make) if command == "game" else _compare(make)
    add_store(made)
    return made


def _plot(make: MakeParser, add_scenario: Callable[..., None]) -> argparse.ArgumentParser:
    made = make(
        "ldptui plot",
        "Draw a chart for paper, with its caption, and write it to a file. SCENARIO is\n"
        f"simulated first, and kept nowhere. {RUN_WORDS}",
        "The file carries the scenario: ldptui replay FILE computes it again.",
    )
    add_scenario(made)
    made.add_argument(
        "--chart",
        choices=[kind.name for kind in on_paper()],
        help="the chart (gain; success where the task names items, or for a metric in Python)",
    )
    made.add_argument(
        "--metric",
        metavar="NAME",
        help="the metric of a map, a timeline or the success (the first that there is)",
    )
    made.add_argument(
        "--columns", type=int, choices=(1, 2), default=2,
        help="as wide as one column of a paper, 84 mm, or as two, 174 mm (2)",
    )  # fmt: skip
    made.add_argument(
        "--out", metavar="FILE", required=True, help="an .svg, .pdf, .png, .pgf or .txt file"
    )
    return made


def _game(make: MakeParser) -> argparse.ArgumentParser:
    made = make(
        "ldptui game",
        "Solve a run that swept attacks and defences as a matrix game: its value, and how often\n"
        "each side plays what. The attacker wants much of the metric, the server little.\n"
        f"{RUN_WORDS}",
    )
    made.add_argument("run", metavar="RUN|FILE")
    made.add_argument(
        "--metric", metavar="NAME", help="the metric that is played for (gain_after, else gain)"
    )
    made.add_argument("--format", choices=("table", "json"), default="table")
    return made


def _compare(make: MakeParser) -> argparse.ArgumentParser:
    made = make(
        "ldptui compare",
        "Print the differences B − A of two runs, cell by cell, with standard errors and z.\n"
        "They are paired trial by trial where both drew the same genuine users' reports.\n"
        f"{RUN_WORDS}",
    )
    made.add_argument("a", metavar="A")
    made.add_argument("b", metavar="B")
    made.add_argument(
        "--metric",
        action="append",
        default=[],
        metavar="NAME",
        help="only this metric; may be repeated",
    )
    made.add_argument("--format", choices=("table", "csv", "json"), default="table")
    return made


def add_format(made: argparse.ArgumentParser, files: bool = True) -> None:
    """Add the option for the form of results. files : with those that a terminal cannot show."""
    made.add_argument(
        "--format",
        choices=("table", "md", "latex", "csv", "csv-cells", "json", *["parquet"] * files),
        help="table; md, latex: the table for a page or a paper; csv: a row per trial; "
        f"csv-cells: a row per cell; json{'; parquet: a row per trial' * files}; "
        "else as the end of the file's name says, or table",
    )


def add_choice(made: argparse.ArgumentParser) -> None:
    """Add the options for the metrics, rows and columns of tables."""
    made.add_argument(
        "--metrics", metavar="NAME,…", help="only these metrics, as gain,mse; in every format"
    )
    made.add_argument("--rows", metavar="KEY,…", help="a row for each value of these swept keys")
    made.add_argument(
        "--columns", metavar="KEY,…", help="a column for each value of these swept keys"
    )


def add_results(made: argparse.ArgumentParser) -> None:
    """Add the options for what is printed or written of results, and where."""
    add_format(made)
    add_choice(made)
    made.add_argument("--out", metavar="FILE", help="write here instead of standard output")
    made.add_argument(
        "--frequencies", action="store_true", help="add every item's estimates to the JSON"
    )


def add_output(made: argparse.ArgumentParser) -> None:
    made.add_argument("--workers", type=int, default=1, metavar="N", help="processes (1)")
    add_results(made)
    made.add_argument("--quiet", action="store_true", help="no progress bar, no notes")


def _runs(make: MakeParser) -> argparse.ArgumentParser:
    made = make("ldptui runs", f"The runs that are kept. {RUN_WORDS}")
    add_store(made)
    actions = made.add_subparsers(dest="action", metavar="ACTION", parser_class=type(made))

    def action(name: str, words: str, *, one: bool = True) -> argparse.ArgumentParser:
        sub = add_action(actions, name, words)
        add_store(sub, argparse.SUPPRESS)
        if one:
            sub.add_argument("run", metavar="RUN")
        return sub

    for sub in (made, action("list", "list the runs, newest first (the default)", one=False)):
        # The list's own options also stand without the word "list"; what is not given stays away.
        _add_filters(sub, named=sub is not made)
    show = action("show", "print what a run measured")
    add_format(show, files=False)
    add_choice(show)
    show.add_argument("--frequencies", action="store_true", help="every item's estimates, in JSON")
    remove = action("rm", "take runs out of the list; gc makes it final", one=False)
    remove.add_argument("runs", metavar="RUN", nargs="+")
    remove.add_argument("--undo", action="store_true", help="put them back")
    tag = action("tag", "tag a run")
    tag.add_argument("tags", metavar="TAG", nargs="+")
    tag.add_argument("--remove", action="store_true", help="take the tags away")
    star = action("star", "mark a run, so that gc --before leaves it")
    star.add_argument("--off", action="store_true", help="unmark it")
    export = action("export", "write a run to a file")
    export.add_argument("--out", metavar="FILE", required=True, help="write here")
    export.add_argument(
        "--format",
        choices=("recording", "csv", "csv-cells", "json", "parquet", "md", "latex"),
        help="recording (default): all of it, to be imported or replayed elsewhere; csv and "
        "parquet: a row per trial; csv-cells: a row per cell; json, md, latex: as ldptui run",
    )
    add_choice(export)
    export.add_argument(
        "--frequencies", action="store_true", help="every item's estimates, in JSON"
    )
    export.add_argument("--dictionary", metavar="FILE", help="also write what the columns mean")
    load = action(
        "import", "read recordings, checked first, or merge stores; simulates nothing", one=False
    )
    load.add_argument("files", metavar="FILE", nargs="+")
    load.add_argument(
        "--no-limits", dest="limits", action="store_false", help="lift the limits on sizes"
    )
    gc = action("gc", "forget removed runs and what no run needs; shrink the file", one=False)
    gc.add_argument("--before", metavar="DATE", help="also runs that started before this day")
    words = action("dictionary", "explain the columns of CSV, JSON and Parquet", one=False)
    words.add_argument("--format", choices=("table", "csv", "json"), default="table")
    return made


def _add_filters(sub: argparse.ArgumentParser, *, named: bool) -> None:
    """Add the options of the list. named : after the word "list"."""
    nothing = argparse.SUPPRESS if named else None
    sub.add_argument("--protocol", metavar="KIND", default=nothing, help="only runs with this kind")
    sub.add_argument(
        "--attack",
        metavar="KIND",
        default=nothing,
        help='only runs with this kind ("none": without one)',
    )
    sub.add_argument("--tag", metavar="TAG", default=nothing, help="only runs with this tag")
    sub.add_argument(
        "--since", metavar="DATE", default=nothing, help="only runs since this day, as 2026-01-31"
    )
    sub.add_argument(
        "--until", metavar="DATE", default=nothing, help="only runs until the end of this day"
    )
    sub.add_argument(
        "--removed",
        action="store_true",
        default=nothing or False,
        help="the removed runs that gc did not forget yet",
    )
    sub.add_argument(
        "--format",
        choices=("table", "csv", "json"),
        default=nothing or "table",
    )
