"""What bot and slot waited for a processor, from files such as the kernel's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.play.bot_definition import Sandbox
from harness.play.lateness import GameLateness
from harness.process.lateness import Lateness, Spell, ThreadTimes

US = 1_000


class Counted:
    """A thread's file, and what is read of it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._ran_ns = self._waited_ns = 10_000 * US  # from before it was watched
        self.add()
        self.times = ThreadTimes(str(path))

    def add(self, *, ran_us: int = 0, waited_us: int = 0) -> None:
        self._ran_ns += ran_us * US
        self._waited_ns += waited_us * US
        self._path.write_text(f"{self._ran_ns} {self._waited_ns} 7\n")


@pytest.fixture
def slot(tmp_path: Path) -> Counted:
    return Counted(tmp_path / "slot")


@pytest.fixture
def bot(tmp_path: Path) -> Counted:
    return Counted(tmp_path / "bot")


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - of this process alone


def test_only_what_came_since_the_last_call_is_told(slot: Counted) -> None:
    assert slot.times.since_last() == Spell(0, 0)
    slot.add(ran_us=3, waited_us=5)
    assert slot.times.since_last() == Spell(3 * US, 5 * US)
    assert slot.times.since_last() == Spell(0, 0)


@pytest.mark.parametrize("content", ["", "5\n", "0 0 0\n", "no numbers at all here"])
def test_where_nothing_is_counted_nothing_is_known(tmp_path: Path, content: str) -> None:
    before = open_files()
    path = tmp_path / "file"
    path.write_text(content)
    times = ThreadTimes(str(path))
    assert not times.is_known
    assert times.since_last() is None
    assert open_files() == before


def test_without_a_file_nothing_is_known(tmp_path: Path) -> None:
    for times in (ThreadTimes(), ThreadTimes(str(tmp_path / "none"))):
        assert not times.is_known
        assert times.since_last() is None
        times.close()


def test_it_is_closed_once(slot: Counted) -> None:
    before = open_files()
    slot.times.close()
    assert open_files() == before - 1
    slot.times.close()
    assert slot.times.since_last() is None


def test_a_turn_is_late_by_what_both_waited_in_it(slot: Counted, bot: Counted) -> None:
    lateness = Lateness(slot.times)
    slot.add(waited_us=1_000)
    bot.add(waited_us=1_000)
    lateness.turn_begins(bot.times)
    slot.add(waited_us=30)
    bot.add(ran_us=900, waited_us=7)
    lateness.turn_ended(bot.times, 2_000 * US)
    assert lateness.of_game == GameLateness(37, 37, 1)


def test_what_the_slot_waited_before_it_ran_in_a_turn_does_not_count(
    slot: Counted, bot: Counted
) -> None:
    lateness = Lateness(slot.times)
    lateness.turn_begins(bot.times)
    slot.add(waited_us=500)
    lateness.slot_ran()
    slot.add(waited_us=4)
    lateness.turn_ended(bot.times, 2_000 * US)
    assert lateness.of_game == GameLateness(4, 4, 1)


def test_a_turn_in_which_the_bot_ran_was_not_late(slot: Counted, bot: Counted) -> None:
    lateness = Lateness(slot.times)
    lateness.turn_begins(bot.times)
    slot.add(waited_us=5_000)  # the bot had the processor of both
    bot.add(ran_us=9_990, waited_us=3)
    lateness.turn_ended(bot.times, 10_000 * US)
    assert lateness.of_game == GameLateness(10, 10, 1)
    bot.add(ran_us=20_000)  # its clock and ours are not the same
    lateness.turn_ended(bot.times, 10_000 * US)
    assert lateness.of_game == GameLateness(0, 10, 2)


def test_both_bots_of_a_game_are_told_together(slot: Counted, bot: Counted, tmp_path: Path) -> None:
    other = Counted(tmp_path / "other")
    lateness = Lateness(slot.times)
    for one in (bot, other):
        lateness.turn_begins(one.times)
    for one, waited_us in ((bot, 100), (other, 300), (bot, 200)):
        one.add(waited_us=waited_us)
        lateness.turn_ended(one.times, 2_000 * US)
    assert lateness.of_game == GameLateness(200, 300, 3)


def test_a_turn_that_no_reading_came_before_is_left_out(slot: Counted, bot: Counted) -> None:
    lateness = Lateness(slot.times)
    bot.add(waited_us=100)  # in games before this one
    lateness.turn_ended(bot.times, 2_000 * US)
    assert lateness.has_long_turns
    assert lateness.of_game is None
    bot.add(waited_us=7)
    lateness.turn_ended(bot.times, 2_000 * US)
    assert lateness.of_game == GameLateness(7, 7, 1)


def test_a_turn_after_quick_ones_is_left_out(slot: Counted, bot: Counted) -> None:
    lateness = Lateness(slot.times)
    lateness.turn_begins(bot.times)
    bot.add(waited_us=100)  # in the quick turns
    lateness.turn_ended(bot.times, 2_000 * US, is_read=False)
    assert lateness.of_game is None
    bot.add(waited_us=7)
    lateness.turn_ended(bot.times, 2_000 * US)
    assert lateness.of_game == GameLateness(7, 7, 1)


def test_a_turn_that_cannot_be_measured_is_left_out(slot: Counted, bot: Counted) -> None:
    lateness = Lateness(slot.times)
    lateness.turn_begins(ThreadTimes())
    lateness.turn_ended(ThreadTimes(), 2_000 * US)
    assert lateness.of_game is None
    unseen = Lateness(ThreadTimes())
    unseen.slot_ran()
    unseen.turn_ended(bot.times, 2_000 * US)
    assert unseen.of_game is None


def test_in_a_sandbox_the_bot_is_the_third_process(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []

    def note(path: str, flags: int) -> int:
        opened.append(path)
        raise FileNotFoundError(path)

    monkeypatch.setattr(os, "open", note)
    ThreadTimes.of_bot((11, 12, 13, 14), Sandbox.BWRAP)
    ThreadTimes.of_bot((11, 12, 13, 14), Sandbox.NONE)
    ThreadTimes.of_bot((11,), None)
    ThreadTimes.of_bot((11, 12), Sandbox.BWRAP)  # not to be seen: nothing is told of the walls
    assert opened == [f"/proc/{process}/schedstat" for process in (13, 11, 11)]
