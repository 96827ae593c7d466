"""The game in PROTOCOL.md is one that the code understands and the rules allow."""

from __future__ import annotations

from pathlib import Path

import harness.protocol
from harness.protocol.codec import decode_message, decode_request, encode_message, encode_request
from harness.protocol.messages import BestMove, Go, Greet, Quit, SetPosition
from harness.rules.game import Game
from harness.rules.position import STANDARD_START
from harness.rules.types import Color, RuleSet, Termination

DOCUMENT = Path(harness.protocol.__file__).parent / "PROTOCOL.md"


def transcript() -> list[str]:
    text = DOCUMENT.read_text(encoding="utf-8").partition("## A whole game")[2]
    return text.partition("```text\n")[2].partition("```")[0].splitlines()


def test_every_line_is_read_and_written_as_it_stands() -> None:
    lines = transcript()
    assert len(lines) > 50
    for line in lines:
        if line.startswith("> "):
            request = decode_request(line[2:])
            assert request is not None
            assert encode_request(request) == line[2:]
        else:
            assert line.startswith("< ")
            message = decode_message(line[2:])
            assert message is not None
            assert encode_message(message) == line[2:]


def test_the_game_is_legal_and_ends_with_its_last_move() -> None:
    game = Game(STANDARD_START, RuleSet())
    requests = [decode_request(line[2:]) for line in transcript() if line.startswith("> ")]
    assert isinstance(requests[0], Greet)
    assert isinstance(requests[-1], Quit)
    assert sum(isinstance(request, Go) for request in requests) == 10
    for line in transcript():
        request = decode_request(line[2:]) if line.startswith("> ") else None
        message = decode_message(line[2:]) if line.startswith("< ") else None
        if isinstance(request, SetPosition):
            assert request.start is None
            assert request.moves[: len(game.moves)] == tuple(game.moves)
            for move in request.moves[len(game.moves) :]:
                game.play(move)
        elif isinstance(message, BestMove):
            assert game.to_move is Color.BLACK
            game.play(message.move)
    assert game.verdict is not None
    assert game.verdict.termination is Termination.CONNECTION
    assert game.verdict.winner is Color.BLACK
