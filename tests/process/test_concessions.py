"""Real bots that agree, resign and report scores: both legs, the right cause, nothing left."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from harness.play.adjudication import Adjudication, DrawRule, ResignRule
from harness.play.bot_definition import BotDefinition, RestartPolicy
from harness.play.types import Cause, GameRecord
from harness.process.jobs import PairJob, Played
from harness.process.session import Session
from harness.rules.types import Color
from tests.process.run_command import Loa
from tests.process.support import FAULTY_BOT, Tag, game_spec

pytestmark = pytest.mark.process

TALKING_BOT = FAULTY_BOT.parent / "talking_bot.py"
DRAW = Adjudication(draw=DrawRule(20, 2))
RESIGN = Adjudication(resign=ResignRule(500, 2))
ALONE = Adjudication(resign=ResignRule(500, 2, needs_both=False))
DECLINED = [(Cause.MAX_PLIES, None)] * 2


def talking(
    tag: Tag, name: str, *words: str, options: tuple[tuple[str, str], ...] = ()
) -> BotDefinition:
    return BotDefinition(
        name,
        command=(sys.executable, "-S", str(TALKING_BOT), *words),
        folder=str(Path.cwd()),
        env=(("LOA_TEST_TAG", tag.value),),
        options=options,
    )


def play_pair(
    one: BotDefinition, other: BotDefinition, setting: Adjudication | None = None
) -> list[GameRecord]:
    """Play both legs and return their records: ``one`` is Black in the first."""
    specs = [
        game_spec(one.name, other.name, control="move=2"),
        game_spec(other.name, one.name, leg="b", control="move=2"),
    ]
    games = tuple(replace(spec, adjudication=setting or Adjudication()) for spec in specs)
    session = Session(0)
    try:
        events = list(session.run(PairJob(games, (one, other), (), RestartPolicy.AUTO)))
    finally:
        session.close()
    records = [event.record for event in events if isinstance(event, Played)]
    assert [record.provenance["kept-bots"] for record in records] == [0, 2]
    return records


def endings(records: list[GameRecord]) -> list[tuple[Cause, str | None]]:
    """Return the cause and the name of the winner of each."""
    found: list[tuple[Cause, str | None]] = []
    for record in records:
        winner = record.outcome.winner
        found.append(
            (record.outcome.cause, None if winner is None else record.spec.player(winner).name)
        )
    return found


def test_two_bots_agree_to_a_draw_with_either_colour(tag: Tag) -> None:
    records = play_pair(
        talking(tag, "asks", "offers", "offer=2"), talking(tag, "takes", "offers", "accept")
    )
    assert endings(records) == [(Cause.AGREEMENT, None)] * 2
    assert [len(record.plies) for record in records] == [3, 4]
    assert [record.final_reply for record in records] == ["bestmove draw"] * 2
    for record in records:
        for run in (record.black, record.white):
            assert run.stderr == "setoption name DrawOffers value true\n"


def test_an_offer_may_be_declined(tag: Tag) -> None:
    records = play_pair(talking(tag, "asks", "offers", "offer=2"), talking(tag, "plays", "offers"))
    assert endings(records) == DECLINED


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["offer=2"], ["offers", "accept"]),
        (["offers", "offer=2"], ["accept"]),
        (["offer=2"], ["accept"]),
    ],
)
def test_a_draw_takes_two_that_announced_it(one: list[str], other: list[str], tag: Tag) -> None:
    records = play_pair(talking(tag, "asks", *one), talking(tag, "takes", *other))
    assert endings(records) == DECLINED


def test_the_user_may_keep_a_bot_out_of_offers(tag: Tag) -> None:
    out = (("DrawOffers", "false"),)
    for asks, takes in ((out, ()), ((), out)):
        records = play_pair(
            talking(tag, "asks", "offers", "offer=2", options=asks),
            talking(tag, "takes", "offers", "accept", options=takes),
        )
        assert endings(records) == DECLINED


def test_a_bot_resigns_with_either_colour_and_is_kept(tag: Tag) -> None:
    records = play_pair(talking(tag, "tired", "resign=3"), talking(tag, "fresh"))
    assert endings(records) == [(Cause.RESIGNATION, "fresh")] * 2
    assert [record.outcome.winner for record in records] == [Color.WHITE, Color.BLACK]
    assert [len(record.plies) for record in records] == [4, 5]


@pytest.mark.parametrize(
    ("claim", "truth"),
    [
        ("cp 10000", "cp 30"),
        ("cp 10000", "cp 10000"),
        ("cp 10000", "cp x"),
        ("cp 10000", None),
        ("win 1", "cp -499"),
        ("win 1", "win 2"),
        ("win 1", None),
        ("cp -10000", "cp 499"),
        ("cp -10000", None),
        ("mate -3", "cp 30"),
        ("mate -3", "win -1"),
        ("cp 0", "cp 21"),
        ("cp 0", None),
        ("cp 1e99", "cp -600"),
    ],
)
def test_absurd_claims_of_one_bot_decide_nothing(claim: str, truth: str | None, tag: Tag) -> None:
    both = Adjudication(DrawRule(20, 1), ResignRule(500, 1))
    records = play_pair(
        talking(tag, "boaster", f"score={claim}"),
        talking(tag, "honest", *([f"score={truth}"] if truth else [])),
        both,
    )
    assert endings(records) == DECLINED


@pytest.mark.parametrize("lost", ["cp -500", "win -6"])
@pytest.mark.parametrize("won", ["cp 500", "win 7"])
def test_a_bot_is_resigned_when_both_say_so(lost: str, won: str, tag: Tag) -> None:
    records = play_pair(
        talking(tag, "loser", f"score={lost}"), talking(tag, "winner", f"score={won}"), RESIGN
    )
    assert endings(records) == [(Cause.SCORE_RESIGN, "winner")] * 2
    assert [len(record.plies) for record in records] == [4, 4]


def test_one_word_is_enough_only_against_oneself(tag: Tag) -> None:
    records = play_pair(talking(tag, "gloomy", "score=cp -900"), talking(tag, "silent"), ALONE)
    assert endings(records) == [(Cause.SCORE_RESIGN, "silent")] * 2
    assert [len(record.plies) for record in records] == [3, 4]
    records = play_pair(talking(tag, "boaster", "score=win 1"), talking(tag, "silent"), ALONE)
    assert endings(records) == DECLINED


def test_a_level_game_is_drawn(tag: Tag) -> None:
    bots = talking(tag, "a", "score=cp -20"), talking(tag, "b", "score=cp 3")
    records = play_pair(*bots, DRAW)
    assert endings(records) == [(Cause.SCORE_DRAW, None)] * 2
    assert records[0].outcome.detail == "both reported -20 to 20 cp for 2 own moves each"


def test_the_line_with_the_score_is_recorded_when_it_decides(tag: Tag) -> None:
    bots = talking(tag, "a", "score=cp -900"), talking(tag, "b", "score=cp 30")
    for setting, kept in (
        (RESIGN, b"info depth 2 score cp -900 pv a1a2"),
        (Adjudication(), b"info string done, the score is above"),
    ):
        records = play_pair(*bots, setting)
        assert endings(records) == DECLINED
        assert {ply.info for ply in records[0].plies[::2]} == {kept}


def test_what_comes_before_a_repeat_is_no_report_of_the_next_move(tag: Tag) -> None:
    records = play_pair(talking(tag, "a", "repeat"), talking(tag, "b"), ALONE)
    assert endings(records) == DECLINED
    assert {ply.info for ply in records[0].plies} == {None}


KIT_BOT = """
import sys
from harness import botkit
from harness.protocol.messages import Info

def choose(position, turn):
    if turn.draw_offered:
        return botkit.DRAW
    if len(turn.game.moves) >= 3:
        turn.offer_draw()
    turn.report(Info(depth=1, score_cp=0))
    return turn.random.choice(position.legal_moves())

botkit.run(choose, name="peaceful", draw_offers=True)
"""


def test_two_bots_of_the_kit_agree(tag: Tag, tmp_path: Path) -> None:
    (tmp_path / "peaceful.py").write_text(KIT_BOT)
    env = (("LOA_TEST_TAG", tag.value),)
    one, other = (
        BotDefinition(name, command=(sys.executable, "peaceful.py"), folder=str(tmp_path), env=env)
        for name in ("a", "b")
    )
    records = play_pair(one, other)
    assert endings(records) == [(Cause.AGREEMENT, None)] * 2
    assert [len(record.plies) for record in records] == [4, 4]


def test_a_tournament_is_adjudicated_and_stays_as_it_was_begun(tmp_path: Path, tag: Tag) -> None:
    loa = Loa(tmp_path, tag)
    words = f"{sys.executable} -S {TALKING_BOT}"
    bots = f"sad={words} 'score=cp -700'", f"glad={words} 'score=cp 700'"
    flags = ("--tc", "move=2", "--rounds", "1", "--name", "t", "--no-report", "--random-plies", "0")
    setting = ("--resign-score", "600", "--resign-count", "1")
    loa("run", *bots, *flags, *setting, "--serial")
    assert loa.export().count('"cause":"score-resign"') == 2
    output, errors = loa("run", *bots, *flags, *setting)
    assert "nothing to play" in errors
    assert "glad" in output
    _, errors = loa("run", *bots, *flags, *setting, "--no-resign-both", code=2)
    assert "resign-both: stored true, now false" in errors
    _, errors = loa("run", *bots, *flags, code=2)
    assert "resign-score: stored 600, now none" in errors
