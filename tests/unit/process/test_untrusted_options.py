"""Nonsense that a bot announces never breaks its greeting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import pytest

from harness.play.bot_definition import BotDefinition
from harness.process.bot_process import BotProcess
from harness.process.greeting import (
    Greeting,
    configure,
    greet,
    new_game,
    option_problems,
    rule_warnings,
    takes_draw_offers,
)
from harness.rules.types import NoMovesRule, RuleSet, SimultaneousRule

ODD_RULES = RuleSet(SimultaneousRule.MOVER, NoMovesRule.LOSS, 2)


class ScriptedBot:
    """Answers the greeting with these lines, and keeps what it is sent."""

    def __init__(self, lines: Sequence[bytes], options: tuple[tuple[str, str], ...] = ()) -> None:
        self.definition = BotDefinition("x", module="m", options=options)
        self.name = "x"
        self.sent: list[bytes] = []
        self._lines = lines

    def converse(self, request: bytes, last_line: bytes, limit_ms: int) -> list[bytes]:
        assert limit_ms > 0
        self.sent += request.splitlines()
        return list(self._lines) if last_line == b"ugiok" else []


def whole_start(
    lines: Sequence[bytes], options: tuple[tuple[str, str], ...] = (), rules: RuleSet = ODD_RULES
) -> tuple[Greeting, list[bytes]]:
    """Greet, look at everything, configure, begin a game; return what the bot was sent."""
    scripted = ScriptedBot(lines, options)
    bot = cast(BotProcess, scripted)
    greeting = greet(bot)
    messages = [
        *option_problems(bot.definition, greeting),
        *rule_warnings(rules, greeting),
        greeting.name,
    ]
    assert all(message.isprintable() and len(message) < 1000 for message in messages)
    takes_draw_offers(bot.definition, greeting)
    configure(bot, greeting, rules)
    new_game(bot, greeting, 1, "a~b.1a")
    assert all(b"\0" not in line and len(line) < 300_000 for line in scripted.sent)
    return greeting, scripted.sent


NONSENSE: dict[str, list[bytes]] = {
    "min above max": [b"option name Seed type spin default 1 min 9 max 3"],
    "default out of range": [b"option name Seed type spin default 99 min 0 max 3"],
    "no name": [b"option name type spin default 1", b"option", b"option name", b"option type spin"],
    "no type": [b"option name Seed", b"option name Seed type", b"option name Seed type float"],
    "control characters": [
        b"option name \x1b[2J\x07 type string default \x1b[31m",
        b"option name Seed\0 type spin min 0 max 5",
        "option name \u202eSeed type combo var \u2028 var \u200b".encode(),
        b"id name \x1b]0;title\x07\xff\xfe",
    ],
    "combo without values": [
        b"option name Simultaneous type combo default draw",
        b"option name NoMoves type combo default x var",
    ],
    "huge numbers": [
        b"option name Seed type spin default 0 min 0 max 1" + b"0" * 30,
        b"option name Repetition type spin default 0 min -1" + b"0" * 5000 + b" max 5",
    ],
    "numbers of other scripts": ["option name Seed type spin min \u0660 max \u0669".encode()],
    "the types of others": [
        b"option name Seed type button",
        b"option name Repetition type check default true",
        b"option name NoMoves type button",
        b"option name DrawOffers type spin default 1",
    ],
    "words of the protocol as names": [b"option name name type spin", b"option name value type x"],
    "ten thousand options": [
        b"option name O%d type spin default 1 min 0 max 2" % number for number in range(10_000)
    ],
    "the same name again and again": [b"option name Seed type spin"] * 5_000,
    "ten thousand choices": [b"option name NoMoves type combo" + b" var x" * 9_000],
    "a name without end": [
        b"id name " + b"x" * 60_000,
        b"option name %s type check" % (b"y" * 60_000),
    ],
    "not UTF-8": [bytes(range(128, 256)) * 10, b"option name \xff type spin"],
}  # fmt: skip


@pytest.mark.parametrize("lines", NONSENSE.values(), ids=NONSENSE)
@pytest.mark.parametrize(
    "options", [(), (("Seed", "4"), ("NoMoves", "loss"), ("DrawOffers", "true"), ("None", ""))]
)
def test_nonsense_never_breaks_a_start(
    lines: list[bytes], options: tuple[tuple[str, str], ...]
) -> None:
    whole_start(lines, options)


def sent_options(lines: list[bytes], rules: RuleSet = ODD_RULES) -> list[bytes]:
    return [line for line in whole_start(lines, rules=rules)[1] if line.startswith(b"setoption")]


@pytest.mark.parametrize("kind", NONSENSE)
def test_what_a_bot_cannot_take_is_not_sent(kind: str) -> None:
    expected = {"default out of range", "huge numbers", "numbers of other scripts"}
    expected |= {"the same name again and again"}
    names = {line.split()[2] for line in sent_options(NONSENSE[kind])}
    assert names == ({b"Seed"} if kind in expected else set()) | (
        {b"Repetition"} if kind == "huge numbers" else set()
    )


def test_a_sensible_bot_is_sent_everything() -> None:
    lines = [
        b"option name Seed type spin default 0 min 0 max 5",
        b"option name simultaneous type combo default draw var draw var mover",
        b"option name NoMoves type combo default pass var pass var loss var draw",
        b"option name Repetition type spin default 3 min 0 max 1000",
        b"option name DrawOffers type check default false",
    ]
    *settings, seed = sent_options(lines)
    assert settings == [
        b"setoption name simultaneous value mover",
        b"setoption name NoMoves value loss",
        b"setoption name Repetition value 2",
        b"setoption name DrawOffers value true",
    ]
    assert seed.startswith(b"setoption name Seed value ")
    assert rule_warnings(ODD_RULES, greet(cast(BotProcess, ScriptedBot(lines)))) == []


@pytest.mark.parametrize(
    ("offer", "warning"),
    [
        (b"type spin min 3 max 5", "but its option takes 3 to 5, not 2"),
        (b"type spin max 1", "but its option takes at most 1, not 2"),
        (b"type spin min 3", "but its option takes at least 3, not 2"),
        (b"type spin min 9 max 3", "as it announces min 9 and max 3"),
        (b"type combo", "but its option takes nothing, as it names no choice"),
        (b"type button", "but its option takes no value"),
    ],
)
def test_a_rule_that_an_option_cannot_take_is_said(offer: bytes, warning: str) -> None:
    lines = [b"option name Repetition " + offer]
    greeting, sent = whole_start(lines, rules=RuleSet(repetition=2))
    (said,) = rule_warnings(RuleSet(repetition=2), greeting)
    assert warning in said
    assert not any(line.startswith(b"setoption") for line in sent)


@pytest.mark.parametrize("value", ["1_0", " 5", "+5", "5 ", "\u0665", "5.0", "1e1", "", "9" * 5000])
def test_a_spin_takes_digits_alone(value: str) -> None:
    offer = [b"option name Depth type spin default 1 min 0 max 100"]
    greeting = greet(cast(BotProcess, ScriptedBot(offer)))
    definition = BotDefinition("x", module="m", options=(("Depth", value),))
    (problem,) = option_problems(definition, greeting)
    assert "whole number" in problem
    assert len(problem) < 200
    assert problem.isprintable()


def test_a_spin_without_bounds_takes_numbers_of_more_than_64_bits() -> None:
    greeting = greet(
        cast(BotProcess, ScriptedBot([b"option name Key type spin max 1" + b"0" * 20]))
    )
    definition = BotDefinition("x", module="m", options=(("Key", str(2**64)),))
    assert option_problems(definition, greeting) == []
