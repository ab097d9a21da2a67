"""The programs of the pages pass the strict checks of types that their readers run."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.pages import NAMES, blocks, page

pytestmark = pytest.mark.long
ELSEWHERE = "dask_jobqueue"  # which needs a cluster


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a file for each program of the pages; CONTRIBUTING.md shows parts of rooms."""
    folder = tmp_path_factory.mktemp("programs")
    for name in set(NAMES) - {"CONTRIBUTING.md"}:
        for number, text in enumerate(blocks(page(name), "python")):
            if ELSEWHERE not in text:
                (folder / f"{Path(name).stem}_{number}.py").write_text(text, encoding="utf-8")
    assert len(list(folder.iterdir())) > 10
    return folder


CHECKERS = {
    "mypy": [sys.executable, "-m", "mypy", "--strict", "--config-file", ""],
    "pyright": ["pyright", "--pythonpath", sys.executable],
}


@pytest.mark.parametrize("checker", CHECKERS)
def test_the_programs_of_the_pages_have_right_types(checker: str, programs: Path) -> None:
    if checker != "mypy" and shutil.which(checker) is None:
        pytest.skip("pyright is somebody's own: pip install pyright")
    asked = [*CHECKERS[checker], *map(str, sorted(programs.glob("*.py")))]
    done = subprocess.run(asked, cwd=programs, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
