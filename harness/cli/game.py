"""``loa game``: one game, drawn, as SGF or as JSON, and what its bots said."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.locate import results_option, tournament_folder
from harness.cli.whole_number_type import WholeNumber

if TYPE_CHECKING:
    from harness.cli.game_text import Definitions
    from harness.store.rows import StoredGame


@click.command("game")
@click.argument("name")
@click.argument("game_id", metavar="ID")
@click.option("--ply", type=WholeNumber(), help="Show the board after so many plies; 0: the start.")
@click.option("--log", "as_log", is_flag=True, help="Show the kept protocol lines and errors.")
@click.option("--sgf", "as_sgf", is_flag=True, help="Print the game as SGF.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@results_option
def command(
    *,
    name: str,
    game_id: str,
    ply: int | None,
    as_log: bool,
    as_sgf: bool,
    as_json: bool,
    results: Path,
) -> None:
    """Show one game: board, players, moves with times, error output of the bots.

    `loa games NAME` lists the ids. Protocol lines are kept of games that ended by forfeit (the
    last ones), and of every game that was played with --transcripts.
    """
    from harness.cli.game_text import game_lines, log_lines
    from harness.errors import InputError
    from harness.report.safe_text import printable
    from harness.store.export import sgf_lines
    from harness.store.sqlite import Store

    if as_log + as_sgf + as_json > 1:
        raise click.UsageError("give one of --log, --sgf and --json")
    with Store.open_read_only(tournament_folder(name, results)) as store:
        game = store.game(game_id)
        definitions = store.bot_definition(game.black), store.bot_definition(game.white)
    plies = len(game.moves) if ply is None else ply
    if not 0 <= plies <= len(game.moves):
        raise InputError(f"--ply {plies}: this game has the plies 0 to {len(game.moves)}")
    if as_json:
        click.echo(_json(game, plies, definitions))
    elif as_sgf:
        click.echo("".join(sgf_lines([game])), nl=False)
    else:
        for line in log_lines(game) if as_log else game_lines(game, plies, definitions):
            click.echo(printable(line))


def _json(game: StoredGame, plies: int, definitions: Definitions) -> str:
    import json

    from harness.cli.game_text import position_after
    from harness.cli.game_time import time_forfeit
    from harness.rules.notation import format_fen
    from harness.store.export import jsonl

    (line,) = jsonl([game], times=True)
    values = json.loads(line)
    position, _ = position_after(game, plies)
    values["position"] = {"after-plies": plies, "fen": format_fen(position)}
    forfeit = time_forfeit(game)
    values["time-forfeit"] = None
    if forfeit is not None:
        values["time-forfeit"] = {"limit-ns": forfeit.limit_ns, "used-ns": forfeit.used_ns}
    if game.details is not None:
        seats = game.details.black, game.details.white
        for key, seat, definition in zip(
            ("black-bot", "white-bot"), seats, definitions, strict=True
        ):
            values[key] |= {
                "stderr": seat.stderr,
                "definition": None if definition is None else dict(definition),
                "cpu-on-turn-ms": seat.usage.cpu_on_turn_ns // 1_000_000,
                "cpu-off-turn-ms": seat.usage.cpu_off_turn_ns // 1_000_000,
                "peak-memory-kib": seat.usage.peak_memory_bytes // 1024,
            }
        values["log"] = game.details.log.split("\n") if game.details.log else []
    return json.dumps(values, indent=2, sort_keys=True)
