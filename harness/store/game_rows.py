"""The rows of stored games as values: whatever makes no sense is an error, never a guess."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import NoneType
from typing import Any, Final

from harness.play.types import BotUsage, Cause, Outcome
from harness.rules.types import Color, NoMovesRule, RuleSet, SimultaneousRule
from harness.store.rows import GameDetails, SeatDetails, StoredGame, StoredPly, StoredSeat
from harness.store.usage import usage_of

Row = tuple[Any, ...]

GAME_COLUMNS: Final = """
    g.id, g.schedule_index, g.batch, g.encounter, g.pair, g.leg,
    b.name, b.identity, s.black_time, w.name, w.identity, s.white_time,
    o.content_id, o.start, o.moves, s.rules, s.margin_ns, s.max_think_ns, s.seed,
    g.cause, g.winner, g.outcome_detail, g.moves, g.started_at, g.duration_ns
"""
"""What ``stored_game`` reads, in this order."""

DETAIL_COLUMNS: Final = """
    d.plies, d.final_reply, d.black_announced, d.black_stderr, d.black_process_id,
    d.white_announced, d.white_stderr, d.white_process_id, d.provenance, l.text
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
_DETAIL_TYPES: Final = (
    *(bytes, str, str, str, _INT_OR_NULL),
    *(str, str, _INT_OR_NULL, str, (bytes, NoneType)),
)


def stored_game(row: Row) -> StoredGame:
    """Build the value of a row of ``GAME_COLUMNS``, ``DETAIL_COLUMNS`` following or not.

    Raises ValueError, TypeError, KeyError or zlib.error when the row makes no sense.
    """
    check_types(row[:GAME_COLUMN_COUNT], _GAME_TYPES)
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
        details=stored_details(row[GAME_COLUMN_COUNT:]) if len(row) > GAME_COLUMN_COUNT else None,
    )


def of_types(rows: Iterable[Row], *types: type | tuple[type, ...]) -> Iterator[Row]:
    """Yield the rows; TypeError at a value that is not of the type of its column.

    SQLite checks none: one flipped bit makes bytes of a text.
    """
    for row in rows:
        check_types(row, types)
        yield row


def object_from_json(text: str) -> dict[str, Any]:
    """Return the object of a JSON text; ValueError or TypeError when it is none."""
    value = json.loads(text)
    if not isinstance(value, dict):
        raise TypeError(f"a JSON object was expected, not {text[:40]!r}")
    return value


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


def stored_details(row: Row) -> GameDetails:
    """Build the value of a row of ``DETAIL_COLUMNS``; raises as ``stored_game`` does."""
    check_types(row, _DETAIL_TYPES)
    plies, final_reply, *both = row[:-2]
    provenance_text, log = row[-2:]
    provenance = object_from_json(provenance_text)
    return GameDetails(
        plies=unpack_plies(plies),
        final_reply=final_reply,
        black=_seat_details(both[:3], usage_of("black", provenance)),
        white=_seat_details(both[3:], usage_of("white", provenance)),
        provenance=provenance,
        log="" if log is None else zlib.decompress(log).decode("utf-8"),
    )


def _seat_details(seat: Sequence[Any], usage: BotUsage) -> SeatDetails:
    announced, stderr, process_id = seat
    return SeatDetails(announced, stderr, process_id, usage)


def check_types(row: Row, types: Sequence[type | tuple[type, ...]]) -> None:
    """Raise TypeError at a value that is not of the type of its column."""
    if not all(map(isinstance, row, types)):
        wrong = [
            value for value, kind in zip(row, types, strict=True) if not isinstance(value, kind)
        ]
        raise TypeError(f"{wrong[0]!r:.40} is of the wrong type")
