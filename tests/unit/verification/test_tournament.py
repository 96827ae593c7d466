from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from harness.play.adjudication import Adjudication, DrawRule, ResignRule
from harness.play.types import Cause, GameRecord, Opening
from harness.rules.types import RuleSet
from harness.store.sqlite import Store
from harness.tournament.adjudication_table import adjudication_values
from harness.verification.adjudication_terms import adjudication_of
from harness.verification.tournament import VerifiedTournament, verify_tournament
from tests.unit.store.builders import opening
from tests.unit.verification.games import FEW, QUIET, SCORES, answer, every_ending, played


@contextmanager
def no_progress(_: int) -> Iterator[Callable[[int], None]]:
    yield lambda _: None


def verified(folder: Path, most: int = 100) -> VerifiedTournament:
    return verify_tournament(folder, most, no_progress)


def found(folder: Path) -> list[str]:
    result = verified(folder)
    assert result.found == len(result.findings)
    return [finding.text for finding in result.findings]


def store_games(folder: Path, games: list[GameRecord]) -> Path:
    with Store.create_or_open(folder) as store:
        names = {"ann": "1" * 64, "bob": "2" * 64}
        conditions = adjudication_values(SCORES)
        store.begin("cup", "", conditions, names, {name: {} for name in names})
        store.add(games)
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return store_games(tmp_path / "cup", every_ending())


def damage(folder: Path, *statements: str) -> None:
    with closing(sqlite3.connect(folder / "games.sqlite", isolation_level=None)) as other:
        other.execute("PRAGMA ignore_check_constraints = ON")
        for statement in statements:
            other.execute(statement)


def mend_hashes(folder: Path) -> None:
    """Make the hashes fit what is stored now, as somebody who knows the tables could."""

    def hash_of(text: str) -> int:
        return int(hashlib.sha256(text.encode("ascii")).hexdigest()[:12], 16)

    with closing(sqlite3.connect(folder / "games.sqlite", isolation_level=None)) as other:
        rows = other.execute(
            "SELECT g.id, b.name, b.identity, w.name, w.identity, o.content_id, g.cause, "
            "g.winner, g.moves FROM games g JOIN bots b ON b.number = g.black "
            "JOIN bots w ON w.number = g.white JOIN openings o ON o.number = g.opening"
        ).fetchall()
        for game_id, *names, opening, cause, winner, moves in rows:
            values = {"id": game_id, "black": names[:2], "white": names[2:], "opening": opening}
            values |= {"cause": cause, "winner": winner, "moves": moves}
            text = json.dumps(values, sort_keys=True, separators=(",", ":"))
            other.execute(
                "UPDATE games SET result_hash = ?, moves_hash = ? WHERE id = ?",
                (hash_of(text), hash_of(moves), game_id),
            )


def test_every_ending_is_as_the_referee_finds_it_again(folder: Path) -> None:
    causes = {record.outcome.cause for record in every_ending()}
    assert causes == set(Cause) - {Cause.NO_MOVES}
    assert found(folder) == []
    assert verified(folder).games == len(every_ending())


def test_only_what_is_found_is_listed_and_all_of_it_counted(folder: Path) -> None:
    damage(folder, "UPDATE games SET pair = pair + 1")
    result = verified(folder, most=3)
    assert (result.games, result.found, len(result.findings)) == (20, 20, 3)
    assert result.findings[0].text == (
        "ann~bob.1a: id: stored ann~bob.1a, found ann~bob.2a by encounter, pair and leg"
    )
    assert verified(folder, most=0).findings == ()


def test_progress_is_told_game_by_game(folder: Path) -> None:
    told: list[int] = []

    @contextmanager
    def progress(games: int) -> Iterator[Callable[[int], None]]:
        told.append(games)
        yield told.append

    verify_tournament(folder, 5, progress)
    assert told == [20, *[1] * 20]


# What a game says about itself

ONE = "WHERE id = 'ann~bob.1a'"
DETAILS_OF_SCORES = "WHERE game = (SELECT number FROM games WHERE id = 'ann~bob.8b')"
DIFFERENCES: dict[str, tuple[str, list[str]]] = {
    "winner": (
        f"UPDATE games SET winner = 'white' {ONE}",
        ["ann~bob.1a: winner: stored white, found black"],
    ),
    "draw for a win": (
        f"UPDATE games SET winner = NULL {ONE}",
        ["ann~bob.1a: winner: stored a draw, found black"],
    ),
    "cause of the board": (
        f"UPDATE games SET cause = 'repetition' {ONE}",
        ["ann~bob.1a: cause: stored repetition, found connection"],
    ),
    "forfeit that was a win": (
        f"UPDATE games SET cause = 'time', winner = 'white' {ONE}",
        [
            "ann~bob.1a: cause: stored time, found connection",
            "ann~bob.1a: winner: stored white, found black",
        ],
    ),
    "ending by the board of a game that goes on": (
        "UPDATE games SET cause = 'connection' WHERE id = 'ann~bob.3b'",
        ["ann~bob.3b: cause: stored connection, found the game goes on after its last ply"],
    ),
    "limit of plies that was not reached": (
        "UPDATE games SET cause = 'max-plies', winner = NULL WHERE id = 'ann~bob.7a'",
        ["ann~bob.7a: cause: stored max-plies, found the game goes on after its last ply"],
    ),
    "scores that were not reported": (
        "UPDATE games SET cause = 'score-draw', winner = NULL WHERE id = 'ann~bob.7a'",
        ["ann~bob.7a: cause: stored score-draw, found the game goes on after its last ply"],
    ),
    "forfeit won by the bot that failed": (
        "UPDATE games SET winner = 'white' WHERE id = 'ann~bob.3b'",
        ["ann~bob.3b: winner: stored white, found black"],
    ),
    "resignation won by the bot that resigned": (
        "UPDATE games SET winner = 'white' WHERE id = 'ann~bob.7b'",
        ["ann~bob.7b: winner: stored white, found black"],
    ),
    "crash drawn": (
        "UPDATE games SET winner = NULL WHERE id = 'ann~bob.7a'",
        ["ann~bob.7a: winner: stored a draw, found black"],
    ),
    "agreement won": (
        "UPDATE games SET winner = 'white' WHERE id = 'ann~bob.8a'",
        ["ann~bob.8a: winner: stored white, found a draw"],
    ),
    "illegal move that is legal": (
        "UPDATE details SET final_reply = 'bestmove c1c2' WHERE game = "
        "(SELECT number FROM games WHERE id = 'ann~bob.4b')",
        ["ann~bob.4b: final reply: stored bestmove c1c2, found a legal move"],
    ),
    "illegal move that is none": (
        "UPDATE details SET final_reply = 'bestmove up' WHERE game = "
        "(SELECT number FROM games WHERE id = 'ann~bob.4b')",
        ["ann~bob.4b: cause: stored illegal-move, found malformed-reply"],
    ),
    "illegal move won by its bot": (
        "UPDATE games SET winner = 'black' WHERE id = 'ann~bob.4b'",
        ["ann~bob.4b: winner: stored black, found white"],
    ),
    "loss on time in no time": (
        "UPDATE games SET duration_ns = 5000000000 WHERE id = 'ann~bob.3b'",
        [
            "ann~bob.3b: duration: stored 5.000000 s, found at least 5.051000 s by the clocks",
        ],
    ),
    "one more move after the end": (
        f"UPDATE games SET moves = 'c1-b2 f8-f7', plies = 2 {ONE}",
        [
            "ann~bob.1a: times of plies: stored 1, found 2",
            "ann~bob.1a: end: stored after ply 2, found 1-0 by connection after ply 1",
        ],
    ),
    "a move less": (
        "UPDATE games SET moves = 'c1-c2', plies = 1 WHERE id = 'ann~bob.1b'",
        [
            "ann~bob.1b: times of plies: stored 2, found 1",
            "ann~bob.1b: cause: stored connection, found the game goes on after its last ply",
        ],
    ),
    "illegal ply": (
        "UPDATE games SET moves = 'c1-c2 f8-f6' WHERE id = 'ann~bob.1b'",
        [
            "ann~bob.1b: ply 2: stored f8-f6, found illegal-move: f8f6: a piece moves exactly as "
            "many squares as there are pieces on the line"
        ],
    ),
    "pass that is not forced": (
        "UPDATE games SET moves = 'pass f8-g7' WHERE id = 'ann~bob.1b'",
        ["ann~bob.1b: ply 1: stored pass, found illegal-move: pass: a pass is legal only when"],
    ),
    "capture written as none": (
        "UPDATE games SET moves = 'b4-b2' WHERE id = 'ann~bob.2a'",
        ["ann~bob.2a: moves: stored b4-b2, found b4xb2"],
    ),
    "no move": (
        f"UPDATE games SET moves = 'c1=b2' {ONE}",
        ["ann~bob.1a: cannot be played again: 'c1=b2': a move is written b1-b3, d1xa4"],
    ),
    "other first moves than the opening's": (
        "UPDATE games SET moves = 'c1-d1 f8-f7 c2-c1 f7-f8' WHERE id = 'ann~bob.10a'",
        ["ann~bob.10a: first moves: stored c1-d1 f8-f7, found the opening is c1-c2 f8-f7"],
    ),
    "opening that is illegal": (
        "UPDATE openings SET moves = 'c1-c3 f8-f7' WHERE moves = 'c1-c2 f8-f7'",
        ["ann~bob.10a: cannot be played again: c1-c3 is illegal in 5w1w/8/8/8/8/8/8/b1b5 b"],
    ),
    "start that is none": (
        "UPDATE openings SET start = 'bb6/8/8/8/8/8/8/w1w5 b' WHERE moves = 'c1-c2 f8-f7'",
        ["ann~bob.10a: cannot be played again: 'bb6/8/8/8/8/8/8/w1w5 b' is no start position"],
    ),
    "time control that is none": (
        "UPDATE settings SET black_time = 'fast' WHERE black_time = '40/60+0.6'",
        ["ann~bob.10a: cannot be played again: 'fast'"],
    ),
    "another identity of the opening": (
        "UPDATE openings SET content_id = '0123456789abcdef' WHERE moves = 'c1-c2 f8-f7'",
        ["ann~bob.10a: identity of the opening: stored 0123456789abcdef, found "],
    ),
    "another limit of plies": (
        "UPDATE settings SET rules = replace(rules, '\"max-plies\":2,', '\"max-plies\":3,')",
        ["ann~bob.3a: cause: stored max-plies, found the game goes on after its last ply"],
    ),
    "less time than was used": (
        "UPDATE settings SET white_time = 'move=0.001', margin_ns = 0 WHERE white_time LIKE 'mo%'",
        ["ann~bob.10a: time of ply 4: stored 0.002000 s, found 0.001000 s were allowed"],
    ),
    "pair": (
        f"UPDATE games SET pair = 5 {ONE}",
        ["ann~bob.1a: id: stored ann~bob.1a, found ann~bob.5a by encounter, pair and leg"],
    ),
    "pair before the first": (
        "UPDATE games SET pair = 0, id = 'ann~bob.0a' WHERE id = 'ann~bob.1a'",
        ["ann~bob.0a: pair: stored 0, found pairs count from 1"],
    ),
    "encounter of others": (
        "UPDATE games SET encounter = 'ann~cyd', id = 'ann~cyd.1a' WHERE id = 'ann~bob.1a'",
        ["ann~cyd.1a: encounter: stored ann~cyd, found ann~bob by the bots"],
    ),
    "encounter with an odd label": (
        "UPDATE games SET encounter = 'ann~bob!', id = 'ann~bob!.1a' WHERE id = 'ann~bob.1a'",
        ["ann~bob!.1a: encounter: stored ann~bob!, found ann~bob by the bots"],
    ),
    "sides of the other leg": (
        f"UPDATE games SET black = white, white = black {ONE}",
        ["ann~bob.1a: black: stored bob, found ann by the leg"],
    ),
    "leg": (
        "UPDATE games SET leg = 'c', id = 'ann~bob.1c' WHERE id = 'ann~bob.1a'",
        ["ann~bob.1c: leg: stored c, found legs are a and b"],
    ),
    "number of plies": (
        f"UPDATE games SET plies = 7 {ONE}",
        ["ann~bob.1a: number of plies: stored 7, found 1"],
    ),
    "moves asked": (
        f"UPDATE games SET black_moves = 0, white_moves = 1 {ONE}",
        [
            "ann~bob.1a: moves asked of Black: stored 0, found 1",
            "ann~bob.1a: moves asked of White: stored 1, found 0",
        ],
    ),
    "sums of times": (
        f"UPDATE games SET black_time_ns = 5, white_time_ns = 6 {ONE}",
        [
            "ann~bob.1a: nanoseconds of Black: stored 5, found 1000000",
            "ann~bob.1a: nanoseconds of White: stored 6, found 0",
        ],
    ),
}


@pytest.mark.parametrize(("statement", "expected"), DIFFERENCES.values(), ids=DIFFERENCES)
def test_what_is_not_as_the_referee_finds_it(
    folder: Path, statement: str, expected: list[str]
) -> None:
    """Also where the hashes fit: they are not what finds it."""
    damage(folder, statement)
    mend_hashes(folder)
    lines = found(folder)
    assert len(lines) == len(expected), lines
    for line, begin in zip(lines, expected, strict=True):
        assert line.startswith(begin)


@pytest.mark.parametrize(
    "statement",
    [
        f"UPDATE games SET winner = 'white' {ONE}",
        f"UPDATE games SET cause = 'crash' {ONE}",
        "UPDATE bots SET identity = '5' WHERE name = 'ann' AND number IN (SELECT black FROM games)",
        "UPDATE bots SET name = 'anna' WHERE name = 'ann'",
        "UPDATE openings SET content_id = 'f' || number",
        f"UPDATE games SET result_hash = result_hash + 1 {ONE}",
        f"UPDATE games SET id = 'ann~bob.99a' {ONE}",
        f"UPDATE games SET moves = 'c1-c2' {ONE}",
    ],
)
def test_the_hash_tells_of_whatever_decides_a_result(folder: Path, statement: str) -> None:
    damage(folder, statement)
    assert any("a: hash of the result: stored " in line for line in found(folder))


def test_other_moves_have_another_hash(folder: Path) -> None:
    damage(folder, f"UPDATE games SET moves_hash = 5 {ONE}")
    (line,) = found(folder)
    assert line.startswith("ann~bob.1a: hash of the moves: stored 5, found ")


# Scores


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ('"draw-ply":4', '"draw-ply":5', "cause: stored score-draw, found the game goes on"),
        ('"draw-score":10', '"draw-score":2', "cause: stored score-draw, found the game goes on"),
        ('"draw-count":2,"draw-ply":4', '"draw-count":1,"draw-ply":2', "end: stored after ply 4"),
    ],
)
def test_scores_are_counted_again(tmp_path: Path, before: str, after: str, expected: str) -> None:
    level = b"info score cp 3"
    game = played("ann~bob.1a", QUIET, infos=[level] * 4, adjudication=SCORES, opening=Opening(FEW))
    folder = store_games(tmp_path, [game])
    assert found(folder) == []
    damage(folder, f"UPDATE tournament SET conditions = replace(conditions, '{before}', '{after}')")
    (line,) = found(folder)
    assert line.startswith(f"ann~bob.1a: {expected}")


def test_an_info_line_without_the_score_that_decided_is_found(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "games.sqlite", isolation_level=None)) as other:
        (packed,) = other.execute(f"SELECT plies FROM details {DETAILS_OF_SCORES}").fetchone()
        text = zlib.decompress(packed).replace(b"score cp 3", b"score cp 90")
        other.execute(f"UPDATE details SET plies = ? {DETAILS_OF_SCORES}", [zlib.compress(text)])
    assert found(folder) == [
        "ann~bob.8b: cause: stored score-draw, found the game goes on after its last ply"
    ]


@pytest.mark.parametrize(
    "setting",
    [
        Adjudication(),
        Adjudication(DrawRule(10, 8, 30)),
        Adjudication(None, ResignRule(900, 3, needs_both=False)),
        SCORES,
    ],
)
def test_conditions_hold_the_rules_of_adjudication(setting: Adjudication) -> None:
    conditions = json.loads(json.dumps({"seed": 1, **adjudication_values(setting)}))
    assert adjudication_of(conditions) == setting


def test_without_conditions_endings_by_score_are_taken_as_they_are(folder: Path) -> None:
    damage(folder, "UPDATE tournament SET conditions = 'rubbish'")
    (line,) = found(folder)
    assert line.startswith("database: the stored tournament makes no sense")
    damage(folder, "UPDATE tournament SET conditions = '{\"draw-score\": 5}'")
    (line,) = found(folder)
    assert line == "database: the stored rules of adjudication make no sense: 'draw-count'"


# Replies that are not whole


def test_a_cut_reply_decides_nothing(tmp_path: Path) -> None:
    line = b"bestmove" + b" " * 190 + b"c1c3"
    game = played("ann~bob.1a", [], answer(line), opening=Opening(FEW))
    assert game.outcome.cause is Cause.ILLEGAL_MOVE
    assert len(game.final_reply) == 200
    assert found(store_games(tmp_path, [game])) == []


def test_a_missing_reply_decides_nothing_but_the_winner(folder: Path) -> None:
    damage(folder, "UPDATE details SET final_reply = ''")
    assert found(folder) == []
    damage(folder, "UPDATE games SET winner = 'black' WHERE id = 'ann~bob.4b'")
    mend_hashes(folder)
    assert found(folder) == ["ann~bob.4b: winner: stored black, found white"]


def test_a_limit_of_plies_that_the_opening_reaches_is_an_end(tmp_path: Path) -> None:
    start = opening(("b1-b3", "a2-c2"))
    game = played("ann~bob.1a", [], opening=start, rules=RuleSet(max_plies=2))
    assert found(store_games(tmp_path, [game])) == []
