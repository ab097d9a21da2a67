"""What each tab of the lab asks for: names, choices, and what a form starts with.

Plain data, so that a form costs nothing before its tab is opened. The words are in `help.toml`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from ..session.draft import Draft

Tab = Literal[
    "histograms", "locality", "choosing", "clipping", "budget", "loss", "disclosure", "synthetic"
]
TITLES: Final[Mapping[Tab, str]] = {
    "histograms": "Histograms",
    "locality": "Locality",
    "choosing": "Choosing",
    "clipping": "Clipping",
    "budget": "Budget",
    "loss": "Loss",
    "disclosure": "Disclosure",
    "synthetic": "Synthetic",
}
TABS: Final = tuple(TITLES)

Type = Literal["integer", "number", "text", "rows"]
Step = Literal["", "hundredths", "decades", "ladder"]


@dataclass(frozen=True)
class Entry:
    """One field of a form.

    options : for a choice, values with their words; bare: without a label, as they explain
    themselves. optional : it may be empty. start : what it holds at first. low, high, steps : how
    far up and down go. only : it is shown for these values of another field. type "rows" is a list
    of texts, a field each, and an empty one to go on.
    """

    name: str
    type: Type = "number"
    start: Any = ""
    options: tuple[tuple[str, str], ...] | None = None
    bare: bool = False
    optional: bool = False
    low: float = 0
    high: float = math.inf
    steps: Step = ""
    only: tuple[str, tuple[str, ...]] | None = None


def words(*names: str) -> tuple[tuple[str, str], ...]:
    """Options that are called what they are."""
    return tuple((name, name) for name in names)


YES_NO: Final = words("no", "yes")
CURATORS: Final = ("laplace", "geometric", "stability")
LOCAL: Final = ("grr", "sue", "oue", "blh", "olh")
NEIGHBOURS: Final = Entry(
    "neighbours", start="change-one", options=words("change-one", "add-remove"), bare=True
)
EPSILON: Final = Entry("epsilon", start=1.0, high=20)
DELTA: Final = Entry("delta", start=1e-6, high=0.5, steps="decades")
SEED: Final = Entry("seed", "integer", 0)
CURATOR: Final = Entry("mechanism", start="laplace", options=words(*CURATORS), bare=True)


def where(entry: Entry, name: str, *values: str) -> Entry:
    """The entry, shown for these values of another one alone."""
    return replace(entry, only=(name, values))


FORMS: Final[Mapping[Tab, tuple[Entry, ...]]] = {
    "histograms": (
        Entry("goal", start="epsilon", options=(("epsilon", "from ε"), ("accuracy", "from a"))),
        where(EPSILON, "goal", "epsilon"),
        where(Entry("accuracy", start=10, steps="ladder"), "goal", "accuracy"),
        CURATOR,
        Entry("alpha", start=0.05, high=0.99, steps="hundredths"),
        DELTA,
        NEIGHBOURS,
        SEED,
    ),
    "locality": (
        Entry("over", start="users", options=(("users", "over n"), ("epsilon", "over ε"))),
        EPSILON,
        Entry("users", "integer", 10_000, low=1, steps="ladder"),
        CURATOR,
        DELTA,
        NEIGHBOURS,
    ),
    "choosing": (
        EPSILON,
        Entry("trials", "integer", 200, low=10, steps="ladder"),
        SEED,
    ),
    "clipping": (
        Entry("file", "text"),
        Entry("column", "text", "income"),
        EPSILON,
        Entry("bound", steps="ladder", optional=True),
        Entry("negative", start="no", options=YES_NO),
        replace(NEIGHBOURS, start="add-remove"),
    ),
    "budget": (
        Entry("entries", "rows", ()),
        DELTA,
        Entry("people", "integer", 1, low=1),
        Entry("tight", start="no", options=YES_NO),
        Entry("rappor", "text", "0.5, 0.5, 0.75, 2", optional=True),
        Entry("rounds", "integer", 30, low=1, steps="ladder"),
    ),
    "loss": (
        Entry(
            "mechanism",
            start="oue",
            options=(*words(*LOCAL, "rappor", *CURATORS, "exponential"), ("plugin", "your own")),
            bare=True,
        ),
        where(Entry("plugin", "text"), "mechanism", "plugin"),
        where(EPSILON, "mechanism", *LOCAL, *CURATORS, "exponential", "plugin"),
        where(
            Entry("items", "integer", 8, low=2, steps="ladder"),
            *("mechanism", *LOCAL, "rappor", "plugin"),
        ),
        where(Entry("noise", "text", "0.5, 0.5, 0.75"), "mechanism", "rappor"),
        where(Entry("bits", "integer", 8, low=1, steps="ladder"), "mechanism", "rappor"),
        where(Entry("hashes", "integer", 2, low=1, high=16), "mechanism", "rappor"),
        where(Entry("cohorts", "integer", 4, low=1, steps="ladder"), "mechanism", "rappor"),
        where(Entry("counts", "text", "5, 3, 1"), "mechanism", "exponential"),
        where(DELTA, "mechanism", "stability", "plugin"),
        where(NEIGHBOURS, "mechanism", *CURATORS),
        Entry("audit", start="no", options=YES_NO),
        where(Entry("samples", "integer", 200_000, low=1000, steps="ladder"), "audit", "yes"),
        where(Entry("confidence", start=0.999, high=0.999, steps="hundredths"), "audit", "yes"),
        where(SEED, "audit", "yes"),
    ),
    "disclosure": (
        Entry("what", start="table", options=(("table", "table"), ("relation", "relation"))),
        Entry("file", "text"),
        where(Entry("quasi", "text", "age, zip, sex"), "what", "table"),
        where(Entry("sensitive", "text", "illness"), "what", "table"),
        where(Entry("user", "text", "user"), "what", "relation"),
        where(Entry("attribute", "text", "attribute"), "what", "relation"),
        Entry("observed", "integer", 2, low=1, high=8),
    ),
    "synthetic": (
        Entry(
            "source",
            start="protocol",
            options=(("protocol", "protocol"), *words(*CURATORS)),
            bare=True,
        ),
        where(EPSILON, "source", *CURATORS),
        where(DELTA, "source", "stability"),
        where(NEIGHBOURS, "source", *CURATORS),
        Entry("rows", "integer", 10_000, low=1, high=1e8, steps="ladder"),
        Entry("column", "text", "item"),
        SEED,
    ),
}
EXAMPLES: Final = {"table": "people.csv", "relation": "relation.csv"}
"""The tables that come with the program, which a form starts with."""


def shown(entry: Entry, values: Mapping[str, Any]) -> bool:
    """Whether a field has a meaning beside the other values."""
    return entry.only is None or values.get(entry.only[0]) in entry.only[1]


def starting(
    tab: Tab, draft: Draft | None, typed: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """What a form holds: what was typed, over what it starts with: the draft's own values where
    it has them, and bundled examples of tables."""
    values = {entry.name: entry.start for entry in FORMS[tab]}
    what = (typed or {}).get("what", "table")
    if "file" in values:
        values["file"] = EXAMPLES.get(str(what), "")
    if draft is not None:
        values |= _of_draft(tab, draft, values)
    return values | dict(typed or {})


def release(kind: str, epsilon: float, delta: Any, times: Any) -> str:
    """An entry of the ledger, as it is typed."""
    spent = f"{kind}={epsilon:.6g}"
    if isinstance(delta, int | float) and delta > 0:
        spent += f",{delta:g}"
    return f"{spent}x{times}" if isinstance(times, int) and times > 1 else spent


def _of_draft(tab: Tab, draft: Draft, values: Mapping[str, Any]) -> dict[str, Any]:
    from ..session.draft import value_of

    found: dict[str, Any] = {}
    kind, epsilon = value_of(draft, "protocol.kind"), value_of(draft, "protocol.epsilon")
    known = isinstance(epsilon, int | float) and epsilon > 0
    if "epsilon" in values and known:
        found["epsilon"] = epsilon
    if tab == "budget":
        rounds = value_of(draft, "campaign.rounds") or 10
        if known:
            delta = value_of(draft, "protocol.delta")
            found["entries"] = (release(str(kind), epsilon, delta, rounds),)
        noise = [value_of(draft, f"protocol.{one}") for one in ("f", "p", "q", "hashes")]
        if kind == "rappor" and all(isinstance(one, int | float) for one in noise):
            found["rappor"], found["rounds"] = ", ".join(f"{one:g}" for one in noise), rounds
    options = next((one.options for one in FORMS[tab] if one.name == "mechanism"), None) or ()
    if any(kind == one for one, _ in options):
        found["mechanism"] = kind
    if draft.cell is not None:
        if "users" in values:
            found["users"] = draft.cell.first.population.users
        if tab == "synthetic":
            found["rows"] = min(draft.cell.first.population.users, 1_000_000)
    return found
