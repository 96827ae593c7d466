"""Memory, processes and processor time of a bot's processes: limits hold, numbers are right."""

from __future__ import annotations

import os
import select
import time
from contextlib import closing
from dataclasses import replace
from typing import cast

import pytest

from harness.execution import local
from harness.execution.local import LocalExecutor
from harness.play.bot_definition import Pondering, Sandbox
from harness.play.types import Answer, Ask, BotUsage, Cause, Exited, GameRecord, TimedOut
from harness.process import lookout
from harness.process.bot_process import BotProcess
from harness.process.containment import Containment
from harness.process.jobs import StartFailed, Voided
from harness.process.pipes import AttemptLost
from harness.process.sandbox import refusal
from harness.rules.types import Color
from tests.process.support import (
    MS,
    UNRULY_BOT,
    Tag,
    faulty_bot,
    local_executor,
    pair_job,
    play_jobs,
    records_of,
    unruly_bot,
    wait_for,
)

pytestmark = [pytest.mark.process, pytest.mark.alone]

MIB = 1024 * 1024
LIMIT_MB = 150
MAX_PROCESSES = 24
BURNT_MS = 40
TURNS = 4


def run_of(record: GameRecord, bot: str) -> BotUsage:
    return record.black.usage if record.spec.black.name == bot else record.white.usage


@pytest.mark.parametrize(
    "mode",
    [  # in test_faults as well, among others
        "allocate-in-many",
        pytest.param("allocate", marks=pytest.mark.slow),
        pytest.param("allocate-in-a-child", marks=pytest.mark.slow),
        pytest.param("allocate-shared", marks=pytest.mark.slow),
    ],
)
def test_memory_without_end_is_a_crash_that_says_so(mode: str, tag: Tag) -> None:
    bad = unruly_bot("bad", mode, 2, tag=tag, memory_mb=LIMIT_MB)
    with local_executor() as executor:
        events = play_jobs(
            executor, pair_job(bad, unruly_bot("good", "none", tag=tag), control="move=20")
        )
    records = records_of(events)
    assert [record.outcome.cause for record in records] == [Cause.CRASH] * 2
    assert [record.outcome.winner for record in records] == [Color.WHITE, Color.BLACK]
    for record in records:
        assert "of memory, its limit is 150 MB" in record.outcome.detail
        assert run_of(record, "bad").peak_memory_bytes > 100 * MIB
        assert run_of(record, "good").peak_memory_bytes < 100 * MIB


def test_what_children_share_is_counted_once(tag: Tag) -> None:
    """Ten children of a bot of 40 MB hold 40 MB together, not 440."""
    many = unruly_bot("many", "share-with-children", 2, tag=tag, memory_mb=LIMIT_MB)
    with local_executor() as executor:
        events = play_jobs(executor, pair_job(many, unruly_bot("good", "none", tag=tag)))
    assert [record.outcome.cause for record in records_of(events)] == [Cause.MAX_PLIES] * 2


def test_the_first_game_knows_what_a_bot_needs(tag: Tag) -> None:
    """However short it is: a look at the launch alone would see next to nothing."""
    with local_executor() as executor:
        one, two = (unruly_bot(name, "none", tag=tag) for name in ("one", "two"))
        (record,) = records_of(play_jobs(executor, pair_job(one, two, legs="a")))
    for run in (record.black, record.white):
        assert 6 * MIB < run.usage.peak_memory_bytes < 100 * MIB


@pytest.mark.parametrize("mode", ["fork-and-leave", pytest.param("fork", marks=pytest.mark.slow)])
def test_processes_without_end_are_a_crash_that_says_so(mode: str, tag: Tag) -> None:
    bad = unruly_bot("bad", mode, 2, tag=tag, processes=MAX_PROCESSES)
    with local_executor() as executor:
        events = play_jobs(
            executor,
            pair_job(bad, unruly_bot("good", "none", tag=tag), legs="a", control="move=20"),
        )
        # The bomb is over and the slot is in order, before anything else is asked of it.
        wait_for(lambda: len(tag.processes()) == 1)
    (record,) = records_of(events)
    assert (record.outcome.cause, record.outcome.winner) == (Cause.CRASH, Color.WHITE)
    assert record.outcome.detail == "had more than 24 processes, which is its limit"


def test_memory_off_turn_is_the_same(tag: Tag) -> None:
    """A bot that allocates while its opponent thinks is ended then, and loses at its turn."""
    bad = unruly_bot("bad", "allocate-off-turn", 1, tag=tag, memory_mb=LIMIT_MB)
    slow = faulty_bot("slow", "late", 1, tag=tag)
    with local_executor() as executor:
        events = play_jobs(executor, pair_job(bad, slow, legs="a", control="move=20"))
    (record,) = records_of(events)
    assert (record.outcome.cause, record.outcome.winner) == (Cause.CRASH, Color.WHITE)
    assert len(record.plies) == 2


def test_memory_between_games_sets_nobody_back(tag: Tag) -> None:
    """A kept bot that allocates while its slot waits is ended there, and started again."""
    bad = unruly_bot("bad", "allocate-off-turn", 6, tag=tag, memory_mb=LIMIT_MB)
    good = unruly_bot("good", "none", tag=tag)
    with local_executor() as executor:
        events = play_jobs(executor, pair_job(bad, good, legs="a"))
        wait_for(lambda: len(tag.processes()) == 1)
        events += play_jobs(executor, pair_job(bad, good, legs="a", pair=2))
    assert [record.outcome.cause for record in records_of(events)] == [Cause.MAX_PLIES] * 2
    (void,) = [event for event in events if isinstance(event, Voided)]
    assert void.bot == "bad"
    assert void.why.startswith("used ")
    assert not any(isinstance(event, StartFailed) for event in events)


def usage_of(mode: str, tag: Tag, pondering: Pondering | None = None) -> BotUsage:
    """Return the usage of a bot in four turns, its opponent sleeps 320 ms a turn."""
    bot = unruly_bot("bot", mode, BURNT_MS, tag=tag, pondering=pondering)
    other = unruly_bot("other", "sleep-on-turn", 8 * BURNT_MS, tag=tag)
    with local_executor() as executor:
        job = pair_job(bot, other, legs="a", control="move=20", max_plies=2 * TURNS)
        (record,) = records_of(play_jobs(executor, job))
    assert record.outcome.cause is Cause.MAX_PLIES
    assert len(record.plies) == 2 * TURNS
    other_usage = run_of(record, "other")
    assert other_usage.cpu_on_turn_ns + other_usage.cpu_off_turn_ns < TURNS * BURNT_MS * MS / 4
    return run_of(record, "bot")


ON_TURN = ["burn-on-turn", "burn-on-turn-in-a-child", "burn-on-turn-in-short-children"]
OFF_TURN = ["burn-off-turn", "burn-off-turn-in-a-child", "burn-off-turn-in-a-thread"]


@pytest.mark.parametrize("mode", ON_TURN + OFF_TURN)
def test_processor_time_is_told_apart(mode: str, tag: Tag) -> None:
    usage = usage_of(mode, tag)
    # It burns a share of a processor's time, however quick that is.
    more_ns, less_ns = usage.cpu_on_turn_ns, usage.cpu_off_turn_ns
    if mode in OFF_TURN:
        more_ns, less_ns = less_ns, more_ns
    assert more_ns > 0.8 * TURNS * BURNT_MS * MS
    assert less_ns < more_ns / 2


@pytest.mark.parametrize("level", [Containment.PID_NAMESPACE, Containment.SUBREAPER])
@pytest.mark.skipif(bool(refusal()), reason="this machine refuses the sandbox")
def test_an_idle_bot_in_the_sandbox_is_not_accused_in_its_first_game(
    level: Containment, tag: Tag
) -> None:
    """Starting Python takes 10 ms at least, of which nothing is told apart before the game."""
    bots = [
        replace(unruly_bot(name, mode, 30, tag=tag), sandbox=Sandbox.BWRAP)
        for name, mode in (("idle", "none"), ("other", "sleep-on-turn"))
    ]
    bots = [replace(bot, folder=str(UNRULY_BOT.parent)) for bot in bots]
    with local_executor([level]) as executor:
        job = pair_job(*bots, legs="a", control="move=20", max_plies=4)
        (record,) = records_of(play_jobs(executor, job))
    assert record.outcome.cause is Cause.MAX_PLIES
    for run in (record.black, record.white):
        assert run.usage.cpu_off_turn_ns < 5 * MS


def test_suspended_bots_are_not_woken_with_their_worker(
    tag: Tag, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there is no namespace, bots are children of the worker as that would be of its own."""
    monkeypatch.setattr(local, "_STOPPED_SECONDS", 0.2)
    bot = unruly_bot("bot", "burn-off-turn", 800, tag=tag, pondering=Pondering.SUSPEND)
    other = unruly_bot("other", "sleep-on-turn", 1500, tag=tag)
    with local_executor([Containment.SUBREAPER]) as executor:
        job = pair_job(bot, other, legs="a", control="move=20", max_plies=4)
        (record,) = records_of(play_jobs(executor, job))
    assert record.black.usage.cpu_off_turn_ns < 20 * MS


def test_a_bot_that_is_ended_in_its_opponents_last_turn_is_not_kept(tag: Tag) -> None:
    bad = unruly_bot("bad", "allocate-off-turn", 2, tag=tag, memory_mb=LIMIT_MB)
    slow = faulty_bot("slow", "late", 2, tag=tag)
    with local_executor() as executor:
        events = play_jobs(executor, pair_job(bad, slow, control="move=20", max_plies=4))
    first, second = records_of(events)
    assert first.outcome.cause is Cause.MAX_PLIES
    assert second.provenance["kept-bots"] == 1
    assert not any(isinstance(event, Voided) for event in events)


@pytest.mark.parametrize("is_pinned", [False, True])
def test_a_crowd_of_threads_does_not_save_a_bot_from_its_loss(is_pinned: bool, tag: Tag) -> None:
    bad = unruly_bot("bad", "burn-many-threads", 1, tag=tag)
    processors = [sorted(os.sched_getaffinity(0))[:1]] if is_pinned else ()
    with closing(LocalExecutor(1, processors=processors)) as executor:
        events = play_jobs(executor, pair_job(bad, unruly_bot("good", "none", tag=tag)))
    for record, winner in zip(records_of(events), (Color.WHITE, Color.BLACK), strict=True):
        assert record.outcome.cause in (Cause.TIME, Cause.CRASH), record.outcome
        assert record.outcome.winner is winner
        if record.outcome.cause is Cause.CRASH:
            assert "kept its slot from the processor" in record.outcome.detail


class LatePoll:
    """A poll after which this process had to wait for a processor."""

    def __init__(self, inner: select.epoll) -> None:
        self._inner = inner
        self.delayed_ns = 0

    def poll(self, seconds: float, most: int) -> list[tuple[int, int]]:
        ready = self._inner.poll(seconds, most)
        time.sleep(0.06)
        self.delayed_ns += 60 * MS
        return ready

    def unregister(self, fd: int) -> None:
        self._inner.unregister(fd)

    def close(self) -> None:
        self._inner.close()


@pytest.mark.parametrize(
    ("mode", "is_guilty"), [("burn-many-threads", True), ("burn-on-turn", False)]
)
def test_a_crowd_answers_for_a_short_stall_and_a_thinking_bot_does_not(
    mode: str, is_guilty: bool, tag: Tag, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = 1 if is_guilty else 10_000
    bot = BotProcess(unruly_bot("bot", mode, turn, tag=tag))
    try:
        bot.converse(b"ugi\n", b"ugiok", 20_000)
        late = LatePoll(bot.pipes.poll)
        bot.pipes.poll = cast("select.epoll", late)
        monkeypatch.setattr(lookout, "run_delay_ns", lambda: late.delayed_ns)
        ask = Ask(Color.BLACK, b"position startpos\ngo\n", 500 * MS, None)
        if is_guilty:
            reply = bot.ask(ask)
            assert isinstance(reply, Exited)
            assert reply.how.startswith("kept its slot from the processor")
        else:
            with pytest.raises(AttemptLost):
                bot.ask(ask)
    finally:
        bot.kill()


def test_a_stall_by_the_opponents_crowd_is_not_the_time_of_the_asked_bot(
    tag: Tag, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = BotProcess(faulty_bot("asked", "late", 1, tag=tag))
    crowd = BotProcess(unruly_bot("crowd", "burn-many-threads", 1, tag=tag))
    try:
        for bot in (asked, crowd):
            bot.converse(b"ugi\n", b"ugiok", 20_000)
        request = b"position startpos\ngo\n"
        assert isinstance(crowd.ask(Ask(Color.BLACK, request, 200 * MS, None)), TimedOut)
        asked.watch(crowd)
        late = LatePoll(asked.pipes.poll)
        asked.pipes.poll = cast("select.epoll", late)
        monkeypatch.setattr(lookout, "run_delay_ns", lambda: late.delayed_ns)
        # It needs 1 s: what is beyond the half is excused, wait by wait.
        reply = asked.ask(Ask(Color.BLACK, request, 500 * MS, None))
    finally:
        asked.kill()
        crowd.kill()
    assert isinstance(reply, Answer)
    assert crowd.guard.condemned.startswith("kept its slot from the processor")
    assert not asked.guard.condemned


def test_looking_is_not_the_time_of_the_bot(tag: Tag) -> None:
    looked_ns = 0

    def keep_house() -> None:
        nonlocal looked_ns
        begun_ns = time.monotonic_ns()
        time.sleep(0.03)
        looked_ns += time.monotonic_ns() - begun_ns

    bot = BotProcess(faulty_bot("late", "late", 1, tag=tag), housekeeping=keep_house)
    try:
        bot.converse(b"ugi\n", b"ugiok", 20_000)
        looked_ns = 0
        begun_ns = time.monotonic_ns()
        reply = bot.ask(Ask(Color.BLACK, b"position startpos\ngo\n", 20_000 * MS, None))
        taken_ns = time.monotonic_ns() - begun_ns
    finally:
        bot.kill()
    assert isinstance(reply, Answer)
    assert looked_ns >= 90 * MS
    assert taken_ns - reply.elapsed_ns >= looked_ns


@pytest.mark.parametrize(
    "mode",
    [*OFF_TURN[1:], pytest.param(OFF_TURN[0], marks=pytest.mark.slow)],
)
def test_a_suspended_bot_computes_on_its_turns_only(mode: str, tag: Tag) -> None:
    usage = usage_of(mode, tag, Pondering.SUSPEND)
    assert usage.cpu_off_turn_ns < TURNS * BURNT_MS * MS / 10


def test_a_suspended_bot_plays_on_time_and_leaves_politely(tag: Tag) -> None:
    bots = [
        unruly_bot(name, mode, 30, tag=tag, pondering=Pondering.SUSPEND)
        for name, mode in (("a", "burn-on-turn"), ("b", "burn-off-turn-in-a-thread"))
    ]
    with local_executor() as executor:
        records = records_of(play_jobs(executor, pair_job(*bots), pair_job(*bots, pair=2)))
    assert [record.outcome.cause for record in records] == [Cause.MAX_PLIES] * 4
    for record in records:
        # "a" needs the 30 ms that it burns on its turns, "b" is stopped while it burns off them.
        for ply, color in zip(record.plies, [Color.BLACK, Color.WHITE] * 6, strict=True):
            assert ply.elapsed_ns > 25 * MS or record.spec.player(color).name == "b"
        assert record.provenance["kept-bots"] in (0, 2)
