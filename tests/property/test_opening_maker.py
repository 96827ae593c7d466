from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.play.types import Opening
from harness.rules.position import SCRAMBLED_EGGS_START, STANDARD_START, Position
from harness.rules.types import RuleSet
from harness.tournament.opening_check import examine_openings
from harness.tournament.opening_file import read_opening_entries, read_opening_file
from harness.tournament.opening_generator import OpeningGenerator
from harness.tournament.opening_maker import make_openings
from harness.tournament.opening_text import made_openings_lines
from harness.tournament.symmetry import colorless_key

RULES = RuleSet(max_plies=400)
OWN_START = Position(0x0000_0024_1800_0000, 0x8100_0000_0000_0081, STANDARD_START.to_move.opponent)
STARTS = st.sampled_from([STANDARD_START, SCRAMBLED_EGGS_START, OWN_START])


def hashed(opening: Opening) -> int:
    return int(opening.content_id[:4], 16) % 201 - 100


def reached(opening: Opening) -> Position:
    position = opening.start
    for move in opening.moves:
        position = position.play(move)
    return position


@settings(max_examples=15, deadline=None)
@given(STARTS, st.integers(2, 6), st.integers(0, 2**63 - 1), st.integers(20, 100))
def test_what_is_made_is_clean_and_read_back(
    start: Position, plies: int, seed: int, balance_cp: int
) -> None:
    generator = OpeningGenerator(start, plies, RULES, seed)
    made = make_openings(generator, hashed, balance_cp, 20)
    openings = [judged.opening for judged in made.kept]
    assert openings == [one for one in generator.found if abs(hashed(one)) <= balance_cp]
    assert [judged.score_cp for judged in made.kept] == [hashed(one) for one in openings]
    assert len({colorless_key(reached(opening)) for opening in openings}) == len(openings)
    if not openings:
        return
    with TemporaryDirectory() as folder:
        path = Path(folder) / "made.txt"
        path.write_text("".join(made_openings_lines(made, "two lines\nof a head")))
        # Moves carry their start with them: that of the tournament does not matter.
        other = SCRAMBLED_EGGS_START if start == STANDARD_START else STANDARD_START
        assert list(read_opening_file(path, other, RULES).openings) == openings
        check = examine_openings(read_opening_entries(path, other, RULES), RULES)
    assert check.findings == ()
    assert check.lengths == ((plies, len(openings)),)
