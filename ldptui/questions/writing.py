"""The answer of a question as it is shown: in a format, as a page, with its charts."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any, Final

from ldptui.core.base.errors import one_line
from ldptui.core.base.files import write_atomically

from ..charts.series import TONES, Axis, Plot, Series, Tone
from ..explain.citations import cite_papers
from ..terminal.output import as_json, note, write_out
from .options import OptionSpec
from .question import Curves, Question, along_option
from .question_answer import QuestionAnswer
from .sheet import AnswerSheet, Figure, curves, list_rows

FORMATS: Final = ("table", "json", "csv", "md")
WIDTH, HEIGHT = 72, 18
"""Cells of a chart on a page."""

HTML: Final = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{title}</title>
<style>
body {{ font: 16px/1.5 sans-serif; max-width: 50em; margin: 2em auto; padding: 0 1em }}
th, td {{ padding: 0 1em 0 0; text-align: left }}
pre {{ line-height: 1.2; overflow-x: auto }}
</style>
<body>
{body}</body></html>
"""
"""A page, whose body Markdown is."""


def make_sheet(
    asked: Question[Any, Any], answer: QuestionAnswer, given: Mapping[str, Any]
) -> AnswerSheet:
    """The answer in the form in which the lab shows it."""
    heads, rows = answer.shown_table(is_brief=True)
    offer = [asked.offer] if asked.offer and (answer.edits or answer.choices) else []
    return AnswerSheet(
        list_rows(answer.title, heads, rows),
        verdict=(*answer.sentences, *offer),
        notes=tuple(answer.notes),
        figures=tuple(_figures(asked, answer, given)),
        sources=tuple(cite_papers(answer.sources)),
        edits=tuple(answer.edits),
        choices=tuple((place, tuple(edits)) for place, edits in answer.choices),
    )


def _figures(
    asked: Question[Any, Any], answer: QuestionAnswer, given: Mapping[str, Any]
) -> Iterator[Figure]:
    yield from answer.figures()
    either = {option.name for option in asked.options if option.argument.either}
    for each in asked.curves:
        if each.option in either and each.option not in given:
            continue  # the chart of the one that was given
        if (figure := make_figure(asked, each, given, answer)) is not None:
            yield figure


def make_figure(
    asked: Question[Any, Any], over: Curves, given: Mapping[str, Any], answer: QuestionAnswer
) -> Figure | None:
    """The figure of a question over one of its options; None if no line has a point."""
    if not all(hasattr(answer, path.partition(".")[0]) for path, _ in over.lines.values()):
        return None
    found = [*along_option(asked, over, given, answer)]
    places = [x for x, _ in found]
    lines, marks = [], []
    now = getattr(answer, over.option, None)
    for label, path, tone in _lines(over.lines, answer):
        line = [_number_at(each, path) for _, each in found]
        if over.is_log_y:
            line = [y if y > 0 else math.nan for y in line]
        if all(map(math.isnan, line)):
            continue
        if len(places) > 1:
            lines.append(Series(label, places, line, tone, end=label))
        else:
            lines.append(Series(label, places, line, tone, "points"))
        marks += [(x, y) for x, y in zip(places, line, strict=True) if x == now and y == y]
    if not lines:
        return None
    if marks:
        lines.append(
            Series(
                over.marked or "now",
                [x for x, _ in marks],
                [y for _, y in marks],
                "target",
                "points",
            )
        )
    plot = Plot(
        over.title, Axis(over.x, log=over.is_log), Axis(over.y, log=over.is_log_y), tuple(lines)
    )
    return curves(plot, over.y, over.x)


def _lines(lines: Mapping[str, tuple[str, Tone]], answer: Any) -> Iterator[tuple[str, str, Tone]]:
    """The label, the field and the colour of each line; one for each kind that a chart shows."""
    from .mechanisms import DRAWN, LOCAL

    for label, (path, tone) in lines.items():
        name, star, _ = path.partition(".*")
        if not star:
            yield label, path, tone
            continue
        kinds = [kind for kind in getattr(answer, name, ()) if kind not in LOCAL or kind in DRAWN]
        for kind, own in zip(
            sorted(kinds, key=lambda kind: kind in LOCAL, reverse=True), TONES, strict=False
        ):
            yield kind.upper() if kind in LOCAL else kind, path.replace("*", kind), own


def _number_at(answer: Any, path: str) -> float:
    """The number of a field of an answer, which may be deeper: "mechanisms.laplace.accuracy"."""
    for name in path.split("."):
        answer = answer.get(name) if isinstance(answer, Mapping) else getattr(answer, name, None)
    return math.nan if answer is None else float(answer)


# Formats.


def write_answer(
    asked: Question[Any, Any], answer: QuestionAnswer, form: str, out: Path | None, more: str = ""
) -> None:
    """Print an answer in one of `FORMATS`, or write it to a file; more : a last note of the text.

    The doubts that its text has stand beside every other format.
    """
    if form == "json":
        doubts = [*answer.doubts, *answer.read_doubts]
        written = as_json(answer.document() | ({"warnings": doubts} if doubts else {}))
    elif form == "csv":
        written = answer.csv()
    elif form == "md":
        written = answer.markdown()
    else:
        written = answer.text(filter(None, (asked.hint, more)))
    if form != "table" or out is not None:
        for doubt in answer.doubts:
            note(f"ldptui: {one_line(doubt)}")
    if out is None:
        write_out(written, exactly=form != "table")
    else:
        write_atomically(out, written)


def write_page(
    path: Path, asked: Question[Any, Any], answer: QuestionAnswer, given: Mapping[str, Any]
) -> None:
    """Write the page of an answer to a file (HTML if its suffix says so); raises FileError."""
    page = make_page(asked, answer, given)
    if path.suffix.lower() in (".html", ".htm"):
        from markdown_it import MarkdownIt

        body = MarkdownIt("commonmark", {"html": False}).enable("table").render(page)
        page = HTML.format(title=escape(asked.question), body=body)
    write_atomically(path, page)


def make_page(asked: Question[Any, Any], answer: QuestionAnswer, given: Mapping[str, Any]) -> str:
    """A page for an officer or reviewer: the answer, table, charts, and the command to
    repeat it.
    """
    from ..charts.draw import draw
    from ..charts.rows import ANSI_DARK, Look

    parts = [f"# {asked.question}", answer.markdown().rstrip()]
    for figure in _figures(asked, answer, given):
        strips = draw(figure.chart, Look(WIDTH, HEIGHT, ANSI_DARK))
        drawn = "\n".join(strip.text.rstrip() for strip in strips).rstrip()
        parts.append(f"```text\n{drawn}\n```")
    parts += ["## How to ask again", f"    {command_line(asked, given)}"]
    return "\n\n".join(parts) + "\n"


def command_line(asked: Question[Any, Any], given: Mapping[str, Any]) -> str:
    """The command that asks a question with these options."""
    words = ["ldptui", asked.name]
    for option in asked.options:
        value = given.get(option.name)
        if option.words is not None and value is not None and value != option.default:
            words += _words(option, value)
    return shlex.join(words)


def _words(option: OptionSpec, value: Any) -> list[str]:
    """The words of a command line for an option."""
    if option.type == "flag":
        return [option.flag]
    several = isinstance(value, tuple | list)
    texts = [
        f"{each:.15g}" if isinstance(each, float) else str(each)
        for each in (value if several else [value])
    ]
    if option.argument.positional:
        return texts
    if option.argument.repeated:
        return [word for each in texts for word in (option.flag, each)]
    return (
        [f"{option.flag}={','.join(texts)}"]
        if ",".join(texts).startswith("-")
        else [option.flag, ",".join(texts)]
    )
