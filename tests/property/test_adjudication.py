from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from harness.play.adjudication import Adjudication, DrawRule, ResignRule
from harness.play.referee import Referee
from harness.play.score import WIN_CP, read_score
from harness.play.types import Answer, CauseKind, Outcome
from harness.protocol.codec import decode_message
from harness.protocol.messages import Info
from harness.rules.types import Color, RuleSet
from tests.unit.play.test_referee import spec

SHUFFLE = ("b1b3", "h4f2", "b3b1", "f2h4")
MIRRORED = ("a2c2", "f8d6", "c2a2", "d6f8")  # the same with colours and files for ranks swapped

REPORTS = st.one_of(
    st.none(),
    st.sampled_from([b"info", b"info string score cp 0", b"info score cp", b"info score win 0"]),
    st.integers(-700, 700).map(lambda score: b"info score cp %d" % score),
    st.sampled_from([-600, 0, 600]).map(lambda score: b"info score cp %d nodes 3" % score),
    st.sampled_from([-5, 5]).map(lambda distance: b"info score win %d" % distance),
)
GAMES = st.lists(REPORTS, max_size=40)
SETTINGS = st.builds(
    Adjudication,
    st.none() | st.builds(DrawRule, st.integers(1, 99), st.integers(1, 4), st.integers(0, 20)),
    st.none()
    | st.builds(ResignRule, st.integers(100, 600), st.integers(1, 4), st.booleans()),
)  # fmt: skip


def play(
    setting: Adjudication, reports: list[bytes | None], *, is_swapped: bool = False
) -> tuple[int, Outcome | None, list[bytes | None]]:
    """Return the plies asked for, the end, and the reports as recorded.

    Swapped, White is first to move and plays on the mirrored squares.
    """
    start = "1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 w" if is_swapped else "standard"
    one = spec("nodes=1", start=start, rules=RuleSet(repetition=0))
    referee = Referee(replace(one, adjudication=setting))
    for number, info in enumerate(reports):
        if isinstance(referee.next(), Outcome):
            break
        move = (MIRRORED if is_swapped else SHUFFLE)[number % 4]
        referee.receive(Answer(f"bestmove {move}".encode(), 1, info))
    step = referee.next()
    infos = [ply.info for ply in referee.plies]
    return len(infos), step if isinstance(step, Outcome) else None, infos


@given(GAMES)
def test_without_a_rule_no_report_ends_a_game(reports: list[bytes | None]) -> None:
    assert play(Adjudication(), reports) == (len(reports), None, reports)


@given(SETTINGS, GAMES)
def test_colours_do_not_matter(setting: Adjudication, reports: list[bytes | None]) -> None:
    plies, ended, _ = play(setting, reports)
    swapped_plies, swapped, _ = play(setting, reports, is_swapped=True)
    assert swapped_plies == plies
    if ended is None or swapped is None:
        assert ended is swapped
        return
    assert swapped.cause is ended.cause
    assert swapped.winner == (None if ended.winner is None else ended.winner.opponent)


@given(SETTINGS, GAMES)
def test_an_adjudication_is_what_the_last_reports_say(
    setting: Adjudication, reports: list[bytes | None]
) -> None:
    plies, ended, infos = play(setting, reports)
    by_side = [[read_score(info) for info in infos[side::2]] for side in range(2)]

    def last(side: int, count: int) -> list[int]:
        scores = by_side[side][-count:]
        known = [score for score in scores if score is not None]
        return known if len(known) == count else []

    def ends(lost: Color) -> bool:
        resign = setting.resign
        assert resign is not None
        mine, theirs = last(lost, resign.count), last(lost.opponent, resign.count)
        loses = bool(mine) and max(mine) <= -resign.score_cp
        wins = bool(theirs) and min(theirs) >= resign.score_cp
        return loses and (wins or not resign.needs_both)

    draw = setting.draw
    is_lost = [color for color in Color if setting.resign is not None and ends(color)]
    is_level = draw is not None and plies >= draw.ply and all(
        scores and max(map(abs, scores)) <= draw.score_cp
        for scores in (last(side, draw.count) for side in range(2))
    )  # fmt: skip
    if ended is None:
        assert not is_lost
        assert not is_level
        return
    assert ended.cause.kind is CauseKind.ADJUDICATION
    assert ended.winner == (is_lost[0].opponent if is_lost else None)
    assert bool(is_lost) != is_level


WORD = st.sampled_from(
    ("score", "cp", "win", "mate", "score cp 12", "score win -2", "pv", "string", "depth", "nodes")
)
NUMBER = st.sampled_from(
    ("0", "-0", "5", "-7", "+3", "1e3", "9" * 18, "9" * 19, "\u0663", "-", "\xa0")
)
WORDS = st.lists(WORD | NUMBER, max_size=12).map(" ".join)


@given(WORDS | st.text())
def test_a_score_is_read_as_the_protocol_reads_it(words: str) -> None:
    line = f"info {words}"
    message = decode_message(line)
    assert isinstance(message, Info)
    score = read_score(line.encode("utf-8", "replace"))
    if message.score_win:
        beyond = WIN_CP if message.score_win > 0 else -WIN_CP
        assert score in {beyond, message.score_cp} - {None}
    elif message.score_win is None:
        assert score == message.score_cp
