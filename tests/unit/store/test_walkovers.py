from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from harness.errors import ConditionsError, StoreError
from harness.play.types import Cause, Outcome
from harness.rules.types import Color
from harness.store.rows import Incident, IncidentKind
from harness.store.sqlite import Store
from tests.unit.store.builders import record


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.create_or_open(tmp_path) as store:
        yield store


def test_half_points_are_blacks_by_id(store: Store) -> None:
    for number, winner in enumerate((Color.BLACK, Color.WHITE, None), 1):
        spec = replace(record().spec, game_id=f"ann~bob.{number}a", pair=number)
        cause = Cause.REPETITION if winner is None else Cause.CONNECTION
        store.add([replace(record(), spec=spec, outcome=Outcome(cause, winner))])
    expected = {"ann~bob.1a": 2, "ann~bob.2a": 0, "ann~bob.3a": 1}
    assert store.half_points() == expected
    assert store.stored_ids() == set(expected)


def test_walkovers_are_by_game_and_other_incidents_are_none(store: Store) -> None:
    store.add_incidents(
        [
            Incident("a~b.1a", 1, IncidentKind.WALKOVER, "a", "silent", "now"),
            Incident("a~b.1a", 1, IncidentKind.WALKOVER, "b", "silent", "now"),
            Incident("a~c.1a", 1, IncidentKind.WALKOVER, "a", "silent", "now"),
            Incident("a~c.1b", 1, IncidentKind.VOID, "a", "silent", "now"),
        ]
    )
    assert store.walkovers() == {"a~b.1a": frozenset("ab"), "a~c.1a": frozenset("a")}


def test_a_bot_that_is_no_text_is_said(store: Store) -> None:
    store.add_incidents([Incident("a~b.1a", 1, IncidentKind.WALKOVER, "a", "silent", "now")])
    store._connection.execute("UPDATE incidents SET bot = x'00'")
    with pytest.raises(StoreError):
        store.walkovers()


def encounters(**controls: str) -> dict[str, object]:
    return {
        "format": "list",
        "encounters": {name: {"time-control": text} for name, text in controls.items()},
    }


def test_encounters_that_were_listed_once_bind_while_there_are_games(store: Store) -> None:
    def begin(**controls: str) -> None:
        store.begin("t", "", encounters(**controls), {}, {})

    begin(one="1", two="2")
    begin(one="9")  # nothing is played yet
    stored = store.tournament()
    assert stored is not None
    assert stored.conditions == encounters(one="9")
    store.add([record()])
    begin(three="3")
    begin(one="9", four="4")
    stored = store.tournament()
    assert stored is not None
    assert stored.conditions == encounters(one="9", three="3", four="4")
    with pytest.raises(ConditionsError, match=r"encounters.three.time-control: stored 3, now 4"):
        begin(three="4")
