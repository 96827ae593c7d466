from __future__ import annotations

from dataclasses import replace

from harness.play.bot_definition import BotDefinition, Pondering, Sandbox
from harness.tournament.effective_bots import effective_bots
from tests.unit.tournament.tables import spec_of

SPEC = spec_of("ab", "round-robin")


def of(spec_values: dict[str, object], bot_values: dict[str, object]) -> BotDefinition:
    """Return what is played of a bot with these values in a tournament with those."""
    first, second = SPEC.bots
    bots = (replace(first, **bot_values), second)  # type: ignore[arg-type]
    spec = replace(SPEC, bots=bots, **spec_values)  # type: ignore[arg-type]
    played = effective_bots(spec, 700)
    assert [bot.name for bot in played] == ["a", "b"]
    return played[0]


def test_without_a_word_a_bot_gets_the_share_of_the_machine_and_nothing_else() -> None:
    bot = of({}, {})
    assert (bot.sandbox, bot.pondering) == (Sandbox.NONE, Pondering.IGNORE)
    assert bot.memory_mb == 700
    assert replace(bot, sandbox=None, pondering=None, memory_mb=None) == SPEC.bots[0]
    assert effective_bots(SPEC, None)[0].memory_mb is None


def test_the_tournament_goes_before_the_machine_and_the_bot_before_both() -> None:
    tournament: dict[str, object] = {
        "sandbox": Sandbox.BWRAP,
        "pondering": Pondering.SUSPEND,
        "memory_mb": 500,
    }
    bot = of(tournament, {})
    assert (bot.sandbox, bot.pondering, bot.memory_mb) == (Sandbox.BWRAP, Pondering.SUSPEND, 500)
    own = of(
        tournament, {"sandbox": Sandbox.NONE, "pondering": Pondering.IGNORE, "memory_mb": 9000}
    )
    assert (own.sandbox, own.pondering, own.memory_mb) == (Sandbox.NONE, Pondering.IGNORE, 9000)
