from __future__ import annotations

import pytest

from harness.play.score import WIN_CP, has_score, read_score


@pytest.mark.parametrize(
    ("line", "score_cp"),
    [
        ("info score cp 31", 31),
        ("info depth 3 score cp -31 nodes 9", -31),
        ("info score cp +7", 7),
        ("info score cp 0", 0),
        ("info score cp 30 lowerbound", None),
        ("info score cp 999999999999999999", 10**18 - 1),
        ("info score cp -999999999999999999", 1 - 10**18),
        ("info score win 1", WIN_CP),
        ("info score win 900", WIN_CP),
        ("info score win -1", -WIN_CP),
        ("info score mate -12", -WIN_CP),
        ("info score cp -400 score win 5", WIN_CP),
        ("info score win 5 score cp -400", -400),
        ("info depth 2 pv b1b3 h4f2 score cp 5", 5),
        ("info  score\tcp  5 string score cp 9", 5),
        # What has no score, or one that cannot be read.
        ("info", None),
        ("info depth 3", None),
        ("info score", None),
        ("info score cp", None),
        ("info score cp x", None),
        ("info score cp 1.5", None),
        ("info score cp --5", None),
        ("info score cp 1e3", None),
        ("info score cp \u0663", None),
        ("info score cp 1000000000000000000", None),
        ("info score win 0", None),
        ("info score win -0", None),
        ("info scores cp 5", None),
        ("info Score cp 5", None),
        ("info string score cp 5", None),
        ("info depth 1 string my score cp 5", None),
        ("info nan score inf", None),
    ],
)
def test_scores_of_lines(line: str, score_cp: int | None) -> None:
    assert read_score(line.encode()) == score_cp


def test_no_line_has_no_score() -> None:
    assert read_score(None) is None
    assert read_score(b"") is None
    assert read_score(b"info \xff\xfe score cp 4") == 4


def test_a_win_is_beyond_every_score() -> None:
    greatest = read_score(b"info score cp " + b"9" * 18)
    assert greatest is not None
    assert -WIN_CP < -greatest < greatest < WIN_CP


@pytest.mark.parametrize(
    ("line", "seems"),
    [
        (b"info score cp 5", True),
        (b"info depth 1 score win 3 pv b1b3", True),
        (b"info score cp 5 string a score", True),
        (b"info string the score is 5", False),
        (b"info depth 1 string my score cp 5", False),
        (b"info depth 1", False),
        (b"info pv scores", False),
    ],
)
def test_a_quick_look_for_a_score(line: bytes, seems: bool) -> None:
    assert has_score(line) is seems
