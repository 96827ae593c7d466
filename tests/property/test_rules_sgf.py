from __future__ import annotations

import contextlib
import random

from hypothesis import given
from hypothesis import strategies as st

from harness.errors import SgfError
from harness.rules.game import Game
from harness.rules.position import SCRAMBLED_EGGS_START, STANDARD_START, Position
from harness.rules.sgf import SgfGame, read_sgf, write_sgf
from harness.rules.types import Color, RuleSet

# The format turns other blanks into spaces; what cannot be shown is not written.
letters = st.characters(
    codec="utf-8", exclude_categories=("C", "Z", "M"), exclude_characters="\u115f\u1160\u3164\uffa0"
)
words = st.text(letters | st.just(" "))
texts = st.lists(words).map("\n".join)
WRITTEN = "(;FF[4]GM[9]SU[Custom]AB[a1][h1]AW[a8:b8]PL[B]C[x\\]y];B[a1-b2](;W[a8-a7])(;W[]))"


@st.composite
def games(draw: st.DrawFn) -> SgfGame:
    start = draw(st.sampled_from([STANDARD_START, SCRAMBLED_EGGS_START]))
    chance = random.Random(draw(st.integers(0, 2**32)))
    game, length = Game(start, RuleSet()), draw(st.integers(0, 250))
    while game.verdict is None and len(game.moves) < length:
        game.push(chance.choice(game.legal_moves()))
    if game.verdict is None and draw(st.booleans()):
        start, game = game.position, Game(game.position, RuleSet())
        while game.verdict is None and len(game.moves) < 20:
            game.push(chance.choice(game.legal_moves()))
    return SgfGame(
        start=Position(start.black, start.white, start.to_move),
        moves=tuple(game.moves),
        black=draw(words),
        white=draw(words),
        result=draw(words),
        rules=draw(words),
        event=draw(words),
        date=draw(words),
        comment=draw(texts),
        resigned=draw(st.sampled_from([None, *Color])),
    )


@given(games())
def test_games_come_back(game: SgfGame) -> None:
    assert read_sgf(write_sgf(game)) == [game]


@given(st.lists(games(), min_size=1, max_size=3))
def test_collections_come_back(several: list[SgfGame]) -> None:
    assert read_sgf("\n".join(map(write_sgf, several))) == several


@given(games())
def test_line_ends_do_not_matter(game: SgfGame) -> None:
    assert read_sgf(write_sgf(game).replace("\n", "\r\n")) == [game]


def read_or_refuse(text: str) -> None:
    with contextlib.suppress(SgfError):
        for game in read_sgf(text):
            assert read_sgf(write_sgf(game))[0].moves == game.moves


@given(st.one_of(st.text(), st.text("(;)[]\\BWASUGM9:ab18- \n", max_size=200)))
def test_hostile_text_is_refused_in_words(text: str) -> None:
    read_or_refuse(text)
    read_or_refuse("(;GM[9]" + text)


@given(st.data())
def test_a_damaged_file_is_refused_in_words(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(WRITTEN)))
    length = data.draw(st.integers(0, 8))
    patch = data.draw(st.text("(;)[]\\BW:ab18", max_size=8))
    read_or_refuse(WRITTEN[:at] + patch + WRITTEN[at + length :])
