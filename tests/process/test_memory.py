"""What a bot writes costs the harness no memory: peaks of workers, and bounds of what is kept."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from harness.play.bot_definition import BotDefinition
from harness.play.types import Cause
from harness.process.journal import TRANSCRIPT_BYTES, Journal
from harness.process.lines import MAX_LINE_BYTES, LineSplitter
from harness.process.tail import Tail
from tests.process.support import (
    Tag,
    faulty_bot,
    is_worker,
    local_executor,
    pair_job,
    peak_bytes,
    play_jobs,
    processes_below,
    records_of,
)

MIB = 1024 * 1024
MAX_GROWTH_BYTES = 150 * MIB
MAX_LOG_BYTES = 1 * MIB
TALKERS = {
    "long-line": Cause.MAX_PLIES,
    "many-infos": Cause.MAX_PLIES,
    "many-options": Cause.MAX_PLIES,
    "stderr": Cause.MAX_PLIES,
    "newlines": Cause.MAX_PLIES,
    "small-writes": Cause.MAX_PLIES,
    "flood-lines": Cause.OUTPUT_OVERFLOW,
    "flood-bytes": Cause.OUTPUT_OVERFLOW,
}


@pytest.mark.process
@pytest.mark.parametrize("has_transcript", [False, True])
def test_a_worker_stays_small_whatever_bots_write(has_transcript: bool, tag: Tag) -> None:
    good = faulty_bot("good", "none", tag=tag)

    def play(bot: BotDefinition) -> tuple[list[Cause], int]:
        job = pair_job(bot, good, control="move=20")
        records = records_of(play_jobs(executor, replace(job, has_transcript=has_transcript)))
        return [record.outcome.cause for record in records], max(len(one.log) for one in records)

    with local_executor() as executor:
        play(faulty_bot("sound", "none", tag=tag))
        (worker,) = [one for one in processes_below(os.getpid()) if is_worker(one)][-1:]
        own_before, before = peak_bytes(os.getpid()), peak_bytes(worker)
        for mode, cause in TALKERS.items():
            causes, log_bytes = play(faulty_bot(mode, mode, 2, tag=tag))
            assert causes == [cause] * 2, mode
            assert log_bytes < (3 * TRANSCRIPT_BYTES if has_transcript else MAX_LOG_BYTES), mode
            assert 0 < peak_bytes(worker) - before < MAX_GROWTH_BYTES, mode
        assert peak_bytes(os.getpid()) - own_before < MAX_GROWTH_BYTES


@pytest.mark.parametrize("text", [b"\n", b"\r", b"x", b"\xff" * 5000, b"\n" * 5000])
@pytest.mark.parametrize("is_whole", [False, True])
def test_a_journal_is_bounded_whatever_stands_in_it(text: bytes, is_whole: bool) -> None:
    journal = Journal(is_whole=is_whole)
    for _ in range(200_000 if len(text) < 10 else 2_000):
        journal.add((0, "bot", "<", text))
    # A byte that is no text becomes a letter of three bytes.
    assert len(journal.text()) < (TRANSCRIPT_BYTES if is_whole else MAX_LOG_BYTES)


def test_a_journal_says_that_it_was_cut() -> None:
    journal = Journal(is_whole=True)
    for _ in range(100):
        journal.add((0, "bot", "<", b"x" * 64 * 1024))
    first, *_, last = journal.text().splitlines()
    assert first.endswith("x" * 100 + " [no newline]")
    assert last == "[37 later entries are cut]"


def test_a_line_without_end_is_not_kept() -> None:
    splitter = LineSplitter()
    for _ in range(100):
        assert splitter.feed(b"y" * 65536) == []
        assert len(splitter._partial) <= MAX_LINE_BYTES + 1
    assert splitter.feed(b"\nbestmove a1a2\n") == [b"bestmove a1a2"]


def test_a_tail_keeps_the_end() -> None:
    tail = Tail(10)
    for number in range(100):
        tail.write(b"%d\n" % number)
    assert tail.text() == "6\n97\n98\n99\n"[-10:]
