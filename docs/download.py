"""Writes the page about notebooks as a notebook: `python docs/download.py`.

`notebook.md` is split where a Python block begins or ends; `notebook.ipynb` has the blocks as cells
of code and the text between them as cells of Markdown, in the format that nbformat 4.5 describes.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parent
PAGE: Final = FOLDER / "notebook.md"
NOTEBOOK: Final = FOLDER / "notebook.ipynb"
_CODE: Final = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def main() -> None:
    """Write the notebook that the page is the text of."""
    NOTEBOOK.write_text(notebook(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def notebook(page: str) -> str:
    """The notebook of a page, as the text of its file."""
    parts = _CODE.split(page)
    kinds = ["markdown", "code"] * len(parts)
    cells = [
        _cell(kind, text.strip(), f"cell-{number}")
        for number, (kind, text) in enumerate(zip(kinds, parts, strict=False))
        if text.strip()
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    made = {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(made, ensure_ascii=False, indent=1) + "\n"


def _cell(kind: str, text: str, name: str) -> dict[str, Any]:
    """A cell of a notebook; one of code has no output yet."""
    cell = {"cell_type": kind, "id": name, "metadata": {}, "source": text.splitlines(keepends=True)}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})


if __name__ == "__main__":
    main()
