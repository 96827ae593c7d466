"""One stored game through the referee again, every move and time as it is stored."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from functools import lru_cache
from itertools import repeat
from typing import Final

from harness.errors import HarnessError
from harness.play.adjudication import Adjudication
from harness.play.clock import TimeControl
from harness.play.referee import Referee
from harness.play.types import Answer, Ask, Cause, GameSpec, Opening, Outcome, PlayerSpec
from harness.rules.notation import WIRE_BYTES, format_moves, parse_fen, parse_move
from harness.rules.position import Position
from harness.rules.types import Move
from harness.store.rows import StoredGame, StoredPly, StoredSeat
from harness.verification.ending import ending_findings
from harness.verification.finding import Finding

_UNTIMED: Final = StoredPly(0, None)


def replay_findings(
    game: StoredGame, opening_moves: str, adjudication: Adjudication | None
) -> Iterator[Finding]:
    """Yield where the referee comes to something else than what is stored.

    ``adjudication`` None: it is not known whether scores ended games; endings by score are then
    taken as they are. A game without details is played again without its times.
    """
    game_id = game.game_id
    try:
        opening, content_id = _opening(game.start, opening_moves)
        moves = tuple(map(_move, game.moves))
        referee = _referee(game, opening, adjudication)
    except HarnessError as error:
        yield Finding(game_id, f"cannot be played again: {error}")
        return
    if content_id != game.opening:
        yield Finding(game_id, "identity of the opening", game.opening, content_id)
    begin = " ".join(game.moves[: game.opening_plies])
    if begin != opening_moves:
        yield Finding(game_id, "first moves", begin, f"the opening is {opening_moves}")
        return
    asked = moves[game.opening_plies :]
    if game.details is not None and len(game.details.plies) != len(asked):
        yield Finding(game_id, "times of plies", str(len(game.details.plies)), str(len(asked)))
    if not (yield from _play(referee, game, asked)):
        return
    written = tuple(format_moves(opening.start, moves))
    if written != game.moves:
        yield Finding(game_id, "moves", " ".join(game.moves), " ".join(written))
    yield from ending_findings(game, referee, is_score_known=adjudication is not None)


def open_request(game: StoredGame) -> Ask | None:
    """Return the request that was open when a stored game ended, with side and budget.

    None when its last move ended it, or when it cannot be played again.
    """
    try:
        opening, _ = _opening(game.start, " ".join(game.moves[: game.opening_plies]))
        asked = tuple(map(_move, game.moves[game.opening_plies :]))
        referee = _referee(game, opening, None)
    except HarnessError:
        return None
    for _ in _play(referee, game, asked):
        return None
    step = referee.next()
    return step if isinstance(step, Ask) else None


def _play(
    referee: Referee, game: StoredGame, asked: tuple[Move, ...]
) -> Generator[Finding, None, bool]:
    """Hand the stored moves to the referee; False when it does not take one of them."""
    game_id, plies = game.game_id, game.details.plies if game.details is not None else ()
    untimed = repeat(_UNTIMED, len(asked) - len(plies) if len(asked) > len(plies) else 0)
    for place, (move, ply) in enumerate(zip(asked, (*plies, *untimed), strict=False)):
        number = game.opening_plies + place + 1
        step = referee.next()
        if isinstance(step, Outcome):
            found = f"{step.score_text} by {step.cause.value} after ply {number - 1}"
            yield Finding(game_id, "end", f"after ply {len(game.moves)}", found)
            return False
        elapsed_ns = ply.elapsed_ns
        if not 0 <= elapsed_ns <= step.budget_ns:
            found = f"{step.budget_ns / 1e9:.6f} s were allowed"
            yield Finding(game_id, f"time of ply {number}", f"{elapsed_ns / 1e9:.6f} s", found)
            elapsed_ns = min(max(0, elapsed_ns), step.budget_ns)
        line = b"bestmove " + WIRE_BYTES[move]
        if game.outcome.cause is Cause.AGREEMENT and place == len(asked) - 1:
            line += b" draw"  # the offer is not stored, but there was one
        info = ply.info.encode("utf-8", "surrogatepass") if ply.info is not None else None
        referee.receive(Answer(line, elapsed_ns, info))
        if referee.ply_count == place:
            refusal = referee.next()
            assert isinstance(refusal, Outcome)
            found = f"{refusal.cause.value}: {refusal.detail}"
            yield Finding(game_id, f"ply {number}", game.moves[number - 1], found)
            return False
    return True


def _referee(game: StoredGame, opening: Opening, adjudication: Adjudication | None) -> Referee:
    spec = GameSpec(
        game_id=game.game_id,
        encounter=game.encounter,
        pair=game.pair,
        leg=game.leg,
        batch=game.batch,
        schedule_index=game.schedule_index or 0,
        black=_player(game.black),
        white=_player(game.white),
        opening=opening,
        rules=game.rules,
        adjudication=Adjudication() if adjudication is None else adjudication,
        margin_ns=game.margin_ns,
        max_think_ns=game.max_think_ns,
        seed=game.seed,
    )
    # Draws are offered and understood where one was agreed on; elsewhere offers decide nothing.
    takes_offers = game.outcome.cause is Cause.AGREEMENT
    return Referee(spec, (takes_offers, takes_offers))


@lru_cache(maxsize=256)
def _player(seat: StoredSeat) -> PlayerSpec:
    return PlayerSpec(seat.name, TimeControl.parse(seat.time_control))


@lru_cache(maxsize=20_000)
def _opening(start: str, moves: str) -> tuple[Opening, str]:
    """Return the opening and its identity; a tournament has at most ten thousand."""
    opening = Opening(_start(start), tuple(map(_move, moves.split())))
    return opening, opening.content_id


@lru_cache(maxsize=10_000)
def _move(text: str) -> Move:
    """Read a move; there are eight thousand written ones."""
    return parse_move(text)


@lru_cache(maxsize=256)
def _start(text: str) -> Position:
    return parse_fen(text).position()
