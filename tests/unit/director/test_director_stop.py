"""A run that is asked to stop, and a store that fails in mid-run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from harness.director.agenda import Agenda
from harness.director.director import Director
from harness.director.events import (
    BatchBegan,
    BotSetAside,
    EndReason,
    GameFinished,
    Notice,
    RunEnded,
)
from harness.director.interrupt import Interrupt
from harness.errors import StoreError
from harness.execution.base import ExecutionEvent, Finished
from harness.play.types import GameRecord
from harness.process.jobs import PairJob, Started, StartFailed
from harness.store.rows import IncidentKind
from harness.store.sqlite import Store
from harness.tournament.openings import opening_list
from harness.tournament.results import SettledGames
from harness.tournament.schedule import Schedule
from harness.tournament.spec import TournamentFormat, TournamentSpec
from tests.unit.director.test_director import (
    Listener,
    ScriptedExecutor,
    play_all,
    played,
    tournament,
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.create_or_open(tmp_path / "t") as store:
        yield store


def run(
    store: Store, executor: ScriptedExecutor, spec: TournamentSpec, stop_after: int, **more: object
) -> tuple[RunEnded, Listener]:
    """Run until so many games are stored, then ask to stop."""
    listener = Listener()
    director = Director(
        spec,
        store,
        executor,
        opening_list(spec.openings, spec.rules, spec.seed, spec.rounds),
        {},
        Interrupt(),
        [listener],
        transaction_seconds=0,
        is_stop_asked=lambda: store.count() >= stop_after,
        **more,  # type: ignore[arg-type]
    )
    return director.run(), listener


def test_running_games_are_finished_and_no_job_is_offered_any_more(store: Store) -> None:
    executor = ScriptedExecutor()
    ended, listener = run(store, executor, tournament(), 4)
    offered = len(executor.offered)
    assert ended.reason is EndReason.STOPPED
    assert executor.drained
    assert executor.closed  # politely: nothing runs any more
    assert not executor.withdrawn
    assert ended.finished == store.count() == 4
    assert ended.open_games == 14
    assert offered == 5  # two were played, three were with the executor
    assert isinstance(listener.events[-1], RunEnded)
    notices = [one.text for one in listener.of(Notice) if isinstance(one, Notice)]
    assert sum("asked to stop" in text for text in notices) == 1


def test_the_leg_that_runs_is_stored_and_its_pair_stays_open(store: Store) -> None:
    class Half(ScriptedExecutor):
        def drain(self) -> None:
            super().drain()
            self._script = lambda job: [
                Started(job.games[0], 0),
                played(job.games[0]),
                Finished(job),
            ]

    ended, listener = run(store, Half(slots=1), tournament("ab", 5), 2)
    assert ended.finished == store.count() == 3  # a pair, and a leg of the job that ran
    assert len(listener.of(GameFinished)) == 3
    assert ended.open_games == 7


def test_a_request_before_the_first_game(store: Store) -> None:
    executor = ScriptedExecutor()
    ended, _ = run(store, executor, tournament(), 0)
    assert executor.offered == []
    assert (ended.finished, ended.reason) == (0, EndReason.STOPPED)


def test_a_request_that_comes_when_all_is_played_leaves_nothing_open(store: Store) -> None:
    ended, _ = run(store, ScriptedExecutor(), tournament("ab", 1), 2)
    assert ended.open_games == 0
    assert ended.reason is EndReason.COMPLETE


def test_between_two_rounds_the_next_round_is_left_open(store: Store) -> None:
    spec = replace(tournament("abcd", 1), format=TournamentFormat.SWISS)
    ended, listener = run(store, ScriptedExecutor(), spec, 4)
    assert len(listener.of(BatchBegan)) == 1
    assert ended.finished == 4
    assert ended.open_games == 4
    assert ended.reason is EndReason.STOPPED


def test_nothing_is_walked_over_when_the_run_was_asked_to_stop(store: Store) -> None:
    spec = replace(tournament("abcd", 1), format=TournamentFormat.SWISS)
    ended, _ = run(store, ScriptedExecutor(), spec, 2, set_aside=[("d", "silent")])
    assert (ended.finished, ended.walked_over) == (2, 0)
    assert [one.kind for one in store.incidents()] == [IncidentKind.SET_ASIDE]


def test_a_bot_is_set_aside_once_however_many_slots_find_out(store: Store) -> None:
    def fail(job: PairJob) -> Sequence[ExecutionEvent]:
        if "b" in (job.bots[0].name, job.bots[1].name):
            return [StartFailed("b", "silent", job), Finished(job)]
        return play_all(job)

    listener = Listener()
    spec = tournament("abc", 9)
    openings = opening_list(spec.openings, spec.rules, spec.seed, spec.rounds)
    executor = ScriptedExecutor(fail, slots=3)
    Director(
        spec, store, executor, openings, {}, Interrupt(), [listener], transaction_seconds=0
    ).run()
    assert listener.of(BotSetAside) == [BotSetAside("b", "silent")]
    kinds = [one.kind for one in store.incidents()]
    assert kinds == [IncidentKind.SET_ASIDE]


# A store that fails


class FailingStore(Store):
    """Refuses the transaction after so many."""

    left = 2

    def add(self, records: Sequence[GameRecord]) -> tuple[str, ...]:
        if records and self.left == 0:
            raise StoreError(str(self.file), "the disk is full")
        self.left -= bool(records)
        return super().add(records)


def test_a_full_disk_ends_the_run_and_nothing_that_was_told_is_missing(tmp_path: Path) -> None:
    with FailingStore.create_or_open(tmp_path / "t") as failing:
        executor, listener = ScriptedExecutor(), Listener()
        spec = tournament()
        openings = opening_list(spec.openings, spec.rules, spec.seed, spec.rounds)
        director = Director(
            spec, failing, executor, openings, {}, Interrupt(), [listener], transaction_seconds=0
        )
        with pytest.raises(StoreError, match="the disk is full"):
            director.run()
    assert executor.withdrawn
    told = {
        one.record.spec.game_id
        for one in listener.of(GameFinished)
        if isinstance(one, GameFinished)
    }
    assert len(told) == 4
    with Store.create_or_open(tmp_path / "t") as store:
        assert store.stored_ids() == told
        executor = ScriptedExecutor()
        ended = Director(
            spec, store, executor, openings, {}, Interrupt(), [], transaction_seconds=0
        ).run()
    assert (ended.finished, len(executor.offered)) == (18, 7)


@pytest.mark.parametrize("has_transcripts", [False, True])
def test_jobs_say_whether_transcripts_are_kept(*, has_transcripts: bool) -> None:
    spec = tournament("ab", 1)
    batch = Schedule.of(spec, SettledGames(set())).current
    assert batch is not None
    openings = opening_list(spec.openings, spec.rules, spec.seed, spec.rounds)
    agenda = Agenda(
        spec,
        batch,
        set(),
        {},
        openings.__getitem__,
        has_transcripts=has_transcripts,
    )
    job = agenda.next_job()
    assert job is not None
    assert job.has_transcript is has_transcripts
