"""What comes out of the store: games, incidents, counts and the tournament, as values."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal, NamedTuple

from harness.play.types import BotUsage, Cause, Outcome
from harness.rules.types import Color, RuleSet

Result = Literal["black", "white", "draw"]


class IncidentKind(Enum):
    """What happened that was no result."""

    VOID = "void"
    LOST_ATTEMPT = "lost-attempt"
    SET_ASIDE = "set-aside"
    WALKOVER = "walkover"


@dataclass(frozen=True, slots=True)
class Incident:
    """Something that happened besides the results; never counted in a rating.

    ``game_id`` and ``bot`` are empty where none in particular is concerned. ``attempt`` counts
    from 1, ``at`` is ISO 8601 in UTC.
    """

    game_id: str
    attempt: int
    kind: IncidentKind
    bot: str
    why: str
    at: str


@dataclass(frozen=True, slots=True)
class StoredSeat:
    """One side of a stored game: who sat there and with which time control."""

    name: str
    identity: str
    time_control: str


class StoredPly(NamedTuple):
    """The time charged for one asked ply, and the bot's last ``info`` line before its answer."""

    elapsed_ns: int
    info: str | None


@dataclass(frozen=True, slots=True)
class SeatDetails:
    """What is kept of one bot's part in a game besides its moves.

    ``usage`` is in whole milliseconds and KiB; all 0 where nothing was measured.
    """

    announced: str
    stderr: str
    process_id: int | None
    usage: BotUsage = field(default_factory=BotUsage)


@dataclass(frozen=True, slots=True)
class GameDetails:
    """The rarely read part of a game. ``plies`` are those after the opening.

    ``log`` are the protocol lines that were kept, one a line; empty where none were.
    """

    plies: tuple[StoredPly, ...]
    final_reply: str
    black: SeatDetails
    white: SeatDetails
    provenance: Mapping[str, str | int] = field(default_factory=dict)
    log: str = ""


@dataclass(frozen=True, slots=True)
class StoredGame:
    """One game as stored.

    ``moves`` are in written form and begin with the ``opening_plies`` moves of the opening;
    ``opening`` is the opening's content identity, ``start`` its position as FEN.
    ``schedule_index`` is None for a game that the tournament no longer asks for. ``details`` is
    None unless it was asked for.
    """

    game_id: str
    schedule_index: int | None
    batch: int
    encounter: str
    pair: int
    leg: str
    black: StoredSeat
    white: StoredSeat
    opening: str
    start: str
    opening_plies: int
    rules: RuleSet
    margin_ns: int
    max_think_ns: int
    seed: int
    outcome: Outcome
    moves: tuple[str, ...]
    started_at: str
    duration_ns: int
    details: GameDetails | None = None

    def seat(self, color: Color) -> StoredSeat:
        """Return the seat of this colour."""
        return self.black if color is Color.BLACK else self.white


class PairingCount(NamedTuple):
    """The results of all games with these two bots on these sides, from Black's point of view."""

    black: str
    white: str
    black_identity: str
    white_identity: str
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True, slots=True)
class ResultColumns:
    """The results of many games, one item a game in each column, grouped by pairing.

    ``black``, ``white`` and ``opening`` are numbers: ``bots`` (name, identity) and ``openings``
    (content identity) say of what. ``half_points`` are Black's: 2 won, 1 drawn, 0 lost.
    ``pair`` is the number of the game pair in its encounter. Equal moves have an equal
    ``moves_hash``.
    """

    bots: Mapping[int, tuple[str, str]]
    openings: Mapping[int, str]
    black: array[int]
    white: array[int]
    opening: array[int]
    half_points: array[int]
    pair: array[int]
    moves_hash: array[int]


class EndingRow(NamedTuple):
    """Games of two bots on their sides with one cause and one winner; sums over the games.

    ``plies`` include the openings'; moves and times are those of the asked plies.
    """

    black: str
    white: str
    black_identity: str
    white_identity: str
    cause: Cause
    winner: Color | None
    games: int
    plies: int
    black_time_ns: int
    white_time_ns: int
    black_moves: int
    white_moves: int


class LengthRow(NamedTuple):
    """How many games had this many plies, drawn or decided."""

    plies: int
    is_drawn: bool
    games: int


class PlyTimes(NamedTuple):
    """One bot's part in one stored game: the time of each of its asked plies, in turn."""

    name: str
    identity: str
    elapsed_ns: tuple[int, ...]


class GameOrder(Enum):
    """In which order games are given."""

    SCHEDULE = "schedule"
    NEWEST = "newest"
    LONGEST = "longest"


@dataclass(frozen=True, slots=True)
class GameFilter:
    """Which games are asked for; every field that is set must hold.

    ``opponent`` together with ``bot`` asks for their games against each other, on either side.
    """

    bot: str | None = None
    opponent: str | None = None
    cause: Cause | None = None
    result: Result | None = None
    won_by: str | None = None
    min_plies: int | None = None
    max_plies: int | None = None
    limit: int | None = None
    order: GameOrder = GameOrder.SCHEDULE


@dataclass(frozen=True, slots=True)
class StoredTournament:
    """The tournament as last begun; ``created_at`` is ISO 8601 in UTC."""

    name: str
    spec_text: str
    conditions: Mapping[str, object]
    created_at: str
    runs: int


@dataclass(frozen=True, slots=True)
class StoreSummary:
    """One line about a tournament; ``last_started_at`` is empty while no game is stored."""

    name: str
    bots: tuple[str, ...]
    games: int
    incidents: int
    last_started_at: str
