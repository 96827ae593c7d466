"""``loa run`` as a person uses it: one command, again, killed, extended, refused."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.process.run_command import BOTS, FLAGS, Loa, faulty
from tests.process.support import FAULTY_BOT, Tag

pytestmark = pytest.mark.process


def test_the_same_games_whoever_plays_them(loa: Loa, tmp_path: Path, tag: Tag) -> None:
    exports = set()
    for place in (("--serial",), ("--slots", "1"), ("--slots", "2", "--force")):
        folder = tmp_path / "-".join(place)
        folder.mkdir()
        one = Loa(folder, tag)
        one("run", *BOTS, *FLAGS, *place)
        exports.add(one.export())
    assert len(exports) == 1
    text = exports.pop()
    assert text.count("\n") == 24
    assert text.isascii()


def test_plain_lines_table_and_plot(loa: Loa) -> None:
    output, errors = loa("run", *BOTS[:2], "--tc", "nodes=1", "--rounds", "1", "--name", "t")
    lines = errors.splitlines()
    assert "Started game 1 of 2 (again vs random)" in lines
    assert "Started game 2 of 2 (random vs again)" in lines
    finished = [line for line in lines if line.startswith("Finished game 1 (again vs random): ")]
    assert len(finished) == 1
    assert finished[0].endswith("}")
    assert "Elo" in output
    plot = loa.folder / "results" / "t" / "report" / "elo.png"
    assert plot.read_bytes().startswith(b"\x89PNG")
    again, errors = loa("run", *BOTS[:2], "--tc", "nodes=1", "--rounds", "1", "--name", "t")
    assert again == output
    assert "Started" not in errors
    assert "nothing to play" in errors


@pytest.mark.parametrize("slots", [("--serial",), ("--slots", "1"), ("--slots", "2", "--force")])
def test_kill_9_and_go_on_gives_the_unbroken_games(
    slots: tuple[str, ...], loa: Loa, tmp_path: Path, tag: Tag
) -> None:
    unbroken = Loa(tmp_path / "unbroken", tag)
    unbroken.folder.mkdir()
    unbroken("run", *BOTS, *FLAGS, "--serial")
    chance = random.Random(str(slots))
    for _ in range(3):
        process = loa.start("run", *BOTS, *FLAGS, *slots)
        loa.wait_until_stored(loa.stored() + chance.randrange(1, 5))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        tag.assert_nothing_left()
    assert 3 <= loa.stored() < 24
    loa("run", *BOTS, *FLAGS, *slots)
    assert loa.export() == unbroken.export()


def test_more_rounds_and_more_bots_go_on(loa: Loa, tmp_path: Path, tag: Tag) -> None:
    loa("run", *BOTS[:2], "--tc", "nodes=1", "--rounds", "2", "--name", "t", "--no-report")
    _, errors = loa("run", *BOTS, *FLAGS)
    assert errors.count("Started game") == 24 - 4
    whole = Loa(tmp_path / "whole", tag)
    whole.folder.mkdir()
    whole("run", *BOTS, *FLAGS)
    assert loa.export() == whole.export()


def test_fewer_rounds_keep_the_surplus(loa: Loa) -> None:
    loa("run", *BOTS[:2], "--tc", "nodes=1", "--rounds", "2", "--name", "t", "--no-report")
    _, errors = loa(
        "run", *BOTS[:2], "--tc", "nodes=1", "--rounds", "1", "--name", "t", "--no-report"
    )
    assert "2 stored games are no longer asked for" in errors
    assert loa.stored() == 4


def test_other_conditions_are_refused_with_the_difference(loa: Loa) -> None:
    loa("run", *BOTS[:2], "--tc", "nodes=1", "--rounds", "1", "--name", "t", "--no-report")
    _, errors = loa(
        "run",
        *BOTS[:2],
        "--tc",
        "nodes=2",
        "--rounds",
        "1",
        "--name",
        "t",
        "--no-report",
        "--seed",
        "9",
        code=2,
    )
    assert "time-control" in errors
    assert "nodes=1" in errors
    assert "nodes=2" in errors
    assert "seed" in errors
    assert loa.stored() == 2


def test_a_changed_bot_is_refused_and_can_be_accepted(loa: Loa) -> None:
    script = loa.folder / "mine.py"
    script.write_text(FAULTY_BOT.read_text())
    bots = (
        f"mine={sys.executable} mine.py none",
        "random",
        "--tc",
        "nodes=1",
        "--name",
        "t",
        "--no-report",
    )
    loa("run", *bots, "--rounds", "1")
    script.write_text(FAULTY_BOT.read_text() + "\n# better now\n")
    _, errors = loa("run", *bots, "--rounds", "2", code=2)
    assert "mine" in errors
    assert "--accept-changed" in errors
    output, _ = loa("run", *bots, "--rounds", "2", "--accept-changed", "mine")
    assert "mine#" in output
    assert loa.stored() == 4


def test_bots_that_cannot_be_started_are_reported_together(loa: Loa) -> None:
    output, errors = loa(
        "run", "random", "gone=./gone", "lost=no-such-program-at-all x", "--name", "t", code=2
    )
    assert output == ""
    assert "gone: its program" in errors
    assert "lost: there is no program" in errors
    _, errors = loa(
        "run", "random", "random:Depth=3", faulty("dies", "start-exit"), "--name", "t", code=2
    )
    assert "option Depth is not announced" in errors
    assert "dies: exited with code 7" in errors
    assert loa.stored() == 0


def test_a_bot_that_dies_in_preflight_is_set_aside_and_tried_again_next_time(loa: Loa) -> None:
    bots = ("random", "again=random", faulty("dies", "start-exit"))
    for _ in range(2):
        _, errors = loa(
            "run", *bots, "--tc", "nodes=1", "--rounds", "1", "--name", "t", "--no-report", code=3
        )
        assert errors.count("Set aside dies: exited with code 7") == 1
        assert "4 of 6 games stay open" in errors
        assert loa.stored() == 2


def test_a_bot_set_aside_is_code_3_even_with_nothing_left_to_play(loa: Loa) -> None:
    mine = loa.folder / "mine.py"
    mine.write_text(FAULTY_BOT.read_text())
    bots = ("random", f"b={sys.executable} mine.py none", "--tc", "nodes=1", "--name", "t")
    loa("run", *bots, "--rounds", "1", "--no-report")
    mine.write_text("import sys; sys.stderr.write('\\x1b[31mred'); sys.exit(1)")
    _, errors = loa(
        "run",
        *bots,
        "again=random",
        "--rounds",
        "1",
        "--no-report",
        "--accept-changed",
        "b",
        code=3,
    )
    assert "\x1b" not in errors
    assert "\x1b" not in (loa.folder / "results" / "t" / "run.log").read_text()


def test_closed_streams_stop_no_game(loa: Loa) -> None:
    command = [sys.executable, "-m", "harness", "run", *BOTS[:2], *FLAGS]
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *command],
        cwd=loa.folder,
        env=loa.environment,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0
    assert loa.stored() == 8


def test_a_reader_that_goes_away_stops_no_game(loa: Loa) -> None:
    process = loa.start("run", *BOTS[:2], "--tc", "nodes=1", "--rounds", "4", "--name", "t")
    assert process.stderr is not None
    process.stderr.readline()
    process.stderr.close()
    assert process.stdout is not None
    output = process.stdout.read()
    process.wait(timeout=60)
    process.stdout.close()
    assert "Standings" in output
    assert loa.stored() == 8


def test_a_bot_that_fails_later_is_set_aside_and_the_others_play_on(loa: Loa) -> None:
    broken = loa.folder / "broken.py"
    # It starts twice: for preflight and for its first game.
    broken.write_text(
        "import pathlib, sys\n"
        "count = pathlib.Path(__file__).with_suffix('.count')\n"
        "starts = int(count.read_text()) if count.exists() else 0\n"
        "count.write_text(str(starts + 1))\n"
        "if starts >= 2: sys.exit(9)\n"
        + FAULTY_BOT.read_text()
        .partition('"""\n\n')[2]
        .replace("from __future__ import annotations\n", "")
    )
    _, errors = loa(
        "run",
        "random",
        "again=random",
        f"b={sys.executable} broken.py die-between-games",
        "--tc",
        "nodes=1",
        "--rounds",
        "3",
        "--name",
        "t",
        "--no-report",
        code=3,
    )
    assert "Set aside b: exited with code 9" in errors
    assert "stay open" in errors
    connection = sqlite3.connect(loa.folder / "results" / "t" / "games.sqlite")
    kinds = {kind for (kind,) in connection.execute("SELECT kind FROM incidents")}
    connection.close()
    assert kinds == {"void", "set-aside"}
    export = loa.export()
    assert export.count('"id":"again~random.') == 6


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("slots", ["--serial", "--slots=1"])
def test_a_signal_ends_the_run_at_once_and_nothing_is_counted(
    number: signal.Signals, code: int, slots: str, loa: Loa
) -> None:
    process = loa.start(
        "run",
        "random",
        faulty("thinker", "silent", 1),
        "--tc",
        "move=60",
        "--name",
        "t",
        "--no-report",
        slots,
    )
    assert process.stderr is not None
    while "Started game 1" not in process.stderr.readline():
        pass
    time.sleep(0.3)
    process.send_signal(number)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == code
    assert "the same command goes on" in errors
    assert loa.stored() == 0


def test_a_killed_worker_costs_its_game_only(loa: Loa) -> None:
    process = loa.start(
        "run", *BOTS, "--tc", "nodes=1", "--rounds", "30", "--name", "t", "--no-report"
    )
    for _ in range(3):
        loa.wait_until_stored(loa.stored() + 3)
        for child in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
            if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                os.kill(int(child), signal.SIGKILL)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    assert "ended by signal 9" in errors
    assert loa.stored() == 180


def test_two_runs_of_one_tournament_cannot_meet(loa: Loa) -> None:
    first = loa.start(
        "run",
        "random",
        faulty("thinker", "silent", 1),
        "--tc",
        "move=60",
        "--name",
        "t",
        "--no-report",
    )
    assert first.stderr is not None
    while "Started game 1" not in first.stderr.readline():
        pass
    _, errors = loa("run", "random", "again=random", "--name", "t", "--no-report", code=2)
    assert f"process {first.pid}" in errors
    first.send_signal(signal.SIGINT)
    first.communicate(timeout=20)


def test_a_bot_that_dies_in_every_game_stops_nobody(loa: Loa) -> None:
    output, _ = loa(
        "run",
        "random",
        "again=random",
        faulty("dies", "exit", 1),
        "--tc",
        "nodes=1",
        "--rounds",
        "3",
        "--name",
        "t",
        "--no-report",
    )
    assert loa.stored() == 18
    assert "dies" in output


def test_the_log_has_a_line_of_every_forfeit(loa: Loa) -> None:
    loa(
        "run",
        "random",
        faulty("dies", "exit", 1),
        "--tc",
        "nodes=1",
        "--rounds",
        "2",
        "--name",
        "t",
        "--no-report",
        "--slots",
        "2",
        "--force",
    )
    log = (loa.folder / "results" / "t" / "run.log").read_text()
    assert log.count("forfeits by crash: exited with code 3") == 4
    for slot in (0, 1):
        assert log.count(f"slot-{slot} slot {slot} begins, process ") == 1
        assert log.count(f"slot-{slot} slot {slot} ends") == 1


def test_every_problem_of_the_command_line_is_said_at_once(loa: Loa) -> None:
    _, errors = loa(
        "run", "random", "nobody", "--tc", "5+x", "--rounds", "0", "--random-plies", "-1", code=2
    )
    for word in ("nobody", "--tc", "--rounds", "--random-plies"):
        assert word in errors
    assert not (loa.folder / "results").exists()


def test_dry_run_plays_nothing(loa: Loa) -> None:
    output, _ = loa("run", *BOTS, *FLAGS, "--dry-run")
    assert "24 planned" in output
    assert "again~random.1a" in output
    assert not (loa.folder / "results").exists()


def test_debug_shows_the_traffic_of_one_game(loa: Loa) -> None:
    _, errors = loa("run", *BOTS, *FLAGS, "--debug")
    assert "> uginewgame" in errors
    assert "< bestmove " in errors
    assert loa.stored() == 1
