"""Openings as lines of text: a position, moves from a start, or both."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from harness.errors import NotationError, PositionError
from harness.play.types import Opening
from harness.rules.notation import parse_fen, parse_move, parse_start
from harness.rules.position import Position
from harness.rules.types import Move
from harness.tournament.opening_entry import FaultKind, OpeningEntry, OpeningFault

_SQUARE: Final = re.compile(r"[a-hA-H][1-8]")
_NUMBER: Final = re.compile(r"[0-9]+\.+")


def read_opening_lines(text: str, start: Position, plies: int | None) -> Iterator[OpeningEntry]:
    """Yield the entry of every line that has one; moves are read, not played.

    ``#`` begins a comment; blank lines, move numbers, commas and every notation of moves are
    read. Moves alone begin at ``start``; at most ``plies`` of them are taken (None: all).
    """
    for number, line in enumerate(text.split("\n"), start=1):
        words = [word for word in re.split(r"[\s,;]+", line.partition("#")[0]) if word]
        if words:
            yield OpeningEntry(f"line {number}", _read_opening(words, start, plies))


def _read_opening(
    words: Sequence[str], start: Position, plies: int | None
) -> Opening | OpeningFault:
    try:
        if "/" in words[0]:
            start, words = parse_fen(" ".join(words[:2])).position(), words[2:]
        elif words[0][0].lower() == "s":  # no move begins so: it is the name of a start
            start, words = parse_start(words[0]), words[1:]
        return Opening(start, tuple(_read_moves(words)[:plies]))
    except NotationError as error:
        return OpeningFault(FaultKind.UNREADABLE, str(error))
    except PositionError as error:
        return OpeningFault(FaultKind.NO_START, str(error))


def _read_moves(words: Sequence[str]) -> list[Move]:
    """Read moves; a move may be two words, ``b1 b3``, and a number may precede it."""
    moves, pending = [], ""
    for word in words:
        text = _NUMBER.sub("", word, count=1) if _NUMBER.match(word) else word
        if not text:
            continue
        if pending:
            moves.append(parse_move(f"{pending}-{text}"))
            pending = ""
        elif _SQUARE.fullmatch(text):
            pending = text
        else:
            moves.append(parse_move(text))
    if pending:
        moves.append(parse_move(pending))
    return moves
