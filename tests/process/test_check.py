"""``loa check``: every fault is found at its step with a hint that says what to do about it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from harness.cli import check as check_command
from harness.cli.check_text import StepPrinter, step_lines
from harness.play.bot_definition import BotDefinition, BotLimits, BotProtocol, Sandbox
from harness.play.clock import TimeControl
from harness.process import sandbox
from harness.process.conformance.checklist import STEPS, run_checklist
from harness.process.conformance.patience import Patience
from harness.process.conformance.report import Line, Status, StepReport, failed
from harness.process.pipes import Withdrawn
from tests.cli.loa import Ended, Loa
from tests.process.support import Tag

pytestmark = pytest.mark.process

ROOT = Path(__file__).parent.parent.parent
PROTOCOL_BOT = ROOT / "tests" / "faulty_bots" / "protocol_bot.py"
CONTROL = TimeControl.parse("0.3+0.01")
PATIENCE = Patience(
    effort_ms=300,
    late_ms=350,
    dialect_ms=100,
    think_ms=50,
    ready_ms=100,
    stop_ms=200,
    unasked_ms=100,
    idle_ms=150,
)
SHORT = BotLimits(start_ms=600, new_game_ms=300, ping_ms=300, goodbye_ms=200)
START = ("program starts", "greeting", "isready")


def bot(
    mode: str,
    tag: Tag,
    limits: BotLimits | None = None,
    protocol: BotProtocol = BotProtocol.UGI,
    options: tuple[tuple[str, str], ...] = (),
) -> BotDefinition:
    return BotDefinition(
        name="mine",
        command=(sys.executable, "-S", str(PROTOCOL_BOT), mode),
        folder=str(ROOT),
        env=(("LOA_TEST_TAG", tag.value),),
        limits=limits or BotLimits(),
        protocol=protocol,
        options=options,
    )


def check(definition: BotDefinition, *names: str) -> dict[str, StepReport]:
    """Take the bot through these steps, and through its start before them."""
    wanted = (*START, *names) if names else [step.name for step in STEPS]
    steps = [step for step in STEPS if step.name in wanted]
    assert len(steps) == len(set(wanted))
    with closing(run_checklist(definition, CONTROL, steps=steps, patience=PATIENCE)) as reports:
        return {report.name: report for report in reports}


def bad(reports: dict[str, StepReport]) -> dict[str, Status]:
    return {
        name: report.status
        for name, report in reports.items()
        if report.status in (Status.FAIL, Status.WARNING)
    }


@pytest.mark.parametrize("module", ["greedy", "plain"])
def test_shipped_bots_pass(module: str, tag: Tag) -> None:
    definition = BotDefinition(
        name=module, module=f"bots.{module}_bot", env=(("LOA_TEST_TAG", tag.value),)
    )
    reports = check(definition)
    assert bad(reports) == {}
    assert [report.number for report in reports.values()] == list(range(1, len(STEPS) + 1))
    assert [name for name, one in reports.items() if one.status is Status.SKIPPED] == ["draw offer"]


def test_a_uci_bot_is_spoken_to_in_its_dialect_and_sent_no_fen(tag: Tag) -> None:
    reports = check(
        bot("none", tag, protocol=BotProtocol.UCI),
        "new game",
        "FEN and moves",
        "clock with increment",
        "own clock as White",
    )
    assert bad(reports) == {}
    assert reports["FEN and moves"].status is Status.SKIPPED
    sent = [text for report in reports.values() for text in report.texts(">")]
    assert {"uci", "ucinewgame"} <= set(sent)
    # UCI's white is the first player, which is Black here: the short clock is the second's.
    assert sent[-1] == "go wtime 600000 btime 300 winc 0 binc 0"
    assert not [text for text in sent if "p1time" in text or "ugi" in text]


def test_draws_are_offered_to_a_bot_that_takes_them(tag: Tag) -> None:
    report = check(bot("draws", tag), "draw offer")["draw offer"]
    assert report.status is Status.PASS
    assert report.texts(">")[-1].endswith(" drawoffer")
    assert report.texts("<")[-1] == "bestmove draw"


GREETING = [
    ("no-newline-ugiok", Status.FAIL, "without its newline", "newline"),
    ("cr-alone", Status.FAIL, "CR alone", "LF"),
    ("no-flush", Status.FAIL, "input was ended", "Flush"),
    ("only-uci", Status.FAIL, "answered with `uciok`", "--protocol uci"),
    ("blank-before", Status.WARNING, "begins with a blank", "first word"),
    ("banner", Status.WARNING, "Protocol Bot 1.0", "stderr"),
    ("default-out-of-range", Status.FAIL, "default 5 is not in 10 to 20", "cannot set"),
    ("unreadable-option", Status.FAIL, "cannot be read", "cannot set"),
    ("slow-greeting", Status.WARNING, "of the 1500 ms", "start-ms"),
]


@pytest.mark.parametrize(("mode", "status", "finding", "hint"), GREETING)
def test_faults_of_the_greeting(
    mode: str, status: Status, finding: str, hint: str, tag: Tag
) -> None:
    limits = BotLimits(start_ms=1500 if status is Status.WARNING else 600)
    reports = check(bot(mode, tag, limits), "first move as Black")
    greeting = reports["greeting"]
    assert greeting.status is status
    assert finding in greeting.finding.text
    assert hint in greeting.finding.hint
    was_greeted = "option" in finding or "cannot set" in hint or status is Status.WARNING
    expected = Status.PASS if was_greeted else Status.SKIPPED
    assert reports["first move as Black"].status is expected


# Mode, step, status, what is found, what to do.
FAULTS = [
    ("no-newline-readyok", "isready", Status.FAIL, "without its newline", "newline"),
    ("exit-at-setoption", "options take their defaults", Status.FAIL, "Seed set to `0`", "Read"),
    ("wrong-type", "standard options", Status.FAIL, "Seed is a spin", "PROTOCOL.md"),
    ("wrong-side", "first move as Black", Status.FAIL, "illegal", "for White, but Black is to"),
    ("wrong-side", "first move as White", Status.FAIL, "illegal", "for Black, but White is to"),
    ("exit-at-go", "first move as Black", Status.FAIL, "out of ideas", "last words"),
    ("no-newline-bestmove", "first move as Black", Status.FAIL, "without its", "newline"),
    ("upper-case", "first move as Black", Status.FAIL, "does not count", "lower case"),
    ("two-words", "first move as Black", Status.FAIL, "is no move", "one word"),
    ("mute", "first move as Black", Status.FAIL, "no bestmove within 350 ms", "flush"),
    ("resigns", "first move as Black", Status.WARNING, "resignation", "open"),
    ("forgets-moves", "first move as White", Status.FAIL, "illegal", "play each move"),
    ("upside-down", "FEN, Black to move", Status.FAIL, "illegal", "upside down"),
    ("ignores-fen", "FEN, White to move", Status.FAIL, "illegal", "standard start"),
    ("no-pass", "forced pass", Status.FAIL, "`0000`", "bestmove pass"),
    ("short-buffer", "300 plies in one line", Status.FAIL, "illegal", "moves"),
    ("needs-time", "nodes", Status.FAIL, "no bestmove", "without any time"),
    ("late", "movetime", Status.FAIL, "too late", "clock runs"),
    ("wrong-clock", "own clock as White", Status.FAIL, "no bestmove", "p2time"),
    ("deaf-in-search", "isready and stop in a search", Status.WARNING, "of `stop`", "input"),
    ("answers-stop", "isready and stop in a search", Status.WARNING, "nothing runs", "nothing"),
    ("exit-at-unknown", "unknown lines", Status.FAIL, "what is frobnicate?", "Skip"),
    ("cr-not-stripped", "unknown lines", Status.WARNING, "CR LF", "Strip"),
    ("answers-twice", "silent while not asked", Status.WARNING, "more than once", "one bestmove"),
    ("writes-later", "silent while not asked", Status.WARNING, "not asked", "Be silent"),
    ("ponders", "idle while not asked", Status.FAIL, "of a core", "blocking read"),
    ("deaf-to-seed", "same seed, same game", Status.WARNING, "at ply", "setoption name Seed"),
    ("keeps-state", "nothing left of the last game", Status.WARNING, "at ply", "uginewgame"),
    ("short-buffer", "whole game against itself", Status.FAIL, "ply ", "moves"),
    ("ignores-quit", "quit", Status.FAIL, "still there", "when its input ends"),
    ("exits-with-code", "quit", Status.WARNING, "code 3", "exit code 0"),
    ("leaves-child", "quit", Status.FAIL, "1 process running", "end with it"),
    ("ignores-end-of-input", "end of input", Status.FAIL, "still there", "input has ended"),
]
# Here a limit has to run out; elsewhere a busy machine must not make it.
IMPATIENT = {"no-newline-readyok", "cr-not-stripped", "ignores-quit", "ignores-end-of-input"}
NEEDED = {
    "nodes": ["first move as Black"],
    "own clock as White": ["first move as Black"],
    "nothing left of the last game": ["same seed, same game", "depth"],
    "same seed, same game": ["nodes"],
}


@pytest.mark.parametrize(("mode", "step", "status", "finding", "hint"), FAULTS)
def test_faults(mode: str, step: str, status: Status, finding: str, hint: str, tag: Tag) -> None:
    limits = SHORT if mode in IMPATIENT else BotLimits()
    reports = check(bot(mode, tag, limits), *NEEDED.get(step, []), step)
    assert bad(reports) == {step: status}
    assert finding in reports[step].finding.text
    assert hint in reports[step].finding.hint


def test_what_came_on_stderr_stands_with_the_step(tag: Tag) -> None:
    report = check(bot("exit-at-go", tag), "first move as Black")["first move as Black"]
    assert report.texts("!") == ["out of ideas"]
    assert report.texts(">")[-1] == "go p1time 300 p2time 300 p1inc 10 p2inc 10"


def test_a_failed_step_does_not_hide_those_after_it(tag: Tag) -> None:
    reports = check(bot("ignores-fen", tag), "FEN, Black to move", "clock alone", "quit")
    assert bad(reports) == {"FEN, Black to move": Status.FAIL}
    assert reports["clock alone"].status is Status.PASS
    assert reports["quit"].status is Status.PASS


def test_a_bot_that_answers_no_go_is_not_asked_for_ever(tag: Tag) -> None:
    reports = check(bot("mute", tag), "first move as Black", "first move as White", "nodes", "quit")
    assert reports["nodes"].status is Status.SKIPPED
    assert reports["quit"].status is Status.PASS


def test_an_option_of_the_user_that_is_not_announced_is_found(tag: Tag) -> None:
    step = "options take their defaults"
    report = check(bot("none", tag, options=(("Depth", "3"),)), step)[step]
    assert report.status is Status.FAIL
    assert "Depth is not announced" in report.finding.text


def test_a_line_written_twice_spoils_no_other_step(tag: Tag) -> None:
    reports = check(
        bot("answers-twice", tag),
        "clock alone",
        "same seed, same game",
        "whole game against itself",
    )
    assert bad(reports) == {}


def test_a_bot_that_hangs_is_started_anew(tag: Tag) -> None:
    reports = check(bot("needs-time", tag), "first move as Black", "nodes", "own clock as Black")
    assert bad(reports) == {"nodes": Status.FAIL}


@pytest.mark.parametrize("step", ["first move as Black", "isready and stop in a search"])
def test_every_wait_ends_when_the_command_is_to_end(step: str, tag: Tag) -> None:
    read_fd, write_fd = os.pipe()
    wanted = [one for one in STEPS if one.name in (*START, step)]
    mode = "mute" if step == "first move as Black" else "deaf-in-search"
    try:
        with closing(run_checklist(bot(mode, tag), CONTROL, read_fd, wanted)) as reports:
            assert [next(reports).name for _ in START] == list(START)
            os.write(write_fd, b"!")
            with pytest.raises(Withdrawn):
                next(reports)
    finally:
        os.close(read_fd)
        os.close(write_fd)


# The command


@pytest.fixture
def loa(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tag: Tag
) -> Callable[..., Ended]:
    monkeypatch.setenv("LOA_TEST_TAG", tag.value)
    call = Loa(capsys)
    return lambda *arguments: call("check", *arguments)


def spec(folder: Path, *modes: str) -> str:
    lines = []
    for mode in modes:
        words = json.dumps([sys.executable, "-S", str(PROTOCOL_BOT), mode])
        lines.append(f'[[bot]]\nname = "{mode}"\ncommand = {words}\nstart-ms = 600')
    file = folder / "bots.toml"
    file.write_text("\n".join(lines))
    return str(file)


def test_the_command_prints_all_steps_of_a_bot_of_a_spec(
    loa: Callable[..., Ended], tmp_path: Path
) -> None:
    file = spec(tmp_path, "only-uci", "none")
    ended = loa(file, "--bot", "only-uci", "--protocol", "uci", "--tc", "0.5+0.01")
    lines = ended.output.splitlines()
    assert ended.code == 0
    assert lines[0] == f"only-uci: {len(STEPS)} steps"
    assert lines[-1].startswith("29 passed, 0 failed, 6 skipped in ")
    assert max(map(len, lines)) <= 80
    assert ended.errors == ""


def test_a_failure_ends_the_command_with_five(loa: Callable[..., Ended]) -> None:
    ended = loa("/bin/true")
    assert ended.code == 5
    assert " 2 FAIL     greeting" in ended.output
    assert "exited with code 0 at 'ugi'" in ended.output
    assert "            > ugi\n" in ended.output
    assert "-> It left without being told" in ended.output
    assert "and so up to step 35" in ended.output
    assert "1 passed, 1 failed, 33 skipped in " in ended.output


def test_json_is_one_document(loa: Callable[..., Ended], tmp_path: Path) -> None:
    ended = loa(spec(tmp_path, "only-uci", "no-newline-ugiok"), "--json")
    assert ended.code == 5
    document = json.loads(ended.output)
    assert document["passed"] is False
    assert [one["bot"] for one in document["bots"]] == ["only-uci", "no-newline-ugiok"]
    step = document["bots"][1]["steps"][1]
    assert {
        "number": 2,
        "name": "greeting",
        "status": "fail",
        "sent": ["ugi"],
        "stderr": [],
        "lines-left-out": 0,
    }.items() <= step.items()
    assert step["received"][0] == "id name protocol"
    assert step["received"][-1] == "ugiok"
    assert step["elapsed-ms"] >= 600
    assert "newline" in step["hint"]


def test_json_of_one_bot_is_its_document(loa: Callable[..., Ended]) -> None:
    document = json.loads(loa("me=/bin/true", "--json").output)
    assert document["bot"] == "me"
    assert document["passed"] is False
    assert len(document["steps"]) == len(STEPS)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["./nothing"], "does not exist"),
        (["nothing"], "no shipped bot"),
        (["plain", "--bot", "x"], "--bot chooses"),
        (["plain", "--tc", "soon"], "--tc 'soon'"),
        (["plain", "--sandbox", "glass"], "--sandbox"),
        (["plain", "--memory-mb", "0"], "--memory-mb"),
        (["SPEC", "--bot", "x"], "has no bot 'x'; it has none, late"),
    ],
)
def test_what_cannot_be_found_ends_the_command_with_two(
    arguments: list[str], words: str, loa: Callable[..., Ended], tmp_path: Path
) -> None:
    file = spec(tmp_path, "none", "late")
    ended = loa(*(file if word == "SPEC" else word for word in arguments))
    assert ended.code == 2
    assert ended.output == ""
    assert words in ended.errors


TOURNAMENT = """
[tournament]
sandbox = "bwrap"
memory-mb = 321

[[bot]]
name = "a"
module = "bots.plain_bot"

[[bot]]
name = "b"
module = "bots.plain_bot"
sandbox = "none"
memory-mb = 99
"""


@pytest.mark.parametrize(
    ("flags", "wanted"),
    [
        ([], [("a", Sandbox.BWRAP, 321), ("b", Sandbox.NONE, 99)]),
        (["--bot", "a"], [("a", Sandbox.BWRAP, 321)]),
        (["--sandbox", "none"], [("a", Sandbox.NONE, 321), ("b", Sandbox.NONE, 99)]),
        (["--memory-mb", "77"], [("a", Sandbox.BWRAP, 77), ("b", Sandbox.NONE, 77)]),
    ],
)
def test_bots_are_checked_as_they_are_played(
    flags: list[str],
    wanted: list[tuple[str, Sandbox, int]],
    loa: Callable[..., Ended],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    checked = []

    def note(definition: BotDefinition, *_: object) -> list[StepReport]:
        checked.append((definition.name, definition.sandbox, definition.memory_mb))
        return []

    monkeypatch.setattr(check_command, "_check", note)
    monkeypatch.setattr(sandbox, "check_sandbox", lambda *_: None)
    file = tmp_path / "league.toml"
    file.write_text(TOURNAMENT)
    assert loa(str(file), *flags).code == 0
    assert checked == wanted


def test_flags_hold_for_a_bot_without_a_spec(
    loa: Callable[..., Ended],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    checked = []

    def note(definition: BotDefinition, *_: object) -> list[StepReport]:
        checked.append((definition.sandbox, definition.memory_mb, definition.processes))
        return []

    monkeypatch.setattr(check_command, "_check", note)
    monkeypatch.setattr(sandbox, "check_sandbox", lambda *_: None)
    flags = "--sandbox", "bwrap", "--memory-mb", "55", "--processes", "7"
    assert loa("plain", *flags).code == 0
    assert loa("plain").code == 0
    assert checked == [(Sandbox.BWRAP, 55, 7), (None, None, None)]


def test_ctrl_c_ends_it_with_130_and_nothing_left(tag: Tag, tmp_path: Path) -> None:
    for number, mode in ((signal.SIGINT, "only-uci"), (signal.SIGTERM, "leaves-child")):
        file = spec(tmp_path, mode, "none")
        process = subprocess.Popen(
            [sys.executable, "-m", "harness", "check", file, "--bot", mode],
            cwd=ROOT,
            env={**os.environ, "LOA_TEST_TAG": tag.value},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        assert process.stdout.readline().startswith(mode)
        deadline = time.monotonic() + 10
        while len(tag.processes()) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(number)
        _, errors = process.communicate(timeout=10)
        assert process.returncode == 128 + number
        assert errors == ""


# Text


def test_a_check_that_is_broken_off_leaves_its_line_ended(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for is_terminal, end in ((True, "\r\n"), (False, "steps\n")):
        monkeypatch.setattr("sys.stdout.isatty", lambda it=is_terminal: it)
        StepPrinter("mine", ["start", "greeting"]).abandon()
        assert capsys.readouterr().out.endswith(end)


def test_a_bot_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    evil = "\x1b[2J\u202e" + "x" * 200
    report = StepReport(7, "step", failed(evil, "mend it"), (Line(1.0, "<", evil),), 0, 5)
    printer = StepPrinter(evil[:10], ["step"], shows_all=True)
    printer.step(report)
    printer.end()
    output = capsys.readouterr().out
    assert "\x1b" not in output
    assert "\u202e" not in output
    assert "\\x1b[2J" in output


def test_the_same_hint_is_given_once() -> None:
    line = Line(1.0, "<", "bestmove b1b2")
    report = StepReport(9, "step", failed("wrong", "do that"), (line,), 0, 5)
    assert "do that" in "".join(step_lines(report, shows_all=False))
    again = "".join(step_lines(report, 7, shows_all=False))
    assert "do that" not in again
    assert "as at step 7" in again
