"""The flags of adjudication by score, for every command that plays games."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

from harness.cli.whole_number_type import WholeNumber

Command = TypeVar("Command", bound=Callable[..., Any])

ON_BY_DEFAULT: Final = frozenset({"resign_both"})
"""Flags of which "no" says something: it is not the same as "not given"."""

_OPTIONS: Final = (
    click.option(
        "--draw-score",
        type=WholeNumber(),
        help="Drawn when both report at most so many cp; 0: off.",
    ),
    click.option(
        "--draw-count", type=WholeNumber(), help="... for so many own moves.  [default: 8]"
    ),
    click.option("--draw-ply", type=WholeNumber(), help="... not before this ply.  [default: 0]"),
    click.option(
        "--resign-score",
        type=WholeNumber(),
        help="Lost for a bot that reports minus so many cp; 0: off.",
    ),
    click.option(
        "--resign-count", type=WholeNumber(), help="... for so many own moves.  [default: 4]"
    ),
    click.option(
        "--resign-both/--no-resign-both",
        default=None,
        help="Must the other bot agree, or is the loser's word enough?  [default: both]",
    ),
)


def adjudication_options(command: Command) -> Command:
    """Give a command the flags ``--draw-score`` to ``--resign-both``; None where not given."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
