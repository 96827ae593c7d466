"""The flags that say who meets whom."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

from harness.cli.whole_number_type import WholeNumber

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS: Final = (
    click.option(
        "--format",
        type=click.Choice(["round-robin", "gauntlet", "swiss", "knock-out", "list"]),
        help="Who meets whom; a list needs a spec.  [default: round-robin]",
    ),
    click.option(
        "--cycles", type=WholeNumber(), help="How often the rounds are played.  [default: 1]"
    ),
    click.option(
        "--seeds", type=WholeNumber(), help="Gauntlet: the first so many bots.  [default: 1]"
    ),
    click.option(
        "--swiss-rounds",
        type=WholeNumber(),
        help="Swiss: so many rounds.  [default: log2 of the bots]",
    ),
    click.option(
        "--tie-break-pairs",
        type=WholeNumber(),
        help="Knock-out: extra pairs at a tie.  [default: 4]",
    ),
)


def format_options(command: Command) -> Command:
    """Give a command the flags ``--format`` to ``--tie-break-pairs``; None where not given."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
