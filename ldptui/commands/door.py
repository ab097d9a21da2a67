"""What a command asks for: frozen values, read from its arguments before anything is computed.

All raise ScenarioError for an argument that breaks a rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Final

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.base.files import check_replaced
from ldptui.core.base.ranges import WORKERS, Range, require
from ldptui.core.experiment import Experiment
from ldptui.core.export import ALL, Choice, checked
from ldptui.core.running.runner import WHOLE, Shard

from ..terminal import places
from ..terminal.output import check_writable
from .formats import FORMATS, formats
from .options import Chosen, Computing, Run


@dataclass(frozen=True, kw_only=True)
class Work(Computing):
    """The options of how an experiment is computed, and what they lead to.

    shard : the part to compute. executor : the cluster that is asked for, once it is there.
    """

    shard: Shard = WHOLE
    executor: Executor | None = None

    @classmethod
    def of(cls, options: Computing, shard: Shard = WHOLE) -> Work:
        """The work that a command's options ask for."""
        if options.workers not in WORKERS:
            raise ScenarioError(f"must be {WORKERS}, {got(options.workers)}", key="--workers")
        given = {field.name: getattr(options, field.name) for field in fields(Computing)}
        return cls(**given, shard=shard)


def shard_of(options: Run) -> Shard:
    """The part of a run that is computed."""
    if options.shard is None:
        return WHOLE
    number, _, of = options.shard.partition("/")
    if not (number.isdecimal() and of.isdecimal() and len(number) < 10 and len(of) < 10):
        rule = "must be I/N, as 1/8, of at most nine digits each"
        raise ScenarioError(f"{rule}, {got(options.shard)}", key="--shard")
    try:
        shard = Shard(int(number), int(of))
    except ScenarioError as error:
        raise ScenarioError(error.rule, key="--shard") from None
    if not options.keep:
        raise ScenarioError("needs a store, got --no-store", key="--shard")
    if options.out is not None:
        raise ScenarioError("has no results to write: merge the stores first, got --out",
                            key="--shard")  # fmt: skip
    return shard


@dataclass(frozen=True)
class Keeping:
    """Where a run is kept, and with what.

    chosen : whether somebody asked for that store. source : the file of the scenario. fresh :
    whether what the store knows already is computed again.
    """

    store: Path
    chosen: bool
    source: str
    tags: Sequence[str] = ()
    fresh: bool = False

    @classmethod
    def of(cls, options: Run, source: str) -> Keeping | None:
        """The keeping that `ldptui run` asks for; None: no run is kept."""
        if not options.keep:
            return None
        store, chosen = places.chosen_store(options.store)
        return cls(store, chosen, source, tags_of(options.tags), options.fresh)


def tags_of(words: Sequence[str]) -> list[str]:
    """The tags of a run."""
    for tag in words:
        if not tag.strip() or not tag.isprintable() or "," in tag:
            raise ScenarioError(f"must be words without commas, {got(tag)}", key="--tag")
    return [tag.strip() for tag in words]


@dataclass(frozen=True)
class Output:
    """Where results go, in which format, and what of them.

    path : None for standard output. frequencies : with every item's estimates. choice : the metrics
    of tables, and the keys at their side and above.
    """

    format: str
    path: Path | None
    frequencies: bool
    quiet: bool
    choice: Choice = ALL

    @classmethod
    def of(
        cls,
        asked: str | None,
        out: str | None,
        chosen: Chosen,
        *,
        command: str = "run",
        frequencies: bool = False,
        quiet: bool = False,
    ) -> Output:
        """The output that a command's options ask for, a file that can be written.

        asked : the format; where neither it nor the end of the name of the file `out` says one, it
        is the usual one of the command.
        """
        path = written_to(out)
        form = _format_of(asked, path, command) or formats(command)[0].name
        row = FORMATS[form]
        if row.file is not None:
            if path is None:
                raise ScenarioError(
                    f"is required: {form.capitalize()} goes into a file", key="--out"
                )
            row.check(path)
        if chosen.wrap is not None:
            require("--wrap", chosen.wrap, Range(20))
        choice = Choice(
            metrics=_named(chosen.metrics, "--metrics"),
            rows=_named(chosen.rows, "--rows"),
            columns=_named(chosen.columns, "--columns"),
            wrap=chosen.wrap,
        )
        if choice.turned and row.make is None and row.file is None:
            rule = f"must be left out: a {form} file has every trial, or --format another"
            raise ScenarioError(rule, key="--rows" if choice.rows else "--columns")
        return cls(form, path, frequencies, quiet, choice)

    def of_results(self, experiment: Experiment) -> Output:
        """The same with what its choice leaves open; raises ScenarioError for what is not there."""
        try:
            return replace(self, choice=checked(experiment, self.choice))
        except ScenarioError as error:
            raise ScenarioError(error.rule, key=f"--{error.key}") from None


def written_to(out: str | None) -> Path | None:
    """The file that is written to, which can be written; None for standard output."""
    if out == "":
        raise ScenarioError(f"must be a file, {got(out)}", key="--out")
    if out is None or out == "-":
        return None
    check_writable(Path(out))
    check_replaced(Path(out))
    return Path(out)


def _named(words: str | None, option: str) -> tuple[str, ...]:
    """The names that an option lists, with commas between them."""
    names = tuple(name.strip() for name in words.split(",")) if words is not None else ()
    if not all(names):
        raise ScenarioError(f"must be names with commas between them, {got(words)}", key=option)
    return names


_OTHERS: Final = (".xlsx", ".xls", ".ods", ".pdf", ".png", ".svg", ".html", ".toml", ".arrow")
PROMISED: Final = {
    "run": (*_OTHERS, ".ldptui", ".ldprun"),
    "export": (*_OTHERS, ".txt"),
}
"""The ends of names that promise what a command does not write."""


def _format_of(asked: str | None, path: Path | None, command: str) -> str | None:
    """The format that was asked for, or that the end of the file's name means."""
    end = "" if path is None else path.suffix
    meant = [row.name for row in FORMATS.values() if end and row.end == end.lower()]
    if asked is None:
        if end.lower() in PROMISED.get(command, ()):
            ends = ", ".join(dict.fromkeys(row.end for row in formats(command) if row.end))
            ends += " or .ldptui (a recording)" * (command == "export")
            rule = f"must end in what is written, {ends}, or go with --format"
            raise ScenarioError(f"{rule}, {got(str(path))}", key="--out")
        return meant[0] if meant else None
    if meant and asked not in meant:
        rule = f"must be {' or '.join(meant)} for a file that ends in {end}, {got(asked)}"
        raise ScenarioError(rule, key="--format")
    return asked
