"""A whole tournament document as a specification, every problem noted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from harness.play.bot_definition import BotDefinition, Pondering, RestartPolicy, Sandbox
from harness.play.clock import TimeControl
from harness.rules.types import NoMovesRule, RuleSet, SimultaneousRule
from harness.tournament.adjudication_table import ADJUDICATION_KEYS, read_adjudication
from harness.tournament.bot_table import read_bot, read_memory, read_time_control
from harness.tournament.format_table import FORMAT_KEYS, check_format, read_format
from harness.tournament.git_table import GIT_KEYS
from harness.tournament.opening_table import OPENING_KEYS, check_openings, read_openings
from harness.tournament.sequential_table import read_terms
from harness.tournament.spec import (
    DEFAULT_MARGIN_MS,
    DEFAULT_MAX_PLIES,
    DEFAULT_MAX_THINK_MS,
    DEFAULT_ROUNDS,
    DEFAULT_TIME_CONTROL,
    TournamentFormat,
    TournamentSpec,
)
from harness.tournament.toml_table import ProblemList, TomlTable, shown

MAX_ROUNDS: Final = 1_000_000
MAX_SEED: Final = 2**63 - 1
MAX_PLIES: Final = 10_000
MAX_MARGIN_MS: Final = 60_000
MAX_THINK_MS: Final = 86_400_000
MAX_SLOTS: Final = 1_024
MAX_REPETITION: Final = 1_000

_TOURNAMENT_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}")
_HOMES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("simultaneous", "no-moves", "repetition"), "into [rules]"),
    **dict.fromkeys(ADJUDICATION_KEYS, "into [adjudication]"),
    **dict.fromkeys(OPENING_KEYS, "into [openings]"),
    **dict.fromkeys(FORMAT_KEYS, "into [tournament]"),
    **dict.fromkeys(
        ("format", "rounds", "margin-ms", "max-think-ms", "seed", "max-plies", "slots", "force"),
        "into [tournament]",
    ),
    **dict.fromkeys(
        ("module", "command", "options", "env", "cwd", "threads", "protocol", "git"),
        "into a [[bot]]",
    ),
    **dict.fromkeys(("processes", "read"), "into a [[bot]]"),
    **dict.fromkeys(GIT_KEYS, "into git = { ... } of a [[bot]]"),
    "results": "on the command line: --results",
}


def read_spec(
    document: Mapping[str, object], folder: Path, *, default_name: str, problems: ProblemList
) -> TournamentSpec:
    """Read all tables of a tournament's document.

    Relative paths begin at ``folder``, which is absolute. What is wrong is noted; the result is
    of use only when nothing was.
    """
    root = TomlTable(document, (), problems, _HOMES)
    table = root.table("tournament")
    rules = _read_rules(root.table("rules"), table)
    form = read_format(table, root.tables("encounter"), MAX_ROUNDS)
    spec = TournamentSpec(
        name=_read_name(table) or default_name,
        bots=tuple(read_bot(bot, folder) for bot in root.tables("bot")),
        openings=read_openings(root.table("openings"), folder),
        time_control=read_time_control(table) or TimeControl.parse(DEFAULT_TIME_CONTROL),
        format=form.format,
        rounds=_integer(table, "rounds", 1, MAX_ROUNDS, DEFAULT_ROUNDS),
        rules=rules,
        adjudication=read_adjudication(root.table("adjudication")),
        margin_ms=_integer(table, "margin-ms", 0, MAX_MARGIN_MS, DEFAULT_MARGIN_MS),
        max_think_ms=_integer(table, "max-think-ms", 1, MAX_THINK_MS, DEFAULT_MAX_THINK_MS),
        seed=_integer(table, "seed", 0, MAX_SEED, 1),
        restart=table.choice("restart", RestartPolicy) or RestartPolicy.AUTO,
        slots=table.integer("slots", 1, MAX_SLOTS),
        force=table.boolean("force") or False,
        cycles=form.cycles,
        seeds=form.seeds,
        swiss_rounds=form.swiss_rounds,
        tie_break_pairs=form.tie_break_pairs,
        encounters=form.encounters,
        test=read_terms(root.table("test")) if root.has("test") else None,
        sandbox=table.choice("sandbox", Sandbox) or Sandbox.NONE,
        pondering=table.choice("pondering", Pondering) or Pondering.IGNORE,
        memory_mb=read_memory(table),
    )
    table.finish()
    root.finish()
    _check_bots(spec.bots, problems)
    _check_readable(spec, folder, problems)
    check_format(spec, problems)
    _check_terms(spec, problems)
    check_openings(spec, problems)
    return spec


def _read_name(table: TomlTable) -> str | None:
    name = table.text("name")
    if name is not None and _TOURNAMENT_NAME.fullmatch(name) is None:
        why = "1 to 64 of A-Z a-z 0-9 . _ + -, the first a letter or digit"
        table.note("name", f"a tournament's name is {why}, not {shown(name)}")
    return name


def _read_rules(table: TomlTable, tournament: TomlTable) -> RuleSet:
    """Read the rules; ``repetition`` and ``max-plies`` of 0 mean off."""
    repetition = _integer(table, "repetition", 0, MAX_REPETITION, 3)
    if repetition == 1:
        table.note("repetition", "the first occurrence is no repetition: write 0 (off), 2 or more")
        repetition = 3
    max_plies = _integer(tournament, "max-plies", 0, MAX_PLIES, DEFAULT_MAX_PLIES)
    rules = RuleSet(
        simultaneous=table.choice("simultaneous", SimultaneousRule) or SimultaneousRule.DRAW,
        no_moves=table.choice("no-moves", NoMovesRule) or NoMovesRule.PASS,
        repetition=repetition,
        max_plies=max_plies or None,
    )
    table.finish()
    return rules


def _check_bots(bots: Sequence[BotDefinition], problems: ProblemList) -> None:
    if len(bots) < 2:
        found = "one" if bots else "none"
        problems.add(("bot",), f"a tournament needs at least two bots, there is {found}")
    counts = Counter(bot.name for bot in bots)
    firsts: dict[str, int] = {}
    for place, bot in enumerate(bots):
        if bot.name and counts[bot.name] > 1:
            first = firsts.setdefault(bot.name, place)
            if first != place:
                why = f"the name {bot.name!r} is taken by bot {first + 1}; names differ"
                problems.add(("bot", place, "name"), why)


def _check_readable(spec: TournamentSpec, folder: Path, problems: ProblemList) -> None:
    """Note files for bots in a sandbox that are not there; elsewhere nothing is made of them."""
    for place, bot in enumerate(spec.bots):
        if (bot.sandbox or spec.sandbox) is not Sandbox.BWRAP:
            continue
        for number, path in enumerate(bot.read):
            if path and "\0" not in path and not _exists(folder / path):
                why = f"there is no {shown(path)} (relative paths begin at {folder})"
                problems.add(("bot", place, "read", number), why)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # too long for a path, or no way to look
        return False


def _check_terms(spec: TournamentSpec, problems: ProblemList) -> None:
    """Note a sequential test of anything but two bots that meet each other."""
    if spec.test is None:
        return
    if len(spec.bots) > 2:
        problems.add(("test",), f"a test is between two bots, there are {len(spec.bots)}")
    if spec.format is not TournamentFormat.ROUND_ROBIN:
        problems.add(("test",), f"a test is a round-robin of two, not a {spec.format.value}")
    if spec.cycles > 1:
        problems.add(("test",), "a test has one cycle; rounds is its cap of game pairs")


def _integer(table: TomlTable, key: str, low: int, high: int, default: int) -> int:
    value = table.integer(key, low, high)
    return default if value is None else value
