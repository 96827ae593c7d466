"""The run as decisions: a scripted executor in place of processes."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from harness.director.director import Director
from harness.director.events import (
    BotSetAside,
    GameFinished,
    GameStarted,
    GameVoided,
    Notice,
    RunBegan,
    RunEnded,
    RunEvent,
)
from harness.director.interrupt import Interrupt
from harness.execution.base import ExecutionEvent, Finished, Lost
from harness.play.bot_definition import BotDefinition, Pondering
from harness.play.clock import TimeControl
from harness.play.types import BotUsage, GameSpec
from harness.process.jobs import Job, PairJob, Played, Started, StartFailed, Voided
from harness.rules.position import STANDARD_START
from harness.store.rows import IncidentKind
from harness.store.sqlite import Store
from harness.tournament.openings import opening_list
from harness.tournament.spec import OpeningSource, TournamentSpec
from tests.unit.store.builders import record

Script = Callable[[PairJob], Sequence[ExecutionEvent]]


def played(game: GameSpec) -> Played:
    return Played(replace(record(), spec=game), 0)


def play_all(job: PairJob) -> list[ExecutionEvent]:
    events: list[ExecutionEvent] = []
    for game in job.games:
        events += [Started(game, 0), played(game)]
    return [*events, Finished(job)]


class ScriptedExecutor:
    """Answers each job by a script, in a shuffled order of jobs."""

    def __init__(self, script: Script = play_all, slots: int = 2, seed: int = 1) -> None:
        self.slots = slots
        self.offered: list[PairJob] = []
        self.withdrawn = self.closed = self.drained = False
        self._script = script
        self._waiting: list[PairJob] = []
        self._events: deque[ExecutionEvent] = deque()
        self._chance = random.Random(seed)

    @property
    def room(self) -> int:
        return 2 * self.slots - len(self._waiting)

    def offer(self, job: Job) -> None:
        assert isinstance(job, PairJob)
        assert self.room > 0
        self.offered.append(job)
        self._waiting.append(job)

    def next_events(self, timeout_seconds: float) -> list[ExecutionEvent]:
        if not self._waiting:
            return []
        job = self._waiting.pop(self._chance.randrange(len(self._waiting)))
        return list(self._script(job))

    def drain(self) -> None:
        self.drained = True
        self._script = lambda job: [Finished(job)]

    def withdraw(self) -> None:
        self.withdrawn = True

    def close(self) -> None:
        self.closed = True


class Listener:
    def __init__(self) -> None:
        self.events: list[RunEvent] = []

    def notice(self, event: RunEvent) -> None:
        self.events.append(event)

    def tick(self) -> None:
        pass

    def of(self, kind: type[RunEvent]) -> list[RunEvent]:
        return [event for event in self.events if isinstance(event, kind)]


def tournament(names: str = "abc", rounds: int = 3) -> TournamentSpec:
    return TournamentSpec(
        name="t",
        bots=tuple(BotDefinition(name, module="bots.random_bot") for name in names),
        openings=OpeningSource(STANDARD_START),
        time_control=TimeControl.parse("nodes=1"),
        rounds=rounds,
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.create_or_open(tmp_path / "t") as store:
        yield store


def run(
    store: Store,
    executor: ScriptedExecutor,
    spec: TournamentSpec | None = None,
    *,
    listener: Listener | None = None,
    interrupt: Interrupt | None = None,
    game_limit: int | None = None,
) -> RunEnded:
    spec = spec or tournament()
    openings = opening_list(spec.openings, spec.rules, spec.seed, spec.rounds)
    director = Director(
        spec,
        store,
        executor,
        openings,
        {},
        interrupt or Interrupt(),
        [listener] if listener else [],
        game_limit=game_limit,
    )
    return director.run()


def test_every_planned_game_is_played_once_and_stored(store: Store) -> None:
    executor, listener = ScriptedExecutor(), Listener()
    ended = run(store, executor, listener=listener)
    assert (ended.planned, ended.finished, ended.open_games) == (18, 18, 0)
    assert store.stored_ids() == {
        f"{pair}.{number}{leg}"
        for pair in ("a~b", "a~c", "b~c")
        for number in (1, 2, 3)
        for leg in "ab"
    }
    assert len(executor.offered) == 9
    assert executor.closed
    assert not executor.withdrawn
    assert isinstance(listener.events[0], RunBegan)
    assert len(listener.of(GameStarted)) == len(listener.of(GameFinished)) == 18
    assert isinstance(listener.events[-1], RunEnded)


def test_pair_n_of_every_encounter_has_opening_n_with_colours_swapped(store: Store) -> None:
    executor = ScriptedExecutor()
    run(store, executor)
    openings: dict[int, set[str]] = {}
    for job in executor.offered:
        a, b = job.games
        assert (a.black.name, a.white.name) == (b.white.name, b.black.name)
        assert a.opening == b.opening
        openings.setdefault(a.pair, set()).add(a.opening.content_id)
    assert all(len(contents) == 1 for contents in openings.values())
    assert len(set.union(*openings.values())) == 3


def test_a_second_run_plays_what_is_missing(store: Store) -> None:
    def break_off(job: PairJob) -> list[ExecutionEvent]:
        if job.games[0].pair == 2:
            return [Started(job.games[0], 0), played(job.games[0]), Lost(job, "gone")]
        return play_all(job)

    first = run(store, ScriptedExecutor(break_off), tournament(rounds=2))
    assert first.open_games == 0  # a lost job comes again with the leg that is missing
    more = ScriptedExecutor()
    ended = run(store, more, tournament(rounds=3))
    assert {job.games[0].pair for job in more.offered} == {3}
    assert ended.finished == 18


def test_only_the_missing_leg_of_a_pair_is_played(store: Store) -> None:
    spec = tournament("ab", rounds=1)
    run(store, ScriptedExecutor(), spec, game_limit=1)
    assert store.stored_ids() == {"a~b.1a"}
    executor = ScriptedExecutor()
    run(store, executor, spec)
    assert [game.game_id for job in executor.offered for game in job.games] == ["a~b.1b"]


def test_a_game_is_lost_three_times_then_stays_open(store: Store) -> None:
    def lose(job: PairJob) -> list[ExecutionEvent]:
        if job.games[0].encounter == "a~b":
            return [Started(job.games[0], 0), Lost(job, "the worker died")]
        return play_all(job)

    executor, listener = ScriptedExecutor(lose), Listener()
    ended = run(store, executor, tournament(rounds=1), listener=listener)
    # Leg b was never begun: it is not given up with leg a.
    begun = [job.games[0].game_id for job in executor.offered if job.games[0].encounter == "a~b"]
    assert begun.count("a~b.1a") == 3
    assert begun.count("a~b.1b") == 3
    assert (ended.finished, ended.open_games) == (4, 2)
    kinds = [incident.kind for incident in store.incidents()]
    assert kinds == [IncidentKind.LOST_ATTEMPT] * 6
    last = [
        event.is_last_attempt for event in listener.of(GameVoided) if isinstance(event, GameVoided)
    ]
    assert last.count(True) == 2


def test_a_waiting_job_that_is_lost_costs_no_attempt(store: Store) -> None:
    losses = iter(range(5))

    def lose_unbegun(job: PairJob) -> list[ExecutionEvent]:
        return [Lost(job, "gone")] if next(losses, None) is not None else play_all(job)

    ended = run(store, ScriptedExecutor(lose_unbegun))
    assert ended.open_games == 0
    assert store.incidents() == []


def test_a_bot_that_cannot_be_started_is_set_aside_and_the_others_play_on(store: Store) -> None:
    def fail(job: PairJob) -> list[ExecutionEvent]:
        if "b" in job.games[0].encounter:
            return [Started(job.games[0], 0), StartFailed("b", "silent", job), Finished(job)]
        return play_all(job)

    executor, listener = ScriptedExecutor(fail), Listener()
    ended = run(store, executor, tournament(rounds=20), listener=listener)
    assert ended.set_aside == (("b", "silent"),)
    assert (ended.finished, ended.open_games) == (40, 80)
    assert listener.of(BotSetAside) == [BotSetAside("b", "silent")]
    # Only what was handed out before the news came is offered in vain.
    assert sum("b" in job.games[0].encounter for job in executor.offered) <= 4


def test_an_interrupt_withdraws_what_runs_and_keeps_what_is_stored(store: Store) -> None:
    with Interrupt() as interrupt:
        count = iter(range(100))

        def stop_after_three(job: PairJob) -> list[ExecutionEvent]:
            if next(count) == 2:
                interrupt.received = 2
            return play_all(job)

        executor = ScriptedExecutor(stop_after_three)
        ended = run(store, executor, interrupt=interrupt)
    assert ended.interrupted_by == 2
    assert executor.withdrawn
    assert not executor.closed
    assert store.count() == ended.finished == 6


def test_the_first_record_of_a_game_wins(store: Store) -> None:
    def play_twice(job: PairJob) -> list[ExecutionEvent]:
        again = [played(job.games[0])]
        return [*play_all(job)[:-1], *again, Finished(job)]

    listener = Listener()
    ended = run(store, ScriptedExecutor(play_twice), listener=listener)
    assert ended.finished == 18
    assert len(listener.of(GameFinished)) == 18


def test_a_failure_of_ours_withdraws_everything(store: Store) -> None:
    def fail(job: PairJob) -> list[ExecutionEvent]:
        raise ZeroDivisionError

    executor = ScriptedExecutor(fail)
    with pytest.raises(ZeroDivisionError):
        run(store, executor)
    assert executor.withdrawn


def test_voids_and_losses_are_counted_together(store: Store) -> None:
    def void_then_lose(job: PairJob) -> list[ExecutionEvent]:
        game = job.games[0]
        attempt = dict(job.attempts)[game.game_id]
        void = Voided(game, "b", "silent", attempt)
        return [Started(game, 0), void, Lost(job, "the worker died")]

    run(store, ScriptedExecutor(void_then_lose), tournament("ab", rounds=1))
    incidents = [(one.attempt, one.kind) for one in store.incidents() if one.game_id == "a~b.1a"]
    assert incidents == [
        (1, IncidentKind.VOID),
        (2, IncidentKind.LOST_ATTEMPT),
        (3, IncidentKind.VOID),
        (4, IncidentKind.LOST_ATTEMPT),
    ]


def test_an_interrupt_that_is_not_entered_holds_no_descriptor() -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    never_entered = Interrupt()
    assert len(list(Path("/proc/self/fd").iterdir())) == before
    with never_entered as interrupt:
        assert interrupt.fd >= 0
    assert len(list(Path("/proc/self/fd").iterdir())) == before


@pytest.mark.parametrize("pondering", [Pondering.IGNORE, Pondering.SUSPEND])
def test_a_bot_that_is_suspended_off_turn_is_not_accused(
    store: Store, pondering: Pondering
) -> None:
    def play_busily(job: PairJob) -> list[ExecutionEvent]:
        game = played(job.games[0]).record
        plies = replace(game.plies, elapsed_ns=(10**9,) * len(game.plies))
        busy = replace(game.black, usage=BotUsage(0, 10**9, 0))
        return [Played(replace(game, plies=plies, black=busy, white=busy), 0), Finished(job)]

    listener, spec = Listener(), tournament("ab", rounds=1)
    bots = tuple(replace(bot, pondering=pondering) for bot in spec.bots)
    executor = ScriptedExecutor(play_busily)
    run(store, executor, replace(spec, bots=bots), listener=listener, game_limit=1)
    accused = [str(event) for event in listener.of(Notice) if "computes while" in str(event)]
    assert len(accused) == (2 if pondering is Pondering.IGNORE else 0)
