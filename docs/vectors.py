"""Write docs/report-vectors.json: reports of every protocol, to test clients with."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import ldptui
from ldptui.api.files import sent, write_reports
from ldptui.core.law.pure import is_pure, sends_reports
from ldptui.core.protocols import KINDS

ITEMS, REPORTS = 11, 6
PARAMETERS: dict[str, Any] = {"epsilon": 1.0}


def vectors(kind: str) -> dict[str, Any]:
    """Some reports of one protocol as rows, and the items that each supports."""
    protocol = ldptui.protocol(kind, ITEMS, **PARAMETERS)
    reports = sent(protocol, np.arange(REPORTS), np.random.default_rng(0))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "reports.jsonl"
        write_reports(path, [reports], protocol)
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    made: dict[str, Any] = {"items": ITEMS, **PARAMETERS, "reports": rows}
    if is_pure(protocol):
        supports = protocol.supports(reports)
        made["supports"] = [np.flatnonzero(row > 0).tolist() for row in supports]
        if (supports < 0).any():
            made["speaks_against"] = [np.flatnonzero(row < 0).tolist() for row in supports]
    return made


def main() -> None:
    known = (kind for kind in ldptui.kinds("protocol") if kind in KINDS)
    kinds = [kind for kind in known if sends_reports(KINDS[kind].mechanism)]
    lines = ",\n".join(f'  "{kind}": {json.dumps(vectors(kind))}' for kind in kinds)
    Path(__file__).with_name("report-vectors.json").write_text(f"{{\n{lines}\n}}\n", "utf-8")


if __name__ == "__main__":
    main()
