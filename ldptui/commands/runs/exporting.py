"""A run as a file, and what its columns mean: ldptui runs export and dictionary."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ldptui.core.base.files import write_atomically
from ldptui.core.export import trial_rows
from ldptui.core.metrics import METRICS
from ldptui.core.store.recording import write_recording

from ...terminal import exits, output
from ...text import table
from ...text.prose import wrapped
from ..dictionary import dictionary
from ..door import Output
from ..options import Dictionary, Export
from ..parquet import write_parquet
from ..reporting import as_text
from .opening import number_of, opened
from .written import as_json, csv_text, drawn_with

WIDTH: Final = 80
"""Cells of a meaning in the table of columns."""


def show_dictionary(options: Dictionary) -> int:
    output.write_out(_written_dictionary(dictionary(), options.format), exactly=True)
    return exits.DONE


def _written_dictionary(rows: Sequence[tuple[str, str, str]], form: str) -> str:
    heads = ("column", "type", "meaning")
    if form == "json":
        return json.dumps([dict(zip(heads, row, strict=True)) for row in rows], indent=2,
                          ensure_ascii=False) + "\n"  # fmt: skip
    if form == "csv":
        return csv_text([heads, *rows])
    lines = [
        (name if at == 0 else "", kind if at == 0 else "", line)
        for name, kind, meaning in rows
        for at, line in enumerate(wrapped(meaning, WIDTH))
    ]
    return table.plain_table(heads, lines)


def export(options: Export) -> int:
    asked = Output.of(
        options.format,
        options.out,
        options,
        usual="recording",
        frequencies=options.frequencies,
    )
    out, kind = asked.path, asked.format
    assert out is not None
    with opened(options.store) as store:
        run = store.run(number_of(store, options.run))
        if kind == "recording":
            write_recording(store, run.id, out)
            names = ["fingerprint", *dict.fromkeys([*METRICS, *run.metrics])]
        else:
            results = store.results(run.id)
            asked = asked.of_results(results.experiment)
            if kind == "parquet":
                write_parquet(out, results, as_json(run), asked.choice)
            else:
                written = as_text(results, asked, drawn_with(run))
                write_atomically(out, written)
            if kind in ("csv", "csv-cells"):
                names = next(csv.reader([written[: written.index("\n")]]))
            elif options.dictionary:
                names, _ = trial_rows(results, asked.choice.metrics)
                names[2:2] = ["fingerprint"] * (kind == "parquet")
    if options.dictionary:
        place = Path(options.dictionary)
        form = "json" if place.suffix.lower() == ".json" else "csv"
        write_atomically(
            place, _written_dictionary(dictionary(names, {*METRICS, *run.metrics}), form)
        )
    output.note(f"wrote {out}")
    return exits.DONE
