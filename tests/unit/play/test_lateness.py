"""The lateness of a game: its percentiles, and its entries in the provenance, read with care."""

from __future__ import annotations

import pytest

from harness.play.lateness import GameLateness

ENTRIES = {"late-p50-us": 12, "late-p99-us": 340, "late-turns": 57}


def test_of_a_hundred_turns_the_second_is_that_of_the_ninety_ninth() -> None:
    late_ns = [number * 1_000 for number in range(100, 0, -1)]
    assert GameLateness.of_turns(late_ns) == GameLateness(50, 99, 100)
    assert GameLateness.of_turns(late_ns * 2) == GameLateness(50, 99, 200)


def test_of_fewer_it_is_that_of_the_latest() -> None:
    assert GameLateness.of_turns([7_600]) == GameLateness(8, 8, 1)
    assert GameLateness.of_turns([5_000, 1_000, 900_000]) == GameLateness(5, 900, 3)
    assert GameLateness.of_turns([0] * 98 + [3_000]) == GameLateness(0, 3, 99)


def test_without_turns_there_is_nothing() -> None:
    assert GameLateness.of_turns([]) is None


def test_the_entries_are_read_as_they_were_written() -> None:
    late = GameLateness(12, 340, 57)
    assert late.entries() == ENTRIES
    assert GameLateness.of_provenance({"slot": 0, **late.entries()}) == late


@pytest.mark.parametrize("key", ENTRIES)
@pytest.mark.parametrize("value", [None, "12", 1.5, True, -1, 10**400])
def test_what_we_do_not_write_is_not_read(key: str, value: object) -> None:
    assert GameLateness.of_provenance({**ENTRIES, key: value}) is None
    assert GameLateness.of_provenance({k: v for k, v in ENTRIES.items() if k != key}) is None
