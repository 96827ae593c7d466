from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import pytest

from harness.cli.evidence import read_evidence, read_thinking_times
from harness.play.types import Cause, GameRecord
from harness.rules.notation import format_move
from harness.rules.position import STANDARD_START
from harness.rules.types import Color
from harness.store.sqlite import Store
from tests.cli.loa import Ended, Loa
from tests.unit.store.builders import opening, record

PROJECT = Path(__file__).parents[2]
IDENTITIES = {"ann": "1" * 64, "bob": "2" * 64, "cy": "3" * 64}
FIRST_MOVES = [format_move(STANDARD_START, move) for move in STANDARD_START.legal_moves()]
TABLES = {"report.md", "standings.csv", "crosstable.csv", "los.csv", "endings.csv"}
PICTURES = {
    f"{name}.{kind}"
    for name in ("elo", "scores", "history", "lengths", "endings", "thinking", "first-move")
    for kind in ("png", "svg")
}
WINNERS = {"b": Color.BLACK, "w": Color.WHITE, "d": None}


def _game(black: str, white: str, number: int, result: str, **more: Any) -> GameRecord:
    """Game pair ``number`` (from 1) on its own opening: b is won by Black, w by White, d drawn."""
    winner = WINNERS[result]
    leg = "a" if black < white else "b"
    encounter = "~".join(sorted((black, white)))
    more.setdefault("cause", Cause.REPETITION if winner is None else Cause.CONNECTION)
    if "identities" not in more:
        more["identities"] = IDENTITIES[black], IDENTITIES[white]
    return record(
        f"{encounter}.{number}{leg}",
        black=black,
        white=white,
        pair=number,
        leg=leg,
        winner=winner,
        start=opening([FIRST_MOVES[(number - 1) % len(FIRST_MOVES)]]),
        moves=(),
        **more,
    )


def _begin(folder: Path, games: Sequence[GameRecord], bots: Mapping[str, str]) -> None:
    with Store.create_or_open(folder) as store:
        store.begin(folder.name, "", {}, bots, {name: {} for name in bots})
        store.add(games)


def _store(
    folder: Path,
    results: Mapping[tuple[str, str], str],
    identities: Mapping[str, str] = IDENTITIES,
    **more: Any,
) -> None:
    """Store games, Black's name first: the n-th letter is the result of pair n."""
    games = [
        _game(
            black,
            white,
            number,
            result,
            identities=(identities[black], identities[white]),
            **more,
        )
        for (black, white), text in results.items()
        for number, result in enumerate(text, 1)
        if result in WINNERS
    ]
    _begin(folder, games, identities)


def _document(text: str) -> dict[str, Any]:
    def refuse(constant: str) -> NoReturn:
        raise AssertionError(constant)

    found: dict[str, Any] = json.loads(text, parse_constant=refuse)
    return found


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "results"
    _store(folder / "cup", {("ann", "bob"): "bbbbdw", ("bob", "ann"): "wwbw"})
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LOA_RESULTS", raising=False)
    return folder


# Standings


def test_standings_show_elo_match_cross_table_and_diagnostics(results: Path, loa: Loa) -> None:
    ended = loa("standings", "cup")
    assert (ended.code, ended.errors) == (0, "")
    rows = [line.split() for line in ended.output.splitlines()]
    standing = next(row for row in rows if row[:2] == ["1", "ann"])
    assert standing[4:8] == ["10", "7", "1", "2"]
    assert ["1", "ann", "7.5", "10", "x", "7-1-2"] in rows
    assert ["2", "bob", "2.5", "10", "2-1-7", "x"] in rows
    assert ["3", "cy", "?", "0", "0", "0", "0", "0"] not in rows
    assert "without games: cy" in ended.output
    # pairs 1 to 4 have both legs: 2-0, 2-0, 1-1, 2-0
    assert ["pairs", "0-1/2-1-3/2-2", "0-0-1-0-3"] in rows
    assert "2 games without another leg left out" in ended.output
    assert "- 10 games, no two alike." in ended.output
    for absent in ("Moving first", "Endings by bot", "Thinking time", "Likelihood of"):
        assert absent not in ended.output


def test_details_are_everything(results: Path, loa: Loa) -> None:
    ended = loa("standings", "cup", "--details")
    for title in (
        "Standings",
        "Match: ann against bob",
        "Cross table",
        "Moving first",
        "Likelihood of superiority",
        "Diagnostics",
        "Endings by bot",
        "Thinking time",
    ):
        assert title in ended.output
    assert max(map(len, ended.output.splitlines())) <= 80


def test_several_tournaments_are_rated_together(results: Path, loa: Loa) -> None:
    _store(results / "next", {("bob", "cy"): "bbwdw", ("cy", "bob"): "wwbdb"})
    document = _document(loa("standings", "cup", "next", "--json").output)
    assert document["tournaments"] == ["cup", "next"]
    (table,) = document["tables"]
    games = {row["name"]: row["games"] for row in table["rows"]}
    assert games == {"ann": 10, "bob": 20, "cy": 10}
    assert table["notices"] == ["games are taken from cup 10, next 10"]
    assert document["pools"][0]["match"] is None


def test_the_same_tournament_twice_counts_once(results: Path, loa: Loa) -> None:
    document = _document(loa("standings", "cup", "results/cup", "--json").output)
    assert document["tables"][0]["games"] == 10


def test_a_name_with_another_identity_is_kept_apart_and_said(results: Path, loa: Loa) -> None:
    changed = IDENTITIES | {"ann": "9" * 64}
    _store(results / "next", {("ann", "bob"): "bbw", ("bob", "ann"): "bw"}, changed)
    document = _document(loa("standings", "cup", "next", "--json").output)
    rows = document["tables"][0]["rows"]
    games = {row["name"]: row["games"] for row in rows if row["games"]}
    assert games == {"ann#11111111": 10, "ann#99999999": 5, "bob": 15}
    assert any("ann is not the same program" in text for text in document["tables"][0]["notices"])
    assert {one["first"] for one in document["endings"]} == set(games)
    ended = loa("standings", "cup", "next", "--details", "--only", "ann#9", "--only", "bob")
    assert ended.code == 0
    assert "Match: bob against ann" in ended.output or "Match: ann against bob" in ended.output


def test_csv_and_markdown(results: Path, loa: Loa) -> None:
    records = list(csv.DictReader(io.StringIO(loa("standings", "cup", "--csv").output)))
    assert [one["name"] for one in records] == ["ann", "bob", "cy"]
    markdown = loa("standings", "cup", "--markdown").output
    assert "| 1 | ann |" in markdown
    for title in ("## Moving first", "## Diagnostics", "## Endings by bot"):
        assert title in markdown


# Options


def test_an_anchor_sets_a_rating(results: Path, loa: Loa) -> None:
    document = _document(loa("standings", "cup", "--json", "--anchor", "bob=1500").output)
    rows = {row["name"]: row for row in document["tables"][0]["rows"]}
    assert rows["bob"]["elo"] == 1500
    assert rows["bob"]["error"] is None
    assert rows["ann"]["elo"] > 1500


@pytest.mark.parametrize(
    "anchor", ["bob", "bob=", "=3", "bob=nan", "bob=inf", "bob=x", "bob=1e7", "zoe=0"]
)
def test_a_bad_anchor_is_refused(results: Path, loa: Loa, anchor: str) -> None:
    for command in ("standings", "report"):
        ended = loa(command, "cup", "--anchor", anchor)
        assert ended.code == 2
        assert ended.output == ""
        assert "Traceback" not in ended.errors
        assert anchor.split("=", maxsplit=1)[0] in ended.errors


def test_columns_and_order_are_chosen(results: Path, loa: Loa) -> None:
    ended = loa("standings", "cup", "--columns", "bot, lost,ranks", "--sort", "lost")
    lines = ended.output.splitlines()
    assert lines[1].split() == ["bot", "lost", "ranks"]
    assert [line.split()[:2] for line in lines[2:5]] == [["bob", "7"], ["ann", "2"], ["cy", "0"]]
    markdown = loa("standings", "cup", "--markdown", "--columns", "bot,games").output
    assert "| bot | games |" in markdown


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--columns", "bot,foo"], "'foo' is no column; there are rank, bot, elo"),
        (["--columns", ""], "'' is no column"),
        (["--columns", "bot,bot"], "a column is named twice"),
        (["--sort", "foo"], "'foo' is no column; there are rank, bot, elo"),
        (["--json", "--columns", "bot"], "--json, which holds everything"),
        (["--json", "--sort", "elo"], "--json, which holds everything"),
        (["--json", "--csv"], "give one of --json, --csv and --markdown"),
        (["--columns", "bot,bootstrap-error"], "needs --bootstrap N"),
        (["--only", "nobody"], "no bot is called so; there are ann, bob, cy"),
        (["--without", "bot=an"], "no bot is called so"),
        (["--only", "date=2026-02-31"], "there is no day 2026-02-31"),
        (["--bootstrap", "1"], "1"),
        (["--bootstrap", "x"], "'x'"),
        (["--model", "elo"], "'elo'"),
        (["--seed", "-1"], "-1"),
        (["--only", ""], "is no TERM"),
        (["--only", "bot="], "is no TERM"),
        (["--without", "opening=3"], "'opening=3' is no TERM"),
        (["--only", "date="], "is no date"),
        (["--only", "date=.."], "is no date"),
        (["--only", "date=2026-13-01"], "is no date"),
        (["--only", "date=2026-02-01..2026-01-01"], "ends before it begins"),
        (["--only", "date=2026-01-01 2026-02-01"], "is no date"),
        (["--only", "tc="], "--only"),
        (["--without", "tc=fast"], "fast"),
    ],
)
def test_what_makes_no_sense_is_refused(
    results: Path, loa: Loa, arguments: list[str], words: str
) -> None:
    ended = loa("standings", "cup", *arguments)
    assert ended.code == 2
    assert ended.output == ""
    assert words in " ".join(ended.errors.split())
    assert "Traceback" not in ended.errors


def test_a_bootstrap_is_repeatable_and_shown(results: Path, loa: Loa) -> None:
    arguments = ["standings", "cup", "--bootstrap", "20"]
    one, two = loa(*arguments), loa(*arguments)
    assert one == two
    assert " boot " in one.output.splitlines()[1]
    assert one.errors == ""  # no bar where nobody watches
    other = loa(*arguments, "--seed", "2")
    assert other.output != one.output
    assert "| boot |" in loa(*arguments, "--markdown").output
    document = _document(loa(*arguments, "--json").output)
    assert document["tables"][0]["rows"][0]["bootstrap_error"] > 0


def test_draws_may_be_half_points(results: Path, loa: Loa) -> None:
    ended = loa("standings", "cup", "--model", "score")
    assert ended.code == 0
    assert "score model" in " ".join(ended.output.split())


# Which games count


@pytest.fixture
def mixed(results: Path) -> Path:
    """Three bots; ann~bob with two time controls and on three days, one of them tonight."""
    folder = results / "mixed"
    games = [
        _game("ann", "bob", 1, "b", started_at="2026-01-01T10:00:00+00:00"),
        _game("bob", "ann", 1, "w", started_at="2026-01-01T11:00:00+00:00"),
        _game("ann", "bob", 2, "w", started_at="2026-01-02T23:59:59+00:00"),
        _game("bob", "ann", 2, "b", started_at="2026-01-03T00:00:00+00:00"),
        _game("ann", "bob", 3, "b", time_controls=("10+0.1", "10+0.1")),
        _game("ann", "bob", 4, "d", time_controls=("10+0.1", "5+0.05")),
        _game("ann", "cy", 1, "b"),
        _game("cy", "ann", 1, "w"),
        _game("bob", "cy", 1, "w"),
    ]
    _begin(folder, games, IDENTITIES)
    return folder


@pytest.mark.parametrize(
    ("arguments", "games"),
    [
        ([], 9),
        (["--only", "ann", "--only", "bob"], 6),
        (["--only", "bot=ann", "--only", "bot=cy"], 2),
        (["--only", "*"], 9),
        (["--only", "?*b", "--only", "a*"], 6),
        (["--only", "ann#11", "--only", "bob#2"], 6),
        (["--without", "cy"], 6),
        (["--without", "c?"], 6),
        (["--without", "ann", "--without", "cy"], 0),
        (["--only", "ann"], 0),
        (["--only", "date=2026-01-02"], 6),
        (["--only", "date=2026-01-01"], 2),
        (["--only", "date=..2026-01-01"], 2),
        (["--only", "date=2026-01-03.."], 1),
        (["--only", "date=2026-01-01..2026-01-02"], 8),
        (["--only", "date=2026-01-01", "--only", "date=2026-01-03"], 3),
        (["--without", "date=2026-01-02"], 3),
        (["--without", "date=2026-01-01.."], 0),
        (["--only", "date=2025-01-01"], 0),
        (["--only", "tc=5+0.05"], 7),
        (["--only", "tc=10+0.1"], 1),
        (["--only", "tc=10+0.1", "--only", "tc=5+0.05"], 9),
        (["--without", "tc=10+0.1"], 7),
        (["--without", "tc=5+0.05"], 1),
        (["--only", "tc=1"], 0),
        (["--only", "date=2026-01-02", "--without", "cy"], 3),
        (
            [
                "--only",
                "tc=5+0.05",
                "--only",
                "a*",
                "--only",
                "bob",
                "--without",
                "date=2026-01-01",
            ],
            2,
        ),
    ],
)
def test_games_are_selected_on_both_sides(
    mixed: Path, loa: Loa, arguments: list[str], games: int
) -> None:
    ended = loa("standings", "mixed", *arguments, "--json")
    assert ended.code == 0
    document = _document(ended.output)
    assert sum(table["games"] for table in document["tables"]) == games
    assert sum(one["games"] for one in document["endings"]) == games
    if arguments:
        said = [text for table in document["tables"] for text in table["notices"]]
        assert f"{games} of 9 stored games are selected" in " ".join([*said, ended.errors])
    else:
        assert ended.errors == ""


@pytest.mark.parametrize("arguments", [["--only", "date=1999-01-01"], ["--only", "tc=1"]])
@pytest.mark.parametrize("form", ["", "--details", "--json", "--csv", "--markdown"])
def test_that_nothing_is_selected_is_said(
    mixed: Path, loa: Loa, arguments: list[str], form: str
) -> None:
    ended = loa("standings", "mixed", *arguments, *form.split())
    assert ended.code == 0
    assert "0 of 9 stored games are selected" in ended.errors
    if form in ("", "--details", "--markdown"):
        assert "No games" in ended.output
    if form == "--csv":
        assert ended.output.startswith("table,rank,name,")


def test_a_report_of_nothing_is_written_and_said(mixed: Path, loa: Loa, tmp_path: Path) -> None:
    ended = loa("report", "mixed", "--only", "tc=1", "--output", str(tmp_path / "out"))
    assert ended.code == 0
    assert "0 of 9 stored games are selected" in ended.errors
    assert "No games yet." in (tmp_path / "out" / "report.md").read_text()


def test_a_report_counts_the_selected_games_alone(mixed: Path, loa: Loa, tmp_path: Path) -> None:
    out = tmp_path / "out"
    ended = loa("report", "mixed", "--only", "ann", "--only", "bob", "--output", str(out))
    assert ended.code == 0
    records = list(csv.DictReader(io.StringIO((out / "endings.csv").read_text())))
    assert sum(int(one["games"]) for one in records) == 6
    text = (out / "report.md").read_text()
    assert "6 of 9 stored games are selected" in text
    assert "## Match: ann against bob" in text
    assert "cy" not in text


# Bad and scarce data

ROUND = "ab ba bc cb ca ac"


def _round_robin(results: str) -> dict[tuple[str, str], str]:
    """Everybody on both sides; each next pairing begins one result later."""
    names = {"a": "ann", "b": "bob", "c": "cy"}
    return {
        (names[one], names[other]): results[place:] + results[:place]
        for place, (one, other) in enumerate(map(tuple, ROUND.split()))
    }


POOLS: dict[str, dict[tuple[str, str], str]] = {
    "no games": {},
    "one game": {("ann", "bob"): "b"},
    "one drawn game": {("ann", "bob"): "d"},
    "all draws": _round_robin("dddd"),
    "all wins of one": {("ann", "bob"): "b" * 12, ("bob", "ann"): "w" * 12},
    "a ladder": {("ann", "bob"): "bbb", ("bob", "cy"): "bbb", ("ann", "cy"): "bbb"},
    "a chain": {("ann", "bob"): "bbb", ("bob", "cy"): "bbb"},
    "one colour": {("ann", "bob"): "bwbwd", ("ann", "cy"): "bbw", ("bob", "cy"): "wbw"},
    "the first mover always wins": _round_robin("b" * 12),
    "one opening": _round_robin("b"),
    "fewer than twenty openings": _round_robin("bwdbwbbwbw"),
    "twenty openings": _round_robin("bwdbwbbwbwbwdbwbbwbww"),
    "a bot without games": {("ann", "bob"): "bwb", ("bob", "ann"): "bwb"},
    "two pools": {("ann", "bob"): "bw", ("cy", "dan"): "wb", ("dan", "cy"): "wd"},
    "a pool of draws beside another": {("ann", "bob"): "dd", ("cy", "dan"): "wb"},
    "a group below": {
        ("ann", "bob"): "bw",
        ("cy", "dan"): "wb",
        ("ann", "cy"): "bb",
        ("dan", "bob"): "ww",
    },
    "a cycle": {
        **dict.fromkeys((("ann", "bob"), ("bob", "cy"), ("cy", "ann")), "b" * 12),
        **dict.fromkeys((("bob", "ann"), ("cy", "bob"), ("ann", "cy")), "w" * 12),
    },
    "odd legs": {("ann", "bob"): "b.b.b", ("bob", "ann"): ".w.wd"},
}


@pytest.fixture(params=POOLS)
def scarce(request: pytest.FixtureRequest, results: Path) -> str:
    identities = IDENTITIES | {"dan": "4" * 64}
    known = {name for pair in POOLS[request.param] for name in pair}
    if request.param == "a bot without games":
        known.add("cy")
    chosen = {name: identities[name] for name in sorted(known or IDENTITIES)}
    _store(results / "scarce", POOLS[request.param], chosen)
    return "scarce"


def _check(ended: Ended) -> None:
    assert ended.code == 0
    assert ended.errors == ""
    for text in (ended.output, ended.errors):
        assert not re.search(r"\b(nan|inf|infinity|traceback)\b", text, re.IGNORECASE)


@pytest.mark.parametrize("options", [[], ["--model", "score"], ["--bootstrap", "3"]])
def test_scarce_data_are_rated_in_every_form(scarce: str, loa: Loa, options: list[str]) -> None:
    for form in ([], ["--details"], ["--csv"], ["--markdown"], ["--json"]):
        ended = loa("standings", scarce, *options, *form)
        _check(ended)
        assert ended.output.isascii()
        if form in ([], ["--details"]):
            assert max(map(len, ended.output.splitlines())) <= 80
        if form == ["--json"]:
            document = _document(ended.output)
            assert {row["name"] for table in document["tables"] for row in table["rows"]}
    _check(loa("standings", scarce, *options, "--details", "--sort", "elo", "--columns", ",".join(
        ["rank", "bot", "elo", "error", "low", "high", "score", "los", "group", "met", "best"]
    )))  # fmt: skip


@pytest.mark.parametrize("bot", ["ann", "bob"])
def test_scarce_data_can_be_anchored(scarce: str, loa: Loa, bot: str) -> None:
    for form in ([], ["--json"]):
        _check(loa("standings", scarce, *form, "--anchor", f"{bot}=-12.5"))


@pytest.mark.parametrize(
    "pool", ["one game", "all draws", "two pools", "all wins of one", "twenty openings"]
)
def test_scarce_data_make_a_report(results: Path, loa: Loa, pool: str) -> None:
    identities = IDENTITIES | {"dan": "4" * 64}
    known = {name for pair in POOLS[pool] for name in pair}
    _store(results / "scarce", POOLS[pool], {name: identities[name] for name in known})
    ended = loa("report", "scarce")
    _check(ended)
    written = {path.name: path for path in (results / "scarce" / "report").iterdir()}
    assert written.keys() >= TABLES | {"elo.png", "elo.svg", "scores.png", "endings.svg"}
    for name in TABLES:
        assert not re.search(r"\b(nan|inf)\b", written[name].read_text(), re.IGNORECASE)


def test_one_bot_alone_has_no_opponent(results: Path, loa: Loa) -> None:
    _store(results / "alone", {}, {"ann": "1" * 64})
    ended = loa("standings", "alone", "--details")
    _check(ended)
    assert "No games yet." in ended.output
    assert "ann" in ended.output


def test_a_store_that_was_never_begun_has_no_games(results: Path, loa: Loa) -> None:
    Store.create_or_open(results / "new").close()
    assert loa("standings", "new").output == "No games.\n"
    _check(loa("standings", "new", "--json"))
    assert "No games." in loa("standings", "new", "--markdown").output


def test_a_tournament_without_games_is_no_error(results: Path, loa: Loa) -> None:
    _store(results / "fresh", {})
    ended = loa("standings", "fresh")
    assert ended.code == 0
    assert "No games yet." in ended.output
    assert loa("report", "fresh").code == 0


@pytest.mark.parametrize(
    ("pool", "words"),
    [
        ("one game", "0 is ann (no two bots here took points from each other)"),
        ("all draws", "no decisive games"),
        ("all wins of one", "one-sided 95 % bounds"),
        ("one colour", "clustered"),
        ("fewer than twenty openings", "conditional on this opening list (10 openings"),
        ("twenty openings", "clustered by opening (21 openings)"),
        ("one opening", "games taken as independent"),
        ("a bot without games", "without games: cy"),
        ("two pools", "no game joins these bots to those of table 1"),
        ("a group below", "lost every game against those of table 1"),
        ("a cycle", "one scale of strength does NOT explain the pairings"),
    ],
)
def test_scarce_data_are_explained(results: Path, loa: Loa, pool: str, words: str) -> None:
    identities = IDENTITIES | {"dan": "4" * 64}
    known = {name for pair in POOLS[pool] for name in pair} | {"cy"}
    _store(results / "scarce", POOLS[pool], {name: identities[name] for name in sorted(known)})
    assert words in " ".join(loa("standings", "scarce").output.split())


def test_names_of_any_kind_steer_nothing(results: Path, loa: Loa) -> None:
    """The harness allows no such names, but a file may hold them."""
    hostile = ["=1+1", "e\x07\n\u202e", "[red]x[/red]", "|", "W" * 64]
    identities = {name: str(number) * 64 for number, name in enumerate(hostile)}
    pairs = {(one, other): "bwdb" for one in hostile for other in hostile if one != other}
    _store(results / "hostile", pairs, identities)
    for form in ([], ["--details"], ["--markdown"], ["--json"]):
        ended = loa("standings", "hostile", *form)
        _check(ended)
        assert ended.output.isascii()
        assert ended.output.replace("\n", "").isprintable()
    records = list(csv.DictReader(io.StringIO(loa("standings", "hostile", "--csv").output)))
    shown = {f"'{hostile[0]}", r"e\x07\n\u202e", *hostile[2:]}
    assert {one["name"] for one in records} == shown
    ended = loa("standings", "hostile", "--anchor", f"{hostile[1]}=7")
    _check(ended)
    assert ended.output.replace("\n", "").isprintable()
    ended = loa("standings", "hostile", "--anchor", "\x1b[2J=7")
    assert ended.code == 2


# On a terminal


@pytest.mark.parametrize("width", [20, 30, 50, 80, 200])
def test_a_terminal_of_any_width_cuts_nothing_off(
    results: Path, loa: Loa, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    names = ["ann", "bob", "cy", "a-bot-with-quite-a-long-name"]
    identities = {name: str(number) * 64 for number, name in enumerate(names)}
    _store(
        results / "wide",
        {(one, other): "bwdb" for one in names for other in names if one != other},
        identities,
    )
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    for more in ([], ["--details"], ["--columns", "rank,bot,elo,error,low,high,games,best,ranks"]):
        shown = loa("standings", "wide", *more)
        assert shown.code == 0
        plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown.output)
        assert "\N{BOX DRAWINGS LIGHT HORIZONTAL}" in plain
        assert "\N{HORIZONTAL ELLIPSIS}" not in plain
        for name in ("ann", "bob", "cy"):
            assert re.search(rf"\b{name}\b", plain)
        assert re.search(r"\ba-.*\.\..*me\b|a-bot-with-quite-a-long-name", plain)
        if width >= 80:
            assert max(len(line.rstrip()) for line in plain.splitlines()) <= width
    assert "bot" in loa("standings", "cup").output


# Where a report goes


@pytest.mark.parametrize("command", ["standings", "report"])
def test_a_tournament_that_is_not_there_is_said(results: Path, loa: Loa, command: str) -> None:
    for names in (["nothing"], ["cup", "nothing"]):
        ended = loa(command, *names)
        assert ended.code == 2
        assert ended.output == ""
        assert "no tournament is stored" in ended.errors
    assert loa(command).code == 2


def test_a_report_is_written_beside_the_games(results: Path, loa: Loa) -> None:
    ended = loa("report", "cup")
    assert (ended.code, ended.errors) == (0, "")
    paths = [Path(line) for line in ended.output.splitlines()]
    assert {path.name for path in paths} == TABLES | PICTURES
    assert all(path.is_file() and path.parent == Path("results/cup/report") for path in paths)
    text = (results / "cup" / "report" / "report.md").read_text()
    assert text.startswith("# cup\n")
    # what the command prints as Markdown is the report without its title and pictures
    assert loa("standings", "cup", "--markdown").output in text


def test_a_report_goes_where_it_is_told(results: Path, loa: Loa, tmp_path: Path) -> None:
    _store(results / "next", {("bob", "cy"): "bbwdw", ("cy", "bob"): "wwbdb"})
    ended = loa("report", "cup", "next", "--output", str(tmp_path / "out"), "--bootstrap", "3")
    assert ended.code == 0
    assert (tmp_path / "out" / "elo.svg").is_file()
    assert not (results / "cup" / "report").exists()
    text = (tmp_path / "out" / "report.md").read_text()
    assert text.startswith("# cup, next\n")
    assert "| boot |" in text


def test_a_folder_that_cannot_be_written_is_exit_code_1(results: Path, loa: Loa) -> None:
    (results / "file").write_text("")
    ended = loa("report", "cup", "--output", str(results / "file" / "out"))
    assert ended.code == 1
    assert ended.output == ""
    assert "the report cannot be written to" in ended.errors
    assert "Traceback" not in ended.errors
    assert loa("report", "cup", "--output", str(results / "file")).code in (1, 2)


def test_games_stored_meanwhile_by_a_run_are_left_out(results: Path) -> None:
    """Results are read first: a bot that played since has no place in them."""
    evidence = read_evidence([results / "cup"])
    before = read_thinking_times(evidence, 100)
    identities = IDENTITIES | {"dan": "4" * 64}
    with Store.create_or_open(results / "cup") as store:
        store.begin("cup", "", {}, identities, {name: {} for name in identities})
        late = record("bob~dan.1a", black="bob", white="dan", identities=("2" * 64, "4" * 64))
        store.add([late])
    after = read_thinking_times(evidence, 100)
    assert {one.bot for one in after.plies} - {one.bot for one in before.plies} <= {"bob"}
    assert read_evidence([results / "cup"]).results.total == evidence.results.total + 1


@pytest.mark.process
def test_the_plain_table_draws_and_frames_nothing(results: Path) -> None:
    code = (
        "import sys; from harness.cli.main import cli; "
        "cli.main(['standings', 'cup', '--results', sys.argv[1]], standalone_mode=False); "
        "heavy = {'pandas', 'matplotlib', 'rich'} & set(sys.modules); "
        "sys.exit(str(heavy) if heavy else 0)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code, str(results)],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
