"""The commands that need no screen: run, theory, scenarios, schema. Each returns an exit code."""

from __future__ import annotations

import json
import math
import multiprocessing
import os
import shutil
import signal
import sys
import threading
import time
import tomllib
from argparse import Namespace
from contextlib import redirect_stdout
from multiprocessing import resource_tracker
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final, TextIO

import numpy as np

import scenarios as bundled
from core import theory as closed
from core.attacks import SHARE, malicious_users
from core.bounds import Range
from core.errors import FileError, ScenarioError, one_line
from core.experiment import Experiment, compile  # noqa: A004
from core.export import to_csv, to_json
from core.files import write_atomically
from core.plugins import sources
from core.population import USERS
from core.protocols import CENTRAL, PROTOCOLS, OLHSpec
from core.pure import DOMAIN, EPSILON, PureProtocol, SeedSearch
from core.runner import Memory, Progress, Results
from core.runner import run as run_experiment
from core.scenario import Scenario, load, read_document
from core.scenario import schema as scenario_schema

from . import __version__, attack_options, cli, curator, rappor, table
from . import format as text

VERSIONS: Final = {"ldptui": __version__, "numpy": np.__version__}


# ldptui run


def run(options: Namespace) -> int:
    """Simulate a scenario and print or write the results."""
    from . import history

    check_output(options)
    scenario, source = scenario_of(options)
    experiment = attack_options.permitted(compile(scenario, limits=options.limits), options)
    for warning in {} if options.quiet else _warnings(experiment):
        note(f"warning: {warning}")
    if options.frequencies and options.format != "json" and not options.quiet:
        note("note: --frequencies shows in JSON only")
    return report(history.measure(experiment, options, source), options)


def check_workers(options: Namespace) -> None:
    if options.workers < 1:
        raise ScenarioError(f"must be at least 1, got {options.workers}", key="--workers")


def check_output(options: Namespace) -> Path | None:
    """Where the results go, None for standard output; raises before the run what would after it."""
    if "workers" in options:
        check_workers(options)
    out = None if options.out in (None, "-") else Path(options.out)
    if out is not None:
        _check_writable(out)
    return out


def scenario_of(options: Namespace) -> tuple[Scenario, str]:
    """The scenario with what the command line sets, and the file that it came from."""
    place = locate(options.scenario)
    return _with_options(load(place), options), str(place.absolute())


def report(results: Results, options: Namespace) -> int:
    """Print or write results as the options say; the exit code."""
    out = None if options.out in (None, "-") else Path(options.out)
    if options.format == "json":
        written = to_json(results, VERSIONS, options.frequencies)
    elif options.format == "csv":
        written = to_csv(results)
    elif out is not None:
        written = table.results_table(results, 120)
    else:
        written = table.results_table(results, width(), in_colour(sys.stdout))
    if out is not None:
        write_atomically(out, written)
    else:
        write_out(written, exactly=options.format != "table")
    tell_failures(results)
    if not results.ended:
        note(
            f"ldptui: interrupted: {text.count(results.trials)} of "
            f"{text.count(results.experiment.trials)} trials are done"
        )
        return cli.INTERRUPTED
    if out is not None and not options.quiet:
        note(f"wrote {out}")
    return cli.FAILED if results.failures else cli.DONE


def tell_failures(results: Results) -> None:
    """Say which cells failed and why, each traceback once."""
    swept, cells = list(results.experiment.scenario.sweep), results.experiment.cells
    told: set[str] = set()
    for failure in results.failures:
        chosen = cells[failure.cell].parameters
        where = " ".join(_setting(key, chosen[key]) for key in swept if key in chosen)
        note(f"ldptui: cell {failure.cell}{f' ({where})' if where else ''} failed: {failure.error}")
        for line in failure.details.splitlines() if failure.details not in told else ():
            note(f"    {one_line(line)}")
        told.add(failure.details)


def _warnings(experiment: Experiment) -> dict[str, None]:
    """What makes the results doubtful, each sentence once, in the order of the cells."""
    return {warning: None for cell in experiment.cells for warning in cell.warnings}


def measure(
    experiment: Experiment,
    workers: int,
    frequencies: bool,
    quiet: bool,
    memory: Memory | None = None,
) -> Results:
    """Run an experiment; what is finished when it is interrupted.

    A thread runs it, so that this one can obey an interrupt at once, in the middle of a long NumPy
    call or while processes start and end.
    """
    steps: SimpleQueue[Progress | BaseException | None] = SimpleQueue()

    def compute() -> None:
        # Ctrl-C reaches the whole terminal, and is for the main thread alone: processes that start
        # here inherit this mask. The resource tracker would lift it when it starts: so it is first.
        if workers > 1:
            resource_tracker.ensure_running()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            for progress in run_experiment(
                experiment, workers, frequencies=frequencies, memory=memory
            ):
                steps.put(progress)
            steps.put(None)
        except BaseException as error:
            steps.put(error)

    results = None
    bar = Bar(sys.stderr, experiment, quiet)
    try:
        # Standard output carries the results and nothing else: not what an attack's code prints.
        with redirect_stdout(sys.stderr):
            threading.Thread(target=compute, daemon=True).start()
            while (step := steps.get()) is not None:
                if isinstance(step, BaseException):
                    raise step
                results = step.results
                bar.show(step)
    except KeyboardInterrupt:
        for process in multiprocessing.active_children():
            process.kill()
        if results is None:
            raise
    finally:
        bar.erase()
    assert results is not None
    return results


class Bar:
    """A progress bar on one line of a terminal, drawn ten times a second at most."""

    def __init__(self, stream: TextIO, experiment: Experiment, quiet: bool) -> None:
        self._stream = stream if not quiet and stream.isatty() else None
        self._swept = list(experiment.scenario.sweep)
        self._due = 0.0
        self._drawn = False

    def show(self, progress: Progress) -> None:
        now = time.monotonic()
        if self._stream is None or now < self._due:
            return
        self._due = now + 0.1
        width = shutil.get_terminal_size().columns - 1
        line = _encodable(progress_line(progress, self._swept, width), self._stream)
        self._stream.write(f"\r{line[:width]}\x1b[K")
        self._stream.flush()
        self._drawn = True

    def erase(self) -> None:
        if self._stream is not None and self._drawn:
            self._stream.write("\r\x1b[K")
            self._stream.flush()


def progress_line(progress: Progress, swept: list[str], width: int) -> str:
    """`42% ████░░░░ 84/200  310 trials/s  0.4 s left  oue share=0.05`."""
    share = progress.done / progress.total
    facts = [f"{text.count(progress.done)}/{text.count(progress.total)}"]
    if progress.done and progress.seconds > 0:
        rate = progress.done / progress.seconds
        left = (progress.total - progress.done) / rate
        facts += [text.rate(rate, "trials"), f"{text.duration(left)} left"]
    if progress.latest is not None:
        chosen = progress.latest.parameters
        facts.append(" ".join(_setting(key, chosen[key]) for key in swept if key in chosen))
    told = "  ".join(facts)
    size = max(10, min(30, width - len(told) - 6))
    full = int(share * size)
    return f"{int(share * 100):3d}% {'█' * full}{'░' * (size - full)} {told}"


def _setting(key: str, value: object) -> str:
    shown = table.value_text(value)
    return shown if isinstance(value, str) else f"{key.rpartition('.')[2]}={shown}"


def locate(place: str) -> Path:
    """The file of a scenario given by path or bundled name; raises FileError."""
    path = bundled.find(place)
    if not path.exists():
        close = bundled.similar(place)
        hint = f" (did you mean {close}?)" if close else ""
        raise FileError(f"{place} is neither a file nor a bundled scenario{hint}")
    return path


def _with_options(scenario: Scenario, options: Namespace) -> Scenario:
    """The scenario with what the command line sets; raises ScenarioError."""
    changed = scenario
    for setting in options.settings:
        key, equals, value = setting.partition("=")
        if not equals or not key.strip():
            raise ScenarioError(f"must be KEY=VALUE, got {setting}", key="--set")
        changed = changed.with_value(key.strip(), toml_value(value))
    for key, value in (
        ("trials", options.trials),
        ("seed", options.seed),
        ("simulate.path", options.path),
    ):
        if value is not None:
            changed = changed.with_value(key, value)
    if changed is not scenario:
        for problem in changed.problems():
            raise problem
    return changed


def toml_value(written: str) -> Any:
    """What follows the = of --set: a TOML value, else the words themselves."""
    try:
        parsed = tomllib.loads(f"value = {written}")
    except (ValueError, RecursionError):
        return written
    return parsed["value"] if parsed.keys() == {"value"} else written


# ldptui theory

W17: Final = "Wang, Blocki, Li, Jha, USENIX Security 2017"
CJG: Final = "Cao, Jia, Gong, USENIX Security 2021"

P_AND_Q: Final = {
    "grr": ("e^ε/(e^ε + d − 1)", "1/(e^ε + d − 1)", "W17 4.1"),
    "sue": ("e^(ε/2)/(e^(ε/2) + 1)", "1/(e^(ε/2) + 1)", "W17 4.2"),
    "oue": ("1/2", "1/(e^ε + 1)", "W17 4.2"),
    "blh": ("e^ε/(e^ε + 1)", "1/2", "W17 4.4"),
    "olh": ("e^ε/(e^ε + g − 1)", "1/g", "W17 4.4"),
}

VARIANCE: Final = "Var*/n = q(1 − q)/(p − q)²"

ATTACKS: Final = ("rpa", "ria", "mga")

SUPPORTED: Final = {
    "rpa": {"grr": "r/d", "sue": "r/2", "oue": "r/2", "blh": "r/g", "olh": "r/g"},
    "ria": dict.fromkeys(PROTOCOLS, "p + (r − 1)q"),
    "mga": {"grr": "1", "sue": "r", "oue": "r", "blh": "E[M]", "olh": "E[M]"},
}
"""S, the targets that one fake report is expected to support. CJG section 3."""


def theory(options: Namespace) -> int:
    """Print the closed forms of a protocol."""
    _check_options(options)
    if options.protocol == "rappor":
        spec = rappor.spec_of(options)
        values = rappor.closed_forms(spec, options)
        written = rappor.theory_table(spec, options, values)
    elif options.protocol in CENTRAL:
        mechanism = curator.curator_of(options)
        values = curator.closed_forms(mechanism, options)
        written = curator.theory_table(mechanism, options, values)
    else:
        protocol = _protocol(options)
        values = closed_forms(protocol, options)
        written = _theory_table(options, protocol, values)
    if options.format == "json":
        write_out(json.dumps(values, indent=2, allow_nan=False) + "\n", exactly=True)
    else:
        write_out(written)
    return cli.DONE


def _check_options(options: Namespace) -> None:
    """Refuse options that are out of range, or of another protocol; raises ScenarioError."""
    _check("--epsilon", options.epsilon, EPSILON)
    _check("--items", options.items, DOMAIN)
    _check("--users", options.users, USERS)
    _check("--share", options.share, SHARE)
    _check("--targets", options.targets, Range(1, options.items))
    _check("--target-frequency", options.target_frequency, Range(0, 1))
    _check("--seeds", options.seeds, Range(1, 10**6))
    kind = options.protocol
    if options.hash_range is not None and kind != "olh":
        raise ScenarioError(f"is an option of olh, not of {kind}", key="--hash-range")
    for name in rappor.OPTIONS if kind != "rappor" else ():
        if getattr(options, name) is not None:
            raise ScenarioError(f"is an option of rappor, not of {kind}", key=f"--{name}")
    for name in curator.OPTIONS if kind not in CENTRAL else ():
        if getattr(options, name) is not None:
            raise ScenarioError(f"is an option of a curator, not of {kind}", key=f"--{name}")
    if options.epsilon is None and kind != "rappor":
        raise ScenarioError("is required", key="--epsilon")


def _protocol(options: Namespace) -> PureProtocol:
    """The protocol that the options describe; raises ScenarioError."""
    kind = options.protocol
    if kind != "olh":
        return PROTOCOLS[kind](kind, options.epsilon).bind(options.items)
    rule = options.hash_range or "nearest"
    chosen: Any = rule
    if rule.isascii() and rule.removeprefix("-").isdigit() and len(rule) < 20:
        chosen = int(rule)
    elif rule not in ("nearest", "ceil", "floor"):
        raise ScenarioError(
            f'must be "nearest", "ceil", "floor" or an integer, got {rule}', key="--hash-range"
        )
    try:
        return OLHSpec("olh", options.epsilon, chosen).bind(options.items)
    except ScenarioError as error:
        raise ScenarioError(error.rule, key="--hash-range") from error


def _check(option: str, value: float | None, allowed: Range) -> None:
    if value is not None and (not math.isfinite(value) or value not in allowed):
        raise ScenarioError(f"must be {allowed}, got {value:g}", key=option)


def closed_forms(protocol: PureProtocol, options: Namespace) -> dict[str, Any]:
    """The closed forms; None where an option that they need is not given."""
    r, share, users = options.targets, options.share, options.users
    held = options.target_frequency
    gains: dict[str, float | None] = dict.fromkeys(ATTACKS)
    spreads = gains.copy()
    if r is not None and share is not None and held is not None:
        laws = {
            "rpa": protocol.random_support(r),
            "ria": protocol.honest_support(r),
            "mga": protocol.crafted_support(r, SeedSearch(options.seeds, options.scoring)),
        }
        for attack, law in laws.items():
            gains[attack] = closed.gain(protocol, law, r, share, held)
            if users is not None:
                fakes = malicious_users(users, share)
                spreads[attack] = closed.gain_std(protocol, law, r, users, fakes, held)
    return {
        "p": protocol.p,
        "q": protocol.q,
        "hash_range": getattr(protocol, "hash_range", None),
        "variance_per_user": closed.count_variance(protocol),
        "frequency_std": None if users is None else closed.frequency_std(protocol, users),
        "gain": gains,
        "gain_std": spreads,
        "recommended": closed.recommended(protocol.domain_size, protocol.epsilon),
    }


def _theory_table(options: Namespace, protocol: PureProtocol, values: dict[str, Any]) -> str:
    kind = options.protocol
    p, q, source = P_AND_Q[kind]
    rows = [
        ("p", values["p"], p, source),
        ("q", values["q"], q, source),
        ("g", values["hash_range"], _hash_rule(options), "W17 4.4"),
        (
            "variance per user",
            values["variance_per_user"],
            "Var*/n = q(1 − q)/(p − q)²",
            "W17 th. 2",
        ),
        ("frequency std", values["frequency_std"], "√(Var*/n / n)", "W17 th. 2"),
    ]
    for attack in ATTACKS:
        formula = f"G with S = {SUPPORTED[attack][kind]}"
        rows.append((f"gain of {attack.upper()}", values["gain"][attack], formula, "CJG eq. 7"))
    for attack in ATTACKS:
        name = f"gain std of {attack.upper()}"
        rows.append((name, values["gain_std"][attack], "σ of one run", "from CJG eq. 7"))
    shown = [
        (name, text.short(value, 5), formula, source)
        for name, value, formula, source in rows
        if value is not None
    ]
    given = {
        "ε": protocol.epsilon,
        "d": protocol.domain_size,
        "n": options.users,
        "β": options.share,
        "r": options.targets,
        "f_T": options.target_frequency,
    }
    words = [f"{name} = {table.value_text(one)}" for name, one in given.items() if one is not None]
    notes = []
    if values["gain"]["mga"] is not None:
        notes.append("G = β[(S − rq)/(p − q) − f_T], S = targets that a fake report supports")
        if values["hash_range"] is not None:
            search = f"best of K = {options.seeds} seeds, scored by {options.scoring}"
            notes.append(f"E[M] = targets matched by the {search}")
    if values["gain_std"]["mga"] is not None:
        notes.append("σ² = β² Var[Σ_T f~] + m Var[S]/((n + m)(p − q))², same genuine reports")
    notes += [
        f"least variance here: {_recommendation(values['recommended'], protocol)}",
        *_missing(options),
        f"W17: {W17}",
        f"CJG: {CJG}",
    ]
    return table.theory_table(f"{kind.upper()}, {', '.join(words)}", shown, notes)


def _hash_rule(options: Namespace) -> str:
    if options.protocol == "blh":
        return "2"
    rule = options.hash_range or "nearest"
    return "as given" if rule.isdecimal() else f"e^ε + 1, {rule} integer"


def _recommendation(recommended: str, protocol: PureProtocol) -> str:
    edge = text.short(3 * math.exp(protocol.epsilon) + 2)
    if recommended == "grr":
        return f"GRR (d < 3e^ε + 2 = {edge}; W17 section 5)"
    return f"OUE or OLH (d ≥ 3e^ε + 2 = {edge}; W17 section 5)"


def _missing(options: Namespace) -> list[str]:
    """Which options would say more."""
    needed = [
        f"--{name.replace('_', '-')}"
        for name in ("users", "share", "targets", "target_frequency")
        if getattr(options, name) is None
    ]
    return [f"for the rest give {', '.join(needed)}"] if needed else []


# ldptui scenarios, ldptui schema


def scenarios(options: Namespace) -> int:
    """List, show, copy or check scenarios."""
    if options.action == "show":
        write_out(_bundled(options.name).read_text(encoding="utf-8"), exactly=True)
    elif options.action == "copy":
        _copy(_bundled(options.name), options.to)
    elif options.action == "check":
        return _check_file(options.path, options)
    else:
        rows = [(name, load(bundled.path(name)).title) for name in bundled.names()]
        write_out(table.plain_table(("name", "title"), rows))
    return cli.DONE


def _bundled(name: str) -> Path:
    if name not in bundled.names():
        close = bundled.similar(name)
        hint = f"did you mean {close}?" if close else "see ldptui scenarios list"
        raise ScenarioError(f"{name} is not a bundled scenario ({hint})")
    return bundled.path(name)


def _copy(source: Path, to: str | None) -> None:
    """Copy a scenario, the data file that it reads, and its attack; nothing is overwritten."""
    goal = Path(to) if to is not None else Path()
    if goal.is_dir() or (to is not None and to.endswith(os.sep)):
        goal = goal / source.name
    written = source.read_text(encoding="utf-8")
    copies = [(goal, written)]
    document = read_document(written).document
    needed = [document["population"]["path"]] if "path" in document["population"] else []
    needed += [f"{document['attack']['name']}.py"] if "name" in document.get("attack", {}) else []
    for data in needed:
        copies.append((goal.parent / data, (source.parent / data).read_text(encoding="utf-8")))
    for place, content in copies:
        if place.exists() and (place == goal or place.read_text(encoding="utf-8") != content):
            raise FileError(f"{place} cannot be written: it exists already")
    for place, content in copies:
        write_atomically(place, content)
        write_out(f"wrote {place}\n")


def _check_file(place: str, options: Namespace) -> int:
    """Say everything that is wrong with a scenario, or how large it is and what it asks for."""
    path = locate(place)
    try:
        scenario = load(path)
    except ScenarioError as first:
        problems = [first]
        if first.line is None and first.key:
            unchecked = read_document(path.read_text("utf-8"), str(path), path.parent)
            problems = unchecked.problems() or problems
        for problem in problems:
            note(str(problem))
        return cli.USAGE
    experiment = compile(scenario)
    cells, trials = text.count(len(experiment.cells)), text.count(experiment.trials)
    write_out(f"{place}: valid: {cells} cells, {trials} trials\n")
    try:
        permitted = attack_options.permitted(experiment, options)
    except ScenarioError as error:
        note(f"note: {error}")
    else:
        for source in sources(permitted):
            note(f"note: the attack {source.name!r} is in {source.place}")
    return cli.DONE


def schema(options: Namespace) -> int:  # noqa: ARG001
    """Print the JSON Schema of a scenario."""
    write_out(json.dumps(scenario_schema(), indent=2, ensure_ascii=False) + "\n", exactly=True)
    return cli.DONE


# Output.


def write_out(written: str, exactly: bool = False) -> None:
    """Write to standard output: data exactly, in UTF-8; words as the terminal can show them."""
    out = sys.stdout
    try:
        if exactly and hasattr(out, "buffer"):
            out.flush()
            out.buffer.write(written.encode("utf-8", "surrogateescape"))
            out.buffer.flush()
        else:
            out.write(_encodable(written, out))
            out.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise FileError(f"standard output cannot be written: {error.strerror or error}") from error


def _encodable(written: str, stream: TextIO) -> str:
    """The text, spelled with what the stream's encoding has."""
    encoding = stream.encoding or "utf-8"
    try:
        written.encode(encoding)
    except UnicodeEncodeError:
        return text.to_ascii(written)
    return written


def note(sentence: str) -> None:
    print(_encodable(" ".join(sentence.splitlines()), sys.stderr), file=sys.stderr, flush=True)


def width() -> int:
    return max(40, shutil.get_terminal_size((80, 24)).columns)


def in_colour(stream: TextIO) -> bool:
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not plain


def _check_writable(path: Path) -> None:
    """Refuse before the run what could not be written after it; raises FileError."""
    if path.is_dir():
        raise FileError(f"{path} cannot be written: it is a folder")
    folder = next((parent for parent in path.absolute().parents if parent.exists()), None)
    if folder is not None and not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise FileError(f"{path} cannot be written: {folder} is not a writable folder")
