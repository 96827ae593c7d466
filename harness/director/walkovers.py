"""Which games are walked over because a bot cannot be started."""

from __future__ import annotations

from collections.abc import Collection

from harness.tournament.batch import Batch
from harness.tournament.results import SettledGames
from harness.tournament.spec import TournamentSpec

_FEWEST_PRESENT = 2


def walkovers(
    spec: TournamentSpec, batch: Batch, settled: SettledGames, set_aside: Collection[str]
) -> dict[str, frozenset[str]]:
    """Return the absent bots by the id of each game of the batch that is walked over.

    Only where later batches wait for this one, only when every open game of it is of a bot that
    is set aside, and only while two bots can play at all: when nearly all fail, it is rather
    the machine, and the next run shall try again.
    """
    present = [bot for bot in spec.bots if bot.name not in set_aside]
    if not spec.format.depends_on_results or len(present) < _FEWEST_PRESENT:
        return {}
    absent = {
        plan.game_id: frozenset({plan.black, plan.white}.intersection(set_aside))
        for plan in batch
        if not settled.has(plan)
    }
    return absent if all(absent.values()) else {}
