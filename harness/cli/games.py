"""``loa games``: the games of a tournament, filtered."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.locate import results_option, tournament_folder
from harness.cli.whole_number_type import WholeNumber

if TYPE_CHECKING:
    from harness.play.types import Cause
    from harness.store.rows import GameFilter, Result, StoredGame
    from harness.store.sqlite import Store


@click.command("games")
@click.argument("name")
@click.option("--bot", metavar="NAME", help="Games of this bot.")
@click.option("--opponent", metavar="NAME", help="Games against this bot.")
@click.option("--cause", metavar="CAUSE", help="Games that ended so: time, connection, ...")
@click.option("--winner", metavar="black|white|draw|NAME", help="Games won by this side or bot.")
@click.option("--min-plies", type=WholeNumber(min=0), help="Games of at least so many plies.")
@click.option("--max-plies", type=WholeNumber(min=0), help="Games of at most so many plies.")
@click.option(
    "--order",
    type=click.Choice(["schedule", "newest", "longest"]),
    default="schedule",
    show_default=True,
    help="Which come first.",
)
@click.option("--limit", type=WholeNumber(min=0), help="At most so many.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@results_option
def command(
    *,
    name: str,
    bot: str | None,
    opponent: str | None,
    cause: str | None,
    winner: str | None,
    min_plies: int | None,
    max_plies: int | None,
    order: str,
    limit: int | None,
    as_json: bool,
    results: Path,
) -> None:
    """List the games of a tournament; every option that is given must hold.

    In RESULT the first number is Black's: 1-0 is a win of Black.
    """
    from harness.store.rows import GameFilter, GameOrder
    from harness.store.sqlite import Store

    with Store.open_read_only(tournament_folder(name, results)) as store:
        side = _side(winner)
        wanted = GameFilter(
            bot=bot,
            opponent=opponent,
            cause=_cause(cause),
            result=side,
            won_by=winner if side is None else None,
            min_plies=min_plies,
            max_plies=max_plies,
            limit=limit,
            order=GameOrder(order),
        )
        _check_names(store, wanted)
        show = _show_json if as_json else _show_table
        show(store.games(wanted))


def _side(winner: str | None) -> Result | None:
    match winner:
        case "black" | "white" | "draw":
            return winner
        case _:
            return None


def _cause(text: str | None) -> Cause | None:
    from harness.errors import InputError
    from harness.play.types import Cause

    if text is None:
        return None
    try:
        return Cause(text)
    except ValueError:
        known = " ".join(cause.value for cause in Cause)
        raise InputError(f"--cause {text!r}: a game ends by one of {known}") from None


def _check_names(store: Store, wanted: GameFilter) -> None:
    from harness.errors import InputError
    from harness.report.safe_text import printable

    known = store.summary().bots
    for name in (wanted.bot, wanted.opponent, wanted.won_by):
        if name is not None and name not in known:
            raise InputError(
                f"no bot of {store.folder} is called {name!r}; "
                f"there are: {', '.join(map(printable, known))}"
            )


def _show_table(games: Iterable[StoredGame]) -> None:
    from harness.cli.plain_table import table_lines

    rows = (
        (
            game.game_id,
            game.black.name,
            game.white.name,
            game.outcome.score_text,
            game.outcome.cause.value,
            str(len(game.moves)),
            f"{game.duration_ns / 1e9:.1f}",
        )
        for game in games
    )
    head = ["ID", "BLACK", "WHITE", "RESULT", "CAUSE", "PLIES", "SECONDS"]
    for line in table_lines(head, rows, {5, 6}):
        click.echo(line)


def _show_json(games: Iterable[StoredGame]) -> None:
    from harness.store.records import to_json

    before = "[\n"
    for game in games:
        winner = game.outcome.winner
        values = {
            "id": game.game_id,
            "encounter": game.encounter,
            "pair": game.pair,
            "leg": game.leg,
            "black": game.black.name,
            "white": game.white.name,
            "winner": None if winner is None else winner.word,
            "cause": game.outcome.cause.value,
            "detail": game.outcome.detail,
            "plies": len(game.moves),
            "opening": game.opening,
            "scheduled": game.schedule_index is not None,
            "started-at": game.started_at,
            "duration-ns": game.duration_ns,
        }
        click.echo(before + to_json(values), nl=False)
        before = ",\n"
    click.echo("[]" if before == "[\n" else "\n]")
