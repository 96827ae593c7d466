"""A ``[[bot]]`` table as a bot's definition."""

from __future__ import annotations

import re
from math import isfinite
from pathlib import Path
from typing import Final

from harness.errors import NotationError
from harness.play.bot_definition import (
    BotDefinition,
    BotLimits,
    BotProtocol,
    Pondering,
    RestartPolicy,
    Sandbox,
)
from harness.play.clock import TimeControl
from harness.tournament.bot_argument import BOT_NAME, NAME_RULE, SHIPPED_PACKAGE, shipped_bots
from harness.tournament.git_table import read_git
from harness.tournament.text_file import is_folder
from harness.tournament.toml_table import TomlTable, nearest_hint, shown

MAX_THREADS: Final = 1_024
MAX_LIMIT_MS: Final = 3_600_000
MIN_MEMORY_MB: Final = 16
MAX_MEMORY_MB: Final = 1_048_576
MAX_PROCESSES: Final = 10_000

_MAX_OPTION_BITS: Final = 64
_MAX_TIME_CONTROL_LENGTH: Final = 200
_MODULE: Final = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")


def read_bot(table: TomlTable, folder: Path) -> BotDefinition:
    """Read ``name``, ``module`` or ``command``, ``git``, ``options``, ``env``, ``cwd``,
    ``threads``, ``protocol``, ``time-control``, ``restart``, ``start-ms``, ``new-game-ms``,
    ``ping-ms``, ``goodbye-ms``, ``sandbox``, ``pondering``, ``memory-mb``, ``processes`` and
    ``read``; what is wrong is noted, and stands in the result as if it were not written.
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
        memory_mb=read_memory(table),
        processes=table.integer("processes", 1, MAX_PROCESSES),
        sandbox=table.choice("sandbox", Sandbox),
        pondering=table.choice("pondering", Pondering),
        read=_read_paths(table),
    )
    table.finish()
    return bot


def read_time_control(table: TomlTable) -> TimeControl | None:
    """Read ``time-control``; every wrong term is noted."""
    text = table.text("time-control")
    if text is None:
        return None
    if len(text) > _MAX_TIME_CONTROL_LENGTH:
        why = f"a time control has at most {_MAX_TIME_CONTROL_LENGTH} characters, not {shown(text)}"
        table.note("time-control", why)
        return None
    try:
        return TimeControl.parse(text)
    except NotationError as error:
        table.note("time-control", error.why)
        return None


def read_memory(table: TomlTable) -> int | None:
    """Read ``memory-mb``, the limit of all processes of a bot together."""
    return table.integer("memory-mb", MIN_MEMORY_MB, MAX_MEMORY_MB)


def _read_name(table: TomlTable) -> str:
    name = table.text("name")
    if not table.has("name"):
        if not table.has("git"):  # a version is called after its commit
            table.note("name", "a bot needs a name")
    elif name is not None and BOT_NAME.fullmatch(name) is None:
        table.note("name", f"{NAME_RULE}, not {shown(name)}")
    return name or ""


def _read_program(table: TomlTable) -> tuple[str | None, tuple[str, ...] | None]:
    module, command = table.text("module"), table.words("command", '["./mybot", "--fast"]')
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
        table.note("module", f"{shown(module)} is no name of a module such as bots.greedy_bot")
        return
    if module.partition(".")[0] != SHIPPED_PACKAGE:
        return
    shipped = shipped_bots().values()
    if module == SHIPPED_PACKAGE:
        names = ", ".join(shipped)
        table.note("module", f"{module!r} is the package of the shipped bots, which are {names}")
    elif module not in shipped:
        hint = nearest_hint(module, shipped)
        table.note("module", f"no shipped bot is {shown(module)}{hint}")


def _read_options(table: TomlTable) -> tuple[tuple[str, str], ...]:
    options: dict[str, str] = {}
    spellings: dict[str, str] = {}  # names that differ in case alone are one name to a bot
    for name, value in table.pairs("options").items():
        path = (*table.path, "options", name)
        first = spellings.setdefault(name.lower(), name)
        if first != name:
            why = f"the same option as {shown(first)}: large and small letters are alike in names"
            table.problems.add(path, why)
            continue
        match value:
            case bool():
                text = "true" if value else "false"
            case str():
                text = value
            case int() if value.bit_length() > _MAX_OPTION_BITS:
                table.problems.add(path, "a number beyond 64 bits is written in quotes")
                continue
            case int():
                text = str(value)
            case float() if isfinite(value):
                text = str(value)
            case _:
                table.problems.add(path, "an option is a string, a number, true or false")
                continue
        words = name.split()
        if not words or name != " ".join(words) or "value" in words:
            table.problems.add(path, f"{shown(name)} cannot be the name of an option")
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
            table.problems.add(path, f"{shown(name)} cannot be an environment variable")
        else:
            environment[name] = value
    return tuple(sorted(environment.items()))


def _read_cwd(table: TomlTable, folder: Path) -> str | None:
    cwd = table.text("cwd")
    if cwd is None:
        return None
    # The folders of a version are there only when it is checked out.
    if "\0" in cwd or not (table.has("git") or is_folder(folder / cwd)):
        table.note("cwd", f"{shown(cwd)} is no folder (relative paths begin at {folder})")
    return cwd


def _read_paths(table: TomlTable) -> tuple[str, ...]:
    paths = table.words("read", '["data", "books/openings.bin"]') or ()
    for place, path in enumerate(paths):
        if not path or "\0" in path:
            table.problems.add((*table.path, "read", place), f"{shown(path)} is no path")
    return paths


def _read_limit(table: TomlTable, key: str, low: int, default: int) -> int:
    value = table.integer(key, low, MAX_LIMIT_MS)
    return default if value is None else value
