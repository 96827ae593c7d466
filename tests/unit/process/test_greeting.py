from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.play.bot_definition import BotDefinition
from harness.process.greeting import (
    Greeting,
    game_seed,
    option_problems,
    rule_warnings,
    takes_draw_offers,
)
from harness.protocol.messages import OptionOffer, OptionType
from harness.rules.types import NoMovesRule, RuleSet, SimultaneousRule

OFFERS = (
    OptionOffer("Depth", OptionType.SPIN, "3", 1, 10),
    OptionOffer("Fast", OptionType.CHECK, "false"),
    OptionOffer("Style", OptionType.COMBO, "calm", choices=("calm", "Wild")),
    OptionOffer("Book", OptionType.STRING),
    OptionOffer("Clear", OptionType.BUTTON),
)
GREETING = Greeting("x", {offer.name.lower(): offer for offer in OFFERS})


@pytest.mark.parametrize(
    ("name", "value", "wrong"),
    [
        ("Depth", "1", ""),
        ("depth", "10", ""),
        ("Depth", "11", "takes 1 to 10"),
        ("Depth", "0", "takes 1 to 10"),
        ("Depth", "two", "whole number"),
        ("Fast", "true", ""),
        ("Fast", "yes", "true or false"),
        ("Style", "wild", ""),
        ("Style", "rude", "one of calm, Wild"),
        ("Book", "anything at all", ""),
        ("Clear", "", ""),
        ("Nodes", "5", "not announced"),
    ],
)
def test_options_are_checked_against_what_was_announced(name: str, value: str, wrong: str) -> None:
    problems = option_problems(BotDefinition("x", module="m", options=((name, value),)), GREETING)
    assert len(problems) == bool(wrong)
    assert all(wrong in problem for problem in problems)


def test_rules_that_a_bot_cannot_be_told_are_warned_about() -> None:
    assert rule_warnings(RuleSet(), GREETING) == []
    odd = RuleSet(SimultaneousRule.MOVER, NoMovesRule.LOSS, 2)
    assert [warning.split()[1] for warning in rule_warnings(odd, GREETING)] == [
        "Simultaneous=mover",
        "NoMoves=loss",
        "Repetition=2",
    ]
    knows = Greeting("x", {"repetition": OptionOffer("Repetition", OptionType.SPIN)})
    assert len(rule_warnings(odd, knows)) == 2


@given(st.integers(-(2**63), 2**63), st.integers(0, 2**40), st.integers(0, 2**31), st.text())
def test_a_seed_fits_the_announced_range(low: int, width: int, seed: int, game_id: str) -> None:
    offer = OptionOffer("Seed", OptionType.SPIN, "0", low, low + width)
    assert low <= game_seed(offer, seed, game_id, "bot") <= low + width
    assert game_seed(offer, seed, game_id, "bot") == game_seed(offer, seed, game_id, "bot")


def test_seeds_differ_by_tournament_game_and_bot() -> None:
    offer = OptionOffer("Seed", OptionType.SPIN, "0", 0, 2**31 - 1)
    seeds = {
        game_seed(offer, seed, game_id, bot)
        for seed in (1, 2)
        for game_id in ("a~b.1a", "a~b.1b")
        for bot in ("a", "b")
    }
    assert len(seeds) == 8


CHECK = OptionOffer("DrawOffers", OptionType.CHECK, "false")


@pytest.mark.parametrize(
    ("offer", "options", "takes"),
    [
        (CHECK, (), True),
        (CHECK, (("DrawOffers", "true"),), True),
        (CHECK, (("drawoffers", "false"),), False),
        (CHECK, (("Depth", "false"),), True),
        (OptionOffer("DRAWOFFERS", OptionType.CHECK, "true"), (), True),
        (OptionOffer("DrawOffers", OptionType.STRING), (), False),
        (OptionOffer("Draws", OptionType.CHECK), (), False),
    ],
)
def test_who_takes_part_in_draw_offers(
    offer: OptionOffer, options: tuple[tuple[str, str], ...], takes: bool
) -> None:
    greeting = Greeting("x", {offer.name.lower(): offer})
    definition = BotDefinition("x", module="m", options=options)
    assert takes_draw_offers(definition, greeting) is takes
    assert not takes_draw_offers(definition, Greeting("x", {}))
