"""The store of one tournament: one SQLite file, one writer, any number of readers."""

from __future__ import annotations

import datetime
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import NoneType, TracebackType
from typing import Any, Final, Self

from harness.errors import ConditionsError, NoSuchGameError, StoreError
from harness.play.types import GameRecord
from harness.store import aggregates, beginning, queries, scheduling
from harness.store.connection import (
    BUSY_TIMEOUT_MS,
    SENSELESS,
    open_for_reading,
    open_for_writing,
    plain_errors,
    senseless,
    sensible,
)
from harness.store.file_watch import FileWatch
from harness.store.filesystem import network_file_system
from harness.store.game_rows import Row, object_from_json, of_types, stored_game
from harness.store.interning import Interning
from harness.store.records import PreparedGame, prepare, storable
from harness.store.rescue import rescue
from harness.store.rows import (
    EndingRow,
    GameFilter,
    Incident,
    IncidentKind,
    LengthRow,
    PairingCount,
    PlyTimes,
    ResultColumns,
    StoredGame,
    StoredSeat,
    StoredTournament,
    StoreSummary,
)
from harness.store.schema import FILE_NAME
from harness.store.selection import EVERYTHING, Selection
from harness.tournament.index_runs import IndexRuns

_HALF_POINTS: Final[Mapping[str | None, int]] = {"black": 2, None: 1, "white": 0}


class Store:
    """The results of one tournament; every error of the database is a StoreError.

    Use it as a context manager, in the thread that opened it. When the file is deleted or moved
    while it is written to, its content is saved, and every later write is the same StoreError.
    """

    def __init__(
        self, folder: Path, connection: sqlite3.Connection, watch: FileWatch | None = None
    ) -> None:
        self.folder = folder
        self.file = folder / FILE_NAME
        self._connection = connection
        self._watch = watch
        self._lost: StoreError | None = None
        self._interning = Interning(connection)

    @classmethod
    def create_or_open(cls, folder: Path, *, busy_timeout_ms: int = BUSY_TIMEOUT_MS) -> Self:
        """Open the store of this folder for writing; folder and file are made where missing."""
        connection = open_for_writing(folder, busy_timeout_ms)
        try:
            with plain_errors(folder / FILE_NAME):
                return cls(folder, connection, FileWatch(folder / FILE_NAME))
        except BaseException:
            connection.close()
            raise

    @classmethod
    def open_read_only(cls, folder: Path, *, busy_timeout_ms: int = BUSY_TIMEOUT_MS) -> Self:
        """Open the store of this folder for reading, also while another process writes.

        Raises NoSuchTournamentError when nothing is stored there.
        """
        return cls(folder, open_for_reading(folder, busy_timeout_ms))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the database; safe to call twice."""
        with plain_errors(self.file):
            self._connection.close()
        if self._watch is not None:
            self._watch.close()
            self._watch = None

    # Writing

    def begin(
        self,
        name: str,
        spec_text: str,
        conditions: Mapping[str, Any],
        identities: Mapping[str, str],
        definitions: Mapping[str, Mapping[str, Any]],
        *,
        accept_changed: Collection[str] = (),
    ) -> list[str]:
        """Store what is going to be played, or check it against what was; returns notices.

        ``identities`` and ``definitions`` (the bot's own conditions) are by bot name. Raises
        ConditionsError with every difference, and then nothing is changed: games are stored
        under other conditions, or a bot that has played has changed and is not in
        ``accept_changed``. While no game is stored everything may change.
        """
        wanted = beginning.Beginning(
            name, spec_text, conditions, identities, definitions, accept_changed
        )
        with self._transaction():
            with self._sensible("what was begun here before"):
                problems, notices = beginning.compare(self._connection, wanted)
            if problems:
                raise ConditionsError(str(self.folder), problems)
            beginning.write(self._connection, wanted, _now())
        file_system = network_file_system(self.folder)
        if file_system is not None:
            notices.append(
                f"{self.folder} is on a network file system ({file_system}), where SQLite's locks "
                "cannot be relied on: let one machine write and read it, or use a local disk"
            )
        return notices

    def add(self, records: Sequence[GameRecord]) -> tuple[str, ...]:
        """Store the records in one transaction; returns the ids that are new, after the commit.

        The first record of an id wins: a later one is dropped without an error.
        """
        games = [prepare(record) for record in records]
        if not games:
            return ()
        now = _now()
        with self._transaction():
            added = [game.game_id for game in games if self._insert(game, now)]
        return tuple(added)

    def add_incidents(self, incidents: Sequence[Incident]) -> None:
        """Store incidents in one transaction."""
        if not incidents:
            return
        with self._transaction():
            self._connection.executemany(
                "INSERT INTO incidents (game, attempt, kind, bot, why, at) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (one.game_id, one.attempt, one.kind.value, one.bot, storable(one.why), one.at)
                    for one in incidents
                ],
            )

    def reschedule(
        self, index_of: Callable[[str], int | None], extent: str = "", unchanged: int = 0
    ) -> int:
        """Write every game's place in the schedule anew; returns how many games have none.

        ``index_of`` gives the place of a game id, None for a game that is asked for no longer.
        ``extent`` says of which schedule these places are, and is kept in the same transaction;
        "" when it is not to be said. Places below ``unchanged`` are right already.
        """
        with self._transaction():
            return scheduling.write_places(
                self._connection, self._sensible, index_of, extent, unchanged
            )

    # Reading

    def tournament(self) -> StoredTournament | None:
        """Return what was last begun; None when that never came to pass."""
        text = "SELECT name, spec, conditions, created_at, runs FROM tournament"
        with self._sensible("the stored tournament"):
            for row in of_types(self._rows(text), str, str, str, str, int):
                name, spec_text, conditions, created_at, runs = row
                values = object_from_json(conditions)
                return StoredTournament(name, spec_text, values, created_at, runs)
        return None

    def stored_ids(self) -> set[str]:
        """Return the ids of all games that have a result."""
        with self._sensible("the id of a game"):
            return {game_id for (game_id,) in of_types(self._rows("SELECT id FROM games"), str)}

    def half_points(self) -> dict[str, int]:
        """Return Black's half points (2 won, 1 drawn, 0 lost) of every stored game, by id.

        Slower than ``stored_ids``, which an index answers.
        """
        with self._sensible("the result of a game"):
            rows = of_types(self._rows("SELECT id, winner FROM games"), str, (str, NoneType))
            return {game_id: _HALF_POINTS[winner] for game_id, winner in rows}

    def extent(self) -> str:
        """Return of which schedule the stored places are; "" when that is not known."""
        with self._sensible("the extent of the schedule"):
            rows = of_types(self._rows("SELECT extent FROM schedule"), str)
            return next((extent for (extent,) in rows), "")

    def places(self, extent: str) -> IndexRuns | None:
        """Return the places of all games that have one in the schedule of this extent.

        None when places are stored of another schedule.
        """
        with self._snapshot(), self._sensible("the place of a game in the schedule"):
            return scheduling.read_places(self._connection) if self.extent() == extent else None

    def walkovers(self) -> dict[str, frozenset[str]]:
        """Return the bots that were not there, by the id of each game that was walked over."""
        absent: dict[str, frozenset[str]] = {}
        text = "SELECT game, bot FROM incidents WHERE kind = ?"
        with self._sensible("a stored incident"):
            for game_id, bot in of_types(self._rows(text, [IncidentKind.WALKOVER.value]), str, str):
                absent[game_id] = absent.get(game_id, frozenset()) | {bot}
        return absent

    def count(self) -> int:
        """Return how many games are stored, surplus ones included."""
        ((games,),) = self._rows("SELECT count(*) FROM games")
        return int(games)

    def pairing_counts(self) -> list[PairingCount]:
        """Return wins, draws and losses of Black for every two bots on their sides, by name.

        A bot whose identity changed is one bot for each identity.
        """
        with plain_errors(self.file), self._sensible("who played a stored game"):
            return aggregates.pairing_counts(self._connection)

    def result_columns(self, selection: Selection = EVERYTHING) -> ResultColumns:
        """Return the results of the selected games one by one; their moves are not read."""
        with plain_errors(self.file), self._sensible("a stored result"):
            return aggregates.result_columns(self._connection, selection)

    def ending_rows(self, selection: Selection = EVERYTHING) -> list[EndingRow]:
        """Return the selected games counted by bots, cause and winner."""
        with plain_errors(self.file), self._sensible("a stored result"):
            return aggregates.ending_rows(self._connection, selection)

    def length_rows(self, selection: Selection = EVERYTHING) -> list[LengthRow]:
        """Return the selected games counted by length."""
        with plain_errors(self.file), self._sensible("a stored result"):
            return aggregates.length_rows(self._connection, selection)

    def ply_times(self, most: int, selection: Selection = EVERYTHING) -> tuple[list[PlyTimes], int]:
        """Return the times of at most ``most`` selected games, and how many are selected."""
        with plain_errors(self.file), self._sensible("a stored game"):
            return aggregates.ply_times(self._connection, selection, most)

    def games_by_bot(self) -> dict[str, int]:
        """Return how many games are stored of every bot that has played."""
        with plain_errors(self.file), self._sensible("a stored bot"):
            games = beginning.games_by_bot(self._connection)
            return dict(of_types(games.items(), str, int))

    def games(
        self, wanted: GameFilter | None = None, *, details: bool = False
    ) -> Iterator[StoredGame]:
        """Yield the games of the filter (None: all); ``details`` cost a lookup each."""
        text, parameters = queries.many_games(wanted or GameFilter(), details=details)
        for row in self._rows(text, parameters):
            yield self._game(row)

    def game(self, game_id: str) -> StoredGame:
        """Return one game with its details; NoSuchGameError when it is not stored."""
        for row in self._rows(queries.one_game(), [storable(game_id)]):
            return self._game(row)
        raise NoSuchGameError(str(self.folder), game_id)

    def bot_definition(self, seat: StoredSeat) -> Mapping[str, Any] | None:
        """Return how the bot of a seat was started and configured; None when that is unknown."""
        text = "SELECT definition FROM bots WHERE name = ? AND identity = ? AND last_run > 0"
        with self._sensible(f"the definition of {seat.name!r:.80}"):
            for (definition,) in of_types(self._rows(text, [seat.name, seat.identity]), str):
                return object_from_json(definition)
        return None

    def incidents(self) -> list[Incident]:
        """Return everything that happened besides results, in the order of storing."""
        text = "SELECT game, attempt, kind, bot, why, at FROM incidents ORDER BY number"
        with self._sensible("a stored incident"):
            return [
                Incident(game, attempt, IncidentKind(kind), bot, why, at)
                for game, attempt, kind, bot, why, at in of_types(
                    self._rows(text), str, int, str, str, str, str
                )
            ]

    def summary(self) -> StoreSummary:
        """Return one line about the tournament; its bots are those begun last or with games."""
        tournament = self.tournament()
        current = self._rows(
            "SELECT name FROM bots WHERE last_run = (SELECT runs FROM tournament) ORDER BY number"
        )
        played = self._rows(queries.BOTS_WITH_GAMES)
        latest = self._rows("SELECT started_at FROM games ORDER BY number DESC LIMIT 1")
        with self._sensible("a stored bot"):
            names = [name for rows in (current, played) for (name,) in of_types(rows, str)]
        with self._sensible("the newest game"):
            started_at = [moment for (moment,) in of_types(latest, str)]
        ((incidents,),) = self._rows("SELECT count(*) FROM incidents")
        return StoreSummary(
            name=self.folder.name if tournament is None else tournament.name,
            bots=tuple(dict.fromkeys(names)),
            games=self.count(),
            incidents=incidents,
            last_started_at=started_at[0] if started_at else "",
        )

    # Inside

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        if self._lost is not None:
            raise self._lost
        with plain_errors(self.file):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                self._interning.forget()
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
        if self._watch is not None and not self._watch.is_in_place:
            self._lost = rescue(self._connection, self._watch)
            raise self._lost

    @contextmanager
    def _snapshot(self) -> Iterator[None]:
        """Let everything that is read inside be of one moment."""
        with plain_errors(self.file):
            self._connection.execute("BEGIN")
            try:
                yield
            finally:
                self._connection.execute("ROLLBACK")

    def _insert(self, game: PreparedGame, now: str) -> bool:
        interning = self._interning
        try:
            shared = (
                interning.bot(game.black, now),
                interning.bot(game.white, now),
                interning.opening(game.opening),
                interning.settings(game.settings),
            )
        except SENSELESS as error:
            raise senseless(self.file, "what is stored of other games", error) from error
        cursor = self._connection.execute(queries.INSERT_GAME, (*shared, *game.game))
        if cursor.rowcount == 0:
            return False
        self._connection.execute(queries.INSERT_DETAILS, (cursor.lastrowid, *game.details))
        if game.log:
            self._connection.execute(queries.INSERT_LOG, (cursor.lastrowid, game.log))
        return True

    def _rows(self, text: str, parameters: Sequence[Any] = ()) -> Iterator[Row]:
        with plain_errors(self.file):
            # Not `yield from`: it closes the cursor when the reader leaves early, which fails
            # when the store was closed before.
            for row in self._connection.execute(text, parameters):  # noqa: UP028
                yield row

    def _sensible(self, what: str) -> AbstractContextManager[None]:
        return sensible(self.file, what)

    def _game(self, row: Row) -> StoredGame:
        try:
            return stored_game(row)
        except SENSELESS as error:
            raise senseless(self.file, f"the row of game {row[0]!r}", error) from error


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
