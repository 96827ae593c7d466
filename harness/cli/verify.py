"""``loa verify``: every stored game before the referee again."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from harness.cli.exit_codes import FOUND_SOMETHING
from harness.cli.locate import results_option, tournament_folder
from harness.cli.whole_number_type import WholeNumber
from harness.counted import counted
from harness.errors import NoSuchTournamentError

if TYPE_CHECKING:
    from harness.verification.tournament import VerifiedTournament

_DAMAGED: Final = (
    "the file itself is damaged: put a copy back, or save what can be saved with the sqlite3 "
    "command .recover"
)


@click.command("verify")
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@click.option(
    "--limit",
    type=WholeNumber(min=0),
    default=100,
    show_default=True,
    help="List at most so many findings of each tournament; all are counted.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@results_option
@click.pass_context
def command(
    context: click.Context, *, names: tuple[str, ...], limit: int, as_json: bool, results: Path
) -> None:
    """Put every stored game before the referee again, and compare with what is stored.

    Openings, moves, clocks, cause and winner, names, counts, hashes, and the database file
    itself. Exit code 5 when something is found; else 2 when one of the tournaments is not there:
    the others are verified all the same.
    """
    from harness.report.safe_text import printable
    from harness.verification.tournament import verify_tournament

    folders, missing = _folders(names, results)
    if not folders:
        raise missing[0]
    verified = [verify_tournament(folder, limit, _progress) for folder in folders]
    if as_json:
        click.echo(_json(verified))
    else:
        _show(verified)
    for error in missing:
        click.echo(f"loa: {printable(str(error))}", err=True)
    if any(one.found for one in verified):
        context.exit(FOUND_SOMETHING)
    if missing:
        context.exit(NoSuchTournamentError.exit_code)


def _folders(names: Sequence[str], results: Path) -> tuple[list[Path], list[NoSuchTournamentError]]:
    """Return the folders of the tournaments that are there, and what is to be said of others."""
    folders, missing = [], []
    for name in names:
        try:
            folders.append(tournament_folder(name, results))
        except NoSuchTournamentError as error:
            missing.append(error)
    return folders, missing


def _show(verified: Sequence[VerifiedTournament]) -> None:
    from harness.report.safe_text import printable

    for one in verified:
        name = printable(_name(one))
        head = f"{name}: " if len(verified) > 1 else ""
        for finding in one.findings:
            click.echo(f"{head}{printable(finding.text)}")
        if one.found:
            listed = f", {len(one.findings)} are listed" if len(one.findings) < one.found else ""
            click.echo(f"{name}: {counted(one.found, 'finding')} in {_games(one.games)}{listed}")
        if one.is_damaged:
            click.echo(f"{name}: {_DAMAGED}")
    if not any(one.found for one in verified):
        where = printable(_name(verified[0]))
        if len(verified) > 1:
            where = f"{len(verified)} tournaments"
        games = sum(one.games for one in verified)
        click.echo(f"{_games(games)} of {where} verified: nothing was found")


def _json(verified: Sequence[VerifiedTournament]) -> str:
    import json

    document = {
        "tournaments": [
            {
                "name": _name(one),
                "folder": str(one.folder),
                "games": one.games,
                "found": one.found,
                "findings": [
                    {
                        "game": finding.game or None,
                        "what": finding.what,
                        "stored": finding.stored or None,
                        "found": finding.found or None,
                    }
                    for finding in one.findings
                ],
            }
            for one in verified
        ],
        "found": sum(one.found for one in verified),
    }
    return json.dumps(document, indent=2)


def _name(one: VerifiedTournament) -> str:
    return one.folder.absolute().name


def _games(count: int) -> str:
    return counted(count, "game")


@contextmanager
def _progress(games: int) -> Iterator[Callable[[int], None]]:
    """Show a bar on a terminal; elsewhere nothing."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    with click.progressbar(length=games, label="Verified", file=sys.stderr) as bar:
        yield bar.update
