"""What is said of a game beside its result: forfeits, and bots that compute off turn."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.director.forfeits import forfeit_of
from harness.director.off_turn import OffTurnWatch
from harness.director.thinking import last_budget_ns, thinking_ns
from harness.play.types import BotUsage, Cause, GameRecord
from harness.rules.types import Color
from tests.unit.store.builders import opening, record

MS = 1_000_000


def used(game: GameRecord, *, black_ms: float = 0, white_ms: float = 0) -> GameRecord:
    """The record with so much processor time off turn."""
    return replace(
        game,
        black=replace(game.black, usage=BotUsage(0, int(black_ms * MS), 0)),
        white=replace(game.white, usage=BotUsage(0, int(white_ms * MS), 0)),
    )


def slow(*elapsed_ms: float, moves: tuple[str, ...] = ("b1-b3", "a2-c2", "c1xa3", "h2-f2")):  # type: ignore[no-untyped-def]  # noqa: ANN201
    """A record whose plies took so long."""
    game = record(moves=moves[: len(elapsed_ms)])
    plies = replace(game.plies, elapsed_ns=tuple(int(ms * MS) for ms in elapsed_ms))
    return replace(game, plies=plies)


def test_thinking_time_is_that_of_the_own_plies() -> None:
    game = slow(1, 20, 3, 40)
    assert thinking_ns(game, Color.BLACK) == 4 * MS
    assert thinking_ns(game, Color.WHITE) == 60 * MS


def test_after_an_opening_of_one_ply_white_is_asked_first() -> None:
    game = replace(slow(1, 20, 3), spec=replace(slow(1).spec, opening=opening(["b1-b3"])))
    assert thinking_ns(game, Color.WHITE) == 4 * MS
    assert thinking_ns(game, Color.BLACK) == 20 * MS


# 5 % of the opponent's 4 s are 200 ms; of its 500 ms they are 25 ms, and 100 ms are the least.
@pytest.mark.parametrize(
    ("thought_ms", "off_turn_ms", "is_told"),
    [
        (4_000, 200, False),
        (4_000, 201, True),
        (500, 100, False),
        (500, 101, True),
        (500, 26, False),
        (499, 400, False),
    ],
)
def test_a_bot_is_named_above_all_limits(
    thought_ms: float, off_turn_ms: float, is_told: bool
) -> None:
    texts = OffTurnWatch().look(used(slow(1, thought_ms), black_ms=off_turn_ms))
    assert [text.split()[0] for text in texts] == (["ann"] if is_told else [])


def test_what_is_said_and_that_it_is_said_once_a_bot() -> None:
    watch = OffTurnWatch()
    game = used(slow(600, 1_000), black_ms=800, white_ms=300)
    texts = watch.look(game)
    assert len(texts) == 2
    assert texts[0].startswith("ann computes while its opponent is to move: 0.80 s")
    assert "1.00 s that bob thought in game ann~bob.1a" in texts[0]
    assert "times of its opponents are spoiled" in texts[0]
    assert 'pondering = "suspend"' in texts[0]
    assert texts[1].startswith("bob computes")
    assert watch.look(game) == []


def test_a_bot_that_is_stopped_between_its_turns_is_not_named() -> None:
    game = used(slow(600, 1_000), black_ms=800, white_ms=300)
    (text,) = OffTurnWatch({"ann"}).look(game)
    assert text.startswith("bob computes")


def forfeited(cause: Cause, game: GameRecord, **values: object) -> GameRecord:
    outcome = replace(game.outcome, cause=cause, winner=Color.WHITE, detail="no answer in time")
    return replace(game, outcome=outcome, **values)  # type: ignore[arg-type]


def test_a_forfeit_by_time_says_the_limit_it_had() -> None:
    # 5 s and 0.05 s a move; Black used 1 s and 2 s: 5 - 1 - 2 + 2 * 0.05 and the margin of 0.05.
    game = forfeited(Cause.TIME, slow(1_000, 20, 2_000, 30))
    assert last_budget_ns(game, Color.BLACK) == 2_150 * MS
    forfeit = forfeit_of(game)
    assert forfeit is not None
    assert forfeit.bot == "ann"
    assert forfeit.why == "no answer in time: it had 2.150 s, margin included"


def test_the_last_words_are_the_last_line_of_the_loser_made_harmless() -> None:
    game = record(stderr=("first\nsegfault \x1b[31mred\n\n", "bob is well\n"))
    forfeit = forfeit_of(forfeited(Cause.CRASH, game))
    assert forfeit is not None
    assert forfeit.last_words == "segfault \N{REPLACEMENT CHARACTER}[31mred"
    long = forfeit_of(forfeited(Cause.CRASH, record(stderr=("x" * 5000, ""))))
    assert long is not None
    assert len(long.last_words) == 160


def test_other_endings_are_no_forfeits() -> None:
    assert forfeit_of(record(cause=Cause.CONNECTION)) is None
    assert forfeit_of(record(cause=Cause.RESIGNATION)) is None
