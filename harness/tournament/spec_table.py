"""A whole tournament document as a specification, every problem noted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from harness.errors import NotationError, PositionError, SpecError
from harness.play.clock import TimeControl
from harness.play.types import BotDefinition, BotProtocol, RestartPolicy
from harness.rules.notation import format_fen, parse_start
from harness.rules.position import SCRAMBLED_EGGS_START, STANDARD_START, Position
from harness.rules.types import NoMovesRule, RuleSet, SimultaneousRule
from harness.tournament.bot_table import read_bot, read_time_control
from harness.tournament.opening_file import OpeningFile, read_opening_file
from harness.tournament.opening_generator import MAX_RANDOM_PLIES, OpeningGenerator
from harness.tournament.spec import (
    DEFAULT_MARGIN_MS,
    DEFAULT_MAX_PLIES,
    DEFAULT_MAX_THINK_MS,
    DEFAULT_RANDOM_PLIES,
    DEFAULT_ROUNDS,
    DEFAULT_TIME_CONTROL,
    OpeningSource,
    TournamentFormat,
    TournamentSpec,
)
from harness.tournament.toml_table import ProblemList, TomlTable

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
    **dict.fromkeys(("file", "random-plies", "start"), "into [openings]"),
    **dict.fromkeys(
        ("format", "rounds", "margin-ms", "max-think-ms", "seed", "max-plies", "slots", "force"),
        "into [tournament]",
    ),
    **dict.fromkeys(
        ("module", "command", "options", "env", "cwd", "threads", "protocol"), "into a [[bot]]"
    ),
    "results": "on the command line: --results",
}


def read_spec(
    document: Mapping[str, object], folder: Path, *, default_name: str, problems: ProblemList
) -> TournamentSpec:
    """Read ``[tournament]``, ``[rules]``, ``[openings]`` and the ``[[bot]]`` tables.

    Relative paths begin at ``folder``, which is absolute. What is wrong is noted; the result is
    of use only when nothing was.
    """
    root = TomlTable(document, (), problems, _HOMES)
    table = root.table("tournament")
    rules = _read_rules(root.table("rules"), table)
    spec = TournamentSpec(
        name=_read_name(table) or default_name,
        bots=tuple(read_bot(bot, folder) for bot in root.tables("bot")),
        openings=_read_openings(root.table("openings"), folder, rules),
        time_control=read_time_control(table) or TimeControl.parse(DEFAULT_TIME_CONTROL),
        format=table.choice("format", TournamentFormat) or TournamentFormat.ROUND_ROBIN,
        rounds=_integer(table, "rounds", 1, MAX_ROUNDS, DEFAULT_ROUNDS),
        rules=rules,
        margin_ms=_integer(table, "margin-ms", 0, MAX_MARGIN_MS, DEFAULT_MARGIN_MS),
        max_think_ms=_integer(table, "max-think-ms", 1, MAX_THINK_MS, DEFAULT_MAX_THINK_MS),
        seed=_integer(table, "seed", 0, MAX_SEED, 1),
        restart=table.choice("restart", RestartPolicy) or RestartPolicy.AUTO,
        slots=table.integer("slots", 1, MAX_SLOTS),
        force=table.boolean("force") or False,
    )
    table.finish()
    root.finish()
    _check_bots(spec.bots, problems)
    _check_openings(spec, problems)
    return spec


def _read_name(table: TomlTable) -> str | None:
    name = table.text("name")
    if name is not None and _TOURNAMENT_NAME.fullmatch(name) is None:
        why = "1 to 64 of A-Z a-z 0-9 . _ + -, the first a letter or digit"
        table.note("name", f"a tournament's name is {why}, not {name!r}")
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


def _read_openings(table: TomlTable, folder: Path, rules: RuleSet) -> OpeningSource:
    start, start_name = _read_start(table)
    plies = _integer(table, "random-plies", 0, MAX_RANDOM_PLIES, DEFAULT_RANDOM_PLIES)
    file = table.text("file")
    if table.has("file") and table.has("random-plies"):
        table.note("random-plies", "give either file or random-plies, not both")
    table.finish()
    path = None if file is None else str(folder / file)
    return OpeningSource(start, start_name, plies, path)


def _read_start(table: TomlTable) -> tuple[Position, str]:
    text = table.text("start")
    start = STANDARD_START
    if text is not None:
        try:
            start = parse_start(text)
        except (NotationError, PositionError) as error:
            table.note("start", str(error))
    return start, start_name(start)


def start_name(start: Position) -> str:
    """Return ``standard``, ``scrambled-eggs`` or the position text of a start."""
    if start == STANDARD_START:
        return "standard"
    return "scrambled-eggs" if start == SCRAMBLED_EGGS_START else format_fen(start)


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


def _check_openings(spec: TournamentSpec, problems: ProblemList) -> None:
    """Note openings that cannot be played; needs the rest of the document to be right."""
    source, max_plies = spec.openings, spec.rules.max_plies
    opening_file: OpeningFile | None = None
    if source.file is not None:
        try:
            opening_file = read_opening_file(Path(source.file), source.start, spec.rules)
        except SpecError as error:
            for problem in error.problems:
                problems.add(("openings", "file"), f"{error.source} {problem}")
    elif max_plies is not None and source.random_plies >= max_plies:
        why = f"{source.random_plies} plies reach the end of the game, max-plies is {max_plies}"
        problems.add(("openings", "random-plies"), why)
    elif not problems.problems:
        try:
            generator = OpeningGenerator(source.start, source.random_plies, spec.rules, spec.seed)
            generator.first()
        except SpecError as error:
            for problem in error.problems:
                problems.add(("openings", problem.place), problem.message)
    starts = [opening.start for opening in opening_file.openings] if opening_file else []
    if any(start != STANDARD_START for start in (starts or [source.start])):
        for place, bot in enumerate(spec.bots):
            if bot.protocol is BotProtocol.UCI:
                why = "a UCI bot plays from the standard start only, this tournament has others"
                problems.add(("bot", place, "protocol"), why)


def _integer(table: TomlTable, key: str, low: int, high: int, default: int) -> int:
    value = table.integer(key, low, high)
    return default if value is None else value
