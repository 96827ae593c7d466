"""What one game is: its specification, what is asked and answered, how it ended, its record."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import NamedTuple, Protocol

from harness.play.adjudication import Adjudication
from harness.play.bot_definition import BotProtocol
from harness.play.clock import TimeControl
from harness.play.plies import Plies
from harness.rules.notation import format_fen, format_moves
from harness.rules.position import Position
from harness.rules.types import Color, Move, RuleSet, Termination


class CauseKind(Enum):
    """The four ways in which a game can end."""

    BOARD = "board"
    FORFEIT = "forfeit"
    CONCESSION = "concession"
    ADJUDICATION = "adjudication"


class Cause(Enum):
    """Why a game ended: the one list for the store, JSON and reports."""

    CONNECTION = "connection"
    SIMULTANEOUS_CONNECTION = "simultaneous-connection"
    NO_MOVES = "no-moves"
    REPETITION = "repetition"
    MAX_PLIES = "max-plies"
    TIME = "time"
    ILLEGAL_MOVE = "illegal-move"
    MALFORMED_REPLY = "malformed-reply"
    OUTPUT_OVERFLOW = "output-overflow"
    CRASH = "crash"
    RESIGNATION = "resignation"
    AGREEMENT = "agreement"
    SCORE_DRAW = "score-draw"
    SCORE_RESIGN = "score-resign"

    @property
    def kind(self) -> CauseKind:
        """Whether the board, a bot's fault, a concession or the harness ended the game."""
        return _KIND_OF_CAUSE[self]


_KIND_OF_CAUSE: Mapping[Cause, CauseKind] = {
    Cause.CONNECTION: CauseKind.BOARD,
    Cause.SIMULTANEOUS_CONNECTION: CauseKind.BOARD,
    Cause.NO_MOVES: CauseKind.BOARD,
    Cause.REPETITION: CauseKind.BOARD,
    Cause.MAX_PLIES: CauseKind.ADJUDICATION,
    Cause.TIME: CauseKind.FORFEIT,
    Cause.ILLEGAL_MOVE: CauseKind.FORFEIT,
    Cause.MALFORMED_REPLY: CauseKind.FORFEIT,
    Cause.OUTPUT_OVERFLOW: CauseKind.FORFEIT,
    Cause.CRASH: CauseKind.FORFEIT,
    Cause.RESIGNATION: CauseKind.CONCESSION,
    Cause.AGREEMENT: CauseKind.CONCESSION,
    Cause.SCORE_DRAW: CauseKind.ADJUDICATION,
    Cause.SCORE_RESIGN: CauseKind.ADJUDICATION,
}

CAUSE_OF_TERMINATION: Mapping[Termination, Cause] = {
    termination: Cause(termination.value) for termination in Termination
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: a cause and a winner (None: a draw). The score is derived from it.

    ``detail`` is for people: the reply that was refused, the signal that ended the bot.
    """

    cause: Cause
    winner: Color | None
    detail: str = ""

    @property
    def score_text(self) -> str:
        """``1-0`` when Black won, ``0-1`` when White won, else ``1/2-1/2``."""
        if self.winner is None:
            return "1/2-1/2"
        return "1-0" if self.winner is Color.BLACK else "0-1"


@lru_cache(maxsize=64)
def _start_text(start: Position) -> str:
    """Return a start as FEN; thousands of openings have the same."""
    return format_fen(start)


@dataclass(frozen=True, slots=True)
class Opening:
    """A start position and the moves that are played from it before the bots are asked."""

    start: Position
    moves: tuple[Move, ...] = ()

    @property
    def first_asked(self) -> Color:
        """The side to move after the opening: its bot is asked first."""
        to_move = self.start.to_move
        return to_move if len(self.moves) % 2 == 0 else to_move.opponent

    @property
    def start_text(self) -> str:
        """The start as FEN."""
        return _start_text(self.start)

    @property
    def text(self) -> str:
        """The content in one line: the start as FEN, then the moves in written form."""
        return " ".join([self.start_text, *format_moves(self.start, self.moves)])

    @property
    def content_id(self) -> str:
        """Sixteen hex digits of the SHA-256 of the content: the identity of the opening."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class PlayerSpec:
    """One seat of a game: the bot's name and the time it gets."""

    name: str
    time_control: TimeControl
    protocol: BotProtocol = BotProtocol.UGI


@dataclass(frozen=True, slots=True)
class GameSpec:
    """Everything that the referee must know of one game.

    ``schedule_index`` counts from 0 over the whole schedule, ``batch`` over the batches.
    ``margin_ns`` is the tolerance before a flag falls; ``max_think_ns`` is the deadline of a
    request that no time control bounds. ``seed`` is the tournament's.
    """

    game_id: str
    encounter: str
    pair: int
    leg: str
    batch: int
    schedule_index: int
    black: PlayerSpec
    white: PlayerSpec
    opening: Opening
    rules: RuleSet
    adjudication: Adjudication = field(default_factory=Adjudication)
    margin_ns: int = 50_000_000
    max_think_ns: int = 120_000_000_000
    seed: int = 0

    def player(self, color: Color) -> PlayerSpec:
        """Return the seat of this colour."""
        return self.black if color is Color.BLACK else self.white


class Ask(NamedTuple):
    """A request to the bot of one side.

    ``request`` is the bytes to write. ``budget_ns``: no answer that is read later than this
    after the request was begun is accepted. ``repeat`` is the line with which the bot answered
    last; one verbatim copy of it is skipped (a line written twice must not lose the game).
    ``wants_score``: of the ``info`` lines, keep the last one that has a score.
    """

    side: Color
    request: bytes
    budget_ns: int
    repeat: bytes | None
    wants_score: bool = False


class Answer(NamedTuple):
    """The bot wrote a ``bestmove`` line in time.

    ``line`` is that line without its end; ``elapsed_ns`` the time from before the request was
    written to the reading of the newline; ``info`` the last ``info`` line before it, or the last
    one with a score where that was wanted.
    """

    line: bytes
    elapsed_ns: int
    info: bytes | None


class TimedOut(NamedTuple):
    """The budget ran out without an answer."""

    elapsed_ns: int


class Exited(NamedTuple):
    """The bot ended, or closed its output, while it was asked. ``how`` says it in words."""

    how: str
    elapsed_ns: int


class Overflowed(NamedTuple):
    """The bot wrote more than the bound of one request."""

    byte_count: int
    elapsed_ns: int


Reply = Answer | TimedOut | Exited | Overflowed


class Transport(Protocol):
    """Where requests go: a bot process, or a script in a test."""

    def ask(self, ask: Ask) -> Reply:
        """Send the request and return what came of it; never raises for what a bot does."""
        ...


@dataclass(frozen=True, slots=True)
class BotUsage:
    """What all processes of one bot used in a game, as far as the machine could tell.

    ``cpu_on_turn_ns`` while it was asked, ``cpu_off_turn_ns`` while its opponent was;
    ``peak_memory_bytes`` the most that was in memory at once since the bot was started.
    """

    cpu_on_turn_ns: int = 0
    cpu_off_turn_ns: int = 0
    peak_memory_bytes: int = 0


@dataclass(frozen=True, slots=True)
class BotRun:
    """What is kept of one bot's part in a game.

    ``identity`` is the hash of what was run, ``announced`` the name it gave itself, ``stderr``
    the bounded tail of its error output, ``process_id`` its number while it ran.
    """

    identity: str
    announced: str = ""
    stderr: str = ""
    process_id: int | None = None
    usage: BotUsage = field(default_factory=BotUsage)


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One game as played; the moves include the opening's.

    ``plies`` are the plies that the bots were asked for (any sequence of them is put in columns),
    ``final_reply`` the raw text of a reply that ended the game by forfeit, ``provenance`` facts
    of the machine and the run (slot, attempt, versions, containment). ``started_at`` is ISO 8601
    in UTC, ``duration_ns`` the wall time of the game. ``log`` are the protocol lines of the game,
    one a line with the milliseconds since its begin: the last ones of a game that ended by
    forfeit, all of them (bounded) where transcripts were asked for, else empty.
    """

    spec: GameSpec
    outcome: Outcome
    plies: Plies
    black: BotRun
    white: BotRun
    started_at: str
    duration_ns: int
    final_reply: str = ""
    provenance: Mapping[str, str | int] = field(default_factory=dict)
    log: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "plies", Plies.of(self.plies))

    @property
    def moves(self) -> tuple[Move, ...]:
        """Every move of the game, the opening's first."""
        return self.spec.opening.moves + self.plies.moves
