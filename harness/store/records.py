"""A game as played to what is stored of it: texts, JSON, hashes and compact ply times."""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from harness.play.clock import TimeControl
from harness.play.plies import Plies
from harness.play.types import GameRecord, GameSpec, Opening
from harness.rules.notation import format_moves
from harness.rules.types import Color, RuleSet
from harness.store.usage import usage_entries

Value = str | int | bytes | None

_ENCODER: Final = json.JSONEncoder(sort_keys=True, ensure_ascii=True, separators=(",", ":"))
_QUICK_COMPRESSION: Final = 1
_SMALL_TEXT_BYTES: Final = 8192
_SMALL_BUFFERS: Final = (13, 4)  # a window of 8 KiB, the whole text; 2 K symbols a block
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")


class PreparedGame(NamedTuple):
    """A record taken apart into the values of the tables; everything is storable text.

    ``black`` and ``white`` are (name, identity), ``opening`` is (content id, start, moves),
    ``settings`` the columns of the table of that name. ``game`` and ``details`` lack the
    numbers, which only the database knows and which are first in ``INSERTED_OF_GAME`` and
    ``INSERTED_OF_DETAILS``: the values of the others are in their order. ``log`` is empty where
    no protocol line is kept.
    """

    game_id: str
    black: tuple[str, str]
    white: tuple[str, str]
    opening: tuple[str, str, str]
    settings: tuple[Value, ...]
    game: tuple[Value, ...]
    details: tuple[Value, ...]
    log: bytes


def prepare(record: GameRecord) -> PreparedGame:
    """Take a record apart into storable values."""
    spec = record.spec
    moves = format_moves(spec.opening.start, record.moves)
    text = " ".join(moves)
    opening = _opening(spec.opening)
    cause = record.outcome.cause.value
    winner = None if record.outcome.winner is None else record.outcome.winner.word
    black = storable(spec.black.name), storable(record.black.identity)
    white = storable(spec.white.name), storable(record.white.identity)
    return PreparedGame(
        game_id=spec.game_id,
        black=black,
        white=white,
        opening=opening,
        settings=_settings(spec),
        game=(
            spec.game_id,
            spec.schedule_index,
            spec.batch,
            spec.encounter,
            spec.pair,
            spec.leg,
            cause,
            winner,
            len(moves),
            text,
            record.started_at,
            record.duration_ns,
            storable(record.outcome.detail),
            moves_hash(text),
            *times_by_side(
                record.plies.elapsed_ns,
                is_black_first=spec.opening.first_asked is Color.BLACK,
            ).values(),
            result_hash(
                game_id=spec.game_id,
                black=black,
                white=white,
                opening=opening[0],
                cause=cause,
                winner=winner,
                moves=text,
            ),
        ),
        details=(
            _pack_plies(record.plies),
            storable(record.final_reply),
            storable(record.black.announced),
            storable(record.white.announced),
            storable(record.black.stderr),
            storable(record.white.stderr),
            record.black.process_id,
            record.white.process_id,
            to_json(
                {
                    **record.provenance,
                    **usage_entries("black", record.black.usage),
                    **usage_entries("white", record.white.usage),
                }
            ),
        ),
        log=_pack_log(record.log),
    )


@lru_cache(maxsize=256)
def _opening(opening: Opening) -> tuple[str, str, str]:
    """Return content id, start and moves; both legs of a pair, of every encounter, share them."""
    moves = format_moves(opening.start, opening.moves)
    return opening.content_id, opening.start_text, " ".join(moves)


def moves_hash(moves: str) -> int:
    """Return 48 bits of SHA-256 of the written moves, to find games that were played before."""
    return int.from_bytes(hashlib.sha256(moves.encode("ascii")).digest()[:6], "big")


def result_hash(
    *,
    game_id: str,
    black: tuple[str, str],
    white: tuple[str, str],
    opening: str,
    cause: str,
    winner: str | None,
    moves: str,
) -> int:
    """Return 48 bits of SHA-256 of everything that decides how a game counts.

    ``black`` and ``white`` are (name, identity), ``opening`` is its content identity; all texts
    as stored.
    """
    # Canonical JSON of an object of these seven, every one as to_json writes it.
    text = (
        f'{{"black":[{to_json(black[0])},{to_json(black[1])}],"cause":{to_json(cause)},'
        f'"id":{to_json(game_id)},"moves":{to_json(moves)},"opening":{to_json(opening)},'
        f'"white":[{to_json(white[0])},{to_json(white[1])}],'
        f'"winner":{"null" if winner is None else to_json(winner)}}}'
    )
    return int.from_bytes(hashlib.sha256(text.encode("ascii")).digest()[:6], "big")


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


def rules_object(rules: RuleSet) -> dict[str, str | int | None]:
    """Return the rules as they are written in records: no knowledge of this program needed."""
    return {
        "max-plies": rules.max_plies,
        "no-moves": rules.no_moves.value,
        "repetition": rules.repetition,
        "simultaneous": rules.simultaneous.value,
    }


def to_json(value: object) -> str:
    """Return canonical JSON: sorted keys, ASCII, no spaces."""
    return _ENCODER.encode(value)


def storable(text: str) -> str:
    """Return the text with what SQLite cannot keep (NUL, lone surrogates) replaced by U+FFFD."""
    if text.isascii() and "\0" not in text:
        return text
    return _UNSTORABLE.sub("\ufffd", text)


def _settings(spec: GameSpec) -> tuple[Value, ...]:
    return (
        *_setting_texts(spec.rules, spec.black.time_control, spec.white.time_control),
        spec.margin_ns,
        spec.max_think_ns,
        spec.seed,
    )


@lru_cache(maxsize=256)
def _setting_texts(rules: RuleSet, black: TimeControl, white: TimeControl) -> tuple[str, str, str]:
    """Return rules and clocks as texts; the games of an encounter share them."""
    return to_json(rules_object(rules)), black.text, white.text


def _pack_plies(plies: Plies) -> bytes:
    # Canonical JSON of an object of two arrays; most bots say nothing that is kept.
    times, infos = repr([*plies.elapsed_ns]).replace(" ", ""), plies.infos
    if infos.count(None) == len(infos):
        texts = f"[{','.join(('null',) * len(infos))}]"
    else:
        texts = to_json(
            [None if info is None else info.decode("utf-8", "replace") for info in infos]
        )
    text = f'{{"elapsed_ns":{times},"info":{texts}}}'
    packed = text.encode("ascii")
    if len(packed) > _SMALL_TEXT_BYTES:
        return zlib.compress(packed, _QUICK_COMPRESSION)
    # The usual buffers are a quarter of a megabyte: to get them takes longer than to compress.
    compressor = zlib.compressobj(_QUICK_COMPRESSION, zlib.DEFLATED, *_SMALL_BUFFERS)
    return compressor.compress(packed) + compressor.flush()


def _pack_log(log: str) -> bytes:
    return zlib.compress(log.encode("utf-8", "replace")) if log else b""
