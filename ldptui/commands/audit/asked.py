"""The question of an audit, read from the options."""

from __future__ import annotations

from typing import Final

from ldptui.core.base.errors import ScenarioError

from ...api.audited import Question, question
from ...lab.questions.audit import Options
from ..agreeing import by_options, keys_of

OPTIONS: Final = {"kind": "--as", "domain_size": "--items", "clients": "CLIENT"}
"""The options that have another name than the value that they set."""
OWN: Final = (
    "epsilon", "items", "opaque", "samples", "confidence", "seed", "refute", "batch", "patience",
    "command", "pairs",
)  # fmt: skip
"""The values whose options have their names."""


def question_of(options: Options) -> Question:
    """The question of the options; raises LdpError before anything is run."""
    if options.epsilon is None:
        raise ScenarioError("is required", key="--epsilon")
    if options.items is None:
        raise ScenarioError("is required", key="--items")
    keys = keys_of(options.settings)
    try:
        with by_options():
            return question(
                options.clients, options.commands, options.pairs,
                epsilon=options.epsilon, items=options.items, kind=options.claimed, keys=keys,
                opaque=options.opaque, samples=options.samples, confidence=options.confidence,
                seed=options.seed, refute=options.refute, batch=options.batch,
                patience=options.patience,
            )  # fmt: skip
    except ScenarioError as error:
        named = {**OPTIONS, **{key: f"--{key}" for key in OWN}}
        key = error.key.partition(".")[0] if error.key.startswith("clients.") else error.key
        raise ScenarioError(error.rule, named.get(key, key), error.where) from error
