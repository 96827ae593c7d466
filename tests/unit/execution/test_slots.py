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


def test_this_machine_has_a_core() -> None:
    assert physical_cores() >= 1
