"""The arguments of commands about files that ldptui brings along. Imports nothing heavy."""

from __future__ import annotations

import argparse
from typing import Final

from ..session import attack_options
from .runs.options import MakeParser, add_action

COMMANDS: Final = (
    "scenarios",
    "schema",
    "cite",
    "keys",
    "docs",
    "completion",
    "serve",
    "record-cast",
)

SHELLS: Final = ("bash", "zsh", "fish", "tcsh")


def parser(command: str, make: MakeParser) -> argparse.ArgumentParser:
    """The parser of one of COMMANDS; make : a parser from its name and description."""
    if command == "scenarios":
        return _scenarios(make)
    if command == "schema":
        return make("ldptui schema", "Print the JSON Schema of a scenario file.")
    if command == "cite":
        made = make(
            "ldptui cite",
            "Print BibTeX of ldptui, and of the papers behind the protocols, attacks and defences\n"
            "of SCENARIO, a TOML file or the name of a bundled scenario.",
        )
        made.add_argument("scenario", metavar="SCENARIO", nargs="?")
        return made
    if command == "docs":
        return _docs(make)
    if command == "completion":
        return _completion(make)
    if command == "serve":
        return _serve(make)
    if command == "record-cast":
        return _record_cast(make)
    return make("ldptui keys", "Print every key as a [keys] table for the settings file.")


def _scenarios(make: MakeParser) -> argparse.ArgumentParser:
    made = make(
        "ldptui scenarios", "List, show or copy the bundled scenarios, or check one of yours."
    )
    actions = made.add_subparsers(dest="action", metavar="ACTION", parser_class=type(made))
    add_action(actions, "list", "list names and titles (the default)")
    show = add_action(actions, "show", "print a scenario's file")
    show.add_argument("name", metavar="NAME")
    copy = add_action(actions, "copy", "copy scenarios, with their data, to edit them")
    copy.add_argument(
        "names",
        metavar="NAME",
        nargs="+",
        help="bundled scenarios; the last one may be the file or folder to copy to (here)",
    )
    check = add_action(actions, "check", "say whether a scenario is valid")
    check.add_argument("path", metavar="PATH")
    attack_options.add_to(check)
    return made


def _docs(make: MakeParser) -> argparse.ArgumentParser:
    made = make(
        "ldptui docs",
        "Print the path of a page of the documentation, and open it where there is a screen.",
        "example: ldptui docs attacks",
    )
    made.add_argument("page", metavar="PAGE", nargs="?", default="index", help="its name (index)")
    made.add_argument(
        "--path", dest="opens", action="store_false", help="print the path, open nothing"
    )
    return made


def _completion(make: MakeParser) -> argparse.ArgumentParser:
    made = make(
        "ldptui completion",
        "Print a script that completes commands, options and scenarios in a shell.",
        "example: ldptui completion bash > ~/.local/share/bash-completion/completions/ldptui",
    )
    made.add_argument("shell", choices=SHELLS)
    return made


def _serve(make: MakeParser) -> argparse.ArgumentParser:
    made = make(
        "ldptui serve",
        "Serve the workbench to browsers, with a process and a folder of its own for each\n"
        "visitor. A visitor opens and writes no file of this machine, runs no Python code, and\n"
        "gets what is saved or exported as a download.",
        "example: ldptui serve cao-gain-beta --port 8080",
    )
    made.add_argument(
        "scenario", nargs="?", metavar="SCENARIO", help="what every visitor begins with"
    )
    made.add_argument(
        "--host", default="localhost", metavar="NAME",
        help="the address that is listened at (localhost: this machine alone)",
    )  # fmt: skip
    made.add_argument("--port", type=int, default=8000, metavar="N", help="its port (8000)")
    made.add_argument(
        "--public-url", metavar="URL", help="the address that browsers use, where it is another"
    )
    made.add_argument(
        "--visitors", type=int, default=8, metavar="N", help="the most at one time (8)"
    )
    return made


def _record_cast(make: MakeParser) -> argparse.ArgumentParser:
    made = make(
        "ldptui record-cast",
        "Open a scenario, play its sweep, and write what a terminal shows of it as a film in\n"
        "asciinema's format (a .cast file, version 2), which asciinema and agg read.",
        "example: ldptui record-cast quickstart --out quickstart.cast",
    )
    made.add_argument(
        "scenario", nargs="?", metavar="SCENARIO", default="quickstart",
        help="a TOML file or a bundled scenario (quickstart)",
    )  # fmt: skip
    made.add_argument("--out", required=True, metavar="FILE", help="write here")
    made.add_argument("--size", default="120x36", metavar="COLSxROWS", help="(120x36)")
    return made
