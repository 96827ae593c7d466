"""The longest games are found in an index, before anything else is read of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from harness.play.types import Cause
from harness.rules.types import Color
from harness.store import queries
from harness.store.rows import GameFilter, GameOrder
from harness.store.sqlite import Store
from tests.unit.store.builders import MOVES, opening, record

FILTERS = (
    GameFilter(),
    GameFilter(bot="ann"),
    GameFilter(bot="ann", opponent="cyd"),
    GameFilter(cause=Cause.REPETITION),
    GameFilter(result="draw"),
    GameFilter(result="white", min_plies=2),
    GameFilter(won_by="bob"),
    GameFilter(bot="nobody"),
    GameFilter(min_plies=2, max_plies=3),
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    chance = Random(1)
    games = []
    for number in range(120):
        black, white = chance.sample(["ann", "bob", "cyd"], 2)
        played = chance.randrange(len(MOVES) + 1)
        games.append(
            record(
                f"g{number}",
                black=black,
                white=white,
                index=number,
                start=opening(MOVES[:played]),
                moves=MOVES[played : chance.randrange(played, len(MOVES) + 1)],
                cause=chance.choice([Cause.REPETITION, Cause.TIME]),
                winner=chance.choice([Color.BLACK, Color.WHITE, None]),
            )
        )
    with Store.create_or_open(tmp_path_factory.mktemp("store")) as opened:
        opened.add(games)
        yield opened


@pytest.mark.parametrize("wanted", FILTERS)
@pytest.mark.parametrize("details", [False, True])
def test_a_limit_cuts_what_there_would_be_without(
    store: Store, wanted: GameFilter, *, details: bool
) -> None:
    number = {game.game_id: place for place, game in enumerate(store.games())}
    by_length = sorted(
        store.games(wanted, details=details),
        key=lambda game: (-len(game.moves), number[game.game_id]),
    )
    for limit in (None, 0, 1, 7, 60, 500):
        longest = replace(wanted, order=GameOrder.LONGEST, limit=limit)
        assert list(store.games(longest, details=details)) == by_length[:limit]


@pytest.mark.parametrize("wanted", FILTERS)
def test_only_an_index_is_read_through(store: Store, wanted: GameFilter) -> None:
    longest = replace(wanted, order=GameOrder.LONGEST, limit=20)
    text, parameters = queries.many_games(longest, details=False)
    rows = store._connection.execute(f"EXPLAIN QUERY PLAN {text}", parameters)
    steps = [row[3] for row in rows if row[3].startswith("SCAN")]
    assert steps
    assert all("COVERING INDEX games_" in step for step in steps)
