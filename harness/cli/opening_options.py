"""The flags that say which openings are played."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

from harness.cli.whole_number_type import WholeNumber

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS: Final = (
    click.option(
        "--openings", type=click.Path(), help="File of openings: one a line, or games in SGF."
    ),
    click.option(
        "--opening-order",
        type=click.Choice(["file", "random"]),
        help="In which order those of the file are played.  [default: file]",
    ),
    click.option(
        "--opening-seed", type=WholeNumber(), help="Seed of openings.  [default: that of --seed]"
    ),
    click.option(
        "--first-opening", type=WholeNumber(), help="Begin at this one of the order.  [default: 1]"
    ),
    click.option(
        "--opening-plies", type=WholeNumber(), help="At most so many plies of each.  [default: all]"
    ),
    click.option(
        "--random-plies",
        type=WholeNumber(),
        help="Random plies of a generated opening.  [default: 4]",
    ),
    click.option("--start", help='Start of openings: "standard", "scrambled-eggs" or FEN.'),
)


def opening_options(command: Command) -> Command:
    """Give a command the flags ``--openings`` to ``--start``; None where not given."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
