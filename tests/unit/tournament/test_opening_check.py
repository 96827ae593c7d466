from __future__ import annotations

from pathlib import Path

from harness.rules.position import STANDARD_START
from harness.rules.types import NoMovesRule, RuleSet, SimultaneousRule
from harness.tournament.opening_check import FlawKind, OpeningCheck, examine_openings
from harness.tournament.opening_entry import FaultKind
from harness.tournament.opening_file import read_opening_entries

RULES = RuleSet(max_plies=400)
BLOCKED = "bww5/ww6/w1w5/8/8/5w1w/6ww/5wwb b"


def checked(folder: Path, text: str, rules: RuleSet = RULES) -> OpeningCheck:
    path = folder / "openings.txt"
    path.write_text(text)
    return examine_openings(read_opening_entries(path, STANDARD_START, rules), rules)


def found(check: OpeningCheck) -> list[tuple[str, str]]:
    return [(one.place, one.kind.value) for one in check.findings]


def test_a_clean_file_is_counted(tmp_path: Path) -> None:
    check = checked(tmp_path, "# head\nb1-b3\nb1-b3 h4-f2\n\nc1-c3 a4-c6\nstandard\n")
    assert check == OpeningCheck(4, ((0, 1), (1, 1), (2, 2)), 3, 1, ())


def test_every_fault_has_its_kind_and_line(tmp_path: Path) -> None:
    lines = ["b1-b3", "rubbish", "b1-b4", "bb6/8/8/8/8/8/8/w6w b", BLOCKED]
    check = checked(tmp_path, "\n".join(lines), RuleSet(no_moves=NoMovesRule.LOSS))
    assert found(check) == [
        ("line 2", "unreadable"),
        ("line 3", "illegal"),
        ("line 4", "no-start"),
        ("line 5", "decided"),
    ]
    assert check.findings[3].kind is FaultKind.DECIDED
    assert check.openings == 1


def test_every_way_to_repeat_is_told_apart(tmp_path: Path) -> None:
    lines = [
        "b1-b3 h4-f2 c1-c3",
        "B1B3 h4f2 2. c1c3",
        "c1-c3 h4-f2 b1-b3",
        "g1-g3 a4-c2 f1-f3",
        "b1-b3",
        "1wwwwww1/b6b/b6b/b6b/b6b/b5wb/b6b/1wwwww2 b",  # mirrored, too
        "1bbbbbb1/w6w/w6w/w6w/w6w/wb5w/w6w/2bbbbb1 b",  # another side is to move
    ]
    check = checked(tmp_path, "\n".join(lines))
    assert [(one.place, one.kind.value, one.message) for one in check.findings] == [
        ("line 2", "duplicate", "repeats line 1"),
        ("line 3", "same-position", "reaches the position of line 1"),
        ("line 4", "symmetric", "is line 1 turned or mirrored"),
        ("line 6", "colours-exchanged", "is line 5 with colours exchanged"),
    ]


def test_a_win_in_one_depends_on_the_rules_and_the_side_to_move(tmp_path: Path) -> None:
    threat = "8/8/2b5/8/4b3/8/8/w6w"
    check = checked(tmp_path, f"{threat} b\n{threat} w\n")
    assert found(check) == [("line 1", "win-in-one")]
    assert check.findings[0].kind is FlawKind.WIN_IN_ONE
    assert check.findings[0].message == "Black, to move, wins in one"
    # Black's only way to connect takes the one outsider of White: both are connected by it.
    both = "5ww1/8/8/4b3/8/8/1w6/b7 b"
    assert found(checked(tmp_path, both)) == []
    mover = RuleSet(simultaneous=SimultaneousRule.MOVER)
    assert found(checked(tmp_path, both, mover)) == [("line 1", "win-in-one")]
