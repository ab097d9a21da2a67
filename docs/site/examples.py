"""The examples of docstrings, fenced for the site; an extension of griffe, which reads them."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

_EXAMPLE = re.compile(r"^>>> .*?(?=\n\n|\Z)", re.DOTALL | re.MULTILINE)


class Fenced(Extension):
    """Puts every example of a docstring, up to the next empty line, into a fence.

    A docstring with a section of examples is left to the style of the site.
    """

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Change the docstring of an object that was read."""
        if obj.docstring is not None and "\nExamples\n---" not in obj.docstring.value:
            obj.docstring.value = _EXAMPLE.sub(r"```pycon\n\g<0>\n```", obj.docstring.value)
