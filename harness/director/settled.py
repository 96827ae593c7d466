"""The games of a store that need not be played, as the schedule asks for them."""

from __future__ import annotations

from harness.store.sqlite import Store
from harness.tournament.results import SettledGames
from harness.tournament.spec import TournamentSpec


def read_settled(spec: TournamentSpec, store: Store) -> SettledGames:
    """Read what is stored; results only where the format depends on them."""
    if not spec.format.depends_on_results:
        return SettledGames(store.stored_ids())
    half_points = store.half_points()
    return SettledGames(set(half_points), half_points, store.walkovers())
