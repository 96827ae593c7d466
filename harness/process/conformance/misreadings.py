"""Why a bot may have played an illegal move: the position in which it would have been legal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from harness.play.types import Opening
from harness.rules.position import STANDARD_START, Position
from harness.rules.types import Color, IllegalReason, Move

_REASON_HINTS: Final = {
    IllegalReason.NO_PIECE: "Compare the bot's board with the position after the last move sent: "
    "a capture, an earlier move or the start may be missing.",
    IllegalReason.NOT_YOUR_PIECE: "Compare the bot's board with the position after the last move "
    "sent: it takes a piece of the other side for its own.",
    IllegalReason.NOT_ON_A_LINE: "A piece moves along its rank, file or diagonal.",
    IllegalReason.WRONG_DISTANCE: "A piece moves exactly as many squares as there are pieces of "
    "both colours on the whole line, before it and behind it, itself included.",
    IllegalReason.BLOCKED_BY_ENEMY: "A piece jumps over its own side's pieces, never over an "
    "enemy's.",
    IllegalReason.OWN_PIECE_ON_TARGET: "A move ends on an empty square or captures an enemy.",
    IllegalReason.PASS_NOT_FORCED: "`bestmove pass` is legal only when no other move is.",
    IllegalReason.MUST_PASS: "When no move is legal the answer is `bestmove pass`.",
}


class _Misreading(NamedTuple):
    what: str
    hint: str
    positions: list[Position]


def explain_illegal(opening: Opening, move: Move, earlier: Opening | None = None) -> str:
    """Return a hint for a move that is illegal after ``opening``.

    ``earlier`` is the game of the request before. The first misreading counts in which the
    move would be legal; without any, the reason of the rules does.
    """
    position = _after(opening)
    reason = position.fault_of(move)
    assert reason is not None
    for misreading in _misreadings(opening, position, earlier):
        if any(other.fault_of(move) is None for other in misreading.positions):
            return f"The move would be legal {misreading.what}. {misreading.hint}"
    return _REASON_HINTS[reason]


def _misreadings(
    opening: Opening, position: Position, earlier: Opening | None
) -> Iterator[_Misreading]:
    is_standard = opening.start == STANDARD_START
    side = "White" if position.to_move is Color.WHITE else "Black"
    other = "Black" if position.to_move is Color.WHITE else "White"
    who_moves = (
        "After startpos Black moves first, then in turn"
        if is_standard
        else "In a FEN `b` is Black and `w` White, its last word says who moves first, then in turn"
    )
    yield _Misreading(
        f"for {other}, but {side} is to move",
        f"{who_moves}; play each move of the line: it changes the side, a pass too.",
        [_other_side(position)],
    )
    if opening.moves:
        yield _Misreading(
            "without the moves of the line",
            "Play every move behind `moves` before the search begins.",
            [opening.start, _other_side(opening.start)],
        )
    if len(opening.moves) > 1:
        before = Opening(opening.start, opening.moves[:-1])
        yield _Misreading(
            "before the last move of the line",
            "Play every move behind `moves`, the last one too.",
            [_after(before), _other_side(_after(before))],
        )
    if not is_standard:
        start = Opening(STANDARD_START, opening.moves)
        yield _Misreading(
            "in the standard start",
            "`position fen` gives another start: read it in place of startpos.",
            [STANDARD_START, _other_side(STANDARD_START), *_whole(start)],
        )
        for what, hint, turns in _TURNS:
            turned = [_turned(position, turn) for turn in turns]
            yield _Misreading(what, hint, turned + [_other_side(other) for other in turned])
    if earlier is not None and earlier != opening:
        before = earlier
        yield _Misreading(
            "in the position of the request before",
            "Set up the board anew for every `position` line: it gives the whole game.",
            [_after(before), _other_side(_after(before))],
        )


def _after(opening: Opening) -> Position:
    position = opening.start
    for move in opening.moves:
        position = position.after(move)
    return position


def _whole(opening: Opening) -> list[Position]:
    """Return the position after the moves if they can all be played, else nothing."""
    position = opening.start
    for move in opening.moves:
        if position.fault_of(move) is not None:
            return []
        position = position.after(move)
    return [position]


def _other_side(position: Position) -> Position:
    return Position(position.black, position.white, position.to_move.opponent)


def _turned(position: Position, turn: Callable[[int], int]) -> Position:
    return Position(
        _squares(position.black, turn), _squares(position.white, turn), position.to_move
    )


def _squares(pieces: int, turn: Callable[[int], int]) -> int:
    return sum(1 << turn(square) for square in range(64) if pieces >> square & 1)


def _exchanged(square: int) -> int:
    return square % 8 * 8 + square // 8


# In each: the square of a piece, a1 is 0, to where the bot sees it.
_TURNS: Final[tuple[tuple[str, str, tuple[Callable[[int], int], ...]], ...]] = (
    (
        "on a board that is upside down",
        "The first rank of a FEN is rank 8, the last one is rank 1.",
        (lambda square: square ^ 56,),
    ),
    (
        "on a board whose files are mirrored",
        "A rank of a FEN begins with file a and ends with file h.",
        (lambda square: square ^ 7,),
    ),
    (
        "on a board that is turned by half",
        "A FEN begins with a8 and ends with h1.",
        (lambda square: square ^ 63,),
    ),
    (
        "on a board whose ranks and files are exchanged",
        "The parts of a FEN between the slashes are ranks, the first one is a8 b8 c8 and so on.",
        (
            _exchanged,
            lambda square: _exchanged(square) ^ 7,
            lambda square: _exchanged(square) ^ 56,
            lambda square: _exchanged(square) ^ 63,
        ),
    ),
)
