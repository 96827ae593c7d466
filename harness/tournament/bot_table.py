"""A ``[[bot]]`` table as a bot's definition."""

from __future__ import annotations

import re
from math import isfinite
from pathlib import Path
from typing import Final

from harness.errors import NotationError
from harness.play.bot_definition import BotDefinition, BotLimits, BotProtocol, RestartPolicy
from harness.play.clock import TimeControl
from harness.tournament.bot_argument import BOT_NAME, NAME_RULE, shipped_bots
from harness.tournament.git_table import read_git
from harness.tournament.toml_table import TomlTable, nearest_hint

MAX_THREADS: Final = 1_024
MAX_LIMIT_MS: Final = 3_600_000

_MODULE: Final = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")


def read_bot(table: TomlTable, folder: Path) -> BotDefinition:
    """Read ``name``, ``module`` or ``command``, ``git``, ``options``, ``env``, ``cwd``,
    ``threads``, ``protocol``, ``time-control``, ``restart``, ``start-ms``, ``new-game-ms``,
    ``ping-ms`` and ``goodbye-ms``; what is wrong is noted, and stands in the result as if it
    were not written.
    """  # noqa: D205
    module, command = _read_program(table)
    time_control = read_time_control(table)
    default = BotLimits()
    bot = BotDefinition(
        name=_read_name(table),
        module=module,
        command=command,
        folder=str(folder),
        protocol=table.choice("protocol", BotProtocol) or BotProtocol.UGI,
        options=_read_options(table),
        env=_read_environment(table),
        cwd=_read_cwd(table, folder),
        threads=table.integer("threads", 1, MAX_THREADS) or 1,
        time_control=time_control,
        limits=BotLimits(
            start_ms=_read_limit(table, "start-ms", 1, default.start_ms),
            new_game_ms=_read_limit(table, "new-game-ms", 1, default.new_game_ms),
            ping_ms=_read_limit(table, "ping-ms", 1, default.ping_ms),
            goodbye_ms=_read_limit(table, "goodbye-ms", 0, default.goodbye_ms),
        ),
        restart=table.choice("restart", RestartPolicy),
        git=read_git(table, folder),
    )
    table.finish()
    return bot


def read_time_control(table: TomlTable) -> TimeControl | None:
    """Read ``time-control``; every wrong term is noted."""
    text = table.text("time-control")
    if text is None:
        return None
    try:
        return TimeControl.parse(text)
    except NotationError as error:
        table.note("time-control", error.why)
        return None


def _read_name(table: TomlTable) -> str:
    name = table.text("name")
    if not table.has("name"):
        if not table.has("git"):  # a version is called after its commit
            table.note("name", "a bot needs a name")
    elif name is not None and BOT_NAME.fullmatch(name) is None:
        table.note("name", f"{NAME_RULE}, not {name!r}")
    return name or ""


def _read_program(table: TomlTable) -> tuple[str | None, tuple[str, ...] | None]:
    module, command = table.text("module"), table.words("command")
    if table.has("module") and table.has("command"):
        table.note("command", "give either module or command, not both")
    if not table.has("module") and not table.has("command"):
        table.note("module", "a bot needs a module or a command")
    if table.has("module") and table.has("git"):
        why = "a version from git needs a command: a module is the one that is installed"
        table.note("module", why)
    if module is not None:
        _check_module(table, module)
    if command is not None:
        if not command or not command[0]:
            table.note("command", "the first word is the program, it cannot be empty")
        if any("\0" in word for word in command):
            table.note("command", "a word cannot contain a NUL character")
    return module, command


def _check_module(table: TomlTable, module: str) -> None:
    if _MODULE.fullmatch(module) is None:
        table.note("module", f"{module!r} is no name of a module such as bots.greedy_bot")
    elif module.startswith("bots."):
        shipped = shipped_bots().values()
        if module not in shipped:
            table.note("module", f"no shipped bot is {module!r}{nearest_hint(module, shipped)}")


def _read_options(table: TomlTable) -> tuple[tuple[str, str], ...]:
    options: dict[str, str] = {}
    for name, value in table.pairs("options").items():
        path = (*table.path, "options", name)
        match value:
            case bool():
                text = "true" if value else "false"
            case str():
                text = value
            case int() if abs(value) < 1 << 64:
                text = str(value)
            case float() if isfinite(value):
                text = str(value)
            case _:
                table.problems.add(path, "an option is a string, a number, true or false")
                continue
        words = name.split()
        if not words or name != " ".join(words) or "value" in words:
            table.problems.add(path, f"{name!r} cannot be the name of an option")
        elif re.search(r"[\r\n\0]", text):
            table.problems.add(path, "an option is one line")
        options[name] = text
    return tuple(sorted(options.items()))


def _read_environment(table: TomlTable) -> tuple[tuple[str, str], ...]:
    environment: dict[str, str] = {}
    for name, value in table.pairs("env").items():
        path = (*table.path, "env", name)
        if not isinstance(value, str):
            table.problems.add(path, 'an environment variable is a string, in quotes: "1"')
        elif not name or "=" in name or "\0" in name + value:
            table.problems.add(path, f"{name!r} cannot be an environment variable")
        else:
            environment[name] = value
    return tuple(sorted(environment.items()))


def _read_cwd(table: TomlTable, folder: Path) -> str | None:
    cwd = table.text("cwd")
    if cwd is None:
        return None
    # The folders of a version are there only when it is checked out.
    if "\0" in cwd or not (table.has("git") or (folder / cwd).is_dir()):
        table.note("cwd", f"{cwd!r} is no folder (relative paths begin at {folder})")
    return cwd


def _read_limit(table: TomlTable, key: str, low: int, default: int) -> int:
    value = table.integer(key, low, MAX_LIMIT_MS)
    return default if value is None else value
