"""The exception tree.

    LdpError                 a failure that one sentence explains
    ├── ScenarioError        a scenario, an option or a parameter breaks a rule   (exit 2)
    ├── FileError            a file cannot be opened, read or written             (exit 3)
    │   └── ContentError     a file of data was opened, and its bytes break a rule (exit 2)
    └── RunError             a run failed while it was computing                  (exit 1)
        └── CellError        one cell cannot be computed: it fails, the rest goes on
            ├── AttackError      a plug-in attack failed
            ├── ProtocolError    a plug-in protocol failed
            ├── MetricError      a plug-in metric failed
            └── DefenceError     a defence leaves nothing of an estimate

A message is one line: where, what, the rule, the value that broke it. The functions
that format its values and numbers are here as well; `ldptui.text.format` has those of tables and
charts.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

LIFTED: Final = " (--no-limits lifts this)"
"""The end of a message about a limit."""


JOINERS: Final = "\u200c\u200d"
"""ZWNJ and ZWJ, which are letters of a word in Persian, and of an emoji, and take no room."""


def one_line(words: str) -> str:
    """Text made safe for a terminal: one line, without invisible or control characters.

    Spaces of all kinds become plain ones, and joiners inside a word are removed. Line ends,
    separators, control characters, marks of direction, and lone surrogates become question marks.
    """
    return words if words.isprintable() else "".join(map(_shown_character, words))


def _shown_character(char: str) -> str:
    if char.isprintable():
        return char
    if char in JOINERS:
        return ""
    return " " if unicodedata.category(char) == "Zs" else "?"


def format_number(value: float, digits: int | None = None) -> str:
    """A number in a message: 1000, 10 000, 0.05, 1e-7.

    Integers of five digits and more are grouped by three digits. Floats are exact, or have at most
    `digits` significant digits.
    """
    if not isinstance(value, float):
        return f"{value:,}".replace(",", " ") if abs(value) >= 10_000 else str(value)
    short = f"{value:.{digits or 6}g}"
    text = short if digits or float(short) == value else repr(float(value))
    return re.sub(r"e([+-])0*(?=\d)", lambda match: f"e{match[1].strip('+')}", text)


def reason_of(error: Exception) -> str:
    """The reason of an error in a few words; the operating system's message for an OSError."""
    if isinstance(error, IsADirectoryError):
        return "it is a folder"
    return str(getattr(error, "strerror", None) or error)


def format_value(value: object) -> str:
    """A value in a message: as JSON, which looks like TOML's scalars and lists; shortened to 60
    characters.
    """
    if value is None:
        return "nothing"
    if hasattr(value, "item") and not getattr(value, "ndim", 0):  # NumPy's scalars
        value = value.item()
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            text = format_number(value)
            whole = isinstance(value, float) and text.lstrip("-").isdigit()
            text += ".0" * whole  # which says that it is no integer
        else:
            text = json.dumps(value, ensure_ascii=False, default=str)
    except TypeError:  # a table whose keys are no text
        text = repr(value)
    except (ValueError, RecursionError):
        return "a value that is too large"
    return shorten_name(re.sub(r"[\x00-\x1f\x7f]", "?", text))


def shorten_name(name: str) -> str:
    """A name from a user's file, for a message; the first 57 characters and … if it is longer than
    60.
    """
    return name if len(name) <= 60 else f"{name[:57]}…"


def got(value: object) -> str:
    """The words "got VALUE" that end a message about a rejected value; "it is empty" for an empty
    text.
    """
    return "it is empty" if isinstance(value, str) and not value else f"got {format_value(value)}"


def closest(word: object, known: Iterable[str]) -> str:
    """The known word most similar to a given one; "" if none is similar."""
    close = get_close_matches(str(word), list(known), n=3, cutoff=0.65)
    return min(close, key=lambda each: each[:1] != str(word)[:1], default="")


def suggest(word: object, known: Iterable[str], otherwise: str = "") -> str:
    """The end of a sentence about an unknown word: "did you mean …", or `otherwise` if no known
    word is similar.
    """
    close = closest(word, known)
    hint = f"did you mean {close}?" if close else otherwise
    return f" ({hint})" if hint else ""


class LdpError(Exception):
    """The base of errors whose message is one sentence for the user."""


class LdpWarning(UserWarning):
    """A warning, in one sentence, that a result may be unreliable."""


class ScenarioError(LdpError, ValueError):
    """Raised if a parameter breaks a rule.

    Attributes
    ----------
    rule
        The rule and the value that broke it: "must be in [0, 1), got 1.5".
    key
        The parameter, dotted as far as is known: "share", "attack.share".
    where
        The file or the option.
    line
        The line of the file, from 1; None if it is not known.
    """

    def __init__(self, rule: str, key: str = "", where: str = "", line: int | None = None) -> None:
        super().__init__(rule, key, where, line)
        self.rule, self.key, self.where, self.line = rule, key, where, line

    def __str__(self) -> str:
        place = self.where if self.line is None else f"{self.where or 'line'}:{self.line}"
        sentence = f"{self.key} {self.rule}" if self.key else self.rule
        return one_line(f"{place}: {sentence}" if place else sentence)

    def within(self, table: str) -> ScenarioError:
        """A copy of the error whose key is prefixed with a table.

        Parameters
        ----------
        table
            The name of the table.
        """
        key = f"{table}.{self.key}" if self.key else table
        return ScenarioError(self.rule, key, self.where, self.line)

    def at(self, where: str, line: int | None = None) -> ScenarioError:
        """A copy of the error with the place of its key in a file.

        Parameters
        ----------
        where
            The name of the file.
        line
            The line in it, if that is known.
        """
        return ScenarioError(self.rule, self.key, where, line if line is not None else self.line)


def check_among(value: object, known: Iterable[str], key: str, besides: str | None = None) -> None:
    """Raise ScenarioError for a value that is neither one of the known names nor `besides`."""
    names = dict.fromkeys(known)
    if value not in (*names, besides) or value is None:
        first = "" if besides is None else f"{besides} or "
        words = [*map(str, names)]
        rule = f"must be {first}one of {', '.join(words)}, {got(value)}{suggest(value, words)}"
        raise ScenarioError(rule, key=key)


def check_limit(number: float, most: float, rule: str, key: str = "") -> None:
    """Raise ScenarioError for a number above a limit that `--no-limits` lifts."""
    if number > most:
        raise ScenarioError(f"{rule}, {got(number)}{LIFTED}", key=key)


class FileError(LdpError, OSError):
    """Raised if a file cannot be read or written."""

    def __str__(self) -> str:
        return one_line(super().__str__())


class ContentError(FileError):
    """Raised if a data file is invalid: not UTF-8, damaged or endless."""


class RunError(LdpError, RuntimeError):
    """Raised if a run fails while it computes."""


class CellError(RunError):
    """Raised if one cell cannot be computed; `details` is a traceback, "" if the reason needs none.

    Its only arguments are sentence and details, so that pickling preserves it between processes.
    """

    def __init__(self, sentence: str, details: str = "") -> None:
        super().__init__(sentence, details)
        self.details = details

    def __str__(self) -> str:
        return one_line(str(self.args[0]))


class AttackError(CellError):
    """Raised if an attack written by a user fails."""


class ProtocolError(CellError):
    """Raised if a protocol written by a user fails."""


class DefenceError(CellError):
    """Raised if a defence drops all reports, or sets all estimates to zero."""


class MetricError(CellError):
    """Raised if a metric written by a user fails."""
