"""The page of a protocol for whoever writes its client, and test vectors: spec and vectors."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any, Final

import numpy as np

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.base.ranges import Range
from ldptui.core.kernels.hashing import xxhash32
from ldptui.core.law.pure import LocalMechanism
from ldptui.core.reports.arguments import keys_of
from ldptui.core.reports.layout import Column, layout
from ldptui.core.reports.points import protocol as protocol_of

from ..api.vectors import vectors_of
from ..catalogue import kind_words
from ..explain.client_pages import Client, client_of
from ..terminal import exits
from ..terminal.output import write_json, write_out
from ..text import format as text
from .option_groups import ClientProtocol
from .scenario_loading import agreed, span_of

BUDGETS: Final = (0.5, 1.0, 4.0, 2.0, 0.25)
"""The ε of the test vectors: the first three of these that the protocol takes."""

VECTORS: Final = 3

ITEMS, REPORTS = 11, 4
"""The items of the test vectors, and the reports at each ε."""

RANDOM: Final = """\
Every draw comes from a cryptographic generator: the operating system's (`secrets`, `getrandom`,
`crypto.getRandomValues`), or a stream cipher under a fresh key of it. No `Math.random`, no
Mersenne Twister, no PCG, no seed: whoever finds the state knows every coin, and with it the
item. Seeds and rows that a report publishes come from the same generator. "Uniformly" is with
equal chances; a whole number below a bound is drawn without the bias of a remainder. Something
happens with probability p where a uniform number in [0, 1) of 53 bits is below p. One of the
others is drawn by its place among them in rising order. `ldptui client vectors` lists items, the
numbers that a client draws for each, in the order of the steps above, and the report that these
make. Nothing but the report leaves the device, and no further report of the same item but as
said above."""

HASH: Final = """\
xxHash32 with the seed s of the four bytes of v, in numbers modulo 2^32, where x ⟲ n turns the bits
of x to the left by n places, ≫ moves them to the right, and ⊕ is exclusive or:

    h = s + 374761397 + 3266489917 v
    h = 668265263 (h ⟲ 17)
    h = 2246822519 (h ⊕ (h ≫ 15))
    h = 3266489917 (h ⊕ (h ≫ 13))
    h = h ⊕ (h ≫ 16)"""
"""The hash of a number of four bytes, for who has no library."""

TOLD: Final = {
    "supports": "has the items that each row supports.",
    "speaks_against": "has the items that each row speaks against; of all others it says nothing.",
    "unperturbed": "are other rows, without noise: of item i, all bits of its filter and no other.",
}
"""What the lists of the test vectors hold."""


def _over(client: Client, protocol: LocalMechanism, ranged: bool) -> dict[str, Any]:
    """The range of the numbers that users hold, or the number of their items."""
    return {"range": _span(client)} if ranged else {"items": protocol.domain_size}


def print_page(options: ClientProtocol, form: str) -> int:
    """Print the page of a protocol's client, or its values."""
    labels, protocol, client = _asked(options)
    vectors = list(_vectors(options))
    if form == "json":
        columns = [
            {"name": column.name, "holds": column.holds, "size": column.size}
            for column in layout(protocol)
        ]
        document = {
            "kind": options.protocol.lower(), "epsilon": epsilon_of(protocol),
            **_over(client, protocol, client.of_numbers), "known": client.known,
            "columns": columns,
            "vectors": vectors, "client": client.code,
        }  # fmt: skip
        write_json(document)
        return exits.DONE
    lines = _page(options, protocol, client, vectors, labels)
    write_out("\n".join(lines).rstrip() + "\n", exactly=True)
    return exits.DONE


def _asked(options: ClientProtocol) -> tuple[list[str] | None, LocalMechanism, Client]:
    """The labels of the items, the protocol and its client; raises ScenarioError."""
    span = span_of(options.low, options.high)
    try:
        labels, protocol = agreed(replace(options, items=None) if span else options, span)
    except ScenarioError as error:
        key = error.key.replace("--protocol", "KIND")  # an argument of its own here
        raise ScenarioError(error.rule, key, error.where) from error
    client = client_of(protocol, ranged=bool(span))
    if client is None:
        rule = "must be a protocol of ldptui whose users send reports"
        raise ScenarioError(f"{rule}, {got(options.protocol)}", key="KIND")
    return labels, protocol, client


def _span(client: Client) -> tuple[float, float]:
    """The ends of the range of numbers."""
    return client.known["low"], client.known["high"]


def epsilon_of(protocol: Any) -> float:
    """The ε of one report, in nats."""
    return float(protocol.epsilon)


def _vectors(options: ClientProtocol) -> Iterator[dict[str, Any]]:
    """The test vectors at three ε, with all parameters; fewer where the keys leave fewer."""
    made = 0
    for epsilon in BUDGETS:
        if made == VECTORS:
            return
        keys = {**keys_of(options.settings), "epsilon": epsilon}
        try:
            protocol = protocol_of(options.protocol.lower(), ITEMS, **keys)
        except ScenarioError:  # as of a second budget below this one
            continue
        client = client_of(protocol)
        assert client is not None
        made += 1
        yield {"epsilon": epsilon, "known": client.known, **vectors_of(protocol, REPORTS)}


def _page(
    options: ClientProtocol,
    protocol: LocalMechanism,
    client: Client,
    vectors: Any,
    labels: Sequence[str] | None,
) -> Iterator[str]:
    kind = options.protocol.lower()
    words = kind_words("protocol", kind)
    budget = text.chosen_value(epsilon_of(protocol))
    yield f"# {words.name}: its client"
    yield ""
    ends = [text.chosen_value(end) for end in _span(client)] if client.of_numbers else []
    held = f"numbers from {' to '.join(ends)}" if ends else f"d = {protocol.domain_size}"
    yield f"`{kind}` at ε = {budget} and {held}. {words.text}"
    yield ""
    if words.formula:
        yield from (f"    {line}" for line in words.formula.splitlines())
        yield ""
    if words.source:
        yield f"Source: {words.source}."
        yield ""
    yield from _section("Parameters", _parameters(client))
    hashed = "xxHash32" in client.supports
    hashes = [HASH, "", f"For instance: {_hashes()}."] if hashed else []
    yield from _section("What a report supports", [client.supports, *[""] * hashed, *hashes])
    yield from _section("What a client does", _numbered(client, labels))
    yield from _section("Random numbers", RANDOM.splitlines())
    yield from _section("The report", _columns(layout(protocol), options, ends))
    yield from _section("Test vectors", _told(vectors, client))
    yield from _section("A client in Python", [
        "Without ldptui. It takes the JSON of the parameters above, and writes JSON lines.", "",
        "```python", *client.code.rstrip().splitlines(), "```",
    ])  # fmt: skip


def _hashes() -> str:
    """Some hashes: of v = 0 and v = 5 under two seeds."""
    cells = [(seed, item) for seed in (0, 3653403231) for item in (0, 5)]
    items, seeds = (np.array([cell[at] for cell in cells], dtype=np.uint32) for at in (1, 0))
    hashed = xxhash32(items, seeds)
    told = zip(cells, hashed.tolist(), strict=True)
    return "; ".join(f"v = {v}, s = {seed}: h = {value}" for (seed, v), value in told)


def _section(title: str, lines: Sequence[str] | Iterator[str]) -> Iterator[str]:
    yield f"## {title}"
    yield ""
    yield from lines
    yield ""


def _parameters(client: Client) -> Iterator[str]:
    yield "| | value | what it is | formula |"
    yield "|---|---|---|---|"
    for each in client.parameters:
        value = "" if each.value is None else str(each.value)
        shown = value if len(value) <= 40 else "as below"
        formula = each.formula or ("above" if isinstance(each.value, float) else "")
        shown = "null" if each.value is None else shown
        yield f"| `{each.name}` | {shown} | {each.what} | {formula} |"
    yield ""
    yield from ("```json", json.dumps(client.known, ensure_ascii=False), "```")


def _numbered(client: Client, labels: Sequence[str] | None) -> Iterator[str]:
    for number, step in enumerate(client.steps, 1):
        yield f"{number}. {step}"
    what = "number" if client.of_numbers else "item"
    if not any(step.startswith("Once") for step in client.steps):  # nothing is kept
        yield ""
        yield f"A user who reports again, the same {what} or another one, spends ε again."
    yield ""
    if labels is not None:
        first, last = (json.dumps(labels[at], ensure_ascii=False) for at in (0, -1))
        yield "Item v is the name in line v + 1 of the file of the domain: item 0 is"
        yield f"{first}, item {len(labels) - 1} {last}."
        yield ""
    outside = "a number outside low to high" if client.of_numbers else "an item outside 0 to d − 1"
    yield f"Refuse {outside}. A client below takes a line for a user."


def _columns(
    columns: Sequence[Column], options: ClientProtocol, ends: Sequence[str]
) -> Iterator[str]:
    """The columns of the file of reports, in each format."""
    yield "A file of reports has one row for each user, in any order, and these columns:"
    yield ""
    yield "| column | `.csv` | `.jsonl` | `.parquet`, `.arrow` |"
    yield "|---|---|---|---|"
    for column in columns:
        yield f"| `{column.name}` | {' | '.join(_cells(column))} |"
    yield ""
    settings = "".join(f" --set {setting}" for setting in options.settings)
    kind = options.protocol.lower()
    items = f"--items {options.items}" if options.domain is None else "--domain FILE"
    if ends:
        items = f"--low {ends[0]} --high {ends[1]}"
    budget = "" if options.epsilon is None else f" --epsilon {text.chosen_value(options.epsilon)}"
    yield "The server checks every report, and reads them with"
    yield ""
    yield f"    ldptui estimate FILE --protocol {kind}{budget} {items}{settings}"


def _cells(column: Column) -> tuple[str, str, str]:
    """How a cell is written in each format."""
    digits = f"{2 * column.size} hexadecimal digits, small letters"
    return {
        "number": ("digits", "a number", str(column.dtype)),
        "bytes": (digits, f"text of {digits}", f"binary of {column.size} bytes"),
        "numbers": (
            f"{column.size} numbers with blanks between them", f"a list of {column.size} numbers",
            f"list of {column.dtype}",
        ),
    }[column.holds]  # fmt: skip


def _told(vectors: Sequence[dict[str, Any]], client: Client) -> Iterator[str]:
    names = {name for vector in vectors for name in vector}
    held = f"item i, of d = {ITEMS} items"
    if client.of_numbers:
        held = f"the number i, of 0 to {ITEMS - 1}"
    yield f"Report i of `reports` is of a user with {held}, as rows of JSON"
    yield "lines; `known` has all parameters. Compute from each row what it says, and compare:"
    yield ""
    yield from (f"- `{name}` {what}" for name, what in TOLD.items() if name in names)
    told = [vector["epsilon"] for vector in vectors]
    left = [text.chosen_value(each) for each in BUDGETS[:VECTORS] if each not in told]
    if left:
        yield ""
        refused = "which this protocol refuses with these keys"
        yield f"There are none at ε = {', '.join(left)}, {refused}."
    for vector in vectors:
        yield ""
        yield f"ε = {text.chosen_value(vector['epsilon'])}:"
        yield ""
        yield "```json"
        yield "{"
        lines = [f"  {json.dumps(key)}: {_rowed(value)}" for key, value in vector.items()]
        yield ",\n".join(lines)
        yield "}"
        yield "```"


def _rowed(value: Any) -> str:
    """A value as JSON, a row of a list in a line."""
    if isinstance(value, list):
        rows = ",\n".join(f"    {json.dumps(row, ensure_ascii=False)}" for row in value)
        return f"[\n{rows}\n  ]"
    return json.dumps(value, ensure_ascii=False)


COUNT: Final = Range(1, 10_000)
"""Vectors of a protocol."""

MEANS: Final = {
    "uniform": "a number in [0, 1); something of probability p happens where it is below p",
    "whole": "a whole number, low included and high not",
    "bits": "a whole number of so many random bits",
    "sample": "some of the listed values, each at most once, in this order",
}
"""What each sort of draw is."""


class Coins:
    """The random numbers of a client, drawn from a seed and told in their order."""

    def __init__(self, seed: int) -> None:
        self._drawn = random.Random(seed)
        self.told: list[dict[str, Any]] = []

    def random(self) -> float:
        value = self._drawn.random()
        self.told.append({"draw": "uniform", "value": value})
        return value

    def randrange(self, start: int, stop: int | None = None) -> int:
        low, high = (0, start) if stop is None else (start, stop)
        value = self._drawn.randrange(low, high)
        self.told.append({"draw": "whole", "low": low, "high": high, "value": value})
        return value

    def getrandbits(self, count: int) -> int:
        value = self._drawn.getrandbits(count)
        self.told.append({"draw": "bits", "count": count, "value": value})
        return value

    def sample(self, population: Sequence[Any], k: int) -> list[Any]:
        value = self._drawn.sample(population, k)
        self.told.append({"draw": "sample", "of": list(population), "value": value})
        return value


def print_vectors(options: ClientProtocol, count: int, seed: int) -> int:
    """Print the test vectors of a protocol as JSON."""
    if count not in COUNT:
        raise ScenarioError(f"must be {COUNT}, {got(count)}", key="--count")
    if seed < 0:
        raise ScenarioError(f"must be at least 0, {got(seed)}", key="--seed")
    _, protocol, client = _asked(options)
    module = program(client)
    ranged = options.low is not None
    held = np.linspace(*_span(client), count) if ranged else np.arange(count) % protocol.domain_size
    items = np.random.default_rng(seed).permutation(held)
    document = {
        "kind": options.protocol.lower(),
        **_over(client, protocol, ranged),
        "known": client.known,
        "draws": MEANS,
        "vectors": [
            _vector(module, item, client.known, seed, at) for at, item in enumerate(items.tolist())
        ],
    }
    write_out(json.dumps(document, indent=1, ensure_ascii=False) + "\n", exactly=True)
    return exits.DONE


def program(client: Client) -> ModuleType:
    """A client of the pages of `ldptui client spec`, as a module of its own."""
    module = ModuleType(f"client_{client.file.stem}", "")
    exec(client.code, module.__dict__)
    return module


def _vector(module: Any, item: float, known: Any, seed: int, at: int) -> dict[str, Any]:
    module.RNG = Coins(seed * int(COUNT.high) + at)
    report = module.report(item, known)
    return {"item": item, "draws": module.RNG.told, "report": report}
