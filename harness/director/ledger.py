"""What happened in a run, on its way into the store and then to those who follow the run."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Final, Protocol, runtime_checkable

from harness.director.events import GameFinished, Notice, Observer, RunEvent
from harness.director.lateness_watch import LatenessWatch
from harness.director.off_turn import OffTurnWatch
from harness.director.sequential_watch import Decider
from harness.play.types import GameRecord
from harness.rules.types import Color
from harness.store.rows import Incident, IncidentKind
from harness.store.sqlite import Store
from harness.tournament.results import WIN_HALF_POINTS, SettledGames

_PAUSE_PER_COST: Final = 20
_LONGEST_PAUSE_SECONDS: Final = 0.2


@runtime_checkable
class HoldingObserver(Protocol):
    """An observer that writes: what it is told at one time it can write in one piece."""

    def hold(self) -> None:
        """Keep what is to be written."""
        ...

    def release(self) -> None:
        """Write what was kept, and from now on at once."""
        ...


class Ledger:
    """Collects records, incidents and news; ``commit`` stores them and tells of them in order.

    Nothing is told of a game before it is stored. ``planned`` and ``finished`` count games.
    After a transaction the next one waits for at least ``transaction_seconds``, and longer where
    transactions are slow: they are to take a twentieth of the time, but none waits longer than
    0.2 s. With 0 none waits, and with a ``decider``, who ends the run, none longer than that.
    ``suspended`` are bots that are stopped between their turns, ``slots`` is how many games are
    played at once.
    """

    def __init__(
        self,
        store: Store,
        settled: SettledGames,
        observers: Sequence[Observer],
        decider: Decider | None,
        transaction_seconds: float,
        suspended: Collection[str] = (),
        slots: int | None = None,
    ) -> None:
        self.planned = 0
        self.finished = 0
        self.settled = settled
        self._store = store
        self._observers = observers
        self._holding = [one for one in observers if isinstance(one, HoldingObserver)]
        self._decider = decider
        self._off_turn = OffTurnWatch(suspended)
        self._lateness = LatenessWatch(slots)
        self._news: list[GameRecord | RunEvent] = []
        self._waiting_records = 0
        self._next_commit_at = 0.0
        self._transaction_seconds = transaction_seconds
        self._incidents: list[Incident] = []

    def tell(self, event: RunEvent) -> None:
        """Tell of an event now."""
        for observer in self._observers:
            observer.notice(event)

    def tick(self) -> None:
        """Tell that nothing happened for a while."""
        for observer in self._observers:
            observer.tick()

    def add(self, news: GameRecord | RunEvent) -> None:
        """Keep a record, or an event that comes after the records before it."""
        self._news.append(news)
        self._waiting_records += isinstance(news, GameRecord)

    def add_incident(
        self, kind: IncidentKind, bot: str, why: str, game_id: str = "", attempt: int = 1
    ) -> None:
        """Keep an incident for the next transaction."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._incidents.append(Incident(game_id, attempt, kind, bot, why, now))

    def has_result(self, game_id: str) -> bool:
        """Whether a game is stored, or its record waits to be."""
        return game_id in self.settled or any(
            isinstance(one, GameRecord) and one.spec.game_id == game_id for one in self._news
        )

    @property
    def commit_in_seconds(self) -> float | None:
        """How long what waits may go on waiting; None when nothing does.

        Quick games share a transaction: one for each would cost more than to play them. The
        first result after a pause is stored at once.
        """
        if not (self._news or self._incidents):
            return None
        if not (self._incidents or self._waiting_records):
            return 0.0  # nothing of it is to be stored
        return max(0.0, self._next_commit_at - time.monotonic())

    def commit(self) -> list[str]:
        """Store all incidents and then all records that wait, then tell of everything in its order.

        Returns the ids of the games whose records came, new or not. Raises StoreError; then
        nothing was told.
        """
        begun_at = time.monotonic()
        is_anything_stored = bool(self._incidents or self._waiting_records)
        self.store_incidents()
        news, self._news, self._waiting_records = self._news, [], 0
        records = [one for one in news if isinstance(one, GameRecord)]
        added = set(self._store.add(records))
        if is_anything_stored:
            self._pause_after(begun_at, time.monotonic())
        try:
            for observer in self._holding:
                observer.hold()
            for one in news:
                if not isinstance(one, GameRecord):
                    self.tell(one)
                elif one.spec.game_id in added:
                    added.remove(one.spec.game_id)  # a second record of it may stand behind it
                    self._take_stored(one)
        finally:
            for observer in self._holding:
                observer.release()
        return [record.spec.game_id for record in records]

    def store_incidents(self) -> None:
        """Store the incidents that wait, in one transaction."""
        self._store.add_incidents(self._incidents)
        self._incidents = []

    def _pause_after(self, begun_at: float, ended_at: float) -> None:
        least = self._transaction_seconds
        if self._decider is not None:
            self._next_commit_at = ended_at + least  # whatever is stored late is played in vain
        elif least > 0:
            wanted = min(_PAUSE_PER_COST * (ended_at - begun_at), _LONGEST_PAUSE_SECONDS)
            self._next_commit_at = ended_at + max(least, wanted)

    def _take_stored(self, record: GameRecord) -> None:
        outcome = record.outcome
        half_points = 1
        if outcome.winner is not None:
            half_points = WIN_HALF_POINTS if outcome.winner is Color.BLACK else 0
        self.settled.store(record.spec.game_id, half_points)
        self.finished += 1
        before = None if self._decider is None else self._decider.state
        if self._decider is not None:
            self._decider.take(record)
        self.tell(GameFinished(record, self.planned, self.finished))
        if self._decider is not None and (after := self._decider.state) != before:
            self.tell(after)
        for text in (*self._off_turn.look(record), *self._lateness.look(record)):
            self.tell(Notice(text))
