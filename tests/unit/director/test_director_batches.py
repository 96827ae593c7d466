"""Batch after batch: rounds made from stored results, in whatever order games finish."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from harness.director.events import BatchBegan, Notice, RunBegan
from harness.director.interrupt import Interrupt
from harness.director.settled import read_settled
from harness.director.walkovers import walkovers
from harness.execution.base import ExecutionEvent, Finished
from harness.play.bot_definition import BotDefinition
from harness.play.clock import TimeControl
from harness.play.types import Cause, GameSpec, Outcome
from harness.process.jobs import PairJob, Played, Started, StartFailed
from harness.rules.types import Color
from harness.store.rows import IncidentKind
from harness.store.sqlite import Store
from harness.tournament.formats.knock_out import bracket
from harness.tournament.results import SettledGames
from harness.tournament.schedule import Schedule
from harness.tournament.spec import EncounterSpec, TournamentFormat, TournamentSpec
from tests.unit.director.test_director import Listener, ScriptedExecutor, run, tournament
from tests.unit.store.builders import record
from tests.unit.tournament.tables import batch_after


def of_format(form: str, names: str = "abcd", rounds: int = 1, **values: object) -> TournamentSpec:
    spec = replace(tournament(names, rounds), format=TournamentFormat(form))
    return replace(spec, **values)  # type: ignore[arg-type]


def first_name_wins(game: GameSpec) -> Color | None:
    return Color.BLACK if game.black.name < game.white.name else Color.WHITE


def played(game: GameSpec, winner: Color | None) -> Played:
    cause = Cause.REPETITION if winner is None else Cause.CONNECTION
    return Played(replace(record(), spec=game, outcome=Outcome(cause, winner)), 0)


def play_all(job: PairJob) -> list[ExecutionEvent]:
    events: list[ExecutionEvent] = []
    for game in job.games:
        events += [Started(game, 0), played(game, first_name_wins(game))]
    return [*events, Finished(job)]


def without(*bots: str) -> ScriptedExecutor:
    def script(job: PairJob) -> Sequence[ExecutionEvent]:
        for bot in bots:
            if bot in (job.games[0].black.name, job.games[0].white.name):
                failed = StartFailed(bot, "silent", job)
                return [Started(job.games[0], 0), failed, Finished(job)]
        return play_all(job)

    return ScriptedExecutor(script)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.create_or_open(tmp_path / "t") as store:
        yield store


def encounters_by_batch(store: Store) -> list[list[str]]:
    batches: dict[int, dict[str, None]] = {}
    for game in store.games():
        batches.setdefault(game.batch, {})[game.encounter] = None
    return [list(batches[number]) for number in sorted(batches)]


def test_rounds_of_a_swiss_follow_from_results(store: Store) -> None:
    listener = Listener()
    ended = run(store, ScriptedExecutor(play_all), of_format("swiss"), listener=listener)
    assert (ended.planned, ended.finished, ended.open_games) == (8, 8, 0)
    assert encounters_by_batch(store) == [["a~c", "b~d"], ["a~b", "c~d"]]
    assert [game.schedule_index for game in store.games()] == list(range(8))
    assert len(listener.of(RunBegan)) == 1
    assert listener.of(BatchBegan) == [
        BatchBegan("Swiss round 1 of 2", (), 4, 0, 4),
        BatchBegan("Swiss round 2 of 2", (), 8, 4, 4),
    ]


def test_a_knock_out_goes_on_to_the_final_and_breaks_ties(store: Store) -> None:
    spec = of_format("knock-out", tie_break_pairs=2)

    def draw_at_first(job: PairJob) -> list[ExecutionEvent]:
        events: list[ExecutionEvent] = []
        for game in job.games:
            is_drawn = game.encounter == "a~b" or game.pair == 1
            events += [Started(game, 0), played(game, None if is_drawn else first_name_wins(game))]
        return [*events, Finished(job)]

    ended = run(store, ScriptedExecutor(draw_at_first), spec)
    assert encounters_by_batch(store) == [
        ["a~d", "b~c"], ["a~d", "b~c"], ["a~b"], ["a~b"], ["a~b"],
    ]  # fmt: skip
    assert ended.open_games == 0
    found = bracket(spec, Schedule.of(spec, read_settled(spec, store)).results)
    assert found.next_batch is None
    assert found.rounds[-1][0].winner == "a"


@pytest.mark.parametrize("form", ["swiss", "knock-out"])
@pytest.mark.parametrize("stop", range(1, 8))
def test_a_run_that_was_broken_off_plays_the_same_games(
    store: Store, tmp_path: Path, form: str, stop: int
) -> None:
    spec = of_format(form, "abcdefg", tie_break_pairs=1)
    with Store.create_or_open(tmp_path / "whole") as whole:
        run(whole, ScriptedExecutor(play_all), spec)
        expected = [(game.game_id, game.schedule_index) for game in whole.games()]
    with Interrupt() as interrupt:
        count = iter(range(100))

        def stopped(job: PairJob) -> list[ExecutionEvent]:
            if next(count) == stop - 1:
                interrupt.received = 2
            return play_all(job)

        ended = run(store, ScriptedExecutor(stopped, seed=stop), spec, interrupt=interrupt)
    if stop < len(expected) // 2:
        assert ended.interrupted_by == 2
        assert 0 < store.count() < len(expected)
    run(store, ScriptedExecutor(play_all, seed=stop + 1), spec)
    assert [(game.game_id, game.schedule_index) for game in store.games()] == expected


def test_open_games_hold_up_the_next_round(store: Store) -> None:
    def lose(job: PairJob) -> list[ExecutionEvent]:
        return [Finished(job)] if job.games[0].encounter == "a~c" else play_all(job)

    ended = run(store, ScriptedExecutor(lose), of_format("swiss"))
    assert (ended.planned, ended.finished, ended.open_games) == (4, 2, 2)
    ended = run(store, ScriptedExecutor(play_all), of_format("swiss"))
    assert (ended.planned, ended.finished, ended.open_games) == (8, 8, 0)


@pytest.mark.parametrize("form", ["swiss", "knock-out"])
def test_the_opponent_of_a_bot_that_is_set_aside_walks_over_for_good(
    store: Store, form: str
) -> None:
    spec = of_format(form)
    listener = Listener()
    ended = run(store, without("a"), spec, listener=listener)
    games = 2 if form == "knock-out" else 4
    assert ended.set_aside == (("a", "silent"),)
    assert (ended.open_games, ended.walked_over) == (0, games)
    assert any("walked over" in one.text for one in listener.of(Notice) if isinstance(one, Notice))
    stored = encounters_by_batch(store)
    assert not any("a" in encounter for batch in stored for encounter in batch)
    rows = [one for one in store.incidents() if one.kind is IncidentKind.WALKOVER]
    assert {one.bot for one in rows} == {"a"}
    assert len(rows) == games
    # The next run has all bots, and finds the same rounds behind it.
    again = ScriptedExecutor(play_all)
    ended = run(store, again, spec)
    assert again.offered == []
    assert (ended.open_games, ended.walked_over) == (0, games)
    assert encounters_by_batch(store) == stored
    assert Schedule.of(spec, read_settled(spec, store)).is_complete


def test_an_interrupted_round_is_not_walked_over(store: Store) -> None:
    with Interrupt() as interrupt:

        def stop(job: PairJob) -> Sequence[ExecutionEvent]:
            interrupt.received = 2
            failed = StartFailed("a", "silent", job)
            return [Started(job.games[0], 0), failed, Finished(job)]

        run(store, ScriptedExecutor(stop, slots=1), of_format("swiss"), interrupt=interrupt)
    assert store.walkovers() == {}


def test_nothing_is_walked_over_when_hardly_a_bot_can_play(store: Store) -> None:
    ended = run(store, without("a"), of_format("knock-out", "ab"))
    assert (ended.open_games, ended.walked_over) == (2, 0)
    assert store.walkovers() == {}
    spec = of_format("swiss")
    first = batch_after(spec, [])
    assert walkovers(spec, first, SettledGames(), set("abc")) == {}
    assert set(walkovers(spec, first, SettledGames(), set("ac"))) == set()
    two = SettledGames({"b~d.1a", "b~d.1b"})
    assert walkovers(spec, first, two, set("ac")) == {
        "a~c.1a": frozenset("ac"),
        "a~c.1b": frozenset("ac"),
    }


def test_in_formats_of_one_batch_games_stay_open() -> None:
    spec = of_format("gauntlet", "abc")
    assert walkovers(spec, batch_after(spec, []), SettledGames(), {"b": "silent"}) == {}


def test_stored_games_of_rounds_that_come_back_have_their_place_again(store: Store) -> None:
    spec = of_format("swiss")
    run(store, ScriptedExecutor(play_all), spec)
    longer = replace(spec, rounds=2)
    settled = read_settled(longer, store)
    assert store.reschedule(Schedule.of(longer, settled).index_of) == 4
    executor = ScriptedExecutor(play_all)
    ended = run(store, executor, longer)
    assert {job.games[0].pair for job in executor.offered} == {2}
    assert (ended.planned, ended.finished) == (16, 16)
    assert [game.schedule_index for game in store.games()] == list(range(16))


def test_an_encounter_of_a_list_has_its_own_time_control(store: Store) -> None:
    fast = TimeControl.parse("nodes=7")
    spec = of_format(
        "list",
        "ab",
        bots=(
            BotDefinition("a", module="x", time_control=TimeControl.parse("nodes=3")),
            BotDefinition("b", module="x"),
        ),
        encounters=(
            EncounterSpec(("a", "b")),
            EncounterSpec(("b", "a"), time_control=fast, label="fast"),
        ),
    )
    run(store, ScriptedExecutor(play_all), spec)
    controls = {
        game.game_id: (game.black.time_control, game.white.time_control) for game in store.games()
    }
    assert controls == {
        "a~b.1a": ("nodes=3", "nodes=1"),
        "a~b.1b": ("nodes=1", "nodes=3"),
        "a~b.fast.1a": ("nodes=7", "nodes=7"),
        "a~b.fast.1b": ("nodes=7", "nodes=7"),
    }
