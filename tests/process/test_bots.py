"""Every shipped bot as a process of its own: the whole protocol, hostile input, whole games."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import bots
from harness.play.bot_definition import BotDefinition, BotProtocol, RestartPolicy
from harness.play.types import CauseKind, GameRecord
from harness.process.jobs import PairJob, Played, StartFailed, Voided
from harness.process.session import Session
from harness.protocol.codec import decode_message
from harness.protocol.messages import Info, OptionOffer
from harness.rules.notation import parse_move
from harness.rules.position import STANDARD_START, Position
from tests.process.support import Tag, game_spec

pytestmark = pytest.mark.process

PLAIN_BOT = Path(bots.__file__).parent / "plain_bot.py"
KIT_OPTIONS = {"Seed", "Simultaneous", "NoMoves", "Repetition"}
OPTIONS = {
    "random": KIT_OPTIONS,
    "greedy": KIT_OPTIONS | {"Dilution"},
    "alphabeta": KIT_OPTIONS | {"Depth", "Nodes"},
    "mcts": KIT_OPTIONS | {"Simulations"},
    "plain": {"Seed"},
}
SHIPPED = [name for name in OPTIONS if name != "plain"]
THINKERS = ["alphabeta", "mcts"]
BLOCKED = "bww5/ww6/w1w5/8/8/5w1w/6ww/5wwb b"
AFTER_B1B3 = STANDARD_START.play(parse_move("b1b3"))
GO_FORMS = [
    "go",
    "go depth 1",
    "go nodes 20",
    "go movetime 40",
    "go movetime 1",
    "go p1time 900 p2time 900 p1inc 10 p2inc 10",
    "go p1time 900 p2time 900 movestogo 5",
    "go p1time 1 p2time 1",
    "go wtime 900 btime 900 winc 0 binc 0",
    "go movetime 50 nodes 30 depth 2 drawoffer",
]


@dataclass
class Talk:
    """A conversation with a running bot."""

    process: subprocess.Popen[bytes]
    unread: bytes = b""

    def say(self, *lines: str | bytes) -> None:
        assert self.process.stdin is not None
        for line in lines:
            self.process.stdin.write(line if isinstance(line, bytes) else f"{line}\n".encode())
        self.process.stdin.flush()

    def hear(self, first_word: str, within_seconds: float = 20) -> list[str]:
        """Return the lines up to the first one that begins with this word."""
        assert self.process.stdout is not None
        deadline = time.monotonic() + within_seconds
        fd = self.process.stdout.fileno()
        lines: list[str] = []
        while True:
            while b"\n" in self.unread:
                line, _, self.unread = self.unread.partition(b"\n")
                lines.append(line.decode())
                if lines[-1].split(" ")[0] == first_word:
                    return lines
            left = deadline - time.monotonic()
            assert left > 0, f"no {first_word} in {lines}"
            if select.select([fd], [], [], left)[0]:
                chunk = os.read(fd, 65536)
                assert chunk, f"the bot ended without {first_word} after {lines}"
                self.unread += chunk

    def ask(self, *lines: str | bytes) -> str:
        """Say lines that end with a request for a move and return the word of the answer."""
        self.say(*lines)
        return self.hear("bestmove")[-1].split()[1]

    def ping(self) -> list[str]:
        """Return what was said until the answer to a ping."""
        self.say("isready")
        return self.hear("readyok")[:-1]

    def ends(self, within_seconds: float = 10) -> int:
        """Wait for the end and return the exit code; nothing may stand on stderr."""
        code = self.process.wait(within_seconds)
        assert self.process.stderr is not None
        assert self.process.stderr.read() == b""
        return code


def words_of(name: str, folder: Path) -> list[str]:
    match name:
        case "plain":
            return [sys.executable, str(PLAIN_BOT)]
        case "plain-copy":
            # Isolated, without site packages: nothing of ours can be imported.
            return [sys.executable, "-I", "-S", str(shutil.copy(PLAIN_BOT, folder / "my_bot.py"))]
        case _:
            return [sys.executable, "-P", "-m", f"bots.{name}_bot"]


Start = Callable[[str], Talk]


@pytest.fixture
def start(tag: Tag, tmp_path: Path) -> Iterator[Start]:
    talks: list[Talk] = []

    def start(name: str) -> Talk:
        process = subprocess.Popen(
            words_of(name, tmp_path),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            env={**os.environ, "LOA_TEST_TAG": tag.value},
        )
        talks.append(Talk(process))
        return talks[-1]

    yield start
    for talk in talks:
        talk.process.kill()
        talk.process.wait()
        for stream in (talk.process.stdin, talk.process.stdout, talk.process.stderr):
            assert stream is not None
            with suppress(BrokenPipeError):
                stream.close()


@pytest.fixture(params=[*OPTIONS, "plain-copy"])
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def talk(name: str, start: Start) -> Talk:
    return start(name)


def is_legal(word: str, position: Position) -> bool:
    return parse_move(word) in position.legal_moves()


def test_the_greeting_names_the_options(name: str, talk: Talk) -> None:
    talk.say("ugi")
    lines = talk.hear("ugiok")
    name = name.removesuffix("-copy")
    assert lines[0] == f"id name {name}"
    messages = [decode_message(line) for line in lines]
    assert None not in messages
    assert {offer.name for offer in messages if isinstance(offer, OptionOffer)} == OPTIONS[name]


def test_the_greeting_of_the_uci_dialect(talk: Talk) -> None:
    talk.say("uci")
    talk.hear("uciok")


@pytest.mark.parametrize("go", GO_FORMS)
def test_a_legal_move_under_any_limit(talk: Talk, go: str) -> None:
    assert is_legal(talk.ask("position startpos moves b1b3", go), AFTER_B1B3)
    assert talk.ping() == []


def test_info_can_be_read(talk: Talk) -> None:
    talk.say("position startpos", "go depth 1 nodes 20")
    for line in talk.hear("bestmove")[:-1]:
        info = decode_message(line)
        assert isinstance(info, Info)
        assert info != Info()


def test_a_whole_conversation(talk: Talk) -> None:
    talk.say("ugi", "isready")
    talk.hear("readyok")
    position, moves = STANDARD_START, ""
    talk.say("setoption name Seed value 3", "uginewgame")
    assert talk.ping() == []
    for _ in range(6):
        word = talk.ask(f"position startpos{moves}", "go nodes 20 depth 1")
        position = position.play(parse_move(word))
        moves += f" {word}" if moves else f" moves {word}"
    talk.say("quit")
    assert talk.ends() == 0


def test_a_blocked_side_passes(talk: Talk) -> None:
    assert talk.ask(f"position fen {BLOCKED}", "go movetime 50") == "pass"
    assert talk.ask(f"position fen {BLOCKED} moves pass", "go nodes 9 depth 1") != "pass"


@pytest.mark.parametrize(
    ("position", "answers"),
    [
        ("startpos", ["false", "true", "none"]),
        ("startpos moves b1b3", ["false", "false", "none"]),
        ("fen w6w/8/8/8/8/8/8/1b1b4 b moves d1c2", ["true", "false", "p1win"]),
        ("fen b6b/8/8/8/8/8/8/1w1w4 w moves d1c2", ["true", "true", "p2win"]),
        ("fen ww6/8/8/8/8/1w6/b7/3b4 b moves d1b3", ["true", "false", "draw"]),
        (
            "startpos moves b1b3 a2c2 b3b1 c2a2 b1b3 a2c2 b3b1 c2a2",
            ["true", "true", "draw"],
        ),
    ],
)
def test_queries(talk: Talk, position: str, answers: list[str]) -> None:
    talk.say(f"position {position}", "query gameover", "query p1turn", "query result")
    assert [talk.hear("response") for _ in range(3)] == [[f"response {word}"] for word in answers]


def test_stop_ends_an_endless_search_with_one_answer(talk: Talk) -> None:
    assert is_legal(talk.ask("position startpos moves b1b3", "go infinite", "stop"), AFTER_B1B3)
    talk.say("stop")
    assert talk.ping() == []
    assert is_legal(talk.ask("go nodes 5 depth 1"), AFTER_B1B3)


@pytest.mark.parametrize("name", THINKERS)
def test_a_ping_is_answered_while_it_thinks(start: Start, name: str) -> None:
    talk = start(name)
    talk.say("position startpos", "go infinite", "isready")
    assert [line for line in talk.hear("readyok") if line.startswith("bestmove")] == []
    assert is_legal(talk.ask("stop"), STANDARD_START)


def test_a_ping_during_a_search_is_answered_once(talk: Talk) -> None:
    talk.say("position startpos", "go infinite", "isready", "stop", "isready")
    lines = talk.hear("readyok") + talk.hear("readyok")
    assert sum(line.startswith("bestmove") for line in lines) == 1


def test_the_end_of_input_ends_it(talk: Talk) -> None:
    talk.ping()
    assert talk.process.stdin is not None
    talk.process.stdin.close()
    assert talk.ends() == 0


@pytest.mark.parametrize("last", ["", "quit\n"])
def test_the_end_of_input_ends_it_while_it_thinks(talk: Talk, last: str) -> None:
    talk.ping()
    talk.say("position startpos", "go infinite", last.encode())
    assert talk.process.stdin is not None
    talk.process.stdin.close()
    assert talk.ends() == 0


def test_it_leaves_quietly_when_nobody_listens(talk: Talk) -> None:
    talk.ping()
    assert talk.process.stdout is not None
    talk.process.stdout.close()
    talk.say("ugi", "isready")
    assert talk.ends() == 0


def test_line_ends_of_other_systems_are_read(talk: Talk) -> None:
    talk.say(b"ugi\r\nisready\r\n")
    talk.hear("readyok")
    talk.say(b"position startpos moves b1b3\r\ngo nodes 20 depth 1\r\n")
    assert is_legal(talk.hear("bestmove")[-1].split()[1], AFTER_B1B3)


def test_junk_is_skipped(talk: Talk) -> None:
    junk = [b"\n", b"   \n", b"\xff\xfe\x00\x80\n", b"hello world\n", b"UGI\n", b"x" * 200_000]
    talk.say(*junk, "", "query", "query weather", "setoption", "setoption name Seed value x")
    talk.say("setoption name Nonsense value 3", "setoption name Seed value 99999999999999999999")
    talk.say("go2", "position", "debug on", "stop")
    assert all(line.startswith("info string ") for line in talk.ping())
    assert is_legal(talk.ask("position startpos", "go movetime 30"), STANDARD_START)


@pytest.mark.parametrize(
    "line",
    [
        "position",
        "position here",
        "position fen",
        "position fen garbage",
        "position fen 8/8 b",
        "position fen 9/8/8/8/8/8/8/8 b",
        "position fen 1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 x",
        "position fen 1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1",
        "position fen \ufffd\ufffd b",
        "position startpos moves b1b3 zz",
        "position startpos moves b1b3 a1a2",
        "position startpos moves b1b3 pass",
    ],
)
def test_a_hostile_position_leaves_the_last_one(talk: Talk, line: str) -> None:
    talk.say("position startpos moves b1b3", line)
    assert all(line.startswith("info string ") for line in talk.ping())
    assert is_legal(talk.ask("go movetime 30"), AFTER_B1B3)


@pytest.mark.parametrize(
    "fen",
    [
        "8/8/8/8/8/8/8/8 b",
        "8/8/8/8/8/8/8/b6w b",
        "bbbbbbbb/bbbbbbbb/8/8/8/8/wwwwwwww/wwwwwwww w",
        "bbbbbbbb/bbbbbbbb/bbbbbbbb/bbbbbbbb/wwwwwwww/wwwwwwww/wwwwwwww/wwwwwwww w",
    ],
)
def test_a_position_that_no_game_starts_from_does_not_end_it(talk: Talk, fen: str) -> None:
    talk.say(f"position fen {fen}", "query result")
    talk.hear("response")
    talk.ask("go movetime 30")
    assert is_legal(talk.ask("position startpos", "go movetime 30"), STANDARD_START)


def test_the_seed_decides_what_chance_decides(start: Start, name: str) -> None:
    def moves(talk: Talk) -> list[str]:
        answers = []
        for seed in range(12):
            talk.say(f"setoption name Seed value {seed}", "uginewgame")
            answers.append(talk.ask("position startpos moves b1b3", "go depth 1 nodes 30"))
        return answers

    first = moves(start(name))
    assert moves(start(name)) == first
    if name == "random":
        assert len(set(first)) > 3


# Whole games


def definition(
    name: str,
    tag: Tag,
    folder: Path,
    label: str | None = None,
    protocol: BotProtocol = BotProtocol.UGI,
) -> BotDefinition:
    if name in SHIPPED:
        module, command = f"bots.{name}_bot", None
    else:
        module, command = None, tuple(words_of(name, folder))
    options = {"mcts": (("Simulations", "15"),), "alphabeta": (("Nodes", "60"),)}
    return BotDefinition(
        label or name,
        module=module,
        command=command,
        folder=str(folder),
        options=options.get(name, ()),
        env=(("LOA_TEST_TAG", tag.value),),
        protocol=protocol,
    )


def play_game(
    black: BotDefinition, white: BotDefinition, control: str = "nodes=60,depth=2"
) -> GameRecord:
    spec = game_spec(black.name, white.name, control=control, max_plies=30)
    spec = replace(
        spec,
        black=replace(spec.black, protocol=black.protocol),
        white=replace(spec.white, protocol=white.protocol),
    )
    session = Session(0)
    try:
        events = list(session.run(PairJob((spec,), (black, white), (), RestartPolicy.AUTO)))
    finally:
        session.close()
    assert not [event for event in events if isinstance(event, (Voided, StartFailed))]
    (record,) = [event.record for event in events if isinstance(event, Played)]
    assert record.outcome.cause.kind in (CauseKind.BOARD, CauseKind.ADJUDICATION), record.outcome
    assert record.black.stderr == record.white.stderr == ""
    return record


@pytest.mark.parametrize("opponent", ["greedy", "plain"])
def test_a_whole_game_is_the_same_when_it_is_played_again(
    name: str, opponent: str, tag: Tag, tmp_path: Path
) -> None:
    black = definition(name, tag, tmp_path)
    white = definition(opponent, tag, tmp_path, label="opponent")
    first, second = play_game(black, white), play_game(black, white)
    assert len(first.moves) > 4
    assert first.moves == second.moves
    assert first.outcome == second.outcome


@pytest.mark.parametrize("name", ["alphabeta", "plain"])
def test_a_whole_game_in_the_uci_dialect(name: str, tag: Tag, tmp_path: Path) -> None:
    black = definition(name, tag, tmp_path, protocol=BotProtocol.UCI)
    white = definition("random", tag, tmp_path)
    record = play_game(black, white, control="1+0.05")
    assert record.black.announced == name
    assert len(record.moves) > 4
