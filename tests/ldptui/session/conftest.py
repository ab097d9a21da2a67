"""The draft that tests of sessions begin with."""

from pathlib import Path

import pytest
from support.draft_cases import TEXT

from ldptui.session.draft import Draft, draft_of


@pytest.fixture
def draft(tmp_path: Path) -> Draft:
    return draft_of(TEXT, tmp_path)
