"""``--events``: the lines of real runs, as a program reads them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest

from tests.process.run_command import BOTS, FLAGS, Loa, faulty
from tests.unit.director.test_event_lines import strict_validator

pytestmark = pytest.mark.process
TWO = (*BOTS[:2], "--tc", "nodes=1", "--name", "t", "--no-report")


def read(text: str) -> list[dict[str, Any]]:
    """Return the events, each checked against the schema; every line is whole and ASCII."""
    check = strict_validator()
    assert text.isascii()
    assert text.endswith("\n")
    events = [json.loads(line) for line in text.splitlines()]
    for event in events:
        check.validate(event)
    return events


def kinds(events: list[dict[str, Any]]) -> Counter[str]:
    return Counter(event["event"] for event in events)


def test_every_line_of_a_run_is_of_the_schema_and_a_second_run_is_appended(loa: Loa) -> None:
    path = loa.folder / "ev"
    bots = ("random", faulty("dies", "exit"), faulty("never", "start-exit"))
    loa("run", *bots, *FLAGS, "--events", "ev", code=3)
    events = read(path.read_text())
    assert kinds(events) == {
        "run-begun": 1,
        "bot-set-aside": 1,
        "game-started": 8,
        "game-finished": 8,
        "run-ended": 1,
    }
    ends = [event for event in events if event["event"] == "game-finished"]
    assert {event["cause"] for event in ends} == {"crash"}
    assert [event["stored"] for event in ends] == list(range(1, 9))
    assert sorted(event["id"] for event in ends) == sorted(
        f"dies~random.{pair}{leg}" for pair in range(1, 5) for leg in "ab"
    )
    last = events[-1]
    assert (last["reason"], last["exit-code"], last["open"]) == ("open-games", 3, 16)
    assert [one["bot"] for one in last["set-aside"]] == ["never"]
    before = path.read_text()
    loa("run", "random", faulty("dies", "exit"), *FLAGS, "--events", "ev")
    assert path.read_text().startswith(before)
    again = read(path.read_text().removeprefix(before))
    assert kinds(again) == {"run-begun": 1, "run-ended": 1}
    assert (again[-1]["reason"], again[-1]["exit-code"]) == ("complete", 0)


def test_on_stdout_there_are_events_alone(loa: Loa) -> None:
    output, errors = loa("run", *TWO, "--rounds", "2", "--events", "-")
    assert kinds(read(output))["game-finished"] == 4
    assert "Standings" in errors


def test_a_test_says_where_it_stands(loa: Loa) -> None:
    compare = ("compare", *BOTS[:2], "--tc", "nodes=1", "--name", "t", "--max-pairs", "3")
    output, _ = loa(*compare, "--events", "ev", "--json")
    events = read((loa.folder / "ev").read_text())
    states = [event for event in events if event["event"] == "test-state"]
    assert [state["pairs"] for state in states] == [0, 1, 2, 3]
    document = json.loads(output)
    assert states[-1]["llr"] == document["llr"]
    assert states[-1]["pentanomial"] == document["pentanomial"]
    assert states[-1]["verdict"] == document["verdict"] == "undecided"
    assert states[-1]["lower-bound"] == document["lower_bound"]
    _, errors = loa(*compare, "--events", "-", "--json", code=2)
    assert "--json and --events - both want stdout" in errors


def test_a_run_that_fails_or_is_interrupted_has_a_last_line(loa: Loa) -> None:
    loa("run", "random", "random:Depth=3", "--name", "t", "--events", "ev", code=2)
    (event,) = read((loa.folder / "ev").read_text())
    assert (event["event"], event["reason"], event["exit-code"]) == ("run-ended", "failed", 2)
    assert "option Depth is not announced" in event["message"]
    process = loa.start(
        *("run", "random", faulty("thinker", "silent"), "--tc", "move=60", "--name", "u"),
        *("--events", "-"),
    )
    assert process.stdout is not None
    lines = [process.stdout.readline()]
    while '"game-started"' not in lines[-1]:
        lines.append(process.stdout.readline())
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=20)
    last = read("".join(lines) + rest)[-1]
    assert (last["reason"], last["exit-code"], last["signal"]) == ("interrupted", 130, 2)


def test_a_bots_text_is_harmless_in_events_log_and_messages(loa: Loa) -> None:
    bot = loa.folder / "evil.py"
    bot.write_text(
        "import sys\n"
        "sys.stderr.write('\\x1b]0;owned\\x07\\u202elast words\\n')\n"
        "for line in sys.stdin:\n"
        "    word = line.split()[0]\n"
        "    if word == 'ugi': print('id name e\\x1b[31m', 'ugiok', sep='\\n', flush=True)\n"
        "    if word == 'isready': print('readyok', flush=True)\n"
        "    if word == 'go': print('bestmove \\x1b[2J\\u202e', flush=True)\n"
        "    if word == 'quit': break\n"
    )
    _, errors = loa(
        *("run", "random", f"evil={sys.executable} evil.py", "--tc", "nodes=1", "--rounds", "1"),
        *("--name", "t", "--no-report", "--events", "ev"),
    )
    text = (loa.folder / "ev").read_text()
    assert kinds(read(text))["game-finished"] == 2
    log = (loa.folder / "results" / "t" / "run.log").read_text()
    for shown in (errors, text, log):
        assert not {"\x1b", "\x07", "\u202e"} & set(shown)
    assert errors.count("Forfeit of evil in game ") == 2
    assert "see: loa game t evil~random.1a --log" in errors
    assert log.count("evil forfeits by malformed-reply") == 2


def test_a_reader_that_goes_away_and_a_full_disk_stop_no_game(loa: Loa) -> None:
    _, errors = loa("run", *TWO, "--rounds", "2", "--events", "/dev/full")
    assert errors.count("--events /dev/full: further events are lost: the disk is full") == 1
    assert loa.stored() == 4
    process = loa.start("run", *TWO, "--rounds", "4", "--events", "-")
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr is not None
    errors = process.stderr.read()
    assert process.wait(timeout=60) == 0, errors
    process.stderr.close()
    assert errors.count("whoever read them is gone") == 1
    assert "Traceback" not in errors
    assert loa.stored() == 8


def test_a_reader_that_never_reads_holds_no_game_up(loa: Loa) -> None:
    flags = ("--tc", "nodes=1", "--rounds", "60", "--max-plies", "6", "--name", "t", "--no-report")
    process = subprocess.Popen(
        [sys.executable, "-m", "harness", "run", *BOTS[:2], *flags, "--events", "-"],
        cwd=loa.folder,
        env=loa.environment,
        stdout=subprocess.PIPE,  # 120 games are more lines than a pipe holds
        stderr=subprocess.DEVNULL,
    )
    loa.wait_until_stored(120)
    assert process.stdout is not None
    output = process.stdout.read().decode()
    assert process.wait(timeout=60) == 0
    process.stdout.close()
    assert kinds(read(output))["game-finished"] == 120


@pytest.mark.parametrize("target", [".", "gone/ev", "cup.toml"])
def test_a_target_that_cannot_be_is_refused_before_anything_is_made(loa: Loa, target: str) -> None:
    (loa.folder / "cup.toml").write_text("[tournament]\n")
    _, errors = loa("run", *TWO, "--events", target, code=2)
    assert f"loa: --events {target}: " in errors
    assert not (loa.folder / "results").exists()
