"""The options that standings and reports share: which games count, and how they are rated."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from harness.cli.whole_number_type import WholeNumber

if TYPE_CHECKING:
    from harness.cli.evidence import Evidence
    from harness.ratings.table import RatingOptions
    from harness.store.selection import Selection, Terms

_Function = TypeVar("_Function", bound=Callable[..., Any])

_DAY: Final = r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
_DATES: Final = re.compile(rf"({_DAY})?(\.\.)?({_DAY})?", re.ASCII)
_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,9}(\.[0-9]{0,9})?", re.ASCII)
_LARGEST_ELO: Final = 1e6
_MOST_REFITS: Final = 100_000
_TERM_HELP: Final = (
    "bot=NAME (* and ? stand for anything), date=DAY, date=FIRST..LAST or tc=TIME-CONTROL; "
    "NAME alone is a bot."
)


def selection_options(function: _Function) -> _Function:
    """Add ``--only`` and ``--without`` to a command, which gets them as tuples of texts."""
    for name, words in (("--without", "Leave out games with any of these."), ("--only", "")):
        function = click.option(
            name,
            multiple=True,
            metavar="TERM",
            help=words or f"Count only games of these, on both sides. TERM: {_TERM_HELP}",
        )(function)
    return function


def rating_options(function: _Function) -> _Function:
    """Add ``--anchor``, ``--model``, ``--bootstrap`` and ``--seed`` to a command."""
    for option in (
        click.option(
            "--seed",
            type=WholeNumber(0, 2**63 - 1),
            default=1,
            show_default=True,
            help="Of the bootstrap and of the draws behind ranks.",
        ),
        click.option(
            "--bootstrap",
            type=WholeNumber(2, _MOST_REFITS),
            metavar="N",
            help="Draw the openings again and rate anew N times (1000 is usual), for the column "
            "bootstrap-error and the chances of ranks.",
        ),
        click.option(
            "--model",
            type=click.Choice(["davidson", "score"]),
            default="davidson",
            show_default=True,
            help="score: draws are half points, Ordo's equations.",
        ),
        click.option(
            "--anchor",
            "anchors",
            multiple=True,
            metavar="NAME=ELO",
            callback=_anchors,
            help="Set the rating of this bot, one for each table; default: the mean is 0.",
        ),
    ):
        function = option(function)
    return function


def chosen_options(
    *, anchors: tuple[tuple[str, float], ...], model: str, bootstrap: int | None, seed: int
) -> RatingOptions:
    """Return the options of a command as a value."""
    from harness.ratings.davidson import Model
    from harness.ratings.table import RatingOptions

    return RatingOptions(anchors, Model(model), bootstrap or 0, seed)


def chosen_selection(only: tuple[str, ...], without: tuple[str, ...]) -> Selection:
    """Return what ``--only`` and ``--without`` say; raises click.BadParameter."""
    from harness.store.selection import Selection

    return Selection(_terms(only, "--only"), _terms(without, "--without"))


def warn_of_nothing(evidence: Evidence) -> None:
    """Say on stderr that ``--only`` and ``--without`` leave no game."""
    if not evidence.results.total and not evidence.selection.is_everything:
        click.echo(f"note: {evidence.notices[-1]}", err=True)


def _terms(texts: tuple[str, ...], option: str) -> Terms:
    from harness.errors import InputError
    from harness.play.clock import TimeControl
    from harness.store.selection import BotPattern, DateRange, Terms

    bots, time_controls, dates = [], [], []
    for text in texts:
        kind, sign, value = text.partition("=")
        if not sign:
            kind, value = "bot", text
        match kind:
            case "bot" if value:
                bots.append(BotPattern(value))
            case "date":
                dates.append(DateRange(*_dates(value, option)))
            case "tc":
                try:
                    time_controls.append(TimeControl.parse(value))
                except InputError as error:
                    raise click.BadParameter(str(error), param_hint=option) from error
            case _:
                raise click.BadParameter(f"{text!r} is no TERM: {_TERM_HELP}", param_hint=option)
    return Terms(tuple(bots), tuple(time_controls), tuple(dates))


def _dates(text: str, option: str) -> tuple[str | None, str | None]:
    found = _DATES.fullmatch(text)
    if found is None or not (found[1] or found[3]) or (found[1] and found[3] and not found[2]):
        raise click.BadParameter(
            f"{text!r} is no date: write 2026-11-30, 2026-11-01..2026-11-30 or 2026-11-01.. (UTC)",
            param_hint=option,
        )
    first, dots, last = found[1], found[2], found[3]
    for day in filter(None, (first, last)):
        try:
            date.fromisoformat(day)
        except ValueError:
            raise click.BadParameter(f"there is no day {day}", param_hint=option) from None
    if first and last and first > last:
        raise click.BadParameter(f"{text!r} ends before it begins", param_hint=option)
    return first, last if dots else first


def _anchors(
    _context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, float], ...]:
    anchors = tuple(map(_anchor, values))
    if len({name for name, _ in anchors}) < len(anchors):
        raise click.BadParameter("a bot is named twice")
    return anchors


def _anchor(value: str) -> tuple[str, float]:
    name, _, number = value.rpartition("=")
    elo = float(number) if _NUMBER.fullmatch(number) else math.nan
    if not name or not abs(elo) <= _LARGEST_ELO:
        raise click.BadParameter(f"{value!r} is not NAME=ELO, as in random=0")
    return name, elo
