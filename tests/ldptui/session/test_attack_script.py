"""The attack as a script: one table of a document becomes the next."""

import pytest

from ldptui.session.draft.attack_script import (
    changed,
    described_mix,
    described_share,
    lost,
    moved,
    new_part,
    new_phase,
    ramped,
    reshaped,
    shape_of,
    shares_of,
    span,
)

TARGETS = {"pick": "random", "count": 3}
ONE = {"kind": "mga", "share": 0.1, "targets": TARGETS, "seeds": 50}
MGA = {"kind": "mga", "weight": 0.8, "seeds": 50}
RIA = {"kind": "ria", "weight": 0.2}
MIXTURE = {"share": 0.1, "targets": TARGETS, "mix": [MGA, RIA]}
PHASES = {
    "phase": [
        {"rounds": 20, "share": {"from": 0.0, "to": 0.05}, "targets": TARGETS, "mix": [MGA, RIA]},
        {"rounds": 5, "share": 0.1, "mix": [MGA], "muted": True},
    ]
}


@pytest.mark.parametrize(
    ("attack", "shape"),
    [(ONE, "one"), ({}, "one"), ({"kind": "none"}, "one"), (MIXTURE, "mixture"),
     (PHASES, "phases"), ({"phase": "?"}, "phases")],
)  # fmt: skip
def test_the_shape_of_an_attack(attack: dict, shape: str) -> None:
    assert shape_of(attack) == shape


def test_one_kind_goes_to_a_mixture_and_back_whole() -> None:
    mixture = reshaped(ONE, "mixture")
    assert mixture == {
        "share": 0.1,
        "targets": TARGETS,
        "mix": [{"kind": "mga", "weight": 1.0, "seeds": 50}],
    }
    assert reshaped(mixture, "one") == ONE
    assert lost(ONE, mixture) == lost(mixture, ONE) == ""


def test_one_kind_goes_to_phases_and_back_whole() -> None:
    phases = reshaped(ONE, "phases")
    assert phases["phase"][0]["share"] == 0.1
    assert phases["phase"][0]["targets"] == TARGETS
    assert reshaped(phases, "one") == ONE
    assert reshaped(MIXTURE, "phases") == {"phase": [{"rounds": 10, **MIXTURE}]}
    assert reshaped(reshaped(MIXTURE, "phases"), "mixture") == MIXTURE


def test_what_a_shape_cannot_say_is_named() -> None:
    assert lost(MIXTURE, reshaped(MIXTURE, "one")) == "all parts but the first"
    assert lost(PHASES, reshaped(PHASES, "mixture")) == "all phases but the first"
    assert reshaped(PHASES, "mixture")["share"] == 0.05  # what the ramp ends with


def test_no_attack_becomes_one() -> None:
    assert reshaped({"kind": "none"}, "mixture")["mix"] == [{"kind": "mga", "weight": 1.0}]


@pytest.mark.parametrize(
    ("what", "at", "order", "chosen"),
    [
        ("add", 1, ["a", "new", "b", "c"], 1),
        ("duplicate", 0, ["a", "a", "b", "c"], 1),
        ("remove", 2, ["a", "b"], 1),
        ("up", 2, ["a", "c", "b"], 1),
        ("up", 0, ["a", "b", "c"], 0),
        ("down", 0, ["b", "a", "c"], 1),
        ("down", 2, ["a", "b", "c"], 2),
    ],
)
def test_parts_are_added_moved_and_removed(
    what: str, at: int, order: list[str], chosen: int
) -> None:
    items = [{"kind": kind, "weight": 1.0} for kind in "abc"]
    after, now = changed(items, what, at, phased=False)
    assert [part["kind"] if part["kind"] in "abc" else "new" for part in after] == order
    assert now == chosen
    assert [part["kind"] for part in items] == list("abc")


def test_the_last_one_stays() -> None:
    assert changed([MGA], "remove", 0, phased=False) == ([MGA], 0)


def test_a_phase_is_muted_and_heard_again() -> None:
    once, _ = changed(PHASES["phase"], "mute", 0, phased=True)
    assert once[0]["muted"] is True
    assert changed(once, "mute", 0, phased=True)[0] == PHASES["phase"]
    assert "muted" not in changed(PHASES["phase"], "mute", 1, phased=True)[0][1]


def test_new_ones_go_on_from_those_there() -> None:
    assert new_part([MGA, RIA]) == {"kind": "rpa", "weight": 0.5}
    ramp = PHASES["phase"][0]
    assert new_phase([ramp]) == {**ramp, "share": 0.05}
    assert "muted" not in new_phase(PHASES["phase"])


def test_shares_become_ramps_and_numbers() -> None:
    linear = ramped(0.05, "linear", 20)
    assert linear == {"from": 0.0, "to": 0.05, "shape": "linear"}
    assert ramped(linear, "constant", 20) == 0.05
    assert ramped(linear, "exponential", 20)["from"] == 0.0005  # may not start at 0
    assert ramped(linear, "step", 20) == {**linear, "shape": "step", "at": 10}
    assert ramped(ramped(linear, "step", 20), "linear", 20) == linear
    assert ramped(None, "linear", 20) == linear  # of a phase that is gone


def test_spans_follow_each_other() -> None:
    assert [span(PHASES["phase"], at) for at in range(2)] == [(0, 19), (20, 24)]
    assert span([{"rounds": "?"}, {"rounds": 2}], 1) == (0, 1)


def test_words() -> None:
    assert described_share(0.05) == "5 %"
    assert described_share({"from": 0.0, "to": 0.05, "shape": "step"}) == "0 → 5 % step"
    assert described_share("much") == "much"
    assert described_mix([MGA, RIA]) == "mga 80 % ria 20 %"
    assert described_mix([MGA]) == "mga"
    assert shares_of([MGA, {"weight": 0.2}, {"weight": "?"}]) == [0.8, 0.2, 0.0]
    assert shares_of([{"weight": 0.0}]) == [0.0]


@pytest.mark.parametrize(
    ("key", "one", "mixture", "phases"),
    [
        ("attack.share", "attack.share", "attack.share", "attack.phase.0.share"),
        ("attack.targets.count", "attack.targets.count", "attack.targets.count",
         "attack.phase.0.targets.count"),
        ("attack.kind", "attack.kind", "attack.mix.0.kind", "attack.phase.0.mix.0.kind"),
        ("attack.mix.0.seeds", "attack.seeds", "attack.mix.0.seeds", "attack.phase.0.mix.0.seeds"),
        ("attack.mix.1.weight", None, "attack.mix.1.weight", "attack.phase.0.mix.1.weight"),
        ("attack.phase.0.mix.0.weight", None, "attack.mix.0.weight", "attack.phase.0.mix.0.weight"),
        ("attack.phase.0.rounds", None, None, "attack.phase.0.rounds"),
        ("attack.phase.0.share.to", None, None, "attack.phase.0.share.to"),
        ("attack.phase.1.share", None, None, "attack.phase.1.share"),
        ("protocol.epsilon", "protocol.epsilon", "protocol.epsilon", "protocol.epsilon"),
    ],
)  # fmt: skip
def test_a_sweep_follows_the_shape(
    key: str, one: str | None, mixture: str | None, phases: str | None
) -> None:
    assert moved(key, "one") == one
    assert moved(key, "mixture") == mixture
    assert moved(key, "phases") == phases
