"""The options of the topic disclose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from ldptui.core.base.ranges import Range

from ..options import Blank
from .offered import where
from .shared import EXAMPLES, File


@dataclass(frozen=True, kw_only=True)
class Options:
    """relation : the two columns of a relation; the form asks for them one by one."""

    what: Annotated[Literal["table", "relation"], Blank()] = "table"
    file: Annotated[File, Blank(EXAMPLES)]
    quasi: Annotated[tuple[str, ...], Blank("age, zip, sex", only=where("what", "table"))] = ()
    sensitive: Annotated[tuple[str, ...], Blank("illness", only=where("what", "table"))] = ()
    relation: tuple[str, ...] = ()
    user: Annotated[str, Blank(only=where("what", "relation"))] = "user"
    attribute: Annotated[str, Blank(only=where("what", "relation"))] = "attribute"
    observed: Annotated[int, Range(1, 8), Blank()] = 2
