"""The flags that every command which plays has in common: what is played, and how."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

import click

from harness.cli.adjudication_options import ON_BY_DEFAULT, adjudication_options
from harness.cli.opening_options import opening_options
from harness.cli.whole_number_type import WholeNumber

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS: Final = (
    click.option(
        "--name", help="Name of the tournament; default: made of the labels and conditions."
    ),
    click.option(
        "--tc",
        help='Time control: "5+0.05", "40/60+0.6", "move=0.5", "nodes=200", '
        '"depth=3", joined by commas.  [default: 5+0.05]',
    ),
    click.option("--seed", type=WholeNumber(), help="Seed of openings and bots.  [default: 1]"),
    opening_options,
    click.option(
        "--margin-ms", type=WholeNumber(), help="Tolerance before a flag falls.  [default: 50]"
    ),
    click.option(
        "--max-plies", type=WholeNumber(), help="A game is drawn after so many.  [default: 400]"
    ),
    click.option("--simultaneous", type=click.Choice(["draw", "mover"]), help="Both connected."),
    click.option("--no-moves", type=click.Choice(["pass", "loss", "draw"]), help="No legal move."),
    click.option(
        "--repetition", type=WholeNumber(), help="Drawn at this occurrence; 0: never.  [default: 3]"
    ),
    adjudication_options,
    click.option(
        "--restart",
        type=click.Choice(["auto", "always", "never"]),
        help="Start bots anew for each game?  [default: auto]",
    ),
    click.option(
        "--slots", type=WholeNumber(), help="Games at the same time.  [default: cores - 1]"
    ),
    click.option("--force", is_flag=True, help="Allow more slots than cores."),
    click.option(
        "--sandbox",
        type=click.Choice(["none", "bwrap"]),
        help="What keeps bots away from the machine; `loa doctor` tries it.  [default: none]",
    ),
    click.option(
        "--pondering",
        type=click.Choice(["ignore", "suspend"]),
        help="Bots between their turns: only measured, or stopped.  [default: ignore]",
    ),
    click.option(
        "--memory-mb",
        type=WholeNumber(),
        help="Memory of a bot, all its processes.  [default: its share]",
    ),
    click.option(
        "--affinity",
        metavar="auto|off|LIST",
        help="Where slots play: each on a processor of its own, wherever the system likes, or on "
        "those of a list, 2,3 or 4-7, one for each thread of each slot.  [default: auto]",
    ),
    click.option("--serial", is_flag=True, help="Play in this process, one game at a time."),
    click.option(
        "--events",
        metavar="FILE|-",
        help="Write what happens as JSON lines for programs; a file is appended to, - is stdout "
        "(then tables go to stderr).",
    ),
    click.option(
        "--transcripts",
        "has_transcripts",
        is_flag=True,
        help="Store every protocol line of the games, not only the last ones of a forfeit.",
    ),
)


def game_options(command: Command) -> Command:
    """Give a command the flags ``--name`` to ``--transcripts``."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def given_flags(flags: Mapping[str, object]) -> dict[str, Any]:
    """Return the flags that were given, for a specification."""
    return {
        flag: value
        for flag, value in flags.items()
        if value is not None and (value is not False or flag in ON_BY_DEFAULT)
    }
