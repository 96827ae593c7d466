"""What must be equal for games to belong to one tournament, and what differs in plain words."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Mapping
from typing import Final

from harness.errors import Problem
from harness.play.bot_definition import BotDefinition, Pondering
from harness.tournament.adjudication_table import adjudication_values
from harness.tournament.bot_argument import MAX_NAME_LENGTH
from harness.tournament.format_conditions import format_conditions
from harness.tournament.git_table import git_conditions
from harness.tournament.openings import openings_identity
from harness.tournament.sequential_table import terms_values
from harness.tournament.spec import TournamentSpec

JSON = None | bool | int | float | str | list["JSON"] | dict[str, "JSON"]

_HEX_DIGITS: Final = 6
_PONDERING: Final = "pondering"


def conditions(spec: TournamentSpec, openings: str) -> dict[str, JSON]:
    """Return the conditions of a tournament as JSON values; ``openings`` is their identity.

    The definitions of the bots belong to them (``bot_conditions``) but are kept for each, as only
    bots that have played are bound. The name, the extent (rounds, which bots) and how it is run
    (slots, force, restart, sandbox, memory) are no conditions.
    """
    rules = spec.rules
    return {
        "format": spec.format.value,
        "time-control": spec.time_control.text,
        "margin-ms": spec.margin_ms,
        "max-think-ms": spec.max_think_ms,
        "seed": spec.seed,
        "max-plies": rules.max_plies,
        "simultaneous": rules.simultaneous.value,
        "no-moves": rules.no_moves.value,
        "repetition": rules.repetition,
        "openings": openings,
        **adjudication_values(spec.adjudication),
        **format_conditions(spec),
        **_test_conditions(spec),
        **_pondering_conditions(spec.pondering, Pondering.IGNORE),
    }


def _test_conditions(spec: TournamentSpec) -> dict[str, JSON]:
    """Return the terms of a test and who is tested against whom; nothing without a test."""
    if spec.test is None:
        return {}
    base, tested = (bot.name for bot in spec.bots)
    return {"test": {**terms_values(spec.test), "base": base, "tested": tested}}


def _pondering_conditions(own: Pondering, usual: Pondering) -> dict[str, JSON]:
    """Return what is not usual; games stored before the setting was there are as usual."""
    return {} if own is usual else {_PONDERING: own.value}


def bot_conditions(bot: BotDefinition, pondering: Pondering = Pondering.IGNORE) -> dict[str, JSON]:
    """Return the definition of a bot as JSON values, paths as written and thus portable.

    ``pondering`` is the tournament's. What bounds a bot outside its turns (limits, memory,
    processes, sandbox, what it may read there) and the policy of restarts are left out: they
    change no game.
    """
    program = bot.module if bot.command is None else shlex.join(bot.command)
    return {
        "protocol": bot.protocol.value,
        "module" if bot.command is None else "command": program,
        "options": dict(bot.options),
        "env": dict(bot.env),
        "cwd": bot.cwd,
        "threads": bot.threads,
        "time-control": None if bot.time_control is None else bot.time_control.text,
        **git_conditions(bot),
        **_pondering_conditions(bot.pondering or pondering, pondering),
    }


def differences(
    stored: Mapping[str, object], now: Mapping[str, object], place: str = ""
) -> list[Problem]:
    """Return what differs, as ``time-control: stored 5+0.05, now 2+0.02``; empty when nothing.

    Both are conditions of a tournament, or both are those of one bot. ``place`` stands before
    each key; it is empty for the tournament.
    """
    found = []
    for key in [*stored, *(key for key in now if key not in stored)]:
        before, after = stored.get(key), now.get(key)
        inner = f"{place}.{key}" if place else key
        if isinstance(before, Mapping) and isinstance(after, Mapping):
            found += differences(before, after, inner)
        elif before != after or type(before) is not type(after):
            unset = "none"
            if key == _PONDERING:  # what is usual is not stored
                unset = "as the tournament" if place else Pondering.IGNORE.value
            texts = [unset if value is None else _words(value) for value in (before, after)]
            found.append(Problem(inner, f"stored {texts[0]}, now {texts[1]}"))
    return found


def derived_name(spec: TournamentSpec) -> str:
    """Return the names of the bots and six hex digits of the conditions, at most 64 characters.

    SpecError when the file of openings cannot be read.
    """
    openings = openings_identity(spec.openings, spec.rules, spec.seed)
    bots = {bot.name: bot_conditions(bot, spec.pondering) for bot in spec.bots}
    text = json.dumps([conditions(spec, openings), bots], sort_keys=True, separators=(",", ":"))
    digits = hashlib.sha256(text.encode()).hexdigest()[:_HEX_DIGITS]
    labels = "-".join(bot.name for bot in spec.bots).lstrip("._+-")
    labels = labels[: MAX_NAME_LENGTH - _HEX_DIGITS - 1].rstrip("._+-")
    return f"{labels or 'bots'}-{digits}"


def _words(value: object) -> str:
    match value:
        case None | {}:
            return "none"
        case str() if value:
            return value
        case _:
            return json.dumps(value, sort_keys=True)
