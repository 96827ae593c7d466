from __future__ import annotations

import pytest

from harness.tournament.formats.gauntlet import gauntlet_encounters
from tests.unit.tournament.tables import batch_after, met, spec_of


def test_the_first_bot_meets_all_others() -> None:
    batch = batch_after(spec_of("cabd", "gauntlet", rounds=2), [])
    assert met(batch) == ["a~c", "b~c", "c~d"]
    assert [plan.game_id for plan in batch][:8] == [
        "a~c.1a", "a~c.1b", "b~c.1a", "b~c.1b", "c~d.1a", "c~d.1b", "a~c.2a", "a~c.2b",
    ]  # fmt: skip


def test_seeds_do_not_meet_each_other() -> None:
    batch = batch_after(spec_of("abcde", "gauntlet", seeds=2), [])
    assert met(batch) == ["a~c", "b~d", "a~d", "b~e", "a~e", "b~c"]


@pytest.mark.parametrize("seeds", range(1, 6))
@pytest.mark.parametrize("others", range(1, 6))
def test_no_bot_has_two_encounters_in_a_stretch(seeds: int, others: int) -> None:
    names = [f"s{number}" for number in range(seeds)], [f"o{number}" for number in range(others)]
    pairings = gauntlet_encounters(*names)
    assert sorted(pairings) == sorted((one, other) for one in names[0] for other in names[1])
    size = min(seeds, others)
    for start in range(0, len(pairings), size):
        seated = [name for pairing in pairings[start : start + size] for name in pairing]
        assert len(seated) == len(set(seated))
