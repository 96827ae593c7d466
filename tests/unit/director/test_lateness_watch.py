"""Games whose bots were charged for time that they did not have are named, seldom."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.director.events import GameFinished, Notice, RunEvent
from harness.director.lateness_watch import LatenessWatch
from harness.director.ledger import Ledger
from harness.play.lateness import GameLateness
from harness.play.types import Cause, GameRecord
from harness.rules.types import Color
from harness.store.sqlite import Store
from harness.tournament.results import SettledGames
from tests.unit.store.builders import record

MS = 1_000_000


def late(
    p99_ms: float, turns: int = 50, *, margin_ms: int = 50, game: str = "a~b.1a"
) -> GameRecord:
    of_game = GameLateness(120, round(p99_ms * 1000), turns)
    made = record(game, provenance={"slot": 0, **of_game.entries()})
    return replace(made, spec=replace(made.spec, margin_ns=margin_ms * MS))


@pytest.mark.parametrize(
    ("game", "is_told"),
    [
        (late(50.001), True),
        (late(50), False),
        (late(50.001, 20), True),
        (late(5_000, 19), False),
        (late(150, margin_ms=200), False),
        (late(1.001, margin_ms=0), True),
        (late(1, margin_ms=0), False),
        (record(), False),
    ],
)
def test_a_game_is_named_above_margin_and_least_number(game: GameRecord, is_told: bool) -> None:
    assert len(LatenessWatch().look(game)) == is_told


def test_what_is_said() -> None:
    (text,) = LatenessWatch().look(late(83.25, 43))
    assert text.startswith(
        "In game a~b.1a bots were charged for time that they did not have: for up to 83.2 ms of a "
        "move (99 % of 43 moves; half of them 0.12 ms)"
    )
    assert "The margin is 50 ms" in text
    assert all(word in text for word in ("--slots", "other programs", "threads", "--margin-ms"))


def flag(game: GameRecord) -> GameRecord:
    outcome = replace(game.outcome, cause=Cause.TIME, winner=Color.WHITE, detail="too late")
    return replace(game, outcome=outcome)


def test_a_game_lost_on_time_is_named_whatever_was_measured() -> None:
    (text,) = LatenessWatch().look(flag(late(83.25, 1)))
    assert text.startswith(
        "The flag of ann fell in game a~b.1a although so much of the time was not the bot's: for "
        "up to 83.2 ms of a move (99 % of 1 move; half of them 0.12 ms) ann, its opponent or the "
        "harness waited for a processor. The margin is 50 ms"
    )
    assert "--margin-ms" in text
    assert LatenessWatch().look(flag(late(50, 19))) == []
    assert LatenessWatch().look(flag(record())) == []


def test_every_such_game_is_named_with_advice_once() -> None:
    watch = LatenessWatch()
    texts = [text for ms in (60, 60, 600) for text in watch.look(flag(late(ms)))]
    assert ["--margin-ms" in text for text in texts] == [True, False, True]
    assert watch.look(late(700)) == []  # the advice was given
    assert len(watch.look(flag(late(51, 3)))) == 1


def test_only_what_can_be_the_cause_is_advised() -> None:
    (alone,) = LatenessWatch(1).look(late(60))
    assert "End other programs" in alone
    assert "--slots" not in alone
    for watch in (LatenessWatch(), LatenessWatch(2)):
        (text,) = watch.look(late(60))
        assert "Play fewer games at once (--slots), end other programs" in text
        assert 'pondering = "suspend"' in text


def test_it_is_said_again_only_when_it_is_ten_times_worse() -> None:
    watch = LatenessWatch()
    told = [len(watch.look(late(ms))) for ms in (60, 60, 599, 600, 700, 5_999, 6_000, 60)]
    assert told == [1, 0, 0, 1, 0, 0, 1, 0]


def test_a_run_says_it_after_the_game(tmp_path: Path) -> None:
    told: list[RunEvent] = []

    class Listener:
        def notice(self, event: RunEvent) -> None:
            told.append(event)

        def tick(self) -> None: ...

    with Store.create_or_open(tmp_path) as store:
        ledger = Ledger(store, SettledGames(), [Listener()], None, 0.0)
        for game in (late(80, game="a~b.1a"), late(90, game="a~b.1b")):
            ledger.add(game)
            ledger.commit()
    assert [type(event) for event in told] == [GameFinished, Notice, GameFinished]
    assert isinstance(told[1], Notice)
    assert told[1].text.startswith("In game a~b.1a bots were charged")
