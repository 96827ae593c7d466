"""A specification as a tournament file that loads to the same specification."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from harness.play.bot_definition import (
    BotDefinition,
    BotLimits,
    BotProtocol,
    Pondering,
    Sandbox,
)
from harness.tournament.adjudication_table import adjudication_values
from harness.tournament.git_table import git_values
from harness.tournament.opening_table import opening_values
from harness.tournament.sequential_table import terms_values
from harness.tournament.spec import EncounterSpec, TournamentFormat, TournamentSpec

_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")

_Plain = str | int | float | bool
_Value = _Plain | Sequence[str] | Mapping[str, str] | Mapping[str, str | int] | None


def spec_to_toml(spec: TournamentSpec) -> str:
    """Return the text of a tournament file; saved in the bots' folder it loads to ``spec``.

    A file of openings inside that folder is written relative to it.
    """
    source, rules = spec.openings, spec.rules
    folder = spec.bots[0].folder if spec.bots else ""
    tables = [
        _table(
            "[tournament]",
            {
                "name": spec.name,
                "format": spec.format.value,
                "rounds": spec.rounds,
                "time-control": spec.time_control.text,
                "margin-ms": spec.margin_ms,
                "max-think-ms": spec.max_think_ms,
                "seed": spec.seed,
                "max-plies": rules.max_plies or 0,
                "restart": spec.restart.value,
                "slots": spec.slots,
                "force": spec.force or None,
                "sandbox": None if spec.sandbox is Sandbox.NONE else spec.sandbox.value,
                "pondering": None if spec.pondering is Pondering.IGNORE else spec.pondering.value,
                "memory-mb": spec.memory_mb,
                **_format_values(spec),
            },
        ),
        _table(
            "[rules]",
            {
                "simultaneous": rules.simultaneous.value,
                "no-moves": rules.no_moves.value,
                "repetition": rules.repetition,
            },
        ),
        _table(
            "[openings]",
            opening_values(source, None if source.file is None else _relative(source.file, folder)),
        ),
        *_adjudication_table(spec),
        *([_table("[test]", terms_values(spec.test))] if spec.test is not None else []),
        *(_bot_table(bot) for bot in spec.bots),
        *(_encounter_table(encounter) for encounter in spec.encounters),
    ]
    return "\n".join(tables)


def _adjudication_table(spec: TournamentSpec) -> list[str]:
    values = adjudication_values(spec.adjudication)
    return [_table("[adjudication]", values)] if values else []


def _format_values(spec: TournamentSpec) -> dict[str, _Value]:
    values: dict[str, _Value] = {"cycles": None if spec.cycles == 1 else spec.cycles}
    match spec.format:
        case TournamentFormat.GAUNTLET:
            values["seeds"] = spec.seeds
        case TournamentFormat.SWISS:
            values["swiss-rounds"] = spec.swiss_rounds
        case TournamentFormat.KNOCK_OUT:
            values["tie-break-pairs"] = spec.tie_break_pairs
    return values


def _encounter_table(encounter: EncounterSpec) -> str:
    control = encounter.time_control
    return _table(
        "[[encounter]]",
        {
            "bots": encounter.bots,
            "rounds": encounter.rounds,
            "time-control": None if control is None else control.text,
            "label": encounter.label or None,
        },
    )


def _bot_table(bot: BotDefinition) -> str:
    limits, default = bot.limits, BotLimits()
    values: dict[str, _Value] = {
        "name": bot.name or None,
        "git": git_values(bot.git),
        "module": bot.module,
        "command": bot.command,
        "protocol": None if bot.protocol is BotProtocol.UGI else bot.protocol.value,
        "options": dict(bot.options) or None,
        "env": dict(bot.env) or None,
        "cwd": bot.cwd,
        "threads": None if bot.threads == 1 else bot.threads,
        "time-control": None if bot.time_control is None else bot.time_control.text,
        "restart": None if bot.restart is None else bot.restart.value,
        "sandbox": None if bot.sandbox is None else bot.sandbox.value,
        "pondering": None if bot.pondering is None else bot.pondering.value,
        "memory-mb": bot.memory_mb,
        "processes": bot.processes,
        "read": bot.read or None,
    }
    for key, value, usual in (
        ("start-ms", limits.start_ms, default.start_ms),
        ("new-game-ms", limits.new_game_ms, default.new_game_ms),
        ("ping-ms", limits.ping_ms, default.ping_ms),
        ("goodbye-ms", limits.goodbye_ms, default.goodbye_ms),
    ):
        values[key] = None if value == usual else value
    return _table("[[bot]]", values)


def _table(header: str, values: Mapping[str, _Value]) -> str:
    lines = [header]
    lines += [f"{key} = {_format(value)}" for key, value in values.items() if value is not None]
    return "\n".join(lines) + "\n"


def _format(value: _Value) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return str(value)
        case str():
            return _string(value)
        case Mapping():
            pairs = (f"{_key(name)} = {_format(inner)}" for name, inner in value.items())
            return f"{{ {', '.join(pairs)} }}"
        case Sequence():
            return f"[{', '.join(_string(word) for word in value)}]"
        case None:
            raise TypeError("TOML has no word for nothing")


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else _string(name)


def _string(text: str) -> str:
    """Write a basic string: JSON's escapes are TOML's, but for the delete character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _relative(file: str, folder: str) -> str:
    path = Path(file)
    return str(path.relative_to(folder)) if folder and path.is_relative_to(folder) else file
