"""Test vectors of a protocol: reports as rows, and what each supports."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from ldptui.core.law.pure import Items, LocalMechanism, PureProtocol, Reports
from ldptui.core.reports.report_files import send_reports, write_reports


def vectors_of(protocol: LocalMechanism, reports: int) -> dict[str, Any]:
    """Test vectors: honest reports of the first items, and the items that each report supports.

    If the protocol is not pure: the items that a report favours if it is seen alone. If its bits
    stand for no items, as RAPPOR's: one report without noise for each item.
    """
    items, rng = np.arange(reports) % protocol.domain_size, np.random.default_rng(0)
    made = send_reports(protocol, items, rng)
    vectors: dict[str, Any] = {"reports": rows_of(made, protocol)}
    every: Items = np.arange(protocol.domain_size)
    looked: Any = protocol.look(made, every)
    if isinstance(protocol, PureProtocol):
        supports = protocol.supports(made)
        vectors["supports"] = _list_rows(supports > 0)
        if (supports < 0).any():
            vectors["speaks_against"] = _list_rows(supports < 0)
    elif looked.shape[1]:
        vectors["supports"] = _list_rows(looked)
    else:
        vectors["unperturbed"] = rows_of(protocol.unperturbed(items, rng), protocol)
    return vectors


def _list_rows(table: Any) -> list[list[int]]:
    return [np.flatnonzero(row).tolist() for row in table]


def rows_of(reports: Reports, protocol: LocalMechanism) -> list[dict[str, Any]]:
    """The reports as a list of dicts, each the object of a JSON Lines file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "reports.jsonl"
        write_reports(path, [reports], protocol)
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
