"""What tests of the shipped bots share: a runner that only listens, and matches in one process."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from harness.botkit import Choose, OptionValue, Turn
from harness.protocol.messages import BotMessage, Go
from harness.rules.game import Game
from harness.rules.position import STANDARD_START
from harness.rules.types import PASS, Color, RuleSet


@dataclass
class Listener:
    """Stands for the runner's end of the connection: keeps what it hears.

    It says nothing, or stop after it was looked at for so many times.
    """

    heard: list[BotMessage] = field(default_factory=list)
    looks_left: int | None = None

    def wants_answer(self) -> bool:
        if self.looks_left is None:
            return False
        self.looks_left -= 1
        return self.looks_left < 0

    def say(self, *messages: BotMessage) -> None:
        self.heard += messages


class Player(NamedTuple):
    """A bot's function with the limits and options that it gets at every turn."""

    choose: Choose
    limits: Go = Go()
    options: Mapping[str, OptionValue] = {}


def turn_of(
    game: Game,
    player: Player,
    *,
    seed: int = 1,
    listener: Listener | None = None,
) -> Turn:
    options: dict[str, OptionValue] = {
        "Seed": seed,
        "Dilution": 0,
        "Depth": 0,
        "Nodes": 0,
        "Simulations": 0,
    }
    connection = cast("Any", listener or Listener())
    return Turn(connection, game, player.limits, {**options, **player.options}, 0)


def match_score(first: Player, second: Player, pairs: int, seed: int = 0) -> float:
    """Play game pairs from openings of four random plies; a draw is half a point."""
    score = 0.0
    for number in range(2 * pairs):
        chance = random.Random(seed + number // 2)
        game = Game(STANDARD_START, RuleSet(max_plies=400))
        for _ in range(4):
            game.push(chance.choice(game.legal_moves()))
        first_color = Color(number % 2)
        while game.verdict is None:
            if not game.position.has_legal_move():
                game.push(PASS)
                continue
            player = first if game.to_move is first_color else second
            game.play(player.choose(game.position, turn_of(game, player, seed=number)))
        winner = game.verdict.winner
        score += 0.5 if winner is None else float(winner is first_color)
    return score
