from __future__ import annotations

from pathlib import Path

import pytest

from harness.rules.position import STANDARD_START
from harness.rules.types import RuleSet
from harness.tournament.distinct_openings import DistinctOpenings, reached
from harness.tournament.openings import opening_list
from harness.tournament.spec import OpeningSource


def _distinct(source: OpeningSource, count: int = 100) -> DistinctOpenings:
    return DistinctOpenings(opening_list(source, RuleSet(), 1, count), source)


@pytest.fixture
def file(tmp_path: Path) -> OpeningSource:
    """Two lines, the first again, two that transpose into one another, and one more."""
    path = tmp_path / "openings.txt"
    path.write_text(
        "b1-b3 h4-f2\nc1-c3 h4-f2\nb1-b3 h4-f2\nb1-h1 a2-c2 g1-a1\ng1-a1 a2-c2 b1-h1\nd1-d3\n"
    )
    return OpeningSource(STANDARD_START, file=str(path))


def test_a_position_is_played_once_and_the_last_line_too(file: OpeningSource) -> None:
    distinct = _distinct(file)
    assert distinct.distinct == 4
    assert [opening.text.split(" b ")[1] for opening in distinct] == [
        "b1-b3 h4-f2", "c1-c3 h4-f2", "b1-h1 a2-c2 g1-a1", "d1-d3",
    ]  # fmt: skip
    assert len({reached(opening) for opening in distinct}) == 4


def test_fewer_are_wanted_than_there_are(file: OpeningSource) -> None:
    distinct = _distinct(file, count=2)
    assert distinct.distinct == 2
    assert distinct[1].text.endswith("c1-c3 h4-f2")


def test_generated_ones_stay_as_they_are() -> None:
    source = OpeningSource(STANDARD_START)
    plain = opening_list(source, RuleSet(), 1, 30)
    distinct = _distinct(source, 30)
    assert [distinct[number] for number in range(30)] == [plain[number] for number in range(30)]
    assert distinct.identity == plain.identity


def test_few_plies_have_few_openings() -> None:
    assert _distinct(OpeningSource(STANDARD_START, random_plies=0), 50).distinct == 1
    few = _distinct(OpeningSource(STANDARD_START, random_plies=1), 50)
    assert 1 < few.distinct < 36
    assert len({reached(opening) for opening in few}) == few.distinct
