"""which of several attributes a report is about, and what hiding it costs"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, get_args

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.ranges import Range

from ..text import format as text
from .options import Argument, Blank
from .parameters import LocalBudget, LocalProtocol, Seed, TableFile
from .question import BUDGETS, Curves, Steps, question
from .question_answer import QuantityRow, QuestionAnswer, hidden


@dataclass(frozen=True)
class HiddenAttribute:
    """How well RS+FD hides which attribute a report is about, for one kind of made-up data.

    named : the share of messages whose attribute is named.
    deviation : its standard error.
    error : the root of the mean squared error of the estimates.
    one_attribute, any_attributes : the ε between two records that differ in one attribute, and in
        all of them.
    """

    named: float
    deviation: float
    error: float
    one_attribute: float
    any_attributes: float


@dataclass(frozen=True)
class InferAnswer(QuestionAnswer):
    """The answer of `infer`: what an observer who knows the frequencies infers from reports under
    RS+FD.

    chance : the chance 1/k of a guess without a message.
    sampled_error : the error of SMP, which names the attribute of each report.
    hidden_attributes : the results for each kind of made-up data.
    """

    protocol: str
    attributes: Sequence[str]
    users: int
    epsilon: float
    messages: int
    chance: float
    sampled_error: float
    hidden_attributes: Mapping[str, HiddenAttribute]
    seed: int = hidden(0)

    @property
    def title(self) -> str:
        epsilon, users = text.short(self.epsilon), text.count(self.users)
        k = len(self.attributes)
        return f"{self.protocol.upper()} and RS+FD, {k} attributes, ε = {epsilon}, {users} users"

    @property
    def sentences(self) -> Iterator[str]:
        found = self.hidden_attributes
        most, least = (f(found, key=lambda name: found[name].named) for f in (max, min))
        often, seldom = (text.percent(found[name].named) for name in (most, least))
        yield (
            f"The true attribute is named in {often} of messages with {most} data, in {seldom} "
            f"with {least}."
        )
        strict = min(found.values(), key=lambda each: each.any_attributes)
        yield (
            f"Between records that differ in every attribute RS+FD has "
            f"ε = {text.short(strict.any_attributes)}, and not {text.short(self.epsilon)}."
        )

    def quantities(self) -> Iterator[QuantityRow]:
        yield QuantityRow("a guess", self.chance, "1/k", "AGC")
        yield QuantityRow(
            "SMP: error", self.sampled_error, "√MSE, and the attribute is told", "ACX"
        )
        for name, found in self.hidden_attributes.items():
            about = f"± {text.short(found.deviation, 2)}; error {text.short(found.error, 3)}"
            about += f"; ε {text.short(found.one_attribute, 3)}"
            yield QuantityRow(f"{name}: named", found.named, about, "ours")

    @property
    def notes(self) -> Iterator[str]:
        yield f"named: of {text.count(self.messages)} simulated messages, the likeliest attribute"
        yield "error: root of the squared error, a mean over the values, then over the attributes"
        yield "ε: between two records that differ in one attribute"
        yield "zeros: made-up reports of no value; realistic: of values with the true frequencies"


@question(
    "Infer",
    "Which attribute is a report about?",
    group="Guess",
    curves=[
        Curves(
            "Attribute that a report is about",
            "epsilon",
            BUDGETS[::3],
            {"": ("hidden_attributes.*.named", "attacked")},
            "privacy budget ε",
            "share named",
        )
    ],
)
def infer(
    file: TableFile,
    *,
    columns: Annotated[
        tuple[str, ...],
        "COLUMNS",
        Argument(role="column"),
        Blank("age, sex, illness", guess=lambda h, _: ", ".join(h)),
    ],
    count: Annotated[str | None, "COLUMN", Argument(role="column"), Blank()] = None,
    protocol: LocalProtocol = "oue",
    epsilon: LocalBudget,
    messages: Annotated[int, Range(100, 10**6), "N", Blank(5000, steps="1-2-5")] = 5000,
    seed: Seed = 0,
) -> Steps[InferAnswer]:
    """How often an observer names the attribute that a user reports, where data are made up for
    the others (RS+FD, RS+RFD), for each kind of made-up data; and what that costs: the error, and
    the ε that is really kept. FILE is a CSV table with a header.

    Parameters
    ----------
    file : a CSV table, a user a row
    columns : the attributes, separated by commas
    count : the column with the users of each row
    protocol : the protocol of each attribute
    epsilon : privacy budget ε of a message
    messages : messages that are simulated for each kind of made-up data
    seed : random seed

    Examples
    --------
    ldptui infer people.csv --columns age,sex,illness --epsilon 1
    """
    from pathlib import Path

    import numpy as np

    from ldptui.core.population import CSVColumns
    from ldptui.core.protocols import PROTOCOLS
    from ldptui.core.protocols.attribute_messages import FakeData
    from ldptui.core.task.attributes_task import Attributes, clean_error

    path = Path(file)
    yield f"reading {path.name}"
    population: Any = CSVColumns(path.name, tuple(columns), count).bind(0, path.parent)

    def bind_protocol(**keys: Any) -> Any:
        spec: Any = PROTOCOLS[protocol]
        return Attributes(**keys).bound(spec(kind=protocol, epsilon=epsilon), population)

    chances = population.groups / population.users
    found: dict[str, HiddenAttribute] = {}
    sampled = clean_error(bind_protocol(), population)
    for fake_data in get_args(FakeData):
        try:
            made = bind_protocol(solution="rs+fd", fake_data=fake_data)
        except ScenarioError:
            continue  # a report that has to be of some value
        yield f"{fake_data} data"
        rng = np.random.default_rng(seed)
        drawn = rng.choice(len(population.groups), messages, p=chances)
        named = float(made.infer_attributes(drawn, rng).mean())
        found[fake_data] = HiddenAttribute(
            named,
            math.sqrt(named * (1 - named) / messages),
            clean_error(made, population),
            made.attribute_loss(),
            made.record_loss(),
        )
    return InferAnswer(
        protocol, columns, population.users, epsilon, messages, 1 / len(columns), sampled, found,
        seed,
    )  # fmt: skip
