"""Which processor each slot plays on."""

from __future__ import annotations

import pytest

from harness.errors import InputError
from harness.execution import placement as module
from harness.execution.placement import placement
from harness.play.bot_definition import BotDefinition

ONE = [BotDefinition("a"), BotDefinition("b")]
TWO = [BotDefinition("a"), BotDefinition("b", threads=2)]


@pytest.fixture
def _siblings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight processors on four cores: n and n + 4 share one."""
    monkeypatch.setattr(module, "core_of", lambda cpu: ("0", str(cpu % 4)))


@pytest.mark.usefixtures("_siblings")
@pytest.mark.parametrize(
    ("setting", "slots", "bots", "wanted"),
    [
        ("auto", 1, ONE, (3,)),
        ("auto", 3, ONE, (1, 2, 3)),
        ("auto", 4, ONE, (0, 1, 2, 3)),
        ("auto", 5, ONE, ()),  # two slots on one core would play against each other's clocks
        ("auto", 1, TWO, ()),
        ("off", 1, ONE, ()),
        ("5", 1, ONE, (5,)),
        ("5-7,0", 2, TWO, (5, 6)),
        (" 1, 2 ", 2, ONE, (1, 2)),
    ],
)
def test_each_slot_has_a_core_of_its_own_or_none_has(
    setting: str, slots: int, bots: list[BotDefinition], wanted: tuple[int, ...]
) -> None:
    assert placement(setting, slots, bots, range(8)) == wanted


@pytest.mark.usefixtures("_siblings")
@pytest.mark.parametrize(
    ("setting", "slots", "words"),
    [
        ("8", 1, "no processor 8 here, only 0-7"),
        ("1,2", 3, "2 processors for 3 slots"),
        ("1,1", 2, "named twice"),
        ("0-2,2", 2, "named twice"),
        ("", 1, "expected auto, off or a list"),
        ("a", 1, "expected auto, off or a list"),
        ("3-1", 1, "expected auto, off or a list"),
        ("-1", 1, "expected auto, off or a list"),
        ("٣", 1, "expected auto, off or a list"),
    ],
)
def test_a_list_that_cannot_be_is_refused(setting: str, slots: int, words: str) -> None:
    with pytest.raises(InputError, match=words):
        placement(setting, slots, ONE, range(8))
