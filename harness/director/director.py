"""The run: batch after batch of games to an executor, what comes of them to the ledger."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from harness.director.agenda import MAX_ATTEMPTS, Agenda
from harness.director.events import (
    BatchBegan,
    BotSetAside,
    GameStarted,
    GameVoided,
    Notice,
    Observer,
    RunBegan,
    RunEnded,
)
from harness.director.interrupt import Interrupt
from harness.director.ledger import Ledger
from harness.director.sequential_watch import Decider
from harness.director.settled import Resumption, resume
from harness.director.walkovers import walkovers
from harness.execution.base import ExecutionEvent, Executor, Finished, Lost
from harness.play.bot_definition import Pondering
from harness.process.jobs import Greeted, PairJob, Played, Started, StartFailed, Voided
from harness.store.rows import IncidentKind
from harness.store.sqlite import Store
from harness.tournament.batch import Batch
from harness.tournament.openings import OpeningList
from harness.tournament.spec import TournamentSpec

_WAIT_SECONDS = 0.2
TRANSACTION_SECONDS = 0.02


class Director:
    """Runs one tournament to its end, or until it is interrupted or asked to stop.

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
        is_stop_asked: Callable[[], bool] = lambda: False,
        has_transcripts: bool = False,
        transaction_seconds: float = TRANSACTION_SECONDS,
        resumption: Resumption | None = None,
    ) -> None:
        """Take what a run needs.

        ``set_aside`` are bots that failed in preflight, and why. ``game_limit`` ends the run
        after so many games were begun (None: play all). The ``decider`` ends it as soon as it
        is decided: running games are withdrawn. When ``is_stop_asked`` says so, running games
        are finished and the run ends; it is asked after every wait for events. Games that end
        within ``transaction_seconds`` of each other may be stored together, and more of them
        where the disk is slow. ``resumption`` is what ``resume`` returned for this spec and this
        store, when it was called already.
        """
        if resumption is None:
            resumption = resume(spec, store)
        self._decider = decider
        self._is_blocked = False
        self._is_draining = False
        self._spec = spec
        self._game_limit = game_limit
        self._store = store
        self._executor = executor
        self._openings = openings
        self._identities = identities
        self._interrupt = interrupt
        self._is_stop_asked = is_stop_asked
        self._has_transcripts = has_transcripts
        suspended = [bot.name for bot in spec.bots if bot.pondering is Pondering.SUSPEND]
        self._ledger = Ledger(
            store,
            resumption.settled,
            observers,
            decider,
            transaction_seconds,
            suspended,
            executor.slots,
        )
        self._schedule = replace(resumption.schedule, spec=spec)
        self._counted_batches = 0
        self._set_aside: dict[str, str] = {}
        self._failed_in_preflight = set_aside
        self._walked_over = 0

    def run(self) -> RunEnded:
        """Play every batch; returns how the run ended."""
        try:
            for bot, why in self._failed_in_preflight:
                self._put_aside(bot, why, self._set_aside)
            self._ledger.commit()
            self._advance()
            if (batch := self._schedule.current) is not None:
                self._tell_beginning()
            while batch is not None and self._play_batch(batch):
                self._advance()
                batch = None if self._is_draining else self._schedule.current
            self._ledger.store_incidents()
        except BaseException:
            self._executor.withdraw()
            raise
        if self._is_cut_short:
            self._executor.withdraw()
        else:
            self._executor.close()
        ended = RunEnded(
            planned=self._ledger.planned,
            finished=self._ledger.finished,
            open_games=self._open_games,
            set_aside=tuple(self._set_aside.items()),
            interrupted_by=self._interrupt.received,
            walked_over=self._walked_over,
            is_decided=self._is_decided,
            is_stopped=self._is_draining,
        )
        self._ledger.tell(ended)
        return ended

    @property
    def _is_decided(self) -> bool:
        return self._decider is not None and self._decider.is_decided

    @property
    def _is_cut_short(self) -> bool:
        """Whether what runs is not to be finished."""
        return self._interrupt.received is not None or self._is_decided or self._is_blocked

    @property
    def _open_games(self) -> int:
        return self._ledger.planned - self._ledger.finished - self._walked_over

    def _advance(self) -> None:
        """Make the batches that follow from what is settled, and count their games."""
        known = self._counted_batches
        settled = self._ledger.settled
        self._schedule = self._schedule.advanced(settled)
        stored, walked_over = self._schedule.count_settled(settled, known)
        self._ledger.planned += sum(map(len, self._schedule.batches[known:]))
        self._ledger.finished += stored
        self._walked_over += walked_over
        self._counted_batches = len(self._schedule.batches)
        if stored and known:
            # Games of an earlier, other extent have a place in the schedule again.
            self._store.reschedule(self._schedule.index_of)

    def _tell_beginning(self) -> None:
        ledger, folder = self._ledger, str(self._store.folder)
        ledger.tell(
            RunBegan(self._spec, folder, ledger.planned, ledger.finished, self._executor.slots)
        )
        if self._decider is not None:
            ledger.tell(self._decider.state)

    def _play_batch(self, batch: Batch) -> bool:
        """Play one batch; False when games of it stay open, so that no batch can follow."""
        ledger = self._ledger
        agenda = Agenda(
            self._spec,
            batch,
            ledger.settled,
            self._identities,
            self._openings.__getitem__,
            self._executor.slots,
            earlier=ledger.settled.earlier,
            has_transcripts=self._has_transcripts,
        )
        agenda.set_aside.update(self._set_aside)
        if batch.title:
            counts = ledger.planned, ledger.finished, self._open_games
            ledger.tell(BatchBegan(batch.title, batch.notes, *counts))
        open_jobs = 0
        is_exhausted = False
        while not self._is_cut_short:
            self._drain_when_asked()
            while not self._is_draining and self._executor.room > 0:
                job = self._within_limit(agenda.next_job())
                if job is None:
                    is_exhausted = True
                    break
                is_exhausted = False
                self._executor.offer(job)
                open_jobs += 1
            if open_jobs == 0 and (is_exhausted or self._is_draining):
                break
            commit_in = ledger.commit_in_seconds
            events = self._executor.next_events(_WAIT_SECONDS if commit_in is None else commit_in)
            for event in events:
                open_jobs -= isinstance(event, Finished | Lost)
                self._take(event, agenda)
            if ledger.commit_in_seconds == 0:
                self._commit(agenda)
            elif not events:
                ledger.tick()
        self._commit(agenda)
        self._set_aside.update(agenda.set_aside)
        if not (self._is_cut_short or self._is_draining):
            self._walk_over(batch)
        return self._open_games == 0

    def _commit(self, agenda: Agenda) -> None:
        for game_id in self._ledger.commit():
            agenda.settled(game_id)

    def _drain_when_asked(self) -> None:
        if not self._is_draining and self._is_stop_asked():
            self._is_draining = True
            self._executor.drain()
            self._ledger.tell(Notice("asked to stop: running games finish, no further one begins"))

    def _walk_over(self, batch: Batch) -> None:
        """Let the opponents of bots that are set aside go on, when nothing else is open."""
        if self._game_limit is not None:
            return
        ledger = self._ledger
        absent = walkovers(self._spec, batch, ledger.settled, self._set_aside)
        for game_id, bots in absent.items():
            for bot in sorted(bots):
                ledger.add_incident(IncidentKind.WALKOVER, bot, self._set_aside[bot], game_id)
        ledger.store_incidents()  # one transaction: a batch is walked over as a whole
        for game_id, bots in absent.items():
            ledger.settled.walk_over(game_id, bots)
        self._walked_over += len(absent)
        if absent:
            ledger.tell(Notice(f"{len(absent)} games of bots that are set aside are walked over"))

    def _within_limit(self, job: PairJob | None) -> PairJob | None:
        """Cut a job to the games that may still be begun."""
        if job is None or self._game_limit is None:
            return job
        games = job.games[: self._game_limit]
        self._game_limit -= len(games)
        return replace(job, games=games) if games else None

    def _take(self, event: ExecutionEvent, agenda: Agenda) -> None:
        ledger = self._ledger
        match event:
            case Started(game=game, slot=slot):
                agenda.begun(game)
                ledger.add(GameStarted(game, ledger.planned, slot))
            case Played(record=record):
                ledger.add(record)
            case Voided(game=game, bot=bot, why=why, attempt=attempt):
                agenda.voided(game, attempt)
                ledger.add_incident(IncidentKind.VOID, bot, why, game.game_id, attempt)
                ledger.add(GameVoided(game, attempt, bot, why, is_last_attempt=False))
            case StartFailed(bot=bot, why=why):
                # Other slots may find the same in the job that they had already.
                if bot not in agenda.set_aside:
                    self._put_aside(bot, why, agenda.set_aside)
            case Lost(job=PairJob() as job, why=why):
                self._take_lost(job, why, agenda)
            case Lost() | Finished() | Greeted():
                pass

    def _put_aside(self, bot: str, why: str, set_aside: dict[str, str]) -> None:
        set_aside[bot] = why
        self._ledger.add_incident(IncidentKind.SET_ASIDE, bot, why)
        self._ledger.add(BotSetAside(bot, why))

    def _take_lost(self, job: PairJob, why: str, agenda: Agenda) -> None:
        ledger = self._ledger
        games = tuple(game for game in job.games if not ledger.has_result(game.game_id))
        given_up = agenda.give_back(games)
        if given_up and self._decider is not None:
            self._is_blocked = True  # nothing after a missing pair counts
        for game in games:
            attempt = agenda.attempts.get(game.game_id, 0)
            if attempt:
                is_last = game in given_up
                text = f"{why}; given up after {MAX_ATTEMPTS} attempts" if is_last else why
                ledger.add_incident(IncidentKind.LOST_ATTEMPT, "", why, game.game_id, attempt)
                ledger.add(GameVoided(game, attempt, "", text, is_last))
