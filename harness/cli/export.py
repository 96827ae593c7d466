"""``loa export``: the games of a tournament as JSONL, SGF or CSV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.locate import results_option, tournament_folder
from harness.cli.output_file import write_whole

if TYPE_CHECKING:
    from harness.store.sqlite import Store


@click.command("export")
@click.argument("name")
@click.option(
    "--format",
    "file_format",
    type=click.Choice(["jsonl", "sgf", "csv"]),
    default="jsonl",
    show_default=True,
    help="What to write.",
)
@click.option(
    "--times",
    is_flag=True,
    help="JSONL gets begin, duration, time controls, identities, times and scores of each move, "
    "final reply, machine and lateness; CSV gets begin, duration, time controls and identities "
    "alone; SGF nothing.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write this file, whole or not at all; default: standard output.",
)
@results_option
def command(
    *, name: str, file_format: str, times: bool, output: Path | None, results: Path
) -> None:
    """Write the games of a tournament in schedule order.

    JSONL has one object a game with the keys black, cause, id, moves, opening, plies, rules,
    start, white and winner: the same bytes wherever the games were played.
    """
    from harness.store.sqlite import Store

    with Store.open_read_only(tournament_folder(name, results)) as store:
        lines = _lines(store, file_format, times=times)
        if output is None:
            for text in _joined(lines):
                click.echo(text, nl=False)
        else:
            write_whole(output, lines)


def _lines(store: Store, file_format: str, *, times: bool) -> Iterator[str]:
    from harness.store.export import csv_lines, jsonl, sgf_lines

    if file_format == "sgf":
        return sgf_lines(store.games())
    games = store.games(details=times and file_format == "jsonl")
    return csv_lines(games, times=times) if file_format == "csv" else jsonl(games, times=times)


def _joined(lines: Iterable[str]) -> Iterator[str]:
    """Join lines by hundreds: every write to standard output is flushed."""
    remaining = iter(lines)
    while chunk := list(islice(remaining, 100)):
        yield "".join(chunk)
