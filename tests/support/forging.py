"""Recordings that a stranger has changed and signed again: their checksums are the right ones."""

from __future__ import annotations

import json
import random
import sqlite3
from contextlib import closing
from typing import Any

import msgspec

from ldptui.core.store.block_codec import decompress, seal, unseal
from ldptui.core.store.store import TABLES

from .mutations import mutated_document


def parts_of(recording: bytes) -> dict[str, Any]:
    """What a recording holds, as plain values: `body`, `cells`, `arrivals` of its run, `blocks`."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.deserialize(recording)
        uid, body, cells, arrivals = db.execute(
            "SELECT uid, body, cells, arrivals FROM runs"
        ).fetchone()
        return {
            "body": json.loads(unseal(f"run {uid}", body)),
            "cells": json.loads(unseal(f"cells {uid}", cells)),
            "arrivals": msgspec.msgpack.decode(unseal(f"arrivals {uid}", arrivals)),
            "blocks": [
                [cell, number, trials, msgspec.msgpack.decode(decompress(unseal(
                    f"{cell} {number} {trials}", data)))]
                for cell, number, trials, data in db.execute("SELECT * FROM blocks")
            ],
        }  # fmt: skip


def signed(parts: dict[str, Any]) -> bytes:
    """A recording that holds this, whatever it is."""
    body = parts["body"]
    uid = str(body.get("uid")) if isinstance(body, dict) else "uid"
    sealed = [
        seal(f"run {uid}", json.dumps(body).encode()),
        seal(f"cells {uid}", json.dumps(parts["cells"]).encode()),
        seal(f"arrivals {uid}", _packed(parts["arrivals"])),
    ]
    with closing(sqlite3.connect(":memory:")) as db:
        for table in TABLES:
            db.execute(table)
        for cell, number, trials, data in parts["blocks"]:
            row = cell, number, trials, seal(f"{cell} {number} {trials}", _packed(data))
            db.execute("INSERT OR IGNORE INTO blocks VALUES (?, ?, ?, ?)", row)
        db.execute("INSERT INTO runs VALUES (1, ?, ?, ?, ?)", (uid, *sealed))
        db.commit()
        db.execute(f"PRAGMA application_id = {int.from_bytes(b'LDPr')}")
        db.execute("PRAGMA user_version = 6")
        return db.serialize()


def _packed(value: Any) -> bytes:
    try:
        return msgspec.msgpack.encode(value)
    except (OverflowError, TypeError, ValueError):  # what cannot be written
        return msgspec.msgpack.encode(None)


def forged(recording: bytes, draw: random.Random) -> bytes:
    """The recording with one to three mutations, then signed."""
    parts = parts_of(recording)
    for _ in range(draw.choice((1, 1, 2, 3))):
        name = draw.choice(("body", "body", "cells", "cells", "arrivals", "blocks", "drop"))
        if name == "drop":
            rows = parts[draw.choice(("arrivals", "blocks", "cells"))]
            if isinstance(rows, list) and rows:
                del rows[draw.randrange(len(rows))]
        elif name == "blocks" and parts["blocks"]:
            row = draw.choice(parts["blocks"])
            row[3] = mutated_document({"block": row[3]}, ["block"], draw).get("block")
        elif name != "blocks":
            parts[name] = mutated_document({name: parts[name]}, [name], draw).get(name)
    return signed(parts)
