"""Seeds of the statistical tests.

Seeds are fixed. `pytest --reseed` draws a fresh one and prints it; `LDPTUI_TEST_SEED=… pytest`
repeats such a run.
"""

from __future__ import annotations

import contextlib
import gc
import os
import secrets
import sys
import zlib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.process import BaseProcess

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from ldptui.core.kernels.loops import LOOPS
from ldptui.core.plugins.code_loading import load_method

SEED_VARIABLE = "LDPTUI_TEST_SEED"

# The examples are the same in each run, and a busy machine is no failure.
settings.register_profile(
    "fixed",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("fixed")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--reseed", action="store_true", help="fresh seeds for statistical tests")


def pytest_configure(config: pytest.Config) -> None:
    # The workers of pytest-xdist inherit the environment: all use the seed of the first process.
    if config.getoption("--reseed") and not hasattr(config, "workerinput"):
        os.environ[SEED_VARIABLE] = str(secrets.randbelow(2**31))


def pytest_report_header() -> list[str]:
    seed = os.environ.get(SEED_VARIABLE)
    return [f"statistical tests: {SEED_VARIABLE}={seed}"] if seed else []


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if os.environ.get(SEED_VARIABLE):
        seed = os.environ[SEED_VARIABLE]
        terminalreporter.write_line(f"repeat these seeds with {SEED_VARIABLE}={seed}")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave to `make test-long` what `every` says, and cases whose samplers are those of others."""
    number: Counter[str] = Counter()
    for item in items:
        callspec = getattr(item, "callspec", None)
        case = callspec.params.get("case") if callspec is not None else None
        if case is not None and _is_repeated(case):
            item.add_marker(pytest.mark.long)
        every = item.get_closest_marker("every")
        if every is not None and not item.get_closest_marker("long"):
            test = item.nodeid.partition("[")[0]
            if number[test] % every.args[0]:
                item.add_marker(pytest.mark.long)
            number[test] += 1


def pytest_collectstart() -> None:
    """Look for no garbage while tests are collected: all that is made then lasts."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Look for garbage rarely, and not among what lasts: in tests of the app it is much work."""
    gc.collect()
    gc.freeze()
    gc.enable()
    gc.set_threshold(50_000, 20, 100)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    """Let apps be tested on a busy machine, and in less time.

    A pilot's pause does not depend on how busy the machine is (`waiting.idle`, `waiting.heard`),
    and an app takes the style rules that an earlier app of this process has parsed.
    """
    if "textual.pilot" in sys.modules:
        from support.styles import parsed_once
        from support.waiting import heard, idle

        patch = pytest.MonkeyPatch()
        patch.setattr("textual.pilot.Pilot._wait_for_screen", heard)
        patch.setattr("textual.pilot.wait_for_idle", idle)
        patch.setattr("textual.app.wait_for_idle", idle)
        patch.setattr("textual.css.stylesheet.Stylesheet._parse_rules", parsed_once)


def _is_repeated(case: object) -> bool:
    from support import cases

    return case in cases.REPEATED


@pytest.fixture(autouse=True)
def store_of_its_own(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No test writes into the user's store, or finds what another test has kept."""
    name = f"{zlib.crc32(request.node.nodeid.encode()):08x}.sqlite3"
    monkeypatch.setenv("LDPTUI_STORE", str(tmp_path_factory.getbasetemp() / "stores" / name))


@pytest.fixture
def nothing_loaded() -> None:
    """Code that this process loaded before leaves no mark."""
    load_method.cache_clear()


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """A seed of this test's own."""
    base = int(os.environ.get(SEED_VARIABLE, "0"))
    return zlib.crc32(f"{base} {request.node.nodeid}".encode())


@pytest.fixture
def rng(seed: int) -> np.random.Generator:
    """A generator of this test's own."""
    return np.random.default_rng(seed)


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute in a thread what a pool of processes would, each of which takes a second to start."""

    @contextlib.contextmanager
    def pool(workers: int) -> Iterator[tuple[ThreadPoolExecutor, set[BaseProcess]]]:
        with ThreadPoolExecutor(workers) as executor:
            yield executor, set()

    monkeypatch.setattr("ldptui.core.running.workers.open_pool", pool)


@pytest.fixture(params=["NumPy", "numba"])
def loops(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a test with NumPy's loops, and with the compiled ones from the first pair on."""
    monkeypatch.setattr(LOOPS, "missing", "a test has none")
    monkeypatch.setattr(LOOPS, "compiled", None)
    if request.param == "numba":
        monkeypatch.setattr(LOOPS, "compiled", pytest.importorskip("ldptui.core.kernels.compiled"))
    return str(request.param)
