"""Files that other programs wrote: our estimates are those of their own decoders.

`foreign/write.py` wrote the files with the programs themselves, and told.json with their decoders.
"""

from __future__ import annotations

import csv
import json
import math
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ldptui
from ldptui.core.base.errors import LdpError, LdpWarning
from ldptui.core.reports.programs import PRIMES, read_sums

FOREIGN = Path(__file__).parent / "foreign"
TOLD = json.loads((FOREIGN / "told.json").read_text())
OPENDP = ("opendp-sue", "sue", {"bit_order": "little", "epsilon": 2 * math.log(3)})
TOOLBOX = ("ldp-toolbox-ss", "ss", {"program": "ldp-toolbox", "epsilon": 1.0, "subset_size": 2})


def estimated(
    name: str, kind: str, *, epsilon: float = 2.0, program: Any = None,
    bit_order: Any = "big", **keys: Any,
) -> np.ndarray[Any, Any]:  # fmt: skip
    made = ldptui.protocol(kind, 8, epsilon=epsilon, **keys)
    found = ldptui.estimate(
        str(FOREIGN / f"{name}.json"), made, program=program, bit_order=bit_order
    )
    return np.array(found.values)


@pytest.mark.parametrize(
    ("name", "kind", "more"),
    [
        ("pure-ldp-grr", "grr", {}),
        ("pure-ldp-sue", "sue", {}),
        ("pure-ldp-olh", "olh", {"program": "pure-ldp"}),
        OPENDP,
    ],
)
def test_estimates_are_those_of_the_program(name: str, kind: str, more: dict[str, Any]) -> None:
    assert estimated(name, kind, **more) == pytest.approx(TOLD[name], abs=1e-12)


@pytest.mark.parametrize(
    ("name", "kind", "more"),
    [
        ("multi-freq-ldpy-grr", "grr", {}),
        ("multi-freq-ldpy-oue", "oue", {}),
        ("multi-freq-ldpy-olh", "olh", {"program": "multi-freq-ldpy"}),
        ("ldp-toolbox-grr", "grr", {}),
        ("ldp-toolbox-oue", "oue", {}),
        ("ldp-toolbox-olh", "olh", {"program": "ldp-toolbox"}),
        TOOLBOX,
        ("ldp-toolbox-the", "the", {"program": "ldp-toolbox", "theta": 0.7096140104133609}),
    ],
)
def test_programs_that_set_what_is_negative_to_zero(
    name: str, kind: str, more: dict[str, Any]
) -> None:
    """The documented difference: their decoders have no estimate below 0, and divide by the sum.

    LDP Toolbox's θ of THE is 3e-7 below the best one, at which its search ends.
    """
    none_below = np.clip(estimated(name, kind, **more), 0, None)
    assert none_below / none_below.sum() == pytest.approx(TOLD[name], abs=1e-12)


def test_sums_of_libprio_are_published_counts() -> None:
    path = FOREIGN / "prio.json"
    sums = read_sums(path, "item", "count")
    assert np.array([*sums.values()]) / 240 == pytest.approx(TOLD["prio"], abs=1e-12)
    answer = ldptui.conclude(
        estimates=str(path), label="item", column="count", users=240, epsilon=1.0, share=0.01,
        trust="aggregated-histogram",
    )  # fmt: skip
    assert answer.estimates.tolist() == TOLD["prio"]


RAPPOR: Any = ldptui.protocol("rappor", 8, bits=12, hashes=2, cohorts=3, f=0.5, p=0.25, q=0.75)


def test_reports_of_rappor_are_its_counts() -> None:
    reports, sums = (str(FOREIGN / name) for name in ("rappor.csv", "rappor-counts.csv"))
    found = ldptui.estimate(reports, RAPPOR, program="rappor")
    again = ldptui.estimate(sums, RAPPOR, program="rappor")
    assert found.reports == again.reports == 240
    assert found.values == pytest.approx(again.values, abs=1e-12)
    with (FOREIGN / "rappor.csv").open() as file:
        filters = [(int(row["cohort"]), row["bloom"][::-1]) for row in csv.DictReader(file)]
    items = np.repeat(np.arange(8), [90, 60, 40, 20, 15, 10, 5, 0])
    ours = RAPPOR.encode(items, np.array([cohort for cohort, _ in filters]))
    assert ["".join(str(int(bit)) for bit in row) for row in ours] == [bits for _, bits in filters]


SUBSETS: Any = ldptui.protocol("ss", 8, epsilon=1.0, subset_size=2)

WRONG: list[tuple[str, str, str, Any, str]] = [
    ("rappor", "r.csv", "client,cohort,bloom,prr,irr\n1,0,0,0,012\n", RAPPOR, "line 2: bits must"),
    ("rappor", "r.csv", "client,cohort,bloom,prr,irr\n1,0\n", RAPPOR, "line 2 must have 5 cells"),
    ("rappor", "r.csv", "client,cohort\n1,9,0,0," + "0" * 12 + "\n", RAPPOR, "line 2: the report"),
    (
        "rappor",
        "r.csv",
        "9,1,2\n",
        RAPPOR,
        "must have 3 rows, of a number of reports",
    ),
    ("rappor", "r.csv", "1,2" + ",0" * 11 + "\n" + ("1" + ",0" * 12 + "\n") * 2, RAPPOR, "at most"),
    ("pure-ldp", "r.json", "[[9, 5]]", None, "row 1 must be a bucket below 8 and a seed"),
    ("pure-ldp", "r.json", "[[1]]", None, "row 1 must be a bucket below 8 and a seed"),
    ("pure-ldp", "r.json", "[7]", None, "row 1 must be a bucket below 8 and a seed"),
    ("pure-ldp", "r.csv", "value,seed\n1,-5\n", None, "must be a bucket below 8 and a seed"),
    ("pure-ldp", "r.csv", "value\n1\n", None, "must have the column 'seed'"),
    ("rappor", "r.csv", "client,cohort,bloom,prr,irr\n", RAPPOR, "must hold at least one report"),
    ("ldp-toolbox", "r.json", "[[1, 2], [9, 5]]", SUBSETS, "row 2 must be a list of different it"),
    ("ldp-toolbox", "r.json", "[[1, 1]]", SUBSETS, "must be a list of different items below 8"),
    ("ldp-toolbox", "r.json", "[[1, null]]", SUBSETS, "must be a list of different items below 8"),
    ("ldp-toolbox", "r.json", "[7]", SUBSETS, "row 1 must be a list of different items below 8"),
    ("ldp-toolbox", "r.json", "[[1, 2], [3]]", SUBSETS, "row 2: the report must be subsets of 2"),
    ("ldp-toolbox", "r.csv", "report\n", SUBSETS, "must hold at least one report, got none"),
    ("pure-ldp", "r.csv", "value,seed\n1,5\n", RAPPOR, "program must be left out for RAPPOR"),
]


@pytest.mark.parametrize(("program", "name", "written", "made", "sentence"), WRONG)
def test_what_the_program_does_not_write_is_refused(
    program: str, name: str, written: str, made: Any, sentence: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(written)
    made = ldptui.protocol("olh", items=8, epsilon=2.0) if made is None else made
    with pytest.raises(LdpError, match=sentence):
        ldptui.estimate(str(tmp_path / name), made, program=program)


@pytest.mark.parametrize("end", [".csv", ".npy", ".jsonl"])
def test_pairs_are_read_from_every_format(end: str, tmp_path: Path) -> None:
    pairs, path = json.loads((FOREIGN / "pure-ldp-olh.json").read_text()), tmp_path / f"r{end}"
    if end == ".npy":
        np.save(path, np.array(pairs))
    elif end == ".csv":
        path.write_text("value,seed\n" + "".join(f"{v},{s}\n" for v, s in pairs))
    else:
        path.write_text("".join(f'{{"value": {v}, "seed": {s}}}\n' for v, s in pairs))
    found = ldptui.estimate(str(path), "olh", items=8, epsilon=2.0, program="pure-ldp")
    assert found.values == pytest.approx(TOLD["pure-ldp-olh"], abs=1e-12)


@pytest.mark.parametrize("end", [".csv", ".npy", ".jsonl", ".parquet"])
def test_lists_of_items_are_read_from_every_format(end: str, tmp_path: Path) -> None:
    rows, path = json.loads((FOREIGN / "ldp-toolbox-ss.json").read_text()), tmp_path / f"r{end}"
    if end == ".npy":
        np.save(path, np.array(rows))
    elif end == ".parquet":
        pyarrow = pytest.importorskip("pyarrow")
        pytest.importorskip("pyarrow.parquet").write_table(pyarrow.table({"report": rows}), path)
    elif end == ".csv":
        path.write_text("report\n" + "".join(f"[{a} {b}]\n" for a, b in rows))
    else:
        path.write_text("".join(f'{{"report": {row}}}\n' for row in rows))
    found = ldptui.estimate(str(path), SUBSETS, program="ldp-toolbox")
    kept = estimated("ldp-toolbox-ss", "ss", program="ldp-toolbox", epsilon=1.0, subset_size=2)
    assert found.values == pytest.approx(kept, abs=1e-12)


@pytest.mark.parametrize("prime", PRIMES)
def test_counts_of_prio_that_wrapped_below_zero_are_said_to_be_that(
    prime: int, tmp_path: Path
) -> None:
    path = tmp_path / "sums.json"
    path.write_text(json.dumps([12, prime - 3, 5]))
    with pytest.warns(LdpWarning, match=f"count of 1, {prime - 3}, wrapped below zero .* as -3"):
        assert read_sums(path, "item", "count") == {"0": 12, "1": -3, "2": 5}


def test_summaries_of_attribution_reporting_are_sums(tmp_path: Path) -> None:
    path = tmp_path / "summary.json"
    path.write_text(json.dumps([{"bucket": "0x3", "metric": 512}, {"bucket": "0x5", "metric": -7}]))
    assert read_sums(path, "bucket", "metric") == {"0x3": 512, "0x5": -7}
    answer = ldptui.conclude(
        estimates=str(path), label="bucket", column="metric", users=1000, epsilon=1.0, share=0.01,
        trust="aggregated-histogram",
    )  # fmt: skip
    assert answer.labels == ("0x3", "0x5")


@pytest.mark.long
@pytest.mark.parametrize(
    ("program", "check", "read"),
    [
        ("pure_ldp", test_estimates_are_those_of_the_program, ("pure-ldp-grr", "grr", {})),
        ("opendp", test_estimates_are_those_of_the_program, OPENDP),
        (
            "multi_freq_ldpy",
            test_programs_that_set_what_is_negative_to_zero,
            ("multi-freq-ldpy-oue", "oue", {}),
        ),
        ("ldp_toolbox", test_programs_that_set_what_is_negative_to_zero, TOOLBOX),
        ("prio", test_sums_of_libprio_are_published_counts, ()),
    ],
)
def test_the_programs_write_such_files_anew(
    program: str, check: Any, read: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Where the programs are installed: other draws, read as well as those that are kept."""
    pytest.importorskip(program)
    write = runpy.run_path(str(FOREIGN / "write.py"))[f"write_{program}"]
    write.__globals__["HERE"] = tmp_path
    write()
    monkeypatch.setitem(globals(), "FOREIGN", tmp_path)
    monkeypatch.setitem(globals(), "TOLD", write.__globals__["TOLD"])
    check(*read)
