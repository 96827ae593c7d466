from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from harness.ratings.analysis import Analysis, PoolReport, analyse
from harness.ratings.diagnostics import Diagnostics, Effort, PairResidual, Transitivity
from harness.ratings.observations import EndingCount, OpeningScores
from harness.ratings.results import GameResults
from harness.ratings.robust import ClusterUnit
from harness.ratings.two_bots import match_report
from harness.ratings.types import Bound, FirstMove, RatingTable
from harness.report.diagnosis import (
    diagnosis_sheets,
    ending_lines,
    ending_sheet,
    match_sheet,
    pool_lines,
    time_sheet,
)
from harness.report.sheet import Sheet, as_text
from tests.unit.ratings.oracle import games
from tests.unit.report.builders import HOSTILE, analysed, endings, played


def _match(*texts: str) -> dict[str, str]:
    sheet = match_sheet(match_report(games(*texts), "a", "b"))
    return {row[0]: row[1] for row in sheet.rows} | {"notes": " ".join(sheet.notes)}


def _renamed(results: GameResults, names: tuple[str, ...]) -> GameResults:
    return dataclasses.replace(results, names=names)


def test_a_match_in_full() -> None:
    texts = [text for opening in range(6) for text in (f"ab1{opening}", f"ba1{opening}")]
    texts += ["ab16", "ba06", "ab17", "ba=7", "ab=8", "ba=8", "ab09", "ba=9", "ab1x", "ba0x"]
    found = _match(*texts, "ab1y")
    assert found["games won-drawn-lost"] == "12-4-7"
    assert found["pairs 0-1/2-1-3/2-2"] == "0-1-7-1-2"
    # mean 13/22, variance from 1 pair of 1/4, 1 of 3/4 and 2 of 1, 7 of 1/2
    score = 6.5 / 11
    assert found["Elo"] == f"{400 * np.log10(score / (1 - score)):.0f}"
    variance = (0.25**2 + 0.75**2 + 2 + 7 * 0.25) / 11 - score**2
    nelo = 800 / np.log(10) * (score - 0.5) / np.sqrt(2 * variance)
    margin = 1.959964 * 800 / np.log(10) / np.sqrt(22)
    assert found["nElo"] == f"{nelo:.0f} +/- {margin:.0f}"
    half = 1.959964 * np.sqrt(variance / 11)
    ends = [400 * np.log10(end / (1 - end)) for end in (score - half, score + half)]
    assert found["Elo 95 %"] == f"{ends[0]:.0f} to {ends[1]:.0f}"
    assert found["LOS"].endswith("%")
    assert found["drawn games"] == f"{400 / 23:.1f}%"
    assert found["pair ratio"] == "3.00"
    assert "11 complete game pairs from 11 openings" in found["notes"]
    assert "1 game without another leg left out" in found["notes"]
    assert "1.96 standard errors" in found["notes"]


def test_a_match_of_nothing_but_wins_has_open_ends_in_words() -> None:
    texts = [text for opening in range(12) for text in (f"ab1{opening}", f"ba0{opening}")]
    found = _match(*texts)
    assert found["Elo"] == "all won"
    # twelve pairs won: the lower end of the score is 0.025^(1/12)
    low = 0.025 ** (1 / 12)
    assert found["Elo 95 %"] == f"{400 * np.log10(low / (1 - low)):.0f} to open"
    assert found["LOS"] == ">99.9%"
    assert "nElo" not in found
    assert "pair ratio" not in found
    assert found["drawn games"] == "0.0%"
    assert "Clopper and Pearson" in found["notes"]


def test_a_match_of_nothing_but_losses_is_the_mirror_image() -> None:
    texts = [text for opening in range(12) for text in (f"ab0{opening}", f"ba1{opening}")]
    found = _match(*texts)
    assert (found["Elo"], found["LOS"], found["pair ratio"]) == ("all lost", "<0.1%", "0.00")
    assert found["Elo 95 %"].startswith("open to -")


def test_a_drawn_match_is_even() -> None:
    found = _match("ab=1", "ba=1", "ab=2", "ba=2")
    assert (found["Elo"], found["LOS"], found["nElo"]) == ("0", "50.0%", "0")
    assert found["drawn games"] == "100.0%"


@pytest.mark.parametrize("texts", [["ab11"], ["ab11", "ab11"], ["ab11", "ab02", "ba=3"]])
def test_a_match_without_a_complete_pair_has_no_numbers(texts: list[str]) -> None:
    found = _match(*texts)
    assert found["Elo 95 %"] == "no data"
    assert set(found) == {
        "games won-drawn-lost", "pairs 0-1/2-1-3/2-2", "Elo 95 %", "drawn games", "notes",
    }  # fmt: skip
    assert "0 complete game pairs from 0 openings" in found["notes"]
    assert f"{len(texts)} game" in found["notes"]


def test_two_bots_that_never_met_have_an_empty_match() -> None:
    sheet = match_sheet(match_report(games("ac11", names="abc"), "a", "b"))
    assert dict(sheet.rows) == {  # type: ignore[arg-type]
        "games won-drawn-lost": "0-0-0",
        "pairs 0-1/2-1-3/2-2": "0-0-0-0-0",
        "Elo 95 %": "no data",
    }


def test_repeated_openings_are_said() -> None:
    found = _match("ab11", "ba11", "ab11", "ba01")
    assert "2 complete game pairs from 1 opening." in found["notes"]
    assert "played more than once" in found["notes"]


def test_a_match_fits_the_page_whatever_the_names_and_numbers() -> None:
    one = games(*[f"{pair}{result}x" for pair in ("ab", "ba") for result in "1=0"] * 100)
    report = match_report(_renamed(one, ("W" * 64 + "#12345678", "e\x1b[31m\u202e" * 9)), *[
        "W" * 64 + "#12345678", "e\x1b[31m\u202e" * 9,
    ])  # fmt: skip
    many = dataclasses.replace(report, pentanomial=(10**6,) * 5)
    text = as_text(match_sheet(many))
    assert max(map(len, text.splitlines())) <= 80
    assert text.isascii()
    assert text.replace("\n", "").isprintable()


def _openings(games_: list[int], score: list[float]) -> OpeningScores:
    names = tuple(f"o{place}" for place in range(len(games_)))
    return OpeningScores(names, np.array(games_), np.array(score), np.full(len(score), 0.5))


FOUND = Diagnostics(
    games=100,
    distinct_games=100,
    effective_games=None,
    transitivity=None,
    pair_correlation=None,
    pair_dispersion=None,
    openings=_openings([50, 50], [0.5, 0.6]),
    unplayed=(),
    components=1,
)


def _lines(
    table: RatingTable, found: Diagnostics | None = FOUND, efforts: tuple[Effort, ...] = ()
) -> str:
    return "; ".join(pool_lines(PoolReport(("a", "b"), (table,), None, found, efforts)))


@pytest.fixture(scope="module")
def table() -> RatingTable:
    """A table with nothing to say about its errors."""
    (found,) = analyse(played("abcd", 24)).tables
    rows = tuple(dataclasses.replace(row, model_error=None) for row in found.rows)
    return dataclasses.replace(found, rows=rows, first_move=None)


def test_a_pool_without_a_fit_says_nothing(table: RatingTable) -> None:
    assert _lines(table, None) == ""


def test_what_is_not_known_is_not_said(table: RatingTable) -> None:
    assert _lines(table) == "100 games, no two alike; the first mover took 55.0 % of the points"


def test_replayed_games_are_counted(table: RatingTable) -> None:
    text = _lines(table, dataclasses.replace(FOUND, distinct_games=40))
    assert "100 games, 40 different by their moves: 60 repeat an earlier one" in text


def test_one_game_is_not_compared_with_others(table: RatingTable) -> None:
    text = _lines(table, dataclasses.replace(FOUND, games=1, distinct_games=1))
    assert text.startswith("1 game; ")


def test_one_scale_is_said_to_explain_the_pairings_or_not(table: RatingTable) -> None:
    residual = PairResidual("a", "c", 40, 31.5, 20.25, 4.4)
    fine = Transitivity(6.25, 6, 0.394, 1.1, ())
    text = _lines(table, dataclasses.replace(FOUND, transitivity=fine))
    assert "one scale of strength explains the pairings (chi-square 6.2 on 6, p 0.39)" in text
    but = dataclasses.replace(fine, residuals=(residual,))
    text = _lines(table, dataclasses.replace(FOUND, transitivity=but))
    assert "p 0.39) together, but single ones stand out: a took 31.5 of 40 from c" in text
    bad = Transitivity(84.8, 6, 3.67e-16, 0.84, (residual,))
    text = _lines(table, dataclasses.replace(FOUND, transitivity=bad))
    assert "does NOT explain the pairings (chi-square 84.8 on 6, p 4e-16)" in text
    assert "a took 31.5 of 40 from c, 20.2 were expected" in text
    many = dataclasses.replace(bad, residuals=(residual,) * 9)
    assert "and 4 more" in _lines(table, dataclasses.replace(FOUND, transitivity=many))
    never = dataclasses.replace(bad, chance=0.0)
    text = _lines(table, dataclasses.replace(FOUND, transitivity=never))
    assert "p below 1e-99)" in text
    none = dataclasses.replace(bad, residuals=())
    text = _lines(table, dataclasses.replace(FOUND, transitivity=none))
    assert "p 4e-16); the first" in text


def test_legs_correlate(table: RatingTable) -> None:
    text = _lines(table, dataclasses.replace(FOUND, pair_correlation=-0.123))
    assert "correlate by -0.12 beyond strength and first move" in text


def test_the_design_effect_is_a_ratio_of_variances(table: RatingTable) -> None:
    """Half widths are of no use: one has Student's quantile, the other the normal one."""
    rows = tuple(
        dataclasses.replace(row, error=99.0, model_error=1.959964 * 30 / ratio)
        for row, ratio in zip(table.rows, (0.5, 1.0, 1.5, 2.0), strict=True)
    )
    clustered = dataclasses.replace(table, rows=rows, covariance=np.diag([900.0] * 4))
    text = _lines(clustered)
    assert (
        "clustering makes standard errors 1.25 times those with games taken as independent" in text
    )
    assert "(median; 0.50 to 2.00): a design effect of 1.56" in text
    assert "clustering" not in _lines(dataclasses.replace(clustered, unit=ClusterUnit.GAME))


def test_replayed_games_are_worth_fewer_independent_ones(table: RatingTable) -> None:
    found = dataclasses.replace(FOUND, distinct_games=40, effective_games=37)
    assert "tell nothing new; errors are as with 37 independent games" in _lines(table, found)
    none_twice = dataclasses.replace(found, distinct_games=100)
    assert "independent" not in _lines(table, none_twice)


def test_the_first_moves_interval_may_rest_on_something_else(table: RatingTable) -> None:
    by_game = dataclasses.replace(table, first_move=FirstMove(12.0, 3.0, by_opening=False))
    assert _lines(by_game).endswith("worth in Elo 12 +/- 3 (games taken as independent)")
    first_move = FirstMove(12.0, 3.0)
    conditional = dataclasses.replace(
        table, first_move=first_move, unit=ClusterUnit.PAIRING_OPENING
    )
    assert _lines(conditional).endswith("worth in Elo 12 +/- 3 (clustered by opening)")


@pytest.mark.parametrize(
    ("first_move", "words"),
    [
        (FirstMove(12.4, 0.3), ", worth in Elo 12 +/- 1"),
        (
            FirstMove(-12.4, None),
            ", worth in Elo about -12 (its error is not known below 5 openings)",
        ),
        (FirstMove(-12.4, 7.2), ", worth in Elo -12 +/- 7"),
    ],
)
def test_the_first_move_is_worth_something(
    table: RatingTable, first_move: FirstMove, words: str
) -> None:
    text = _lines(dataclasses.replace(table, first_move=first_move))
    assert text.endswith(f"the first mover took 55.0 % of the points{words}")


def test_one_sided_openings_are_named(table: RatingTable) -> None:
    openings = _openings([8, 8, 7, 8, 90], [0.0, 1.0, 1.0, 0.95, 0.5])
    text = _lines(table, dataclasses.replace(FOUND, openings=openings))
    assert "openings that give one colour more than 95 %, 2 of 5: " in text
    assert "o0 (0 % for the first mover), o1 (100 % for the first mover)" in text
    many = _openings([8] * 9, [1.0] * 9)
    assert "and 5 more" in _lines(table, dataclasses.replace(FOUND, openings=many))


def test_connections_are_said(table: RatingTable) -> None:
    out = dataclasses.replace(table.rows[-1], bound=Bound.BELOW, error=None)
    outside = dataclasses.replace(table, rows=(*table.rows[:-1], out))
    found = dataclasses.replace(FOUND, components=2, unplayed=(("a", "b"),))
    text = _lines(outside, found)
    assert "out of scale: d" in text
    assert "1 pairing never played: a and b" in text
    both = PoolReport(("a", "b", "c", "d"), (table, table), None, FOUND, ())
    assert "2 groups of bots are each on a scale of their own" in pool_lines(both)
    many = dataclasses.replace(FOUND, unplayed=(("a", "b"),) * 7)
    assert "7 pairings never played: " in _lines(table, many)
    assert "and 2 more" in _lines(table, many)


def test_efforts_are_listed(table: RatingTable) -> None:
    text = _lines(table, efforts=(Effort("a", "b", 1234), Effort("b", "c", None)))
    assert "told apart (LOS 95 % with 80 % chance, if their ratings are true)" in text
    assert "a and b 1234, b and c more than a million" in text


def _ending(cause: str, winner: str | None, count: int, first: str = "a") -> EndingCount:
    second = "b" if first == "a" else "a"
    sums = (count, 20 * count, 3 * 10**9, 10**9, 10, 4)
    return EndingCount(first, second, cause, winner, *sums)


ENDINGS = [
    _ending("connection", "a", 7),
    _ending("time", "a", 2),
    _ending("time", "b", 1, first="b"),
    _ending("crash", "b", 3),
    _ending("repetition", None, 5),
]


def test_endings_and_forfeits_are_counted_by_the_bot_at_fault() -> None:
    assert ending_lines([]) == []
    assert ending_lines(ENDINGS[:1]) == ["games ended by connection 7"]
    causes, forfeits = ending_lines(ENDINGS)
    assert causes == "games ended by connection 7, repetition 5, time 3, crash 3"
    assert forfeits == "forfeits: a 4 (crash 3, time 1), b 2 (time 2)"


def _with_endings(found: list[EndingCount]) -> Analysis:
    return analyse(games("ab11", "ba11", "ab=2", "ba12"), found)


def test_endings_by_bot_are_won_drawn_and_lost() -> None:
    sheet = ending_sheet(_with_endings(ENDINGS))
    assert [column.heading for column in sheet.columns] == [
        "bot", "cause", "games", "won", "drawn", "lost", "plies",
    ]  # fmt: skip
    assert set(sheet.rows) == {
        ("a", "connection", "7", "7", "0", "0", "20"),
        ("a", "crash", "3", "0", "0", "3", "20"),
        ("a", "repetition", "5", "0", "5", "0", "20"),
        ("a", "time", "3", "2", "0", "1", "20"),
        ("b", "connection", "7", "0", "0", "7", "20"),
        ("b", "crash", "3", "3", "0", "0", "20"),
        ("b", "repetition", "5", "0", "5", "0", "20"),
        ("b", "time", "3", "1", "0", "2", "20"),
    }


def test_thinking_times_are_by_game_and_move() -> None:
    sheet = time_sheet(_with_endings(ENDINGS))
    assert [column.heading for column in sheet.columns] == [
        "bot", "games", "time s", "s a game", "ms a move", "flag falls",
    ]  # fmt: skip
    # a moved first in four of the five rows: 4 * 3 s + 1 s in 18 games and 44 moves
    by_bot = {row[0]: row[1:] for row in sheet.rows}
    assert by_bot["a"] == ("18", "13.0", f"{13 / 18:.2f}", f"{13000 / 44:.1f}", "1")
    assert by_bot["b"] == ("18", "7.0", f"{7 / 18:.2f}", f"{7000 / 26:.1f}", "2")


def test_games_without_a_move_have_no_time_a_move() -> None:
    one = EndingCount("a", "b", "crash", "a", 1, 0, 0, 0, 0, 0)
    sheet = time_sheet(_with_endings([one]))
    assert {row[4] for row in sheet.rows} == {""}
    assert {row[-1] for row in sheet.rows} == {"0"}


def test_names_and_numbers_of_any_size_fit_the_page() -> None:
    results = _renamed(games("ab11", "ba11"), ("a" * 63 + "x", "b" * 63 + "y"))
    one, other = results.names
    causes = ["simultaneous-connection", "output-overflow", "time"]
    found = [
        EndingCount(one, other, cause, winner, 10**6, 10**8, 10**14, 10**14, 10**8, 10**8)
        for cause in causes
        for winner in (one, other, None)
    ]
    analysis = analyse(results, found)
    for sheet in (ending_sheet(analysis), time_sheet(analysis)):
        assert max(map(len, as_text(sheet).splitlines())) <= 80
        assert {(row[0][0], row[0][-1]) for row in sheet.rows} == {("a", "x"), ("b", "y")}
    for sheet in (ending_sheet(analysis, None), time_sheet(analysis, None)):
        assert {row[0] for row in sheet.rows} == set(results.names)


def test_every_pool_is_diagnosed_by_itself() -> None:
    texts = [f"{pair}{result}{opening}" for pair, result in (("ab", "1"), ("ba", "1"), ("cd", "="))
             for opening in range(3)]  # fmt: skip
    results = games(*texts, names="abcd")
    analysis = analyse(results, endings(results))
    sheets = diagnosis_sheets(analysis)
    assert [sheet.title for sheet in sheets] == ["Diagnostics of pool 1", "Diagnostics of pool 2"]
    first, second = (" ".join(sheet.notes) for sheet in sheets)
    assert "this pool: a, b." in first
    assert "6 games" in first
    assert "games ended by connection 6." in first
    assert "games ended by repetition 3." in second
    assert "first mover" not in second  # nothing decisive, nothing fitted


def test_one_pool_needs_no_number_and_nothing_makes_no_sheet() -> None:
    (sheet,) = diagnosis_sheets(analysed(played("abc")))
    assert (sheet.title, sheet.columns) == ("Diagnostics", ())
    assert all(note.startswith("- ") and note.endswith(".") for note in sheet.notes)
    assert diagnosis_sheets(analyse(games(names="ab"))) == []
    assert diagnosis_sheets(analyse(games("ab=1", "ba=1"))) == []


def test_hostile_and_long_names_fit_the_page() -> None:
    many = tuple(sorted((*HOSTILE, *(f"{letter * 60}" for letter in "uvwxyz"))))
    one = games("ab11", "ba11", "cd12", "dc12", "em12", "fm02", "gm12", names="abcdefghijklm")
    analysis = analyse(_renamed(one, many))
    sheets: list[Sheet] = diagnosis_sheets(analysis)
    assert len(sheets) == 3
    for sheet in sheets:
        text = as_text(sheet)
        assert max(map(len, text.splitlines())) <= 80
        assert text.isascii()
        assert text.replace("\n", "").isprintable()
