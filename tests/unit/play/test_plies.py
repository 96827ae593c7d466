"""Plies in columns are what a tuple of plies is."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, replace

import pytest

from harness.play.plies import Plies, PlyRecord
from harness.rules.types import Move
from tests.unit.store.builders import record

ONE = (
    PlyRecord(Move(7), 5, None),
    PlyRecord(Move(4095), 2**40, b"info score cp 3"),
    PlyRecord(Move(7), 0, b""),
)
PLIES = Plies((Move(7), Move(4095), Move(7)), (5, 2**40, 0), (None, b"info score cp 3", b""))


def test_items_are_made_on_demand() -> None:
    assert len(PLIES) == 3
    assert tuple(PLIES) == ONE
    assert [type(ply) for ply in PLIES] == [PlyRecord] * 3
    assert (PLIES[1], PLIES[-1]) == (ONE[1], ONE[2])
    assert list(reversed(PLIES)) == list(reversed(ONE))
    assert ONE[1] in PLIES
    assert PLIES.index(ONE[2]) == 2
    with pytest.raises(IndexError):
        PLIES[3]


def test_a_slice_is_in_columns_again() -> None:
    assert PLIES[::2] == ONE[::2]
    assert PLIES[::2].elapsed_ns == (5, 0)
    assert PLIES[5:] == ()


def test_equal_are_plies_tuples_and_lists_of_the_same() -> None:
    for equal in (Plies.of(ONE), ONE, [*ONE]):
        assert equal == PLIES
        assert PLIES == equal  # noqa: SIM300
    assert hash(PLIES) == hash(Plies.of(list(ONE))) == hash(ONE)
    for other in (ONE[:2], (*ONE[:2], ONE[0]), 3, None):
        assert other != PLIES
    for column in ("moves", "elapsed_ns", "infos"):
        changed = (*getattr(PLIES, column)[:-1], Move(1))
        assert replace(PLIES, **{column: changed}) != PLIES


def test_no_plies() -> None:
    assert Plies() == Plies.of([]) == ()
    assert not Plies()


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="differ in length"):
        Plies((Move(1),), (1, 2), (None,))


def test_plies_are_a_value() -> None:
    assert repr(Plies.of(ONE[:1])) == "Plies([PlyRecord(move=7, elapsed_ns=5, info=None)])"
    assert pickle.loads(pickle.dumps(PLIES)) == copy.deepcopy(PLIES) == PLIES
    with pytest.raises(FrozenInstanceError):
        PLIES.moves = ()  # type: ignore[misc]


def test_a_record_takes_any_sequence_of_plies() -> None:
    game = record()
    for plies in (ONE, [*ONE], PLIES):
        taken = replace(game, plies=plies)  # type: ignore[arg-type]
        assert type(taken.plies) is Plies
        assert taken.plies == PLIES
        assert taken.moves == (Move(7), Move(4095), Move(7))
        assert hash(taken.plies) == hash(PLIES)
