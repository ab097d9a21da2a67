"""A scenario that tests of drafts edit, with a comment and a sweep in it."""

from pathlib import Path
from typing import Final

from ldptui.session.draft import Draft, draft_of

TEXT: Final = """\
format = 1
title = "a test"  # with a comment
seed = 7

# who takes part
[population]
kind = "zipf"
items = 64  # d
users = 1_000_000
exponent = 1.1

[protocol]
kind = "olh"
epsilon = 1.0
hash_range = "ceil"

[attack]
kind = "mga"
share = 0.05
targets = { pick = "random", count = 3 }

[sweep]
"attack.share" = { from = 0.0, to = 0.2, points = 5 }
"""


def plain(text: str, tmp_path: Path) -> Draft:
    """The draft of a text without its sweep."""
    return draft_of(text.partition("\n[sweep]")[0] + "\n", tmp_path)
