"""One stored game drawn as text: board, players, moves with times, what the bots wrote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any

from harness.cli.game_time import time_forfeit
from harness.counted import counted
from harness.execution.placement import OFF
from harness.play.lateness import GameLateness
from harness.play.types import BotUsage, Outcome
from harness.report.safe_text import printable, printable_lines
from harness.rules.notation import parse_fen, parse_move
from harness.rules.position import Position
from harness.rules.types import PASS, Color, Move, origin_of, target_of
from harness.store.rows import SeatDetails, StoredGame, StoredSeat

_FILES = "   ".join("abcdefgh")
_INDENT = " " * 10

Definitions = tuple[Mapping[str, Any] | None, Mapping[str, Any] | None]
"""How Black and White were started and configured; None where that is not known."""


def position_after(game: StoredGame, plies: int) -> tuple[Position, Move | None]:
    """Return the position after so many plies, and the move that led to it (None: the start)."""
    position, last = parse_fen(game.start).position(), None
    for text in game.moves[:plies]:
        last = parse_move(text)
        position = position.after(last)
    return position, last


def board_lines(position: Position, last: Move | None) -> Iterator[str]:
    """Yield the board from rank 8 down; ``(.)`` is where the last move came from, ``[B]`` where to.

    Black's pieces are ``B``, White's ``W``.
    """
    origin = target = None
    if last is not None and last != PASS:
        origin, target = origin_of(last), target_of(last)
    yield f"     {_FILES}"
    for rank in range(7, -1, -1):
        cells = []
        for square in range(rank * 8, rank * 8 + 8):
            piece = "B" if position.black >> square & 1 else "."
            piece = "W" if position.white >> square & 1 else piece
            if square == target:
                cells.append(f"[{piece}]")
            elif square == origin:
                cells.append(f"({piece})")
            else:
                cells.append(f" {piece} ")
        yield f"  {rank + 1} {' '.join(cells)} {rank + 1}"
    yield f"     {_FILES}"


def game_lines(game: StoredGame, plies: int, definitions: Definitions) -> Iterator[str]:
    """Yield everything there is to see of a game, the board after so many plies."""
    position, last = position_after(game, plies)
    yield f"Game      {printable(game.game_id)}"
    for color, definition in zip(Color, definitions, strict=True):
        details = _seat_details(game, color)
        yield _seat_line(color, game.seat(color), details)
        if definition is not None:
            yield f"{_INDENT}{_program(definition)}"
        if details is not None and details.usage != BotUsage():
            yield f"{_INDENT}{_usage(details.usage)}"
    yield f"Result    {_result(game, game.outcome)}"
    if game.outcome.detail:
        yield f"Detail    {printable(game.outcome.detail)}"
    yield from _time_lines(game)
    if game.details is not None and game.details.final_reply:
        yield f"Reply     {printable(game.details.final_reply)}"
    yield f"Opening   {game.opening}, {game.opening_plies} plies from {game.start}"
    yield (
        f"Rules     simultaneous {game.rules.simultaneous.value}, "
        f"no moves {game.rules.no_moves.value}, repetition {game.rules.repetition or 'off'}, "
        f"max plies {game.rules.max_plies or 'off'}"
    )
    yield f"Played    {game.started_at}, {game.duration_ns / 1e9:.1f} s"
    yield from _place_lines(game)
    yield from _lateness_lines(game)
    yield ""
    yield _board_head(game, plies, position)
    yield ""
    yield from board_lines(position, last)
    yield ""
    yield from _move_lines(game)
    yield from _error_lines(game)
    if game.details is not None and game.details.log:
        yield ""
        yield "The protocol lines that were kept: --log"


def log_lines(game: StoredGame) -> Iterator[str]:
    """Yield the protocol lines that were kept of a game, then the ends of the error outputs."""
    log = "" if game.details is None else game.details.log
    if log:
        yield f"{printable(game.game_id)}: milliseconds, bot, > to it, < from it, ! error output"
        yield from printable_lines(log)
    else:
        yield (
            f"{printable(game.game_id)}: no protocol lines were kept; they are kept of games that "
            "end by forfeit, and of all games with --transcripts"
        )
    yield from _error_lines(game)


def _error_lines(game: StoredGame) -> Iterator[str]:
    for color in Color:
        details = _seat_details(game, color)
        if details is not None and details.stderr:
            yield ""
            yield f"Error output of {printable(game.seat(color).name)} (its end):"
            yield from (f"  | {line}" for line in printable_lines(details.stderr))


def _program(definition: Mapping[str, Any]) -> str:
    """Return what was started and with which options; the environment is not shown."""
    command, module = definition.get("command"), definition.get("module")
    text = f"command {command}" if command is not None else f"module {module}"
    options = definition.get("options")
    if isinstance(options, Mapping) and options:
        text += ", options " + " ".join(f"{name}={value}" for name, value in options.items())
    if definition.get("protocol", "ugi") != "ugi":
        text += f", protocol {definition['protocol']}"
    return printable(text)


def _usage(usage: BotUsage) -> str:
    text = (
        f"CPU {usage.cpu_on_turn_ns / 1e9:.3f} s on turn, "
        f"{usage.cpu_off_turn_ns / 1e9:.3f} s off turn"
    )
    if usage.peak_memory_bytes:
        text += f", at most {usage.peak_memory_bytes / 2**20:.1f} MiB of memory"
    return text


def _time_lines(game: StoredGame) -> Iterator[str]:
    """Yield the limit of the move that was lost on time, and what was used of it."""
    forfeit = time_forfeit(game)
    if forfeit is None:
        return
    used = "no answer came"
    if forfeit.used_ns is not None:
        used = f"the answer came after {forfeit.used_ns / 1e9:.3f} s"
    margin = f", {forfeit.margin_ns / 1e6:g} ms of it margin" if forfeit.margin_ns else ""
    yield f"Time      {forfeit.limit_ns / 1e9:.3f} s for the move{margin}; {used}"


def _place_lines(game: StoredGame) -> Iterator[str]:
    """Yield where a game was played and behind what; games of older versions do not tell."""
    known = {} if game.details is None else game.details.provenance
    if "containment" not in known:
        return
    processor = known.get("affinity", OFF)
    many = "" if str(processor).isdigit() else "s"
    where = "any processor" if processor == OFF else f"processor{many} {processor}"
    slot = f"{known.get('slot')}, {where}, {known['containment']}"
    yield f"Slot      {printable(slot)}"
    walls = [f"{known.get(f'{color.word}-sandbox', 'none')} ({color.word})" for color in Color]
    yield f"Sandbox   {printable(', '.join(walls))}"


def _lateness_lines(game: StoredGame) -> Iterator[str]:
    """Yield how long bots and slot waited for a processor in the moves, where that was measured."""
    late = None if game.details is None else GameLateness.of_provenance(game.details.provenance)
    if late is not None:
        yield (
            f"Late      {late.p50_us / 1000:.2f} ms a move (median), {late.p99_us / 1000:.2f} ms "
            f"(99 %), of {counted(late.turns, 'move')}: waits for a processor"
        )


def _seat_details(game: StoredGame, color: Color) -> SeatDetails | None:
    if game.details is None:
        return None
    return game.details.black if color is Color.BLACK else game.details.white


def _seat_line(color: Color, seat: StoredSeat, details: SeatDetails | None) -> str:
    announced = f' "{printable(details.announced)}"' if details and details.announced else ""
    return (
        f"{color.word.capitalize():<9} {printable(seat.name)}{announced}, "
        f"time control {printable(seat.time_control)}, identity {printable(seat.identity[:12])}"
    )


def _result(game: StoredGame, outcome: Outcome) -> str:
    if outcome.winner is None:
        return f"{outcome.score_text}, a draw by {outcome.cause.value}"
    return (
        f"{outcome.score_text}, {printable(game.seat(outcome.winner).name)} "
        f"({outcome.winner.word}) won by {outcome.cause.value}"
    )


def _board_head(game: StoredGame, plies: int, position: Position) -> str:
    if plies == 0:
        return f"Start, {position.to_move.word} to move"
    after = f"After ply {plies} of {len(game.moves)}, {game.moves[plies - 1]}"
    if plies == len(game.moves):
        return f"{after}: the end"
    return f"{after}, {position.to_move.word} to move"


def _move_lines(game: StoredGame) -> Iterator[str]:
    """Yield the moves, Black's on the left, each with its seconds."""
    times = ["opening"] * game.opening_plies
    if game.details is not None:
        times += [f"{ply.elapsed_ns / 1e9:.3f}" for ply in game.details.plies]
    cells = [f"{move:<6} {time:>8}" for move, time in zip_longest(game.moves, times, fillvalue="")]
    if parse_fen(game.start).to_move is Color.WHITE:
        cells.insert(0, "...")
    yield f"      {'black':<6} {'seconds':>8}    {'white':<6} {'seconds':>8}"
    for number, (black, white) in enumerate(
        zip_longest(cells[::2], cells[1::2], fillvalue=""), start=1
    ):
        yield f"{number:>4}. {black:<15}    {white}".rstrip()
