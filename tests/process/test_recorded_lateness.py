"""Games record how long bots and slot waited for a processor, in turns of some length."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.play.bot_definition import BotDefinition, RestartPolicy, Sandbox
from harness.play.lateness import GameLateness
from harness.play.types import Ask, GameRecord
from harness.process import bot_process
from harness.process.bot_process import BotProcess
from harness.process.greeting import greet
from harness.process.jobs import PairJob, Played
from harness.process.lateness import Lateness, ThreadTimes
from harness.process.meter import SHORT_NS
from harness.process.sandbox import refusal
from harness.process.session import Session
from harness.rules.types import Color
from tests.process.support import MS, Tag, faulty_bot, game_spec
from tests.process.test_lateness import busy, needs_counting

pytestmark = [pytest.mark.process, needs_counting]

COMPUTES_MS = 30
COMPUTING_BOT = f"""
import sys, time
plies = 0
for line in sys.stdin:
    words = line.split()
    if words[0] == "ugi": print("id name busy\\nugiok", flush=True)
    if words[0] == "isready": print("readyok", flush=True)
    if words[0] == "position": plies = len(line.partition(" moves ")[2].split())
    if words[0] == "quit": break
    if words[0] == "go":
        until = time.process_time() + {COMPUTES_MS / 1000}
        while time.process_time() < until: pass
        print("bestmove", ("b1b3", "h4f2", "b3b1", "f2h4")[plies % 4], flush=True)
"""


def play(first: BotDefinition, second: BotDefinition, *, games: int = 1) -> list[GameRecord]:
    """Play games of 12 plies in one slot, with the bots kept."""
    session = Session(0)
    specs = [game_spec(pair=pair, control="move=60") for pair in range(1, games + 1)]
    jobs = [PairJob((spec,), (first, second), (), RestartPolicy.AUTO) for spec in specs]
    try:
        events = [event for job in jobs for event in session.run(job)]
    finally:
        session.close()
    return [event.record for event in events if isinstance(event, Played)]


def open_files() -> list[str]:
    return [str(link.readlink()) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]


def late(record: GameRecord) -> GameLateness | None:
    return GameLateness.of_provenance(record.provenance)


def long_turns(record: GameRecord) -> int:
    return sum(ply.elapsed_ns >= SHORT_NS for ply in record.plies)


def test_turns_of_some_length_are_measured_and_no_others(tag: Tag) -> None:
    bots = faulty_bot("a", "late", 1, tag=tag), faulty_bot("b", "none", tag=tag)
    records = play(*bots, games=3)
    assert len(records) == 3
    for record in records:
        found = late(record)
        assert found is not None
        assert found.turns == long_turns(record) >= 1  # a's first takes a second
        assert found.p99_us < 900_000  # which is its own
    assert not [file for file in open_files() if file.endswith("schedstat")]


def test_where_nothing_is_counted_nothing_is_recorded(
    tag: Tag, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ThreadTimes, "of_this_thread", ThreadTimes)
    (record,) = play(faulty_bot("a", "late", 1, tag=tag), faulty_bot("b", "none", tag=tag))
    assert long_turns(record) >= 1
    assert not any(key.startswith("late") for key in record.provenance)


@pytest.fixture
def one_processor() -> Iterator[int]:
    """Keep this process, and whatever it starts, to one processor."""
    usable = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(usable)})
    yield min(usable)
    os.sched_setaffinity(0, usable)


@pytest.mark.alone
@pytest.mark.parametrize("sandbox", Sandbox)
def test_what_is_charged_to_a_bot_beyond_its_own_time_is_found(
    one_processor: int, tag: Tag, sandbox: Sandbox
) -> None:
    if sandbox is Sandbox.BWRAP and refusal():
        pytest.skip("the machine refuses the sandbox")
    bots = [
        BotDefinition(
            name,
            command=(sys.executable, "-S", "-c", COMPUTING_BOT),
            folder=str(Path.cwd()),
            env=(("LOA_TEST_TAG", tag.value),),
            sandbox=sandbox,
        )
        for name in "ab"
    ]
    with busy(2, one_processor):
        (record,) = play(bots[0], bots[1])
    found = late(record)
    assert found is not None
    assert found.turns == len(record.plies) == 12
    charged = sorted(ply.elapsed_ns for ply in record.plies)
    beyond_us = statistics.median_low(charged) / 1_000 - COMPUTES_MS * MS / 1_000
    assert beyond_us > 10_000  # they had a third of a processor
    assert found.p50_us == pytest.approx(beyond_us, rel=0.3)
    assert found.p99_us <= charged[-1] / 1_000 - COMPUTES_MS * MS / 1_000 + 2_000


class Notes(Lateness):
    """Notes which of its methods are called."""

    def __init__(self) -> None:
        super().__init__(ThreadTimes())
        self.calls: list[str] = []

    def turn_begins(self, bot: ThreadTimes) -> None:
        self.calls.append("begins")

    def slot_ran(self) -> None:
        self.calls.append("ran")

    def turn_ended(self, bot: ThreadTimes, turn_ns: int, *, is_read: bool = True) -> None:
        self.calls.append("ended" if is_read else "ended unread")


def test_quick_turns_cost_no_reading_and_pauses_are_left_out(tag: Tag) -> None:
    bot = BotProcess(faulty_bot("a", "late", 3, tag=tag))
    ask = Ask(Color.BLACK, b"go\n", 5_000 * MS, None)
    notes = Notes()
    try:
        greet(bot)
        bot.begin_count(notes, has_long_turns=True)
        assert notes.calls == ["begins"]
        time.sleep(0.01)
        replies = [bot.ask(ask), bot.ask(ask)]
        quick = [reply.elapsed_ns < SHORT_NS for reply in replies]
        if all(quick):
            assert notes.calls == ["begins", "begins"]
        notes.calls.clear()
        time.sleep(0.15)
        assert bot.ask(ask).elapsed_ns > 900 * MS
    finally:
        bot.kill()
    # The pause was long enough to look at the bot too, as the turn was.
    assert notes.calls[:2] == ["ran", "begins"]
    assert notes.calls[2:-1].count("ran") >= 3
    assert set(notes.calls[2:-1]) == {"ran"}
    assert notes.calls[-1] == "ended"


def test_a_long_turn_says_whether_quick_ones_came_before_it(
    tag: Tag, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = BotProcess(faulty_bot("a", "late", 3, tag=tag))
    notes = Notes()
    try:
        greet(bot)
        bot.begin_count(notes, has_long_turns=False)
        with monkeypatch.context() as patch:
            patch.setattr(bot_process, "SHORT_NS", 10_000 * MS)  # no pause is noticed either
            for _ in range(2):
                bot.ask(Ask(Color.BLACK, b"go\n", 5_000 * MS, None))
        bot._idle_since_ns = time.monotonic_ns()
        bot.ask(Ask(Color.BLACK, b"go\n", 5_000 * MS, None))
    finally:
        bot.kill()
    assert [call for call in notes.calls if call != "ran"] == ["ended unread"]


def test_after_a_game_without_long_turns_none_is_expected(
    tag: Tag, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected: list[bool] = []
    begin_count = BotProcess.begin_count

    def note(bot: BotProcess, lateness: Lateness, *, has_long_turns: bool) -> None:
        expected.append(has_long_turns)
        begin_count(bot, lateness, has_long_turns=has_long_turns)

    monkeypatch.setattr(BotProcess, "begin_count", note)
    late_one, other = faulty_bot("a", "late", 1, tag=tag), faulty_bot("b", "none", tag=tag)
    play(late_one, other, games=2)
    assert expected == [True, True, True, True]
    expected.clear()
    monkeypatch.setattr(bot_process, "SHORT_NS", 10_000 * MS)  # no turn is long
    play(faulty_bot("a", "none", tag=tag), other, games=2)
    assert expected == [True, True, False, False]
