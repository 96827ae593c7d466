"""Openings from a file: one a line, every bad line reported with its number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from harness.errors import HarnessError, NotationError, Problem, SpecError
from harness.play.types import Opening
from harness.rules.game import Game
from harness.rules.notation import parse_fen, parse_move, parse_start
from harness.rules.position import Position
from harness.rules.types import Move, RuleSet
from harness.tournament.text_file import read_text_file

_MAX_PROBLEMS: Final = 50
_SQUARE: Final = re.compile(r"[a-hA-H][1-8]")
_NUMBER: Final = re.compile(r"[0-9]+\.+")


@dataclass(frozen=True, slots=True)
class OpeningFile:
    """The openings of a file in their order; ``duplicates`` names the lines that repeat one."""

    openings: tuple[Opening, ...]
    duplicates: tuple[str, ...]


def read_opening_file(path: Path, start: Position, rules: RuleSet) -> OpeningFile:
    """Read openings: a position text, moves from ``start``, or a position text and its moves.

    ``#`` begins a comment; blank lines, CR LF, a byte order mark, move numbers, commas and every
    notation of moves are read. SpecError holds every line that is unreadable, illegal or decided.
    """
    openings: list[Opening] = []
    problems: list[Problem] = []
    first_lines: dict[str, int] = {}
    duplicates: list[str] = []
    for number, line in enumerate(read_text_file(path).split("\n"), start=1):
        words = re.split(r"[\s,;]+", line.partition("#")[0].strip(" \t\r\f\v,;"))
        if words == [""]:
            continue
        try:
            opening = _read_opening(words, start, rules)
        except HarnessError as error:
            problems.append(Problem(f"line {number}", str(error)))
            continue
        openings.append(opening)
        first = first_lines.setdefault(opening.content_id, number)
        if first != number:
            duplicates.append(f"line {number} repeats line {first}")
    if not openings and not problems:
        problems.append(Problem("", "holds no opening"))
    if len(problems) > _MAX_PROBLEMS:
        more = len(problems) - _MAX_PROBLEMS
        problems = [*problems[:_MAX_PROBLEMS], Problem("", f"{more} more lines are wrong")]
    if problems:
        raise SpecError(str(path), problems)
    return OpeningFile(tuple(openings), tuple(duplicates))


def _read_opening(words: Sequence[str], start: Position, rules: RuleSet) -> Opening:
    if "/" in words[0]:
        start, words = parse_fen(" ".join(words[:2])).position(), words[2:]
    elif words[0][0].lower() == "s":  # no move begins so: it is the name of a start
        start, words = parse_start(words[0]), words[1:]
    moves = _read_moves(words)
    game = Game(start, rules)
    if game.verdict is not None:
        raise NotationError(str(start), f"decided before a move: {game.verdict.termination.value}")
    for count, move in enumerate(moves, start=1):
        verdict = game.play(move)
        if verdict is not None:
            raise NotationError(
                " ".join(words), f"decided by move {count}: {verdict.termination.value}"
            )
    return Opening(start, tuple(moves))


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
