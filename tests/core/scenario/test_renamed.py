"""Former names of kinds: old files load, run to the same digests, and say what they are called."""

import pytest

from ldptui.core import Scenario, compile
from ldptui.core.running.runner import run
from ldptui.core.scenario import parse
from ldptui.core.scenario.renamed import FORMER
from ldptui.core.store.cell_address import cell_keys

TEXT = """
format = 1
trials = 2
population = { kind = "zipf", items = 8, users = 100, exponent = 1.0 }
protocol = { kind = "oue", epsilon = 1.0 }
campaign = { rounds = 2 }
[attack]
kind = "OLD"
share = 0.1
targets = { items = [3, 7] }
[sweep]
"attack.kind" = ["OLD", "mga"]
"""
MIXED = """
format = 1
trials = 2
population = { kind = "zipf", items = 8, users = 100, exponent = 1.0 }
protocol = { kind = "oue", epsilon = 1.0 }
[attack]
targets = { items = [3, 7] }
[[attack.phase]]
rounds = 2
share = 0.1
mix = [{ kind = "OLD", weight = 1 }]
"""


@pytest.mark.parametrize("old", FORMER)
@pytest.mark.parametrize("text", [TEXT, MIXED])
def test_a_file_with_a_former_name_is_what_it_was(text: str, old: str) -> None:
    before, now = parse(text.replace("OLD", old)), parse(text.replace("OLD", FORMER[old]))
    assert before.document == now.document
    assert len(before.notes) == 1
    assert f'"{FORMER[old]}"' in before.notes[0]
    assert now.notes == ()
    digests = []
    for scenario in (before, now):
        *_, last = run(compile(scenario))
        digests.append(last.results.digest)
    assert digests[0] == digests[1]


def test_addresses_of_reactive_fakes_are_those_of_before() -> None:
    """Text that the streams of the first version were made of."""
    work = compile(parse(TEXT.replace("OLD", "reactive")))
    first = work.cells[0]
    text = (
        "Adaptive(share=0.1, targets=ListedTargets(items=(3, 7)), seeds=1000, "
        "scoring='anchor', kind='adaptive')"
    )
    assert text in first.malicious_address
    assert cell_keys([first])[0] != cell_keys([work.cells[1]])[0]


def test_the_options_of_a_plug_in_keep_their_words() -> None:
    attack = {"kind": "plugin", "options": {"kind": "adaptive"}}
    assert Scenario({"attack": attack}).document == {"attack": attack}
