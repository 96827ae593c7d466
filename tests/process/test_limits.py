"""Memory, processes and processor time of a bot's processes: limits hold, numbers are right."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness.play.bot_definition import Pondering
from harness.play.types import BotUsage, Cause, GameRecord
from harness.process.jobs import StartFailed, Voided
from harness.rules.types import Color
from tests.process.support import (
    MS,
    Tag,
    faulty_bot,
    local_executor,
    pair_job,
    play_jobs,
    records_of,
    unruly_bot,
    wait_for,
)

pytestmark = pytest.mark.process

MIB = 1024 * 1024
LIMIT_MB = 150
MAX_PROCESSES = 24
BURNT_MS = 40
TURNS = 4


@pytest.fixture
def tag() -> Iterator[Tag]:
    tag = Tag()
    yield tag
    tag.assert_nothing_left()


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
    """Return the usage of a bot in four turns, its opponent sleeps 160 ms a turn."""
    bot = unruly_bot("bot", mode, BURNT_MS, tag=tag, pondering=pondering)
    other = unruly_bot("other", "sleep-on-turn", 4 * BURNT_MS, tag=tag)
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
    total_ns = usage.cpu_on_turn_ns + usage.cpu_off_turn_ns
    assert 0.8 < total_ns / (TURNS * BURNT_MS * MS) < 1.5
    share_on_turn = usage.cpu_on_turn_ns / total_ns
    assert share_on_turn > 0.8 if mode in ON_TURN else share_on_turn < 0.2


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
        # Being stopped is no time of theirs: "a" needs the 30 ms that it burns, "b" next to none.
        for ply, color in zip(record.plies, [Color.BLACK, Color.WHITE] * 6, strict=True):
            is_burning = record.spec.player(color).name == "a"
            assert (ply.elapsed_ns > 25 * MS) is is_burning or ply.elapsed_ns < 500 * MS
        assert record.provenance["kept-bots"] in (0, 2)
