"""What is stored beside a game and follows from it: hashes, counts of moves, sums of times."""

from __future__ import annotations

from collections.abc import Iterator

from harness.store.audit import StoredChecks
from harness.store.records import is_black_first, moves_hash, result_hash, times_by_side
from harness.store.rows import StoredGame
from harness.verification.finding import Finding


def column_findings(game: StoredGame, checks: StoredChecks) -> Iterator[Finding]:
    """Yield the columns that say something else than the rest of the game.

    Counts and times of each side are left out where the times of the plies cannot be read.
    """
    for what, stored, found in _pairs(game, checks):
        if stored != found:
            yield Finding(game.game_id, what, str(stored), str(found))


def _pairs(game: StoredGame, checks: StoredChecks) -> Iterator[tuple[str, object, object]]:
    moves, winner = " ".join(game.moves), game.outcome.winner
    yield "number of plies", checks.plies, len(game.moves)
    if moves.isascii():
        yield "hash of the moves", checks.moves_hash, moves_hash(moves)
    found = result_hash(
        game_id=game.game_id,
        black=(game.black.name, game.black.identity),
        white=(game.white.name, game.white.identity),
        opening=game.opening,
        cause=game.outcome.cause.value,
        winner=None if winner is None else winner.word,
        moves=moves,
    )
    yield "hash of the result", checks.result_hash, found
    if game.details is None or not game.start.endswith((" b", " w")):
        return
    sides = times_by_side(
        [ply.elapsed_ns for ply in game.details.plies],
        is_black_first=is_black_first(game.start, checks.opening_moves),
    )
    yield "moves asked of Black", checks.black_moves, sides["black_moves"]
    yield "moves asked of White", checks.white_moves, sides["white_moves"]
    yield "nanoseconds of Black", checks.black_time_ns, sides["black_time_ns"]
    yield "nanoseconds of White", checks.white_time_ns, sides["white_time_ns"]
