"""Games whose bots were charged for time that they did not have are named, seldom."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.director.events import GameFinished, Notice, RunEvent
from harness.director.lateness_watch import LatenessWatch
from harness.director.ledger import Ledger
from harness.play.lateness import GameLateness
from harness.play.types import GameRecord
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
