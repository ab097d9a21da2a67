"""A run as JSON, and rows as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any

from ldptui.core.store import Run


def summary_of(run: Run) -> dict[str, Any]:
    return {
        "run": run.id,
        "uid": run.uid,
        "title": run.title,
        "status": run.status,
        "error": run.error,
        "started": run.started,
        "seconds": run.seconds,
        "done": run.done,
        "total": run.total,
        "seed": run.seed,
        "protocols": list(run.protocols),
        "attacks": list(run.attacks),
        "tags": list(run.tags),
        "star": run.star,
        "removed": run.removed,
        "source": run.source,
        **run.versions,
        "digest": run.digest,
    }


def as_json(run: Run) -> dict[str, Any]:
    return {**summary_of(run), "scenario": run.document}


def json_names() -> Iterator[str]:
    yield from ("run", "uid", "title", "status", "error", "started", "seconds", "done", "total")
    yield from ("seed", "protocols", "attacks", "tags", "star", "removed", "source")
    yield from ("ldptui", "numpy", "python", "machine", "simulator", "digest")


def drawn_with(run: Run) -> dict[str, str]:
    """The versions that a run was computed with, as the document of its results has them."""
    return {name: str(run.versions[name]) for name in ("ldptui", "numpy")}


def csv_text(rows: Sequence[Sequence[object]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return buffer.getvalue()
