"""Write docs/report-vectors.json: reports of every protocol, to test clients with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ldptui
from ldptui.api.vectors import vectors_of
from ldptui.core.law.mechanism import LocalMechanism, is_a
from ldptui.core.protocols import KINDS

ITEMS, REPORTS = 11, 6
PARAMETERS: dict[str, Any] = {"epsilon": 1.0}


def vectors(kind: str) -> dict[str, Any]:
    """Some reports of one protocol as rows, and the items that each supports."""
    made: dict[str, Any] = {"items": ITEMS, **PARAMETERS}
    return made | vectors_of(ldptui.protocol(kind, ITEMS, **PARAMETERS), REPORTS)


def main() -> None:
    known = (kind for kind in ldptui.kinds("protocol") if kind in KINDS)
    kinds = [kind for kind in known if is_a(KINDS[kind].mechanism, LocalMechanism)]
    kinds = [kind for kind in kinds if not KINDS[kind].mechanism.simulated_only]
    lines = ",\n".join(f'  "{kind}": {json.dumps(vectors(kind))}' for kind in kinds)
    Path(__file__).with_name("report-vectors.json").write_text(f"{{\n{lines}\n}}\n", "utf-8")


if __name__ == "__main__":
    main()
