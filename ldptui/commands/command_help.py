"""`ldptui --help`, one screen; and `ldptui help`, a line for each command and option."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from .command_list import GROUPS

USAGE: Final = """\
ldptui [SCENARIO]            open the workbench
       ldptui REPORTS … --protocol KIND --epsilon E (--items D | --domain FILE)
       ldptui COMMAND [options] …"""

OVERVIEW: Final = """\
usage: {usage}

{groups}

  ldptui quickstart                      look at a bundled scenario
  ldptui run quickstart                  the same as a table
  ldptui theory oue                      the closed forms of a protocol

ldptui help: a line for each command; ldptui help WORD: a command, a protocol
"""

REST: Final = """\
{groups}

examples:
  ldptui my.toml                         open the workbench on a scenario of yours
  ldptui run my.toml --set attack.share=0.1 --format json --out result.json
  ldptui theory oue --epsilon 1 --items 1024 --users 100000
  ldptui theory rappor --f 0.5 --bits 128 --items 200 --users 1000000

exit codes: 0 done, 1 it failed, 2 bad usage, scenario or data, 3 a file could not be
read or written, 4 a replay drawn by another NumPy that is statistically the same, 5 a
screen without a verdict, 6 an alarm or a broken promise, 7 reports that do not fit,
with --strict, 70 a bug, 130 interrupted (what is finished is printed)
"""

Line = tuple[str, str, str, str]
"""A command: its name, its group, its usage, and what it is for."""


def command_lines() -> Iterator[Line]:
    """Yields a line of help for each command."""
    from ..questions.topics import TOPICS
    from .command import find_command

    for group, (_, names) in GROUPS.items():
        for name in names.split():
            row = find_command(name)
            assert row is not None
            yield name, group, row.usage, row.summary
    for name, asked in TOPICS.items():
        yield name, _group_of(name), asked.usage, asked.summary


def overview() -> str:
    """The help of `ldptui` without a command: the groups of commands, on one screen of 80 × 24."""
    from ..questions import find_questions

    groups = list[str]()
    for group, (about, own) in GROUPS.items():
        asked = [name for name in find_questions() if _group_of(name) == group]
        names = ", ".join([*own.split(), *asked])
        groups.append(f"{group}: {about}")
        groups += textwrap.wrap(names, 76, initial_indent="    ", subsequent_indent="    ")
    return OVERVIEW.format(usage=USAGE, groups="\n".join(groups))


def rest_of_help() -> str:
    """The second part of the full help: a line for each command, examples and exit codes."""
    return REST.format(groups="\n\n".join(_groups([*command_lines()])))


def protocol_help(kind: str) -> str:
    """The help of a protocol: its description, and its keys as options with their
    allowed values.
    """
    from dataclasses import fields

    from ldptui.core.protocols import KINDS

    from ..catalogue import key_words, kind_words, protocol_keys
    from ..catalogue.keys import allowed_values
    from ..questions.options import flag_of

    words, own = kind_words("protocol", kind), {key.name for key in fields(KINDS[kind])}
    source = f"Source: {words.source}." if words.source else ""
    told = [f"{kind}: {words.name}", *(textwrap.fill(each, 78) for each in (words.text, source))]
    for name in protocol_keys():
        if name in own:
            key = f"protocol.{name}"
            meaning = f"{key_words(key).meaning} Allowed: {allowed_values(key)}."
            told.append(f"  {flag_of(name)}\n{textwrap.indent(textwrap.fill(meaning, 74), '    ')}")
    return "\n\n".join(filter(None, told)) + "\n"


def _groups(lines: Sequence[Line]) -> Iterator[str]:
    for group, (about, _) in GROUPS.items():
        own: Iterable[str] = (
            f"  {usage:<20} {summary}" for _, each, usage, summary in lines if each == group
        )
        yield "\n".join([f"{group}: {about}", *own])


def _group_of(name: str) -> str:
    """The group of a question, which is not loaded."""
    from ..questions import is_about_reports

    return "real reports" if is_about_reports(name) else "questions"
