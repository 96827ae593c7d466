"""Two bots of a game are watched together: what one does out of turn disturbs nobody's turn."""

from __future__ import annotations

import gc
import os
import select
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness.play.bot_definition import BotDefinition
from harness.play.types import Answer, Ask, Exited, Reply
from harness.process import bot_process
from harness.process.bot_process import BotProcess
from harness.process.journal import Journal
from harness.rules.types import Color
from tests.process.support import Tag

BUDGET_NS = 20_000_000_000
FEW_WAITS = 20
"""A turn here takes some 0.3 s, with a look every 0.1 s; who is woken all the time waits more."""

pytestmark = pytest.mark.process


@pytest.fixture(params=[1, 2], autouse=True)
def processors(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Have the slot believe that it and its bots share one processor, or do not."""
    count: int = request.param
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(count)))
    return count


class CountedPoll:
    """A poll that counts how often it was waited for."""

    def __init__(self, poll: select.epoll) -> None:
        self._poll = poll
        self.register = poll.register
        self.unregister = poll.unregister
        self.waits = 0

    def poll(self, timeout: float, most: int) -> list[tuple[int, int]]:
        self.waits += 1
        return self._poll.poll(timeout, most)


@contextmanager
def shells(tag: Tag) -> Iterator[tuple[BotProcess, BotProcess, CountedPoll]]:
    """Start two bots that do what a request says, and watch them together."""
    program = ("/bin/sh", "-c", 'while read -r line; do eval "$line"; done')
    bots: list[BotProcess] = []
    try:
        for name in ("a", "b"):
            definition = BotDefinition(name, command=program, env=(("LOA_TEST_TAG", tag.value),))
            bots.append(BotProcess(definition))
        first, second = bots
        first.watch(second)
        poll = CountedPoll(first.pipes.poll)
        for bot in bots:
            bot.begin_game(Journal())
            bot.pipes.poll = poll  # type: ignore[assignment]
        yield first, second, poll
    finally:
        for bot in bots:
            bot.kill()
        tag.assert_nothing_left()


def ask(bot: BotProcess, script: str, repeat: bytes | None = None) -> Reply:
    return bot.ask(Ask(Color.BLACK, script.encode() + b"\n", BUDGET_NS, repeat))


def line_of(reply: Reply) -> bytes:
    assert isinstance(reply, Answer), reply
    return reply.line


def test_what_is_written_in_the_turn_of_the_other_is_no_answer(tag: Tag) -> None:
    with shells(tag) as (first, second, _):
        late = "(sleep 0.1; echo bestmove b1b3) &"
        assert line_of(ask(first, f"echo bestmove a1a2; {late}")) == b"bestmove a1a2"
        assert line_of(ask(second, "sleep 0.3; echo bestmove c1c2")) == b"bestmove c1c2"
        assert line_of(ask(first, "echo bestmove d1d2")) == b"bestmove d1d2"


def test_what_was_written_before_the_turn_of_the_other_is_no_answer(tag: Tag) -> None:
    with shells(tag) as (first, second, _):
        ask(first, "echo bestmove a1a2; (sleep 0.1; echo bestmove b1b3) &")
        time.sleep(0.3)  # both bots have written when it is waited for the second
        with pytest.MonkeyPatch.context() as patch:
            write = second.pipes.write

            def write_slowly(request: bytes) -> bytes:
                rest = write(request)
                time.sleep(0.2)
                return rest

            patch.setattr(second.pipes, "write", write_slowly)
            assert line_of(ask(second, "echo bestmove c1c2")) == b"bestmove c1c2"
        # At once: no pause in which it would be dropped anyway.
        first._idle_since_ns = time.monotonic_ns()
        assert line_of(ask(first, "sleep 0.1; echo bestmove d1d2")) == b"bestmove d1d2"


def test_what_is_written_after_the_answer_of_the_other_is_no_answer(
    tag: Tag, processors: int
) -> None:
    if processors == 1:
        pytest.skip("where bot and slot share a processor it cannot be written then")
    with shells(tag) as (first, second, _):
        ask(first, "echo bestmove a1a2; (sleep 0.2; echo bestmove b1b3) &")
        ask(second, "echo bestmove c1c2")
        time.sleep(0.4)
        first._idle_since_ns = time.monotonic_ns()  # as if it had been a moment
        assert line_of(ask(first, "sleep 0.1; echo bestmove d1d2")) == b"bestmove d1d2"


def test_on_one_processor_nothing_is_looked_at_before_a_request(tag: Tag, processors: int) -> None:
    with shells(tag) as (first, second, _):
        for bot in (first, second, first):
            ask(bot, "echo bestmove a1a2")
        assert first.pipes.needs_begin == (processors == 2)


def test_a_flood_out_of_turn_wakes_nobody(tag: Tag) -> None:
    with shells(tag) as (first, second, poll):
        ask(first, "echo bestmove a1a2; yes &")
        poll.waits = 0
        assert line_of(ask(second, "sleep 0.3; echo bestmove c1c2")) == b"bestmove c1c2"
        assert poll.waits <= FEW_WAITS


def test_an_end_out_of_turn_wakes_nobody_and_is_found_at_the_next_request(tag: Tag) -> None:
    with shells(tag) as (first, second, poll):
        # What it leaves holds its output open: only the end of its process says that it is gone.
        ask(first, "sleep 30 & echo bestmove a1a2; sleep 0.1; exit 3")
        poll.waits = 0
        assert line_of(ask(second, "sleep 0.4; echo bestmove c1c2")) == b"bestmove c1c2"
        assert poll.waits <= FEW_WAITS
        reply = ask(first, "echo bestmove d1d2")
        assert isinstance(reply, Exited)
        assert "code 3" in reply.how


def test_a_closed_stderr_of_the_other_wakes_nobody(tag: Tag) -> None:
    with shells(tag) as (first, second, poll):
        ask(first, "echo bestmove a1a2; exec 2>&-")
        poll.waits = 0
        assert line_of(ask(second, "sleep 0.3; echo bestmove c1c2")) == b"bestmove c1c2"
        assert poll.waits <= FEW_WAITS


def test_a_request_that_was_answered_before_its_end_wakes_nobody_later(tag: Tag) -> None:
    with shells(tag) as (first, second, poll):
        much = "\n:" * 200_000
        ask(first, f"echo bestmove a1a2; sleep 0.1{much}")
        poll.waits = 0
        assert line_of(ask(second, "sleep 0.4; echo bestmove c1c2")) == b"bestmove c1c2"
        assert poll.waits <= FEW_WAITS


def test_a_repeat_of_the_last_answer_is_no_new_one_however_quick(
    tag: Tag, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_process, "SHORT_NS", BUDGET_NS)  # every answer is quick
    with shells(tag) as (first, _, _):
        twice = "echo bestmove b1b3; sleep 0.1; echo bestmove c1c3"
        assert line_of(ask(first, twice, repeat=b"bestmove b1b3")) == b"bestmove c1c3"
        assert line_of(ask(first, twice, repeat=b"bestmove d1d3")) == b"bestmove b1b3"


def test_half_a_line_of_one_turn_is_no_part_of_the_next(tag: Tag) -> None:
    with shells(tag) as (first, _, _):
        ask(first, r"printf 'bestmove b1b3\nhalf'")
        reply = ask(first, r"printf 'info depth 1\nbestmove c1c3\n'")
        assert isinstance(reply, Answer)
        assert (reply.line, reply.info) == (b"bestmove c1c3", b"info depth 1")


def test_bots_that_are_gone_hold_no_descriptor(tag: Tag) -> None:
    """Without a collection of garbage: a slot starts thousands of bots."""
    gc.disable()
    try:
        with shells(tag) as (first, second, _):
            pass
        del first, second
        before = len(list(Path("/proc/self/fd").iterdir()))
        for _ in range(5):
            with shells(tag) as (first, second, _):
                first.kill()
                second.watch(None)
            del first, second
        assert len(list(Path("/proc/self/fd").iterdir())) == before
    finally:
        gc.enable()


def test_stderr_of_both_is_read_in_every_turn(tag: Tag) -> None:
    with shells(tag) as (first, second, _):
        # More than a pipe holds: who is not read would never come to its answer.
        ask(first, "echo bestmove a1a2; (yes problem | head -c 300000 >&2; echo read >&2) &")
        assert line_of(ask(second, "sleep 0.5; echo bestmove c1c2")) == b"bestmove c1c2"
        assert first.errors_text.endswith("read\n")


def test_a_bot_that_is_watched_with_another_from_now_on_is_watched_anew(tag: Tag) -> None:
    with shells(tag) as (first, second, _), shells(Tag()) as (third, _, _):
        first.watch(third)
        assert first.is_watching(third)
        assert third.is_watching(first)
        assert not second.is_watching(first)
        second.watch(None)
        assert line_of(ask(second, "echo bestmove a1a2")) == b"bestmove a1a2"
        first.kill()
        third.watch(None)
        assert line_of(ask(third, "echo bestmove c1c2")) == b"bestmove c1c2"
