"""Writes the man page and the scripts for shells into `share/`: `python docs/share.py`.

A wheel puts them below the `share` of the environment that it is installed in, where `man` and
bash look for what belongs to a command of that environment.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from argparse_manpage.manpage import Manpage

from ldptui import __version__
from ldptui.commands.help_parser import app_parser
from ldptui.commands.shell_completion import script, whole

SHARE: Final = Path(__file__).parents[1] / "share"
SCRIPTS: Final = {
    "bash": "bash-completion/completions/ldptui",
    "zsh": "zsh/site-functions/_ldptui",
    "fish": "fish/vendor_completions.d/ldptui.fish",
}
"""The folders in which shells look for them."""

SYNOPSIS: Final = ".B ldptui\n[options] [SCENARIO]\n.br\n.B ldptui\nCOMMAND [options] ..."


def main() -> None:
    """Write all files."""
    files = {"man/man1/ldptui.1": man_page()}
    files |= {place: script(shell) for shell, place in SCRIPTS.items()}
    for place, text in files.items():
        path = SHARE / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def man_page() -> str:
    """The man page: what ldptui is, its options, each command with its own, exit codes."""
    codes = app_parser().format_all().partition("exit codes: ")[2]
    parser: Any = whole()
    parser._manpage = [
        {"heading": "synopsis", "content": SYNOPSIS},
        {"heading": "exit status", "content": " ".join(codes.split())},
        {"heading": "see also", "content": "ldptui docs: the documentation, in a browser"},
    ]
    about = {
        "project_name": "ldptui",
        "version": __version__,
        "description": "workbench for local differential privacy and the attacks on it",
        "manual_title": "ldptui",
    }
    return str(Manpage(parser, about, format="single-commands-section"))


if __name__ == "__main__":
    main()
