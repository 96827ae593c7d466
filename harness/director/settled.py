"""The games of a store that need not be played, as the schedule asks for them."""

from __future__ import annotations

from typing import NamedTuple

from harness.store.sqlite import Store
from harness.tournament.batch import Batch
from harness.tournament.index_runs import IndexRuns
from harness.tournament.pairing import next_batch
from harness.tournament.results import SettledGames
from harness.tournament.schedule import Schedule
from harness.tournament.spec import TournamentSpec


class Resumption(NamedTuple):
    """What a run goes on from: the schedule and what is settled of it.

    ``surplus`` stored games have no place in the schedule.
    """

    schedule: Schedule
    settled: SettledGames
    surplus: int


def read_settled(spec: TournamentSpec, store: Store) -> SettledGames:
    """Read what is stored: results only where the format depends on them, else places alone."""
    if spec.format.depends_on_results:
        half_points = store.half_points()
        return SettledGames(set(half_points), half_points, store.walkovers())
    batch = _only_batch(spec)
    return SettledGames(earlier=_earlier(batch, store))


def resume(spec: TournamentSpec, store: Store) -> Resumption:
    """Read what is stored, and give every stored game its place in this schedule."""
    if spec.format.depends_on_results:
        settled = read_settled(spec, store)
        schedule = Schedule.of(spec, settled)
        return Resumption(schedule, settled, store.reschedule(schedule.index_of))
    batch = _only_batch(spec)
    unchanged = batch.unchanged_since(store.extent())
    surplus = store.reschedule(batch.index_of, batch.extent, unchanged)
    settled = SettledGames(earlier=_earlier(batch, store))
    return Resumption(Schedule(spec, (batch,)).advanced(settled), settled, surplus)


def _earlier(batch: Batch, store: Store) -> IndexRuns:
    """Return the places of the stored games in this batch, as stored or by their ids."""
    earlier = store.places(batch.extent)
    if earlier is None:  # read without a run that writes the places
        places = (batch.index_of(game_id) for game_id in store.stored_ids())
        earlier = IndexRuns(sorted(place for place in places if place is not None))
    return earlier


def _only_batch(spec: TournamentSpec) -> Batch:
    batch = next_batch(spec, ())
    assert batch is not None
    return batch
