"""The page of a protocol for whoever writes its client, and test vectors: spec and vectors."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from string import Template
from typing import Any, Final

import numpy as np

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.law.pure import LocalMechanism
from ldptui.core.reports.arguments import keys_of
from ldptui.core.reports.column_layout import ReportColumn, layout
from ldptui.core.reports.points import protocol as protocol_of

from ..api.vectors import vectors_of
from ..catalogue import kind_words
from ..explain.client_pages import ClientProgram, client_of, client_rows
from ..terminal import exits
from ..terminal.output import write_json, write_out
from ..text import format as text
from .option_groups import ClientProtocol
from .scenario_loading import load_agreement, span_of

BUDGETS: Final = (0.5, 1.0, 4.0, 2.0, 0.25)
"""The ε of the test vectors: the first three of these that the protocol takes."""

MOST: Final = 10_000
"""The most vectors of a seed: each has coins of its own."""
VECTORS, ITEMS, REPORTS = 3, 11, 4
"""The number of these ε, the items of the test vectors, and the reports at each ε."""


def print_page(options: ClientProtocol, form: str) -> int:
    """Print the page (or, as JSON, the parameters) of a protocol's client; returns the
    exit code.
    """
    labels, protocol, client = _bind(options)
    vectors = list(islice(_vectors(options), VECTORS))
    columns = layout(protocol)
    if form != "json":
        write_out(write_page(options, protocol, client, vectors, labels), exactly=True)
        return exits.DONE
    listed = [{"name": each.name, "holds": each.holds, "size": each.size} for each in columns]
    write_json(
        _heading(options, protocol, client, client.of_numbers)
        | {"columns": listed, "vectors": vectors, "client": client.code}
    )
    return exits.DONE


def print_vectors(options: ClientProtocol, count: int, seed: int) -> int:
    """Print the test vectors of a protocol as JSON; returns the exit code."""
    _, protocol, client = _bind(options)
    program, ranged, known = client.program(), options.low is not None, client.known
    if ranged:
        values = np.linspace(known["low"], known["high"], count)
    else:
        values = np.arange(count) % protocol.domain_size
    vectors = []
    for at, item in enumerate(np.random.default_rng(seed).permutation(values).tolist()):
        program.RNG = coins = Coins(seed * MOST + at)  # type: ignore[attr-defined]
        report = program.report(item, known)
        vectors.append({"item": item, "draws": coins.draws, "report": report})
    document = _heading(options, protocol, client, ranged)
    document |= {"draws": client_rows()["page"]["draws"], "vectors": vectors}
    write_out(json.dumps(document, indent=1, ensure_ascii=False) + "\n", exactly=True)
    return exits.DONE


class Coins:
    """A random number generator for a client, which records in order what it draws."""

    def __init__(self, seed: int) -> None:
        self.draws: list[dict[str, Any]] = []
        self._source = random.Random(seed)

    def random(self) -> Any:
        return self._list(self._source.random(), draw="uniform")

    def randrange(self, stop: int) -> Any:
        return self._list(self._source.randrange(stop), draw="whole", low=0, high=stop)

    def getrandbits(self, count: int) -> Any:
        return self._list(self._source.getrandbits(count), draw="bits", count=count)

    def sample(self, population: Sequence[Any], k: int) -> Any:
        return self._list(self._source.sample(population, k), draw="sample", of=[*population])

    def _list(self, value: Any, **draw: Any) -> Any:
        self.draws.append({**draw, "value": value})
        return value


def _bind(options: ClientProtocol) -> tuple[list[str] | None, LocalMechanism, ClientProgram]:
    """The labels of the items, the protocol and its client; raises ScenarioError."""
    span = span_of(options.low, options.high)
    try:
        labels, protocol = load_agreement(replace(options, items=None) if span else options, span)
    except ScenarioError as error:
        key = error.key.replace("--protocol", "KIND")  # an argument of its own here
        raise ScenarioError(error.rule, key, error.where) from error
    client = client_of(protocol, ranged=bool(span))
    if client is None:
        rule = "must be a protocol of ldptui whose users send reports"
        raise ScenarioError(f"{rule}, {got(options.protocol)}", key="KIND")
    return labels, protocol, client


def _heading(
    options: ClientProtocol, protocol: Any, client: ClientProgram, ranged: bool
) -> dict[str, Any]:
    """The facts of a protocol at the head of a document: kind, ε, items or range, parameters.

    ranged : users hold numbers of a range.
    """
    known = client.known
    held = {"range": (known["low"], known["high"])} if ranged else {"items": protocol.domain_size}
    kind, epsilon = options.protocol.lower(), float(protocol.epsilon)
    return {"kind": kind, "epsilon": epsilon, **held, "known": known}


def _vectors(options: ClientProtocol) -> Iterator[dict[str, Any]]:
    """The test vectors at each ε that the keys leave, with all parameters."""
    for epsilon in BUDGETS:
        keys = {**keys_of(options.settings), "epsilon": epsilon}
        try:
            protocol = protocol_of(options.protocol.lower(), ITEMS, **keys)
        except ScenarioError:  # as of a second budget below this one
            continue
        client = client_of(protocol)
        assert client is not None
        yield {"epsilon": epsilon, "known": client.known, **vectors_of(protocol, REPORTS)}


def write_page(
    options: ClientProtocol,
    protocol: Any,
    client: ClientProgram,
    vectors: Sequence[dict[str, Any]],
    labels: Sequence[str] | None,
) -> str:
    """The page of a protocol's client in Markdown."""
    page, known, kind = client_rows()["page"], client.known, options.protocol.lower()
    words = kind_words("protocol", kind)
    held, tested = f"d = {protocol.domain_size}", f"item i, of d = {ITEMS} items"
    what, outside = "item", "an item outside 0 to d − 1"
    items = f"--items {options.items}" if options.domain is None else "--domain FILE"
    if client.of_numbers:
        low, high = (text.chosen_value(known[end]) for end in ("low", "high"))
        held, tested = f"numbers from {low} to {high}", f"the number i, of 0 to {ITEMS - 1}"
        what, outside = "number", "a number outside low to high"
        items = f"--low {low} --high {high}"
    budget = "" if options.epsilon is None else f" --epsilon {text.chosen_value(options.epsilon)}"
    settings = "".join(f" --set {setting}" for setting in options.settings)
    again = f"A user who reports again, the same {what} or another one, spends ε again.\n\n"
    named = ""
    if labels is not None:
        first, last = (json.dumps(labels[at], ensure_ascii=False) for at in (0, -1))
        named = f"item 0 is\n{first}, item {len(labels) - 1} {last}.\n\n"
        named = f"Item v is the name in line v + 1 of the file of the domain: {named}"
    names = {name for vector in vectors for name in vector}
    formula = "".join(f"    {line}\n" for line in words.formula.splitlines())
    return Template(page["text"]).substitute(
        name=words.name, kind=kind, epsilon=text.chosen_value(protocol.epsilon), held=held,
        text=words.text, formula=f"{formula}\n" if formula else "",
        source=f"Source: {words.source}.\n\n" if words.source else "",
        parameters="\n".join(_parameters(client)), known=json.dumps(known, ensure_ascii=False),
        supports=client.supports, hash=page["hash"] if "xxHash32" in client.supports else "",
        steps="\n".join(f"{number}. {step}" for number, step in enumerate(client.steps, 1)),
        again="" if any(step.startswith("Once") for step in client.steps) else again,
        domain=named, outside=outside, columns="\n".join(map(_column, layout(protocol))),
        options=f"{budget} {items}{settings}", tested=tested,
        lists="\n".join(f"- `{name}` {has}" for name, has in page["lists"].items()
                        if name in names),
        vectors="\n\n".join(map(_vector, vectors)), code=client.code.rstrip(),
    )  # fmt: skip


def _parameters(client: ClientProgram) -> Iterator[str]:
    """The rows of the table of parameters."""
    for name, value in client.known.items():
        what, formula = client.words[name]
        formula = formula or ("above" if isinstance(value, float) else "")
        shown = "null" if value is None else str(value)
        yield f"| `{name}` | {shown if len(shown) <= 40 else 'as below'} | {what} | {formula} |"


def _column(column: ReportColumn) -> str:
    """A row of the table of columns: how a cell is written in each format."""
    size, digits = column.size, f"{2 * column.size} hexadecimal digits, small letters"
    cells = {
        "number": ("digits", "a number", str(column.dtype)),
        "bytes": (digits, f"text of {digits}", f"binary of {size} bytes"),
        "numbers": (f"{size} numbers with blanks between them", f"a list of {size} numbers",
                    f"list of {column.dtype}"),
    }[column.holds]  # fmt: skip
    return f"| `{column.name}` | {' | '.join(cells)} |"


def _vector(vector: dict[str, Any]) -> str:
    """The test vectors of one ε as JSON, a row of a list in a line."""
    lines = []
    for key, value in vector.items():
        written = json.dumps(value, ensure_ascii=False)
        if isinstance(value, list):
            rows = ",\n".join(f"    {json.dumps(row, ensure_ascii=False)}" for row in value)
            written = f"[\n{rows}\n  ]"
        lines.append(f"  {json.dumps(key)}: {written}")
    body = ",\n".join(lines)
    return f"ε = {text.chosen_value(vector['epsilon'])}:\n\n```json\n{{\n{body}\n}}\n```"
