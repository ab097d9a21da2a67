"""Whatever bytes come in: a clear ScenarioError or FileError, or a valid scenario; no traceback."""

from __future__ import annotations

import contextlib
from typing import Any

import tomlkit
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ldptui import scenarios
from ldptui.core.base.errors import FileError, LdpError, ScenarioError
from ldptui.core.experiment import compile
from ldptui.core.scenario import (
    KEY_TYPES,
    KINDS,
    Scenario,
    parse,
    read_document,
    to_toml,
)

QUICK = settings(
    max_examples=80,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

FOLDER = scenarios.path("survey").parent


def checked(text: str) -> Scenario | None:
    """The scenario if it is valid, None if it is clearly refused; anything else raises.

    A valid scenario also compiles, or is clearly refused because of what it is bound to.
    """
    try:
        scenario = parse(text, "my.toml", FOLDER)
    except ScenarioError as error:
        assert_clear(error, "my.toml")
        return None
    if scenario.cells <= 20 and modest(scenario):
        with contextlib.suppress(FileError):
            try:
                experiment = compile(scenario)
            except ScenarioError as error:
                assert_clear(error, "my.toml")
            else:
                assert 1 <= len(experiment.cells) <= scenario.cells
    return scenario


def modest(scenario: Scenario) -> bool:
    """True if binding the scenario is quick: populations of hypothesis can be very large."""
    return all(getattr(point.population, "items", 0) <= 5000 for point in scenario.points())


def assert_clear(error: LdpError, where: str) -> None:
    message = str(error)
    assert message.isprintable(), message
    assert message.startswith(f"{where}:")
    assert len(message) > len(where) + 10
    assert "Traceback" not in message
    assert "pydantic" not in message.lower()


@QUICK
@given(st.text(max_size=300))
@example("a = " + "[" * 3000)
@example("a = " + "[" * 200 + "]" * 200)
@example("a" + ".a" * 3000 + " = 1")
@example("a = " + "{ b = " * 500 + "1" + "}" * 500)
@example("format = 1\na = 1979-05-27T07:32:00Z")
@example("a = " + "9" * 5000)
def test_any_text(text: str) -> None:
    checked(text)


# TOML-ish documents: the right words in wrong places, with values of every type.

KEYS = sorted(KEY_TYPES)
WORDS = sorted(
    {part for key in KEYS for part in key.split(".")} | {"sweep", "from", "to", "points"}
)
NAMES = sorted({kind for kinds in KINDS.values() for kind in kinds})

numbers = st.one_of(
    st.integers(-3, 40),
    st.sampled_from([0, 1, 2, 2**20, 2**20 + 1, 2**31, 2**53, 2**63 - 1, 2**63, 10**13, 10**30]),
    st.floats(),
    st.sampled_from([0.0, 0.05, 0.5, 0.999999999, 1.0, 1e-300, 1e300, 20.0, 1.5]),
)
scalars = st.one_of(
    numbers,
    st.booleans(),
    st.text(max_size=8),
    st.sampled_from([*NAMES, "random", "least-frequent", "nearest", "counts", "reports", "log"]),
    st.dates(),
)
values: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(WORDS), inner, max_size=4),
    ),
    max_leaves=8,
)


def written(document: dict[str, Any]) -> str:
    """The document as TOML text (integers beyond 64 bits included, as files may hold them)."""
    return tomlkit.dumps(document)


@QUICK
@given(st.dictionaries(st.sampled_from([*WORDS, "x", ""]), values, max_size=5))
def test_writing_and_reading_a_document_gives_it_back(document: dict[str, Any]) -> None:
    scenario = read_document(written(document))
    again = read_document(to_toml(scenario.document))
    assert plain(again.document) == plain(scenario.document)


def plain(value: Any) -> Any:
    """Comparable: NaN equals itself, and 1 is not 1.0 or true."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return (type(value).__name__, repr(value))
