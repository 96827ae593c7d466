"""Whole games with real processes that misbehave: the right cause, and nothing left behind."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from harness.play.bot_definition import BotDefinition, BotLimits, RestartPolicy
from harness.play.types import Answer, Ask, Cause
from harness.process.bot_process import BotProcess
from harness.process.jobs import (
    Greeted,
    GreetJob,
    PairJob,
    Played,
    SessionEvent,
    Started,
    StartFailed,
    Voided,
)
from harness.process.session import Session
from harness.rules.types import Color, RuleSet
from tests.process.support import MS, Tag, faulty_bot, game_spec

pytestmark = pytest.mark.process

FOLDER = Path(__file__).parent.parent.parent


def play_pair(
    *bots: BotDefinition,
    games: int = 1,
    restart: RestartPolicy = RestartPolicy.AUTO,
    control: str = "move=0.5",
    pairs: int = 1,
    has_transcript: bool = False,
) -> list[SessionEvent]:
    first, second = bots
    session = Session(0)
    events: list[SessionEvent] = []
    try:
        for pair in range(1, pairs + 1):
            specs = (
                game_spec(first.name, second.name, pair=pair, control=control),
                game_spec(second.name, first.name, leg="b", pair=pair, control=control),
            )
            job = PairJob(
                specs[:games], (first, second), (), restart, has_transcript=has_transcript
            )
            events += session.run(job)
    finally:
        session.close()
    return events


def results(events: list[SessionEvent]) -> list[tuple[Cause, Color | None]]:
    return [
        (event.record.outcome.cause, event.record.outcome.winner)
        for event in events
        if isinstance(event, Played)
    ]


def greeted(job: GreetJob) -> SessionEvent:
    session = Session(0)
    try:
        (event,) = session.run(job)
    finally:
        session.close()
    return event


HARMLESS = ["twice", "twice-slowly", "long-line", "many-infos", "noise", "stderr", "crlf"]
FATAL = [
    ("exit", Cause.CRASH),
    ("segfault", Cause.CRASH),
    ("traceback", Cause.CRASH),
    ("close-output", Cause.CRASH),
    ("grandchild-and-exit", Cause.CRASH),
    ("silent", Cause.TIME),
    ("late", Cause.TIME),
    ("no-newline", Cause.TIME),
    ("chatter", Cause.TIME),
    ("flood-lines", Cause.OUTPUT_OVERFLOW),
    ("flood-bytes", Cause.OUTPUT_OVERFLOW),
    ("illegal", Cause.ILLEGAL_MOVE),
    ("malformed", Cause.MALFORMED_REPLY),
    ("empty", Cause.MALFORMED_REPLY),
    ("resign", Cause.RESIGNATION),
]


@pytest.mark.parametrize(("mode", "cause"), FATAL)
def test_a_fault_has_its_cause_and_loses(mode: str, cause: Cause, tag: Tag) -> None:
    control = "move=10" if "flood" in mode else "move=0.2"
    faulty = faulty_bot("faulty", mode, 2, tag=tag)
    events = play_pair(faulty, faulty_bot("sound", "none", tag=tag), games=2, control=control)
    # Leg b swaps colours and needs a new process of the bot that was killed.
    assert results(events) == [(cause, Color.WHITE), (cause, Color.BLACK)]
    assert not [event for event in events if isinstance(event, Voided | StartFailed)]


@pytest.mark.parametrize("mode", HARMLESS)
def test_bad_manners_lose_nothing(mode: str, tag: Tag) -> None:
    events = play_pair(
        faulty_bot("rude", mode, 2, tag=tag),
        faulty_bot("sound", "none", tag=tag),
        games=2,
        control="move=2",
    )
    assert results(events) == [(Cause.MAX_PLIES, None)] * 2


def test_a_repeat_alone_is_an_illegal_move(tag: Tag) -> None:
    events = play_pair(
        faulty_bot("rude", "repeat-only", 2, tag=tag), faulty_bot("sound", "none", tag=tag)
    )
    assert results(events) == [(Cause.ILLEGAL_MOVE, Color.WHITE)]


def test_an_answer_before_the_end_counts(tag: Tag) -> None:
    events = play_pair(
        faulty_bot("hasty", "answer-and-exit", 2, tag=tag), faulty_bot("sound", "none", tag=tag)
    )
    assert results(events) == [(Cause.CRASH, Color.WHITE)]
    record = next(event.record for event in events if isinstance(event, Played))
    assert len(record.plies) == 4
    assert record.outcome.detail == "exited with code 0"


def test_the_last_words_are_kept(tag: Tag) -> None:
    events = play_pair(
        faulty_bot("faulty", "traceback", 2, tag=tag), faulty_bot("sound", "none", tag=tag)
    )
    record = next(event.record for event in events if isinstance(event, Played))
    assert "RuntimeError: no idea" in record.black.stderr
    assert record.white.stderr == ""
    assert record.outcome.detail == "exited with code 1"


def test_stderr_is_kept_as_a_bounded_tail(tag: Tag) -> None:
    events = play_pair(
        faulty_bot("loud", "stderr", 6, tag=tag),
        faulty_bot("sound", "none", tag=tag),
        control="move=2",
    )
    record = next(event.record for event in events if isinstance(event, Played))
    assert len(record.black.stderr) <= 8192
    assert record.black.stderr.endswith("the last words\n")


def test_what_a_bot_says_at_its_start_belongs_to_its_first_game(tag: Tag) -> None:
    events = play_pair(
        faulty_bot("wordy", "start-words", tag=tag),
        faulty_bot("sound", "none", tag=tag),
        games=2,
        has_transcript=True,
    )
    first, second = [event.record for event in events if isinstance(event, Played)]
    assert first.black.stderr == "loading the book\n"
    assert first.white.stderr == second.black.stderr == second.white.stderr == ""
    for name in ("wordy", "sound"):
        for line in (f"{name} > ugi", f"{name} < id name faulty", f"{name} < ugiok"):
            assert first.log.count(f" {line}\n") == 1
    assert "ugiok" not in second.log
    at = [float(line.split()[0]) for line in first.log.splitlines()]
    assert at == sorted(at)
    assert at[0] >= 0


def test_a_bot_that_was_started_in_vain_tells_its_start_in_the_game_that_is_played(
    tag: Tag, tmp_path: Path
) -> None:
    wordy = faulty_bot("wordy", "start-words", tag=tag)
    failing = faulty_bot("failing", "start-every-third-fails", tag=tag)
    counter = ("LOA_TEST_COUNTER", str(tmp_path / "starts"))
    (tmp_path / "starts").write_text("2")
    events = play_pair(wordy, replace(failing, env=(*failing.env, counter)), has_transcript=True)
    assert [event.bot for event in events if isinstance(event, Voided)] == ["failing"]
    (record,) = [event.record for event in events if isinstance(event, Played)]
    assert record.black.stderr == "loading the book\n"
    assert record.log.count(" wordy < ugiok\n") == 1


def test_a_transcript_shows_lines_however_they_were_written(tag: Tag) -> None:
    events = play_pair(
        faulty_bot("slow", "pieces", 1, tag=tag),
        faulty_bot("sound", "none", tag=tag),
        control="move=5",
        has_transcript=True,
    )
    (record,) = [event.record for event in events if isinstance(event, Played)]
    said = [line.split(maxsplit=1)[1] for line in record.log.splitlines()]
    assert "slow < info depth 1" in said
    assert said.count("slow < bestmove b1b3") >= 1
    assert all(line.split(" ", 2)[2] for line in said)


def test_what_is_written_while_the_slot_looks_answers_no_request(tag: Tag) -> None:
    """The second copy comes 20 ms after the first, the look before the next request takes 60."""
    is_slow = False

    def keep_house() -> None:
        if is_slow:
            time.sleep(0.06)

    bot = BotProcess(faulty_bot("rude", "twice-slowly", 1, tag=tag), housekeeping=keep_house)
    try:
        bot.converse(b"ugi\n", b"ugiok", 20_000)
        first = bot.ask(Ask(Color.BLACK, b"position startpos\ngo\n", 20_000 * MS, None))
        bot.lookout.looked_ns, is_slow = 0, True
        time.sleep(0.001)
        request = b"position startpos moves b1b3 h4f2\ngo\n"
        second = bot.ask(Ask(Color.BLACK, request, 20_000 * MS, None))
    finally:
        bot.kill()
    assert isinstance(first, Answer)
    assert isinstance(second, Answer)
    assert (first.line, second.line) == (b"bestmove b1b3", b"bestmove b3b1")


@pytest.mark.parametrize("mode", ["start-exit", "start-silent"])
def test_a_bot_that_cannot_be_started_is_no_forfeit(mode: str, tag: Tag) -> None:
    limits = BotLimits(start_ms=300) if mode == "start-silent" else BotLimits()
    broken = faulty_bot("broken", mode, tag=tag, limits=limits)
    events = play_pair(broken, faulty_bot("sound", "none", tag=tag), games=2)
    assert results(events) == []
    assert [type(event) for event in events] == [Started, Voided, Voided, StartFailed]
    failed = events[-1]
    assert isinstance(failed, StartFailed)
    assert failed.bot == "broken"
    assert ("exited with code 7" if mode == "start-exit" else "did not answer") in failed.why


def test_death_between_games_is_void_and_the_bot_is_started_once_more(tag: Tag) -> None:
    mortal = faulty_bot("mortal", "die-between-games", tag=tag)
    events = play_pair(mortal, faulty_bot("sound", "none", tag=tag), games=2)
    assert results(events) == [(Cause.MAX_PLIES, None)] * 2
    voids = [event for event in events if isinstance(event, Voided)]
    assert [(void.bot, void.attempt) for void in voids] == [("mortal", 1)]


@pytest.mark.parametrize(
    ("restart", "kept"),
    [
        (RestartPolicy.AUTO, [0, 2, 2, 2]),
        (RestartPolicy.ALWAYS, [0, 0, 0, 0]),
        (RestartPolicy.NEVER, [0, 2, 2, 2]),
    ],
)
def test_bots_are_kept_as_the_policy_says(
    restart: RestartPolicy, kept: list[int], tag: Tag
) -> None:
    events = play_pair(
        faulty_bot("a", "none", tag=tag),
        faulty_bot("b", "none", tag=tag),
        games=2,
        pairs=2,
        restart=restart,
    )
    records = [event.record for event in events if isinstance(event, Played)]
    assert [record.provenance["kept-bots"] for record in records] == kept


def test_with_restart_never_a_dead_bot_is_set_aside(tag: Tag) -> None:
    events = play_pair(
        faulty_bot("faulty", "exit", 2, tag=tag),
        faulty_bot("sound", "none", tag=tag),
        games=2,
        restart=RestartPolicy.NEVER,
    )
    assert results(events) == [(Cause.CRASH, Color.WHITE)]
    assert isinstance(events[-1], StartFailed)


def test_a_bot_that_ignores_everything_is_ended(tag: Tag) -> None:
    stubborn = faulty_bot(
        "stubborn", "ignores-everything", tag=tag, limits=BotLimits(goodbye_ms=50)
    )
    events = play_pair(stubborn, faulty_bot("sound", "none", tag=tag))
    assert results(events) == [(Cause.MAX_PLIES, None)]


def test_preflight_reports_an_unknown_option(tag: Tag) -> None:
    bot = faulty_bot("a", "none", tag=tag)
    odd = BotDefinition(
        "odd",
        command=bot.command,
        folder=bot.folder,
        env=bot.env,
        options=(("Depth", "3"), ("Seed", "2000")),
    )
    event = greeted(GreetJob(odd, RuleSet()))
    assert isinstance(event, Greeted)
    assert event.announced == "faulty"
    assert event.problems == (
        "option Depth is not announced by the bot (it has: Seed)",
        "option Seed: takes 0 to 1000, not 2000",
    )


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("./no-such-bot",), "does not exist"),
        (("no-such-bot-at-all",), "no program 'no-such-bot-at-all' on PATH"),
        (("./",), "is not a file"),
        (("./README.md",), "is not executable"),
    ],
)
def test_preflight_finds_a_missing_program(command: tuple[str, ...], words: str) -> None:
    bot = BotDefinition("missing", command=command, folder=str(FOLDER))
    event = greeted(GreetJob(bot, RuleSet()))
    assert isinstance(event, Greeted)
    assert len(event.problems) == 1
    assert words in event.problems[0]
