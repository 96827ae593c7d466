"""Start-up of a bot: greeting, options, new game, each on a limit of its own."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import assert_never

from harness.play.bot_definition import BotDefinition, BotProtocol
from harness.process.bot_process import BotProcess
from harness.process.pipes import printable_words
from harness.protocol.codec import decode_message, encode_request
from harness.protocol.messages import Dialect, IdName, OptionOffer, OptionType, SetOption
from harness.rules.types import RuleSet
from harness.whole_number import whole_number

SEED_OPTION = "Seed"
DRAW_OFFERS_OPTION = "DrawOffers"
_MAX_NAME_LENGTH = 200
_MAX_SHOWN_LENGTH = 80
_MAX_SPIN_DIGITS = 40  # bounds of more than 18 are not read, the bot may well hold such a number


@dataclass(frozen=True, slots=True)
class Greeting:
    """What a bot announced of itself; ``options`` by name in lower case."""

    name: str
    options: dict[str, OptionOffer]

    def offers(self, option: str) -> bool:
        """Whether the bot announced this option; case does not matter."""
        return option.lower() in self.options

    def takes(self, option: str, value: str) -> bool:
        """Whether the bot announced this option as one that can have this value.

        What a bot announces may be nonsense: such an option is left alone.
        """
        offer = self.options.get(option.lower())
        if offer is None or offer.type is OptionType.BUTTON:
            return False
        return _value_problem(offer, value) is None


def greet(bot: BotProcess) -> Greeting:
    """Greet a bot that was just started; BotFailure when it does not answer in its limit."""
    greet_word, done_word, _ = _dialect_words(bot.definition.protocol)
    lines = bot.converse(greet_word + b"\n", done_word, bot.definition.limits.start_ms)
    name = ""
    options: dict[str, OptionOffer] = {}
    for line in lines:
        message = decode_message(line.decode("utf-8", "replace"))
        if isinstance(message, IdName):
            name = printable_words(message.text[:_MAX_NAME_LENGTH])
        elif isinstance(message, OptionOffer):
            options[message.name.lower()] = message
    return Greeting(name, options)


def option_problems(definition: BotDefinition, greeting: Greeting) -> list[str]:
    """Say which of the options to be set the bot does not announce or cannot take."""
    problems = []
    for name, value in definition.options:
        offer = greeting.options.get(name.lower())
        if offer is None:
            names = sorted(option.name for option in greeting.options.values())
            known = printable_words(", ".join(names)[:_MAX_NAME_LENGTH])
            problems.append(
                f"option {name} is not announced by the bot (it has: {known or 'none'})"
            )
        else:
            problem = _value_problem(offer, value)
            if problem:
                problems.append(f"option {name}: {problem}")
    return problems


def rule_warnings(rules: RuleSet, greeting: Greeting) -> list[str]:
    """Say which rules of the tournament the bot cannot be told and differ from the defaults."""
    defaults = dict(_rule_options(RuleSet()))
    warnings = []
    for option, value in _rule_options(rules):
        if greeting.takes(option, value) or value == defaults[option]:
            continue
        offer = greeting.options.get(option.lower())
        problem = None if offer is None else _value_problem(offer, value) or "takes no value"
        how = "without announcing the option" if problem is None else f"but its option {problem}"
        warnings.append(f"plays {option}={value} {how}: it may not know this rule")
    return warnings


def takes_draw_offers(definition: BotDefinition, greeting: Greeting) -> bool:
    """Whether the bot takes part in draw offers: announced, and not set to false by the user."""
    offer = greeting.options.get(DRAW_OFFERS_OPTION.lower())
    if offer is None or offer.type is not OptionType.CHECK:
        return False
    fixed = {name.lower(): value for name, value in definition.options}
    return fixed.get(DRAW_OFFERS_OPTION.lower(), "true") == "true"


def configure(bot: BotProcess, greeting: Greeting, rules: RuleSet) -> None:
    """Set the user's options and the rules, then wait for the bot to be ready."""
    settings = [
        (greeting.options[name.lower()].name, value)
        for name, value in bot.definition.options
        if greeting.offers(name)
    ]
    fixed = {name.lower() for name, _ in bot.definition.options}
    settings += [
        (greeting.options[option.lower()].name, value)
        for option, value in _rule_options(rules)
        if greeting.takes(option, value) and option.lower() not in fixed
    ]
    if takes_draw_offers(bot.definition, greeting) and DRAW_OFFERS_OPTION.lower() not in fixed:
        settings.append((greeting.options[DRAW_OFFERS_OPTION.lower()].name, "true"))
    lines = "".join(f"{_set_option(bot, greeting, name, value)}\n" for name, value in settings)
    bot.converse(f"{lines}isready\n".encode(), b"readyok", bot.definition.limits.ping_ms)


def new_game(bot: BotProcess, greeting: Greeting, tournament_seed: int, game_id: str) -> None:
    """Announce a new game with its seed and wait until the bot is ready for it.

    The answer is a barrier: what the bot wrote before it belongs to an earlier game.
    """
    lines = b""
    offer = greeting.options.get(SEED_OPTION.lower())
    fixed = {name.lower() for name, _ in bot.definition.options}
    if offer is not None and SEED_OPTION.lower() not in fixed:
        seed = str(game_seed(offer, tournament_seed, game_id, bot.name))
        if greeting.takes(SEED_OPTION, seed):
            lines += _set_option(bot, greeting, offer.name, seed).encode() + b"\n"
    lines += _dialect_words(bot.definition.protocol)[2] + b"\nisready\n"
    bot.converse(lines, b"readyok", bot.definition.limits.new_game_ms)


def game_seed(offer: OptionOffer, tournament_seed: int, game_id: str, bot: str) -> int:
    """Return the seed of one bot in one game: a hash of all three, fitted to the range."""
    digest = hashlib.sha256(f"{tournament_seed}\n{game_id}\n{bot}".encode()).digest()
    low = offer.minimum if offer.minimum is not None else 0
    high = offer.maximum if offer.maximum is not None else 2**31 - 1
    return low + int.from_bytes(digest[:8]) % (max(high - low, 0) + 1)


def _dialect_words(protocol: BotProtocol) -> tuple[bytes, bytes, bytes]:
    """Return the words of a dialect for greeting, end of greeting and new game."""
    if protocol is BotProtocol.UCI:
        return b"uci", b"uciok", b"ucinewgame"
    return b"ugi", b"ugiok", b"uginewgame"


def _set_option(bot: BotProcess, greeting: Greeting, name: str, value: str) -> str:
    offer = greeting.options[name.lower()]
    is_button = offer.type is OptionType.BUTTON
    dialect = Dialect.UCI if bot.definition.protocol is BotProtocol.UCI else Dialect.UGI
    return encode_request(SetOption(name, None if is_button else value), dialect)


def _rule_options(rules: RuleSet) -> tuple[tuple[str, str], ...]:
    return (
        ("Simultaneous", rules.simultaneous.value),
        ("NoMoves", rules.no_moves.value),
        ("Repetition", str(rules.repetition)),
    )


def _value_problem(offer: OptionOffer, value: str) -> str | None:
    """Say why an announced option cannot take a value; None when it can."""
    match offer.type:
        case OptionType.SPIN:
            number = whole_number(value, _MAX_SPIN_DIGITS)
            if number is None:
                return f"takes a whole number, not {_shown(value)}"
            low, high = offer.minimum, offer.maximum
            if (low is not None and number < low) or (high is not None and number > high):
                return f"takes {_range_text(low, high)}, not {number}"
        case OptionType.CHECK:
            if value not in ("true", "false"):
                return f"takes true or false, not {_shown(value)}"
        case OptionType.COMBO:
            if value.lower() not in (choice.lower() for choice in offer.choices):
                choices = printable_words(", ".join(offer.choices)[:_MAX_NAME_LENGTH])
                known = f"one of {choices}" if choices else "nothing, as it names no choice"
                return f"takes {known}, not {_shown(value)}"
        case OptionType.STRING | OptionType.BUTTON:
            return None
        case _:
            assert_never(offer.type)
    return None


def _range_text(low: int | None, high: int | None) -> str:
    """Return the bounds of a spin in words; at least one is known."""
    if low is None:
        return f"at most {high}"
    if high is None:
        return f"at least {low}"
    if low > high:
        return f"no number at all, as it announces min {low} and max {high}"
    return f"{low} to {high}"


def _shown(value: str) -> str:
    return repr(value if len(value) <= _MAX_SHOWN_LENGTH else f"{value[:_MAX_SHOWN_LENGTH]}...")
