"""Stored games as text for other programs: JSONL, CSV and SGF.

JSONL and CSV without times depend on the games alone: the same bytes wherever, whenever and
in how many slots they were played.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from typing import Final

from harness.play.types import Cause, CauseKind, Outcome
from harness.report.safe_text import csv_text
from harness.rules.notation import parse_fen, parse_move
from harness.rules.sgf import SgfGame, write_sgf
from harness.rules.types import Color
from harness.store.records import rules_object, to_json
from harness.store.rows import GameDetails, SeatDetails, StoredGame, StoredSeat

CSV_COLUMNS: Final = (
    "id",
    "encounter",
    "pair",
    "leg",
    "black",
    "white",
    "winner",
    "cause",
    "plies",
    "opening",
    "start",
    "moves",
)
CSV_TIME_COLUMNS: Final = (
    "started_at",
    "duration_ns",
    "black_identity",
    "white_identity",
    "black_time_control",
    "white_time_control",
)

_SCORE: Final = re.compile(r"\bscore (cp|win|mate) (-?[0-9]{1,9})\b")


def jsonl(games: Iterable[StoredGame], *, times: bool = False) -> Iterator[str]:
    """Yield one line a game, its end included; the keys are sorted, everything is ASCII.

    ``times`` adds clocks, scores, identities and provenance, and needs games with details.
    """
    for game in games:
        values: dict[str, object] = {
            "black": game.black.name,
            "cause": game.outcome.cause.value,
            "id": game.game_id,
            "moves": game.moves,
            "opening": game.opening,
            "plies": len(game.moves),
            "rules": rules_object(game.rules),
            "start": game.start,
            "white": game.white.name,
            "winner": _winner(game),
        }
        if times and game.details is not None:
            values |= _timed(game, game.details)
        yield to_json(values) + "\n"


def csv_lines(games: Iterable[StoredGame], *, times: bool = False) -> Iterator[str]:
    """Yield the head line, then one line a game; moves are one field, spaces between them.

    A text that a spreadsheet would take for a formula has an apostrophe before it.
    ``times`` adds when it was played, how long it took, identities and time controls.
    """
    yield _csv_line([*CSV_COLUMNS, *(CSV_TIME_COLUMNS if times else ())])
    for game in games:
        values: list[str | int] = [
            game.game_id,
            game.encounter,
            game.pair,
            game.leg,
            game.black.name,
            game.white.name,
            _winner(game) or "draw",
            game.outcome.cause.value,
            len(game.moves),
            game.opening,
            game.start,
            " ".join(game.moves),
        ]
        if times:
            values += [
                game.started_at,
                game.duration_ns,
                game.black.identity,
                game.white.identity,
                game.black.time_control,
                game.white.time_control,
            ]
        yield _csv_line(values)


def sgf_lines(games: Iterable[StoredGame]) -> Iterator[str]:
    """Yield one SGF game tree a game; together they are a collection."""
    for game in games:
        yield write_sgf(_sgf_game(game))


def score_of_info(info: str | None) -> str | None:
    """Return the score of an ``info`` line as the bot gave it, ``cp 31`` or ``win 5``."""
    found = None if info is None else _SCORE.search(info)
    return None if found is None else f"{found[1]} {int(found[2])}"


def _sgf_game(game: StoredGame) -> SgfGame:
    rules = rules_object(game.rules)
    outcome = game.outcome
    resigned = None
    if outcome.cause is Cause.RESIGNATION and outcome.winner is not None:
        resigned = outcome.winner.opponent
    return SgfGame(
        start=parse_fen(game.start).position(),
        moves=tuple(parse_move(text) for text in game.moves),
        black=game.black.name,
        white=game.white.name,
        result=_sgf_result(outcome),
        rules=" ".join(f"{name}={rules[name] or 'off'}" for name in sorted(rules, reverse=True)),
        date=game.started_at[:10],
        comment=f"{game.game_id}: {outcome.score_text} by {outcome.cause.value}",
        resigned=resigned,
    )


def _sgf_result(outcome: Outcome) -> str:
    """Return ``RE``: SGF knows resignation, time and forfeit; everything else is a bare win."""
    if outcome.winner is None:
        return "Draw"
    letter = "B" if outcome.winner is Color.BLACK else "W"
    match outcome.cause:
        case Cause.RESIGNATION:
            return f"{letter}+R"
        case Cause.TIME:
            return f"{letter}+T"
        case cause if cause.kind is CauseKind.FORFEIT:
            return f"{letter}+F"
        case _:
            return f"{letter}+"


def _timed(game: StoredGame, details: GameDetails) -> dict[str, object]:
    """Return what another run of the same game would have otherwise.

    ``elapsed-ns`` and ``scores`` have one item for each ply after the opening.
    """
    return {
        "black-bot": _seat(game.black, details.black),
        "detail": game.outcome.detail,
        "duration-ns": game.duration_ns,
        "elapsed-ns": [ply.elapsed_ns for ply in details.plies],
        "final-reply": details.final_reply,
        "margin-ns": game.margin_ns,
        "opening-plies": game.opening_plies,
        "provenance": dict(details.provenance),
        "scores": [score_of_info(ply.info) for ply in details.plies],
        "started-at": game.started_at,
        "white-bot": _seat(game.white, details.white),
    }


def _seat(seat: StoredSeat, details: SeatDetails) -> dict[str, str]:
    return {
        "announced": details.announced,
        "identity": seat.identity,
        "time-control": seat.time_control,
    }


def _winner(game: StoredGame) -> str | None:
    return None if game.outcome.winner is None else game.outcome.winner.word


def _csv_line(values: Iterable[str | int]) -> str:
    line = io.StringIO()
    cells = [csv_text(value) if isinstance(value, str) else value for value in values]
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()
