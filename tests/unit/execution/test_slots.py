from __future__ import annotations

import pytest

from harness.errors import InputError
from harness.execution.slots import physical_cores, slot_count
from harness.play.bot_definition import BotDefinition


def bots(*threads: int) -> list[BotDefinition]:
    return [BotDefinition(f"b{number}", module="m", threads=n) for number, n in enumerate(threads)]


@pytest.mark.parametrize(
    ("cores", "threads", "slots"),
    [(1, 1, 1), (2, 1, 1), (4, 1, 3), (16, 1, 15), (16, 4, 3), (16, 5, 3), (4, 8, 1)],
)
def test_one_core_is_kept_for_the_rest(cores: int, threads: int, slots: int) -> None:
    assert slot_count(bots(1, threads), None, cores, force=False) == slots


def test_more_slots_need_force() -> None:
    with pytest.raises(InputError, match="at most 3"):
        slot_count(bots(1), 4, 4, force=False)
    assert slot_count(bots(1), 4, 4, force=True) == 4
    assert slot_count(bots(1), 2, 4, force=False) == 2


@pytest.mark.parametrize(
    ("wanted", "cores", "threads", "words"),
    [
        (2, 1, 1, "2 slots are too many for 1 core: at most 1. More would"),
        (2, 2, 1, "2 slots are too many for 2 cores: at most 1, one core is kept for the rest. "),
        (2, 2, 2, "2 slots are too many for 2 cores and bots of 2 threads: at most 1. More "),
    ],
)
def test_a_core_is_kept_only_where_there_is_one(
    wanted: int, cores: int, threads: int, words: str
) -> None:
    with pytest.raises(InputError) as refused:
        slot_count(bots(threads), wanted, cores, force=False)
    assert str(refused.value).startswith(words)


def test_this_machine_has_a_core() -> None:
    assert physical_cores() >= 1
