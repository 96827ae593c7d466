"""Bots that judge openings: a shipped one, one that says anything, and those that fail."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harness.errors import InputError
from harness.play.bot_definition import BotDefinition, BotLimits
from harness.play.clock import TimeControl
from harness.play.score import WIN_CP
from harness.play.types import Opening
from harness.process.judge import Judge
from harness.rules.notation import parse_fen
from harness.rules.position import STANDARD_START
from harness.rules.types import RuleSet
from harness.tournament.opening_generator import OpeningGenerator
from tests.process.run_command import Loa
from tests.process.support import FAULTY_BOT, Tag, faulty_bot

pytestmark = pytest.mark.process

RULES = RuleSet(max_plies=400)
TALKING_BOT = FAULTY_BOT.parent / "talking_bot.py"
QUICK = TimeControl.parse("move=0.2")


def shipped(name: str, tag: Tag, *options: tuple[str, str]) -> BotDefinition:
    return BotDefinition(
        name, module=f"bots.{name}_bot", options=options, env=(("LOA_TEST_TAG", tag.value),)
    )


def talking(tag: Tag, score: str) -> BotDefinition:
    return BotDefinition(
        "talking",
        command=(sys.executable, "-S", str(TALKING_BOT), f"score={score}"),
        folder=str(Path.cwd()),
        env=(("LOA_TEST_TAG", tag.value),),
    )


def scores_of(bot: BotDefinition, openings: list[Opening], control: TimeControl) -> list[int]:
    with Judge(bot, RULES, control, 1) as judge:
        return [judge.score(opening) for opening in openings]


def test_the_shipped_judge_says_the_same_whatever_came_before(tag: Tag) -> None:
    generator = OpeningGenerator(STANDARD_START, 4, RULES, 1)
    generator.extend(5)
    control = TimeControl(depth=2)
    scores = scores_of(shipped("alphabeta", tag), generator.found, control)
    assert len(set(scores)) > 1
    assert all(abs(score) < 1_000 for score in scores)
    reverse = scores_of(shipped("alphabeta", tag), generator.found[::-1], control)
    assert reverse == scores[::-1]


def test_a_win_is_beyond_every_score_for_the_side_to_move(tag: Tag) -> None:
    texts = ("8/8/2b5/8/4b3/8/8/w6w b", "8/8/2w5/8/4w3/8/8/b6b w")
    openings = [Opening(parse_fen(text).position()) for text in texts]
    scores = scores_of(shipped("alphabeta", tag), openings, TimeControl(depth=2))
    assert scores == [WIN_CP, WIN_CP]
    assert scores_of(talking(tag, "win -3"), [Opening(STANDARD_START)], QUICK) == [-WIN_CP]


def test_the_last_score_before_the_move_counts(tag: Tag) -> None:
    assert scores_of(talking(tag, "cp -17"), [Opening(STANDARD_START)] * 3, QUICK) == [-17] * 3


@pytest.mark.parametrize(
    ("mode", "why"),
    [
        ("silent", "did not answer in 0.25 s"),
        ("exit", "exited with code"),
        ("start-silent", "did not answer 'ugi'"),
    ],
)
def test_a_judge_that_fails_is_named_with_the_reason(tag: Tag, mode: str, why: str) -> None:
    bot = faulty_bot("odd", mode, tag=tag, limits=BotLimits(start_ms=300))
    with pytest.raises(InputError, match=f"the judge odd: {why}"):
        scores_of(bot, [Opening(STANDARD_START)], QUICK)


def test_a_judge_without_scores_or_with_wrong_options_is_refused(tag: Tag) -> None:
    with pytest.raises(InputError, match=r"the judge random: .*it cannot judge"):
        scores_of(shipped("random", tag), [Opening(STANDARD_START)], QUICK)
    # It says a score that can be read, then one that cannot: the first is its last.
    assert scores_of(talking(tag, "win 0"), [Opening(STANDARD_START)], QUICK) == [1]
    with pytest.raises(InputError, match="the judge random: option Depth is not announced"):
        scores_of(shipped("random", tag, ("Depth", "3")), [], QUICK)
    with pytest.raises(InputError, match="the judge gone: "):
        scores_of(BotDefinition("gone", command=("./gone",), folder="/"), [], QUICK)


def test_fewer_openings_than_wanted_are_said_by_the_exit_code(tmp_path: Path, tag: Tag) -> None:
    loa = Loa(tmp_path, tag)
    make = ("openings", "make", "--count", "40", "--plies", "1", "--depth", "1")
    text, errors = loa(*make, code=3)
    assert "40 were wanted" in errors
    assert 0 < len(text.splitlines()) < 40


def test_a_file_is_made_checked_and_played(tmp_path: Path, tag: Tag) -> None:
    loa = Loa(tmp_path, tag)
    make = ("openings", "make", "--count", "6", "--plies", "3", "--depth", "1", "--balance", "80")
    text, errors = loa(*make)
    assert loa(*make, "--output", "o.txt") == ("", errors)
    assert (tmp_path / "o.txt").read_text() == text
    head, *_ = text.splitlines()
    kept_and_tried = errors.strip()
    assert kept_and_tried.startswith("6 kept of ")
    assert head.startswith(f"# loa openings make: {kept_and_tried}; random plies: 3, start: st")
    assert "seed 1," in head
    assert "judge alphabeta, depth=1, balance 80 cp" in head
    assert loa(*make, "--seed", "2")[0] != text
    output, _ = loa("openings", "check", "o.txt")
    assert output == (
        "o.txt: 6 openings: 6 of 3 plies\nto move: Black 0, White 6\nfound: nothing wrong\n"
    )
    run = ("run", "random", "r=random", "--tc", "nodes=1", "--rounds", "7", "--name", "t")
    flags = ("--openings", "o.txt", "--opening-order", "random", "--no-report")
    _, errors = loa(*run, *flags)
    assert errors.count("There are 6 openings for 7 game pairs") == 1
    _, errors = loa(*run, *flags, "--first-opening", "2", code=2)
    assert "from opening 2" in errors


def test_openings_that_come_again_are_announced_when_they_do(tmp_path: Path, tag: Tag) -> None:
    loa = Loa(tmp_path, tag)
    run = ("run", "random", "r=random", "--tc", "nodes=1", "--random-plies", "2", "--no-report")
    _, errors = loa(*run, "--name", "t", "--rounds", "301", "--serial", "--max-plies", "3")
    lines = errors.splitlines()
    note = (
        "note: There are 300 different openings for 301 game pairs: each is played up to 2 times."
    )
    assert lines.count(note) == 1
    assert lines.index(note) > 500


def test_an_interrupted_making_leaves_nothing(tmp_path: Path, tag: Tag) -> None:
    import signal
    import time

    loa = Loa(tmp_path, tag)
    process = loa.start("openings", "make", "--depth", "9", "--output", "o.txt")
    deadline = time.monotonic() + 30
    while len(tag.processes()) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert list(tmp_path.iterdir()) == []
