"""A game as played to what is stored of it, and back: texts, JSON and compact ply times."""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import NoneType
from typing import Any, Final

from harness.play.types import BotRun, Cause, GameRecord, GameSpec, Outcome, PlyRecord
from harness.rules.notation import format_fen, format_moves
from harness.rules.types import Color, NoMovesRule, RuleSet, SimultaneousRule
from harness.store.rows import (
    GameDetails,
    SeatDetails,
    StoredGame,
    StoredPly,
    StoredSeat,
)

Value = str | int | bytes | None
Row = tuple[Any, ...]

_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")

GAME_COLUMNS: Final = """
    g.id, g.schedule_index, g.batch, g.encounter, g.pair, g.leg,
    b.name, b.identity, s.black_time, w.name, w.identity, s.white_time,
    o.content_id, o.start, o.moves, s.rules, s.margin_ns, s.max_think_ns, s.seed,
    g.cause, g.winner, g.outcome_detail, g.moves, g.started_at, g.duration_ns
"""
"""What ``stored_game`` reads, in this order."""

DETAIL_COLUMNS: Final = """
    d.plies, d.final_reply, d.black_announced, d.black_stderr, d.black_process_id,
    d.white_announced, d.white_stderr, d.white_process_id, d.provenance
"""
"""What ``stored_game`` reads after ``GAME_COLUMNS`` when the details are wanted."""

GAME_COLUMN_COUNT: Final = GAME_COLUMNS.count(",") + 1

_INT_OR_NULL: Final = (int, NoneType)
_STR_OR_NULL: Final = (str, NoneType)
_GAME_TYPES: Final = (
    *(str, _INT_OR_NULL, int, str, int, str),
    *(str, str, str, str, str, str),
    *(str, str, str, str, int, int, int),
    *(str, _STR_OR_NULL, str, str, str, int),
)
_DETAIL_TYPES: Final = (bytes, *(str, str, str, _INT_OR_NULL), *(str, str, _INT_OR_NULL), str)


@dataclass(frozen=True, slots=True)
class PreparedGame:
    """A record taken apart into the values of the tables; everything is storable text.

    ``black`` and ``white`` are (name, identity), ``opening`` is (content id, start, moves),
    ``settings`` the columns of the table of that name. ``game`` and ``details`` lack the
    numbers, which only the database knows.
    """

    game_id: str
    black: tuple[str, str]
    white: tuple[str, str]
    opening: tuple[str, str, str]
    settings: tuple[Value, ...]
    game: dict[str, Value]
    details: dict[str, Value]


def prepare(record: GameRecord) -> PreparedGame:
    """Take a record apart into storable values."""
    spec = record.spec
    moves = format_moves(spec.opening.start, record.moves)
    text = " ".join(moves)
    opening_moves = len(spec.opening.moves)
    winner = record.outcome.winner
    return PreparedGame(
        game_id=spec.game_id,
        black=(storable(spec.black.name), storable(record.black.identity)),
        white=(storable(spec.white.name), storable(record.white.identity)),
        opening=(
            spec.opening.content_id,
            format_fen(spec.opening.start),
            " ".join(moves[:opening_moves]),
        ),
        settings=_settings(spec),
        game={
            "id": spec.game_id,
            "schedule_index": spec.schedule_index,
            "batch": spec.batch,
            "encounter": spec.encounter,
            "pair": spec.pair,
            "leg": spec.leg,
            "cause": record.outcome.cause.value,
            "winner": None if winner is None else winner.word,
            "plies": len(moves),
            "moves": text,
            "moves_hash": moves_hash(text),
            **times_by_side(
                [ply.elapsed_ns for ply in record.plies],
                is_black_first=(spec.opening.start.to_move is Color.BLACK)
                == (opening_moves % 2 == 0),
            ),
            "started_at": record.started_at,
            "duration_ns": record.duration_ns,
            "outcome_detail": storable(record.outcome.detail),
        },
        details={
            "plies": _pack_plies(record.plies),
            "final_reply": storable(record.final_reply),
            **_seat_details("black", record.black),
            **_seat_details("white", record.white),
            "provenance": to_json(dict(record.provenance)),
        },
    )


def stored_game(row: Row) -> StoredGame:
    """Build the value of a row of ``GAME_COLUMNS``, ``DETAIL_COLUMNS`` following or not.

    Raises ValueError, TypeError, KeyError or zlib.error when the row makes no sense.
    """
    _check_types(row[:GAME_COLUMN_COUNT], _GAME_TYPES)
    (
        game_id,
        schedule_index,
        batch,
        encounter,
        pair,
        leg,
        black_name,
        black_identity,
        black_time,
        white_name,
        white_identity,
        white_time,
        opening,
        start,
        opening_moves,
        rules,
        margin_ns,
        max_think_ns,
        seed,
        cause,
        winner,
        detail,
        moves,
        started_at,
        duration_ns,
    ) = row[:GAME_COLUMN_COUNT]
    return StoredGame(
        game_id=game_id,
        schedule_index=schedule_index,
        batch=batch,
        encounter=encounter,
        pair=pair,
        leg=leg,
        black=StoredSeat(black_name, black_identity, black_time),
        white=StoredSeat(white_name, white_identity, white_time),
        opening=opening,
        start=start,
        opening_plies=len(opening_moves.split()),
        rules=_rules(rules),
        margin_ns=margin_ns,
        max_think_ns=max_think_ns,
        seed=seed,
        outcome=Outcome(Cause(cause), None if winner is None else Color[winner.upper()], detail),
        moves=tuple(moves.split()),
        started_at=started_at,
        duration_ns=duration_ns,
        details=_details(row[GAME_COLUMN_COUNT:]) if len(row) > GAME_COLUMN_COUNT else None,
    )


def moves_hash(moves: str) -> int:
    """Return 48 bits of SHA-256 of the written moves, to find games that were played before."""
    return int.from_bytes(hashlib.sha256(moves.encode("ascii")).digest()[:6], "big")


def is_black_first(start: str, opening_moves: str) -> bool:
    """Whether the first asked ply is Black's, for a start as FEN and the opening's moves as text.

    Raises ValueError when the start names no side to move.
    """
    side = start.partition(" ")[2]
    if side not in ("b", "w"):
        raise ValueError(f"the start {start[:80]!r} names no side to move")
    return (side == "b") == (len(opening_moves.split()) % 2 == 0)


def times_by_side(elapsed_ns: Sequence[int], *, is_black_first: bool) -> dict[str, Value]:
    """Return how many plies each side was asked for, and the sum of the times charged for them.

    ``elapsed_ns`` are those of all asked plies in turn. Keys are columns of the table games.
    """
    black, white = (elapsed_ns[::2], elapsed_ns[1::2])
    if not is_black_first:
        black, white = white, black
    return {
        "black_moves": len(black),
        "white_moves": len(white),
        "black_time_ns": sum(black),
        "white_time_ns": sum(white),
    }


def of_types(rows: Iterable[Row], *types: type | tuple[type, ...]) -> Iterator[Row]:
    """Yield the rows; TypeError at a value that is not of the type of its column.

    SQLite checks none: one flipped bit makes bytes of a text.
    """
    for row in rows:
        _check_types(row, types)
        yield row


def object_from_json(text: str) -> dict[str, Any]:
    """Return the object of a JSON text; ValueError or TypeError when it is none."""
    value = json.loads(text)
    if not isinstance(value, dict):
        raise TypeError(f"a JSON object was expected, not {text[:40]!r}")
    return value


def rules_object(rules: RuleSet) -> dict[str, str | int | None]:
    """Return the rules as they are written in records: no knowledge of this program needed."""
    return {
        "max-plies": rules.max_plies,
        "no-moves": rules.no_moves.value,
        "repetition": rules.repetition,
        "simultaneous": rules.simultaneous.value,
    }


def rules_from_object(values: Mapping[str, Any]) -> RuleSet:
    """Return the rules that ``rules_object`` wrote; ValueError or KeyError when it did not."""
    return RuleSet(
        simultaneous=SimultaneousRule(values["simultaneous"]),
        no_moves=NoMovesRule(values["no-moves"]),
        repetition=values["repetition"],
        max_plies=values["max-plies"],
    )


@lru_cache(maxsize=64)
def _rules(text: str) -> RuleSet:
    """Return the rules of a JSON text; a million games of a tournament share a few."""
    return rules_from_object(object_from_json(text))


def to_json(value: object) -> str:
    """Return canonical JSON: sorted keys, ASCII, no spaces."""
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))


def storable(text: str) -> str:
    """Return the text with what SQLite cannot keep (NUL, lone surrogates) replaced by U+FFFD."""
    return _UNSTORABLE.sub("\ufffd", text)


def _settings(spec: GameSpec) -> tuple[Value, ...]:
    return (
        to_json(rules_object(spec.rules)),
        spec.black.time_control.text,
        spec.white.time_control.text,
        spec.margin_ns,
        spec.max_think_ns,
        spec.seed,
    )


def _seat_details(side: str, run: BotRun) -> dict[str, Value]:
    return {
        f"{side}_announced": storable(run.announced),
        f"{side}_stderr": storable(run.stderr),
        f"{side}_process_id": run.process_id,
    }


def _pack_plies(plies: tuple[PlyRecord, ...]) -> bytes:
    text = to_json(
        {
            "elapsed_ns": [ply.elapsed_ns for ply in plies],
            "info": [
                None if ply.info is None else ply.info.decode("utf-8", "replace") for ply in plies
            ],
        }
    )
    return zlib.compress(text.encode("ascii"))


def unpack_plies(packed: bytes) -> tuple[StoredPly, ...]:
    """Return the plies of a ``plies`` blob.

    Raises ValueError, TypeError, KeyError or zlib.error when it is none.
    """
    columns = object_from_json(zlib.decompress(packed).decode("ascii"))
    elapsed_ns, infos = columns["elapsed_ns"], columns["info"]
    if not ({*map(type, elapsed_ns)} <= {int} and {*map(type, infos)} <= {str, NoneType}):
        raise TypeError("the plies are no times and texts")
    if len(elapsed_ns) != len(infos):
        raise ValueError(f"there are {len(elapsed_ns)} times and {len(infos)} texts of plies")
    return tuple(map(StoredPly, elapsed_ns, infos))


def _details(row: Row) -> GameDetails:
    _check_types(row, _DETAIL_TYPES)
    plies, final_reply, *seats, provenance = row
    return GameDetails(
        plies=unpack_plies(plies),
        final_reply=final_reply,
        black=SeatDetails(*seats[:3]),
        white=SeatDetails(*seats[3:]),
        provenance=object_from_json(provenance),
    )


def _check_types(row: Row, types: Sequence[type | tuple[type, ...]]) -> None:
    if not all(map(isinstance, row, types)):
        wrong = [
            value for value, kind in zip(row, types, strict=True) if not isinstance(value, kind)
        ]
        raise TypeError(f"{wrong[0]!r:.40} is of the wrong type")
