"""An answer in words, in lines that end inside no number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from ...lab.answer import Answer
from ...text.prose import wrapped
from ...widgets.words import spelled


def spelled_out(answer: Answer | None, widget: Widget) -> Answer | None:
    """The answer with its sentences in the app's charset."""
    if answer is None:
        return None
    verdict, notes, sources = (
        tuple(spelled(widget, text) for text in texts)
        for texts in (answer.verdict, answer.notes, answer.sources)
    )
    return replace(answer, verdict=verdict, notes=notes, sources=sources)


def verdict(answer: Answer | None, width: int) -> str:
    """The first sentence in lines of at most `width` cells."""
    return "\n".join(wrapped(answer.words[0], width)) if answer and answer.words else ""


def sentences(answer: Answer, width: int) -> Content:
    """The verdict, then the other sentences, then the sources that the table cites."""
    parts = [
        Content.styled(verdict(answer, width), "bold"),
        Content(_listed(answer.words[1:], "· ", width)),
        Content.styled(_listed(answer.sources, "", width), "dim"),
    ]
    return Content("\n\n").join([part for part in parts if part.plain])


def _listed(sentences: Sequence[str], mark: str, width: int) -> str:
    """Sentences that begin at the left with a mark, their other lines two cells further in."""
    return "\n".join(
        (mark if at == 0 else "  ") + line
        for sentence in sentences
        for at, line in enumerate(wrapped(sentence, width - 2, width - len(mark)))
    )


class Words(Static):
    """The sentences of an answer, wrapped for its width."""

    def __init__(self) -> None:
        super().__init__(markup=False)
        self._answer: Answer | None = None

    def show(self, answer: Answer | None) -> None:
        """Show the words of an answer; None: there is none yet."""
        self._answer = answer = spelled_out(answer, self)
        width = self.content_size.width
        words = sentences(answer, width) if answer is not None and width else Content("")
        # As many lines lay out nothing anew.
        lines = [str(text).count("\n") for text in (words, self.content)]
        self.update(words, layout=lines[0] != lines[1] or not str(self.content))

    def on_resize(self) -> None:
        self.show(self._answer)
