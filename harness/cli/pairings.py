"""Stored tournaments as pairing counts: what standings, reports and plots are made of."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from harness.ratings.counts import PairingCount
    from harness.ratings.crosstable import CrossTable
    from harness.ratings.types import RatingTable

_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Pairings:
    """The counts of any number of tournaments, added up.

    ``names`` are all bots of theirs, those without games too; ``notices`` say which bots are
    kept apart because they are not the same program everywhere.
    """

    rows: tuple[PairingCount, ...]
    names: tuple[str, ...]
    notices: tuple[str, ...]


def read_pairings(folders: Sequence[Path]) -> Pairings:
    """Read the counts of these tournaments; raises NoSuchTournamentError and StoreError."""
    from harness.ratings.counts import merge_identified
    from harness.store.sqlite import Store

    stored, bots = [], set()
    for folder in dict.fromkeys(folder.resolve() for folder in folders):
        with Store.open_read_only(folder) as store:
            stored += store.pairing_counts()
            bots |= set(store.summary().bots)
    rows, split = merge_identified(stored)
    played = {name for row in stored for name in (row.black, row.white)}
    return Pairings(
        rows=tuple(rows),
        names=tuple(sorted(bots - played)),
        notices=tuple(
            f"{name} is not the same program everywhere: its games are kept apart by identity"
            for name in split
        ),
    )


def rate_pairings(
    pairings: Pairings, anchor: tuple[str, float] | None = None
) -> tuple[tuple[RatingTable, ...], CrossTable]:
    """Return the rating tables and the cross table, whose bots come in the tables' order."""
    import dataclasses

    from harness.ratings.crosstable import cross_table
    from harness.ratings.table import rate

    tables = rate(pairings.rows, names=pairings.names, anchor=anchor)
    if tables and pairings.notices:
        first = dataclasses.replace(tables[0], notices=(*tables[0].notices, *pairings.notices))
        tables = (first, *tables[1:])
    order = [row.name for table in tables for row in table.rows if row.games]
    return tables, cross_table(pairings.rows, order)


def anchor_option(function: _Function) -> _Function:
    """Add ``--anchor NAME=ELO`` to a command, which gets it as ``anchor``."""
    return click.option(
        "--anchor",
        metavar="NAME=ELO",
        callback=_anchor,
        help="Set the rating of this bot; default: the mean is 0.",
    )(function)


def _anchor(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> tuple[str, float] | None:
    if value is None:
        return None
    name, _, number = value.rpartition("=")
    try:
        elo = float(number)
    except ValueError:
        elo = math.nan
    if not name or not math.isfinite(elo):
        raise click.BadParameter(f"{value!r} is not NAME=ELO, as in random=0")
    return name, elo
