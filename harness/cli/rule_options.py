"""The flags of the rules, for commands that need rules and no tournament."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from harness.cli.whole_number_type import WholeNumber

if TYPE_CHECKING:
    from harness.rules.types import RuleSet

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS: Final = (
    click.option(
        "--simultaneous",
        type=click.Choice(["draw", "mover"]),
        default="draw",
        show_default=True,
        help="Both connected.",
    ),
    click.option(
        "--no-moves",
        type=click.Choice(["pass", "loss", "draw"]),
        default="pass",
        show_default=True,
        help="No legal move.",
    ),
    click.option(
        "--repetition",
        type=WholeNumber(0, 1_000),
        default=3,
        show_default=True,
        help="Drawn at this occurrence; 0: never.",
    ),
    click.option(
        "--max-plies",
        type=WholeNumber(0, 10_000),
        default=400,
        show_default=True,
        help="A game is drawn after so many; 0: no limit.",
    ),
)


def rule_options(command: Command) -> Command:
    """Give a command ``--simultaneous``, ``--no-moves``, ``--repetition`` and ``--max-plies``."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def rules_of(simultaneous: str, no_moves: str, repetition: int, max_plies: int) -> RuleSet:
    """Return the rules that the flags say; InputError for a repetition of 1."""
    from harness.errors import InputError
    from harness.rules.types import NoMovesRule, RuleSet, SimultaneousRule

    if repetition == 1:
        raise InputError("--repetition: the first occurrence is no repetition: 0 (off), 2 or more")
    return RuleSet(
        SimultaneousRule(simultaneous), NoMovesRule(no_moves), repetition, max_plies or None
    )
