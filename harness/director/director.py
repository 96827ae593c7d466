"""The run: batch after batch of games to an executor, their records to the store, news to all."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from harness.director.agenda import MAX_ATTEMPTS, Agenda
from harness.director.events import (
    BatchBegan,
    BotSetAside,
    GameFinished,
    GameStarted,
    GameVoided,
    Notice,
    Observer,
    RunBegan,
    RunEnded,
    RunEvent,
)
from harness.director.interrupt import Interrupt
from harness.director.sequential_watch import Decider
from harness.director.settled import read_settled
from harness.director.walkovers import walkovers
from harness.execution.base import ExecutionEvent, Executor, Finished, Lost
from harness.execution.worker import LOGGER_NAME
from harness.play.types import CauseKind, GameRecord, GameSpec
from harness.process.jobs import Greeted, PairJob, Played, Started, StartFailed, Voided
from harness.rules.types import Color
from harness.store.rows import Incident, IncidentKind
from harness.store.sqlite import Store
from harness.tournament.batch import Batch
from harness.tournament.openings import OpeningList
from harness.tournament.results import WIN_HALF_POINTS
from harness.tournament.schedule import Schedule
from harness.tournament.spec import TournamentSpec

_WAIT_SECONDS = 0.2


class Director:
    """Runs one tournament to its end, or until it is interrupted.

    The store is the only state: what is to be played is the schedule minus what is stored. The
    schedule itself is made from the results of complete batches, as stored.
    Bots and workers may fail as they like; an exception here is a fault of the harness or of
    the machine (StoreError, WorkerError), and everything acknowledged is kept.
    """

    def __init__(
        self,
        spec: TournamentSpec,
        store: Store,
        executor: Executor,
        openings: OpeningList,
        identities: Mapping[str, str],
        interrupt: Interrupt,
        observers: Sequence[Observer],
        *,
        set_aside: Sequence[tuple[str, str]] = (),
        game_limit: int | None = None,
        decider: Decider | None = None,
    ) -> None:
        """Take what a run needs.

        ``set_aside`` are bots that failed in preflight, and why. ``game_limit`` ends the run
        after so many games were begun (None: play all). The ``decider`` ends it as soon as it
        is decided: running games are withdrawn.
        """
        self._decider = decider
        self._is_blocked = False
        self._spec = spec
        self._game_limit = game_limit
        self._store = store
        self._executor = executor
        self._openings = openings
        self._identities = identities
        self._interrupt = interrupt
        self._observers = observers
        self._settled = read_settled(spec, store)
        self._schedule = Schedule(spec)
        self._set_aside: dict[str, str] = {}
        self._failed_in_preflight = set_aside
        self._news: list[GameRecord | RunEvent] = []
        self._incidents: list[Incident] = []
        self._planned = 0
        self._finished = 0
        self._walked_over = 0
        self._log = logging.getLogger(LOGGER_NAME)

    def run(self) -> RunEnded:
        """Play every batch; returns how the run ended."""
        for bot, why in self._failed_in_preflight:
            self._put_aside(bot, why, self._set_aside)
        try:
            self._advance()
            if (batch := self._schedule.current) is not None:
                self._tell_beginning()
            while batch is not None and self._play_batch(batch):
                self._advance()
                batch = self._schedule.current
        except BaseException:
            self._executor.withdraw()
            raise
        self._store_incidents()
        if self._interrupt.received is None and not (self._is_decided or self._is_blocked):
            self._executor.close()
        else:
            self._executor.withdraw()
        ended = RunEnded(
            planned=self._planned,
            finished=self._finished,
            open_games=self._open_games,
            set_aside=tuple(self._set_aside.items()),
            interrupted_by=self._interrupt.received,
            walked_over=self._walked_over,
            is_decided=self._is_decided,
        )
        self._tell(ended)
        self._log.info("run ended: %d of %d games stored", self._finished, self._planned)
        return ended

    @property
    def _is_decided(self) -> bool:
        return self._decider is not None and self._decider.is_decided

    @property
    def _open_games(self) -> int:
        return self._planned - self._finished - self._walked_over

    def _advance(self) -> None:
        """Make the batches that follow from what is settled, and count their games."""
        known = len(self._schedule.batches)
        self._schedule = self._schedule.advanced(self._settled)
        stored = 0
        for batch in self._schedule.batches[known:]:
            self._planned += len(batch)
            stored += sum(batch.index_of(game_id) is not None for game_id in self._settled.stored)
            self._walked_over += sum(
                batch.index_of(game_id) is not None and game_id not in self._settled.stored
                for game_id in self._settled.absent
            )
        self._finished += stored
        if stored and known:
            # Games of an earlier, other extent have a place in the schedule again.
            self._store.reschedule(self._schedule.index_of)

    def _tell_beginning(self) -> None:
        slots, folder = self._executor.slots, str(self._store.folder)
        self._tell(RunBegan(self._spec, folder, self._planned, self._finished, slots))

    def _play_batch(self, batch: Batch) -> bool:
        """Play one batch; False when games of it stay open, so that no batch can follow."""
        agenda = Agenda(
            self._spec,
            batch,
            self._settled,
            self._identities,
            self._openings.__getitem__,
            self._executor.slots,
        )
        agenda.set_aside.update(self._set_aside)
        open_games = self._open_games
        self._log.info("%s%d games to play", f"{batch.title}: " * bool(batch.title), open_games)
        if batch.title:
            self._tell(
                BatchBegan(batch.title, batch.notes, self._planned, self._finished, open_games)
            )
        open_jobs = 0
        is_exhausted = False
        while self._interrupt.received is None and not (self._is_decided or self._is_blocked):
            while self._executor.room > 0:
                job = self._within_limit(agenda.next_job())
                if job is None:
                    is_exhausted = True
                    break
                is_exhausted = False
                self._executor.offer(job)
                open_jobs += 1
            if is_exhausted and open_jobs == 0:
                break
            events = self._executor.next_events(_WAIT_SECONDS)
            for event in events:
                open_jobs -= isinstance(event, Finished | Lost)
                self._take(event, agenda)
            self._commit(agenda)
            if not events:
                for observer in self._observers:
                    observer.tick()
        self._set_aside.update(agenda.set_aside)
        self._walk_over(batch)
        return self._open_games == 0

    def _walk_over(self, batch: Batch) -> None:
        """Let the opponents of bots that are set aside go on, when nothing else is open."""
        if self._interrupt.received is not None or self._game_limit is not None:
            return
        absent = walkovers(self._spec, batch, self._settled, self._set_aside)
        self._incidents += [
            Incident(game_id, 1, IncidentKind.WALKOVER, bot, self._set_aside[bot], _now())
            for game_id, bots in absent.items()
            for bot in sorted(bots)
        ]
        self._store_incidents()  # one transaction: a batch is walked over as a whole
        for game_id, bots in absent.items():
            self._settled.walk_over(game_id, bots)
        self._walked_over += len(absent)
        if absent:
            self._tell(Notice(f"{len(absent)} games of bots that are set aside are walked over"))

    def _within_limit(self, job: PairJob | None) -> PairJob | None:
        """Cut a job to the games that may still be begun."""
        if job is None or self._game_limit is None:
            return job
        games = job.games[: self._game_limit]
        self._game_limit -= len(games)
        return replace(job, games=games) if games else None

    def _take(self, event: ExecutionEvent, agenda: Agenda) -> None:
        match event:
            case Started(game=game, slot=slot):
                agenda.begun(game)
                self._news.append(GameStarted(game, self._planned, slot))
            case Played(record=record):
                self._news.append(record)
            case Voided(game=game, bot=bot, why=why, attempt=attempt):
                agenda.voided(game, attempt)
                self._void(game, attempt, IncidentKind.VOID, bot, why, is_last_attempt=False)
            case StartFailed(bot=bot, why=why):
                if bot not in agenda.set_aside:
                    self._put_aside(bot, why, agenda.set_aside)
            case Lost(job=PairJob() as job, why=why):
                self._take_lost(job, why, agenda)
            case Lost() | Finished() | Greeted():
                pass

    def _put_aside(self, bot: str, why: str, set_aside: dict[str, str]) -> None:
        set_aside[bot] = why
        self._incidents.append(Incident("", 1, IncidentKind.SET_ASIDE, bot, why, _now()))
        self._log.warning("%s is set aside: %s", bot, why)
        self._tell(BotSetAside(bot, why))

    def _take_lost(self, job: PairJob, why: str, agenda: Agenda) -> None:
        done = {one.spec.game_id for one in self._news if isinstance(one, GameRecord)}
        games = tuple(
            game
            for game in job.games
            if game.game_id not in done and game.game_id not in self._settled
        )
        given_up = agenda.give_back(games)
        if given_up and self._decider is not None:
            self._is_blocked = True  # nothing after a missing pair counts
        for game in games:
            attempt = agenda.attempts.get(game.game_id, 0)
            if attempt:
                kind = IncidentKind.LOST_ATTEMPT
                self._void(game, attempt, kind, "", why, is_last_attempt=game in given_up)

    def _void(
        self,
        game: GameSpec,
        attempt: int,
        kind: IncidentKind,
        bot: str,
        why: str,
        *,
        is_last_attempt: bool,
    ) -> None:
        self._incidents.append(Incident(game.game_id, attempt, kind, bot, why, _now()))
        text = f"{bot}: {why}" if bot else why
        if is_last_attempt:
            text = f"{text}; given up after {MAX_ATTEMPTS} attempts"
        self._log.warning("game %s is void: %s", game.game_id, text)
        self._news.append(GameVoided(game.game_id, game.schedule_index + 1, text, is_last_attempt))

    def _commit(self, agenda: Agenda) -> None:
        """Store everything that waits in one transaction, then tell of it in its order."""
        self._store_incidents()
        news, self._news = self._news, []
        added = set(self._store.add([one for one in news if isinstance(one, GameRecord)]))
        for one in news:
            if not isinstance(one, GameRecord):
                self._tell(one)
                continue
            game_id = one.spec.game_id
            agenda.settled(game_id)
            if game_id in added:
                added.remove(game_id)  # a second record of it may stand in the same transaction
                self._take_stored(one)

    def _store_incidents(self) -> None:
        self._store.add_incidents(self._incidents)
        self._incidents = []

    def _take_stored(self, record: GameRecord) -> None:
        outcome = record.outcome
        half_points = 1
        if outcome.winner is not None:
            half_points = WIN_HALF_POINTS if outcome.winner is Color.BLACK else 0
        self._settled.store(record.spec.game_id, half_points)
        self._finished += 1
        if outcome.cause.kind is CauseKind.FORFEIT:
            assert outcome.winner is not None
            self._log.warning(
                "game %s: %s forfeits by %s: %s",
                record.spec.game_id,
                record.spec.player(outcome.winner.opponent).name,
                outcome.cause.value,
                outcome.detail,
            )
        if self._decider is not None:
            self._decider.take(record)
        self._tell(GameFinished(record, self._planned, self._finished))

    def _tell(self, event: RunEvent) -> None:
        for observer in self._observers:
            observer.notice(event)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def notices(texts: Iterable[str], observers: Sequence[Observer]) -> None:
    """Tell all observers something that is no part of the run proper."""
    for text in texts:
        for observer in observers:
            observer.notice(Notice(text))
