"""The lines of a greeting: which options cannot be read, or do not take their own default."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, assert_never

from harness.process.greeting import Greeting
from harness.protocol.codec import decode_message
from harness.protocol.messages import IdAuthor, IdName, OptionOffer, OptionType
from harness.whole_number import whole_number

_OPTION_FORM: Final = "option name N type spin|check|combo|string|button default V [min A max B]"


class StandardOption(NamedTuple):
    """An option that the runner sets by itself, and the values that it may set."""

    name: str
    type: OptionType
    values: tuple[str, ...]


STANDARD_OPTIONS: Final = (
    StandardOption("Seed", OptionType.SPIN, ()),
    StandardOption("Simultaneous", OptionType.COMBO, ("draw", "mover")),
    StandardOption("NoMoves", OptionType.COMBO, ("pass", "loss", "draw")),
    StandardOption("Repetition", OptionType.SPIN, ("0", "2", "3")),
    StandardOption("DrawOffers", OptionType.CHECK, ("true", "false")),
)


def announcement_problems(lines: Sequence[str]) -> list[str]:
    """Return what is wrong with the option lines of a greeting, each in a few words."""
    problems: list[str] = []
    seen: set[str] = set()
    for line in lines:
        if line.split()[:1] != ["option"]:
            continue
        offer = decode_message(line)
        if not isinstance(offer, OptionOffer):
            problems.append(f"`{line[:60]}` cannot be read: the form is `{_OPTION_FORM}`")
            continue
        if offer.name.lower() in seen:
            problems.append(f"option {offer.name} is announced twice (case does not matter)")
        seen.add(offer.name.lower())
        problem = _offer_problem(offer)
        if problem:
            problems.append(f"option {offer.name}: {problem}")
    return problems


def unknown_lines(lines: Sequence[str]) -> list[str]:
    """Return the lines of a greeting that no runner reads."""
    return [
        line
        for line in lines
        if line.split()[:1] != ["option"]
        and not isinstance(decode_message(line), (IdName, IdAuthor))
        and not line.startswith(("info ", "id "))
    ]


def standard_option_problems(greeting: Greeting) -> list[str]:
    """Return what keeps the runner from setting the standard options that were announced."""
    problems = []
    for standard in STANDARD_OPTIONS:
        offer = greeting.options.get(standard.name.lower())
        if offer is None:
            continue
        if offer.type is not standard.type:
            problems.append(f"{standard.name} is a {standard.type.value}, not a {offer.type.value}")
            continue
        refused = [value for value in standard.values if not greeting.takes(standard.name, value)]
        if refused:
            problems.append(f"{standard.name} must also take {', '.join(refused)}")
    return problems


def _offer_problem(offer: OptionOffer) -> str:
    match offer.type:
        case OptionType.SPIN:
            return _spin_problem(offer)
        case OptionType.CHECK:
            return "" if offer.default in ("true", "false") else "its default is true or false"
        case OptionType.COMBO:
            if not offer.choices:
                return "a combo names its choices, each behind `var`"
            if offer.default.lower() not in map(str.lower, offer.choices):
                return f"its default `{offer.default[:40]}` is none of its choices"
            return ""
        case OptionType.STRING | OptionType.BUTTON:
            return ""
        case _:
            assert_never(offer.type)


def _spin_problem(offer: OptionOffer) -> str:
    default = whole_number(offer.default)
    if default is None:
        return f"its default is a whole number, not `{offer.default[:40]}`"
    low, high = offer.minimum, offer.maximum
    if low is None or high is None:
        return "a spin has `min` and `max`, both whole numbers"
    if not low <= default <= high:
        return f"its default {offer.default} is not in {low} to {high}"
    return ""
