"""That the benchmarks read what they measure; no time is asserted."""

from __future__ import annotations

import argparse
import json
import os
import re
import struct
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.rules.game import Game
from harness.rules.notation import parse_move
from harness.rules.position import STANDARD_START
from harness.rules.types import RuleSet, Termination
from tests.bench import everything, figures, lateness, memory, overhead, runners
from tests.bench.arguments import even, positive
from tests.bench.figures import Figure
from tests.bench.programs import FOLDER, compile_program
from tests.bench.runners import PLIES, Work
from tests.bench.running import Ran, run
from tests.bench.tally import Tally, new_tally, read_tally

BOT_SOURCE = (FOLDER / "instant_bot.c").read_text(encoding="ascii")


def ran(begun_s: float, first_s: float, last_s: float, ended_s: float, answers: int) -> Ran:
    tally = Tally(answers, int(first_s * 1e9), int(last_s * 1e9))
    return Ran(int(begun_s * 1e9), int(ended_s * 1e9), ended_s - begun_s, 1.0, 0, "", tally)


# Figures


def test_a_figure_knows_median_quartiles_and_whether_it_is_as_wanted() -> None:
    figure = Figure("x", "s", (5.0, 1.0, 2.0, 4.0, 3.0), at_most=3.0)
    assert (figure.median, figure.quartiles, figure.is_reached) == (3.0, (2.0, 4.0), True)
    assert Figure("x", "s", (3.1,), at_most=3.0).is_reached is False
    assert Figure("x", "s", (1.6,), at_least=1.7).is_reached is False
    assert Figure("x", "s", (1.6,)).is_reached is None
    assert figures.quartiles([7.0]) == (7.0, 7.0)


def test_a_line_says_what_is_wanted_and_when_it_is_missed() -> None:
    line = figures.figure_line(Figure("two slots", "x", (1.5, 1.6, 1.7), at_least=1.7))
    assert " ".join(line.split()) == "two slots 1.60 [1.55, 1.65] x wanted: at least 1.7: NO"


def test_json_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "new" / "bench.json"
    written = [Figure("a", "ms", (1.0, 2.5)), Figure("b", "x", (3.0,), at_most=2.0)]
    figures.write_json(file, "bench", written, ["a note"])
    assert figures.read_json(file) == written
    document = json.loads(file.read_text(encoding="ascii"))
    assert document["notes"] == ["a note"]
    assert [one["median"] for one in document["figures"]] == [1.75, 3.0]
    assert {"commit", "cores", "load"} <= document["machine"].keys()


def test_what_is_wanted_is_gathered_from_all_benchmarks(tmp_path: Path) -> None:
    bench = everything.BENCHES[0]
    wanted = Figure("speed", "plies/s", (70_000.0,), at_least=60_000)
    figures.write_json(tmp_path / f"{bench.name}.json", bench.name, [wanted, wanted], [])
    lines = everything.wanted_lines(tmp_path, everything.BENCHES)
    assert [line.split()[:2] for line in lines] == [[bench.name, "speed"]] * 2
    assert lines[0].endswith("at least 60000: yes")


# Overhead


def test_a_ply_is_the_slope_between_two_runs_and_not_their_start() -> None:
    measured = overhead.Measured()
    short, long = ran(10, 11, 12, 14, 2000), ran(20, 21.5, 23.5, 25.2, 42_000)
    overhead.add_runs(measured, short, long, slots=2)
    assert measured.ply_us == [pytest.approx(1.0 * 1e6 / 20_000)]
    assert measured.wall_us == [pytest.approx(1.2 * 1e6 / 20_000)]
    assert measured.cpu_us == [pytest.approx(1.2 * 1e6 / 40_000)]
    assert (measured.start_ms, measured.end_ms) == ([1000.0], [2000.0])


def test_the_lead_is_over_the_quickest_peer_of_each_round() -> None:
    at_place = {
        overhead.PING_PONG: overhead.Measured([1.0, 1.0, 2.0]),
        overhead.HARNESS: overhead.Measured([10.0, 20.0], [1.0, 2.0]),
        "slow": overhead.Measured([40.0, 30.0]),
        "quick": overhead.Measured([20.0, 50.0]),
    }
    assert overhead.leads(at_place) == [2.0, 1.5]
    assert overhead.ratios(at_place[overhead.HARNESS]) == [10.0, 10.0]
    del at_place["slow"], at_place["quick"]
    assert overhead.leads(at_place) == []


def test_every_runner_is_told_the_same_work(tmp_path: Path) -> None:
    bot = tmp_path / "bot"
    names = ("CCHESS", "FASTCHESS", "CUTEGAMES", "CUTECHESS")
    found, missing = runners.peers(dict.fromkeys(names, "/bin/sh"))
    assert missing == []
    for runner in [runners.loa(), *found]:
        words = list(runner.command(Work(bot, 40, 2, tmp_path)))
        if runner.label == "cutegames":
            settings = json.loads((tmp_path / "settings.json").read_text(encoding="ascii"))
            assert (settings["games"], settings["concurrency"]) == (40, 2)
            assert settings["timecontrol"]["increment"] == 1000
            assert {engine["path"] for engine in settings["engines"]} == {str(bot)}
            assert Path(settings["openings"]["path"]).read_text(encoding="ascii") == "startpos\n"
            continue
        text = " ".join(words)
        assert text.count(str(bot)) == 2
        assert "600+1" in text
        games = re.search(r"-games (\d+)", text)
        rounds = re.search(r"-rounds (\d+)", text)
        counts = [int(one[1]) for one in (games, rounds) if one]
        if runner.label == "loa run":
            counts.append(2)  # a round is a pair of games
        assert counts[0] * (counts[1] if len(counts) > 1 else 1) == 40
        assert re.search(r"-(-slots|concurrency) 2\b", text)


def test_peers_that_are_not_named_are_said_and_wrong_names_are_refused() -> None:
    found, missing = runners.peers({"CUTECHESS": "/bin/sh"})
    assert [runner.label for runner in found] == ["cutechess-cli"]
    assert len(missing) == 3
    assert any("FASTCHESS" in sentence for sentence in missing)
    with pytest.raises(SystemExit, match="CCHESS=/no/such is no program"):
        runners.peers({"CCHESS": "/no/such"})


# Lateness, memory, tally


def test_lateness_is_the_charged_time_less_the_bots_own() -> None:
    plies = [(5_100_000, "info string own-ns 5060000"), (5_300_000, "info string own-ns 5100000")]
    assert lateness.lateness_us(plies) == [40.0, 200.0]
    with pytest.raises(ValueError, match="own in None"):
        lateness.own_ns(None)


def test_percentiles() -> None:
    values = [float(number) for number in range(101)]
    assert (lateness.percentile(values, 50), lateness.percentile(values, 99)) == (50.0, 99.0)


@pytest.mark.process
def test_memory_of_a_process_and_its_children_is_found() -> None:
    with subprocess.Popen(["sleep", "60"]) as child:
        largest, together = memory.peak_mb_of_tree(os.getpid())
        its_own = memory.peak_mb_of_tree(child.pid)
        child.kill()
    assert 1 < largest < together
    assert its_own[0] == its_own[1] < largest
    assert memory.read_status(Path("/proc/0/status")) == {}


def test_the_tally_is_read_as_the_bot_writes_it(tmp_path: Path) -> None:
    file = new_tally(tmp_path)
    assert read_tally(file) == Tally(0, 0, 0)
    file.write_bytes(struct.pack("=QQQ", 7, 11, 13))
    assert read_tally(file) == Tally(answers=7, first_request_ns=11, last_answer_ns=13)


# The games of the bot


def test_the_shuffle_of_lines_of_action_lasts_to_the_ply_limit() -> None:
    moves = re.findall(r'"([a-h][1-8][a-h][1-8])"', BOT_SOURCE)
    assert len(moves) == 4
    game = Game(STANDARD_START, RuleSet(repetition=0, max_plies=PLIES))
    for number in range(PLIES):
        assert game.verdict is None
        move = parse_move(moves[number % 4])
        assert move in game.legal_moves()
        game.push(move)
    assert game.verdict is not None
    assert game.verdict.termination is Termination.MAX_PLIES


def test_the_chess_game_is_legal_and_ends_by_the_fifty_move_rule_alone() -> None:
    """Knights alone move, to empty squares, near no king: nothing else has to be known."""
    moves = re.findall(r"\b([a-h][1-8])([a-h][1-8]) ", BOT_SOURCE)
    assert len(moves) == PLIES == 100
    men = {file + rank for file in "abcdefgh" for rank in "1278"}
    knights = [{"b1", "g1"}, {"b8", "g8"}]
    seen = {(frozenset(knights[0]), frozenset(knights[1]), 0)}
    for number, (source, target) in enumerate(moves, 1):
        own = knights[(number - 1) % 2]
        king = ("e8", "e1")[(number - 1) % 2]
        assert source in own
        assert target not in men
        assert is_knights_way(source, target)
        assert not is_knights_way(target, king)
        own.remove(source)
        own.add(target)
        men.remove(source)
        men.add(target)
        position = (frozenset(knights[0]), frozenset(knights[1]), number % 2)
        assert position not in seen
        seen.add(position)


def is_knights_way(source: str, target: str) -> bool:
    across, along = (abs(ord(one) - ord(other)) for one, other in zip(source, target, strict=True))
    return {across, along} == {1, 2}


@pytest.mark.process
def test_the_compiled_bot_speaks_both_protocols_and_counts(tmp_path: Path) -> None:
    bot = compile_program("instant_bot", tmp_path)
    if bot is None:
        pytest.skip("no C compiler")
    file = new_tally(tmp_path)
    begun_ns = time.monotonic_ns()
    environment = {**os.environ, "BOT_TALLY": str(file), "BOT_PLIES": "2", "BOT_SLEEP_US": "10"}
    talk = {
        "uci\nisready\nposition startpos moves b1a3\ngo wtime 1\n": ["bestmove b8a6"],
        "uci\nposition fen 8/8 w - - 0 1 moves b1a3 b8a6\ngo\n": ["bestmove a3b5"],
        "ugi\nposition startpos\ngo p1time 1\nquery p1turn\nquery gameover\n": [
            "bestmove b1b3",
            "response true",
            "response false",
        ],
        "ugi\nposition startpos moves b1b3 h4f2\nquery gameover\nquery result\n": [
            "response true",
            "response draw",
        ],
    }
    for said, wanted in talk.items():
        answered = subprocess.run(
            [bot], input=said, env=environment, capture_output=True, text=True, check=True
        ).stdout.splitlines()
        assert [line for line in answered if line.startswith(("bestmove", "resp"))] == wanted
        for line in answered:
            if line.startswith("info"):
                assert lateness.own_ns(line) >= 10_000
    tally = read_tally(file)
    assert tally.answers == 3
    assert begun_ns <= tally.first_request_ns <= tally.last_answer_ns <= time.monotonic_ns()


@pytest.mark.process
def test_a_command_that_fails_is_shown_with_its_output(tmp_path: Path) -> None:
    assert run(["true"], tmp_path).tally == Tally(0, 0, 0)
    with pytest.raises(SystemExit, match=r"(?s)ended with 3:\nwhy"):
        run(["sh", "-c", "echo why; exit 3"], tmp_path)


@pytest.mark.parametrize(
    ("read", "text"), [(positive, "0"), (positive, "-3"), (even, "3"), (even, "0")]
)
def test_numbers_that_measure_nothing_are_refused(read: Callable[[str], int], text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=r"above 0|in pairs"):
        read(text)
    assert read("4") == 4


def test_a_ply_below_the_ping_pong_is_not_reached() -> None:
    """A busy machine gives slopes of any sign."""
    place = overhead.Place(frozenset({0}), True, 1)
    for ply_us, is_reached in ((-30.0, False), (4.0, False), (15.0, True), (18.0, False)):
        at_place = {
            overhead.PING_PONG: overhead.Measured([5.0]),
            overhead.HARNESS: overhead.Measured(*([value] for value in (ply_us, 5.0, 1, 1, 1, 1))),
        }
        wanted = [figure for figure in overhead.figures_of({place: at_place}) if figure.at_most]
        assert [figure.is_reached for figure in wanted] == [is_reached]
