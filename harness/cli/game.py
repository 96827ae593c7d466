"""``loa game``: one game, drawn, as SGF or as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.locate import results_option, tournament_folder

if TYPE_CHECKING:
    from harness.store.rows import StoredGame


@click.command("game")
@click.argument("name")
@click.argument("game_id", metavar="ID")
@click.option("--ply", type=int, help="Show the board after so many plies; 0 is the start.")
@click.option("--sgf", "as_sgf", is_flag=True, help="Print the game as SGF.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@results_option
def command(
    *, name: str, game_id: str, ply: int | None, as_sgf: bool, as_json: bool, results: Path
) -> None:
    """Show one game: board, players, moves with times, error output of the bots.

    `loa games NAME` lists the ids.
    """
    from harness.cli.game_text import game_lines
    from harness.errors import InputError
    from harness.store.export import sgf_lines
    from harness.store.sqlite import Store

    with Store.open_read_only(tournament_folder(name, results)) as store:
        game = store.game(game_id)
    plies = len(game.moves) if ply is None else ply
    if not 0 <= plies <= len(game.moves):
        raise InputError(f"--ply {plies}: this game has the plies 0 to {len(game.moves)}")
    if as_json:
        click.echo(_json(game, plies))
    elif as_sgf:
        click.echo("".join(sgf_lines([game])), nl=False)
    else:
        for line in game_lines(game, plies):
            click.echo(line)


def _json(game: StoredGame, plies: int) -> str:
    import json

    from harness.cli.game_text import position_after
    from harness.rules.notation import format_fen
    from harness.store.export import jsonl

    (line,) = jsonl([game], times=True)
    values = json.loads(line)
    position, _ = position_after(game, plies)
    values["position"] = {"after-plies": plies, "fen": format_fen(position)}
    if game.details is not None:
        values["black-bot"]["stderr"] = game.details.black.stderr
        values["white-bot"]["stderr"] = game.details.white.stderr
    return json.dumps(values, indent=2, sort_keys=True)
