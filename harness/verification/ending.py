"""How a stored game ended, decided by the referee again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from harness.play.referee import Referee
from harness.play.types import (
    Answer,
    Ask,
    Cause,
    CauseKind,
    Exited,
    Outcome,
    Overflowed,
    Reply,
    TimedOut,
)
from harness.rules.types import Color
from harness.store.rows import StoredGame
from harness.verification.finding import Finding

_CUT_BYTES: Final = 200
"""A stored reply of so many bytes may have been longer."""

_SCORES: Final = (Cause.SCORE_DRAW, Cause.SCORE_RESIGN)


def ending_findings(
    game: StoredGame, referee: Referee, *, is_score_known: bool
) -> Iterator[Finding]:
    """Yield where cause and winner are not those that the referee comes to.

    The referee has taken all moves of the game. Without ``is_score_known`` an ending by score is
    taken as it is, where the board lets the game go on.
    """
    game_id, cause = game.game_id, game.outcome.cause
    step = referee.next()
    used_ns = sum(ply.elapsed_ns for ply in game.details.plies) if game.details is not None else 0
    if isinstance(step, Ask):
        if cause in _SCORES and not is_score_known:
            return
        if cause.kind in (CauseKind.BOARD, CauseKind.ADJUDICATION):
            yield Finding(game_id, "cause", cause.value, "the game goes on after its last ply")
            return
        if cause is Cause.TIME:
            used_ns += step.budget_ns
        step = _ended_by_reply(game, referee, step)
    if isinstance(step, Ask):
        reply = "" if game.details is None else game.details.final_reply
        yield Finding(game_id, "final reply", reply, "a legal move")
        return
    if game.outcome.cause is not step.cause:
        yield Finding(game_id, "cause", cause.value, step.cause.value)
    if game.outcome.winner is not step.winner:
        yield Finding(game_id, "winner", _word(game.outcome.winner), _word(step.winner))
    if game.duration_ns < used_ns:
        stored, found = (f"{value / 1e9:.6f} s" for value in (game.duration_ns, used_ns))
        yield Finding(game_id, "duration", stored, f"at least {found} by the clocks")


def _ended_by_reply(game: StoredGame, referee: Referee, ask: Ask) -> Ask | Outcome:
    """Return how the referee takes the reply that is stored as the end of the game."""
    reply = _reply(game, ask)
    if reply is None:
        return Outcome(game.outcome.cause, ask.side.opponent)
    referee.receive(reply)
    return referee.next()


def _reply(game: StoredGame, ask: Ask) -> Reply | None:
    """Return the reply that ended the game; None where it is not stored, or not whole."""
    text = "" if game.details is None else game.details.final_reply
    line = text.encode("utf-8", "surrogatepass")
    match game.outcome.cause:
        case Cause.TIME:
            return TimedOut(ask.budget_ns)
        case Cause.CRASH:
            return Exited("", 0)
        case Cause.OUTPUT_OVERFLOW:
            return Overflowed(0, 0)
        case Cause.RESIGNATION:
            return Answer(line or b"bestmove resign", 0, None)
        case Cause.AGREEMENT:
            return Answer(line or b"bestmove draw", 0, None)
        case _ if not line or len(line) >= _CUT_BYTES:
            return None
        case _:
            return Answer(line, 0, None)


def _word(winner: Color | None) -> str:
    return "a draw" if winner is None else winner.word
