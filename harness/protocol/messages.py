"""The messages of the line protocol as values; ``codec`` has their texts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from harness.rules.position import Setup
from harness.rules.types import Move


class Dialect(Enum):
    """UGI, or the UCI words with UCI's white for the first mover."""

    UGI = "ugi"
    UCI = "uci"


# Runner to bot


@dataclass(frozen=True, slots=True)
class Greet:
    """``ugi`` or ``uci``: say who you are and which options you have."""

    dialect: Dialect = Dialect.UGI


@dataclass(frozen=True, slots=True)
class SetOption:
    """Set an announced option; ``value`` is None for a button."""

    name: str
    value: str | None


@dataclass(frozen=True, slots=True)
class IsReady:
    """Answer ``readyok`` when everything said before is done."""


@dataclass(frozen=True, slots=True)
class NewGame:
    """A new game follows: clear everything learnt from the last one."""


@dataclass(frozen=True, slots=True)
class SetPosition:
    """The whole game so far: the start (None: the standard start) and the moves."""

    start: Setup | None
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Go:
    """Choose a move under these limits; None means that no such limit was given.

    Times are in milliseconds; ``first`` is Black, the first mover, whoever is to move.
    """

    first_time_ms: int | None = None
    second_time_ms: int | None = None
    first_increment_ms: int | None = None
    second_increment_ms: int | None = None
    moves_to_go: int | None = None
    move_time_ms: int | None = None
    nodes: int | None = None
    depth: int | None = None
    infinite: bool = False
    draw_offer: bool = False


@dataclass(frozen=True, slots=True)
class Stop:
    """Answer the running ``go`` at once."""


class Question(Enum):
    """What ``query`` may ask."""

    GAME_OVER = "gameover"
    FIRST_TO_MOVE = "p1turn"
    RESULT = "result"


@dataclass(frozen=True, slots=True)
class Query:
    """Say something about the position that was set."""

    question: Question


@dataclass(frozen=True, slots=True)
class Quit:
    """Leave."""


Request = Greet | SetOption | IsReady | NewGame | SetPosition | Go | Stop | Query | Quit

# Bot to runner


@dataclass(frozen=True, slots=True)
class IdName:
    """The name a bot gives itself."""

    text: str


@dataclass(frozen=True, slots=True)
class IdAuthor:
    """Who wrote the bot."""

    text: str


class OptionType(Enum):
    """The types of options, as in UCI."""

    SPIN = "spin"
    CHECK = "check"
    STRING = "string"
    COMBO = "combo"
    BUTTON = "button"


@dataclass(frozen=True, slots=True)
class OptionOffer:
    """An option that a bot announces. ``minimum`` and ``maximum`` bound a spin."""

    name: str
    type: OptionType
    default: str = ""
    minimum: int | None = None
    maximum: int | None = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GreetingDone:
    """``ugiok`` or ``uciok``."""

    dialect: Dialect = Dialect.UGI


@dataclass(frozen=True, slots=True)
class ReadyOk:
    """``readyok``."""


@dataclass(frozen=True, slots=True)
class BestMove:
    """The move that the bot plays; ``offers_draw`` when the word ``draw`` follows it."""

    move: Move
    offers_draw: bool = False


@dataclass(frozen=True, slots=True)
class Resign:
    """``bestmove resign``."""


@dataclass(frozen=True, slots=True)
class AcceptDraw:
    """``bestmove draw``: accepts the offer that came with ``go``."""


@dataclass(frozen=True, slots=True)
class UnreadableMove:
    """``bestmove`` with nothing behind it, or with something that is no move."""

    text: str


@dataclass(frozen=True, slots=True)
class Info:
    """What a bot says of its search; None where it said nothing that could be read.

    ``score_cp`` is in hundredths from the mover's point of view, ``score_win`` the distance to
    a forced end in plies (negative: it is lost), ``hashfull`` in thousandths.
    """

    depth: int | None = None
    seldepth: int | None = None
    score_cp: int | None = None
    score_win: int | None = None
    nodes: int | None = None
    nodes_per_second: int | None = None
    time_ms: int | None = None
    hashfull: int | None = None
    pv: tuple[str, ...] = ()
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Response:
    """The answer to a ``query``."""

    text: str


BotMessage = (
    IdName
    | IdAuthor
    | OptionOffer
    | GreetingDone
    | ReadyOk
    | BestMove
    | Resign
    | AcceptDraw
    | UnreadableMove
    | Info
    | Response
)
