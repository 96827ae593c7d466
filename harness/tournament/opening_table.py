"""The table ``[openings]`` as a source of openings, and a source as the values of its keys."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from harness.errors import NotationError, PositionError, SpecError
from harness.play.bot_definition import BotProtocol
from harness.rules.notation import format_fen, parse_start
from harness.rules.position import SCRAMBLED_EGGS_START, STANDARD_START, Position
from harness.tournament.opening_file import OpeningFile, read_opening_file
from harness.tournament.opening_generator import MAX_RANDOM_PLIES, OpeningGenerator
from harness.tournament.spec import (
    DEFAULT_RANDOM_PLIES,
    OpeningOrder,
    OpeningSource,
    TournamentSpec,
)
from harness.tournament.toml_table import ProblemList, TomlTable

MAX_FIRST: Final = 1_000_000
MAX_OPENING_PLIES: Final = 10_000
MAX_OPENING_SEED: Final = 2**63 - 1

OPENING_KEYS: Final = ("start", "random-plies", "file", "order", "first", "plies")
"""All keys but ``seed``, which another table has too."""


def read_openings(table: TomlTable, folder: Path) -> OpeningSource:
    """Read the table; a relative file begins at ``folder``.

    Noted beside wrong values: a key that would do nothing.
    """
    start, start_name = _read_start(table)
    random_plies = table.integer("random-plies", 0, MAX_RANDOM_PLIES)
    file = table.text("file")
    order = table.choice("order", OpeningOrder)
    seed = table.integer("seed", 0, MAX_OPENING_SEED)
    first = table.integer("first", 1, MAX_FIRST)
    plies = table.integer("plies", 1, MAX_OPENING_PLIES)
    table.finish()
    if table.has("file"):
        if table.has("random-plies"):
            table.note("random-plies", "give either file or random-plies, not both")
        if seed is not None and order is not OpeningOrder.RANDOM:
            table.note("seed", 'does nothing without order = "random"')
    else:
        for key, is_wanted in (
            ("order", order is OpeningOrder.RANDOM),
            ("first", first is not None and first > 1),
            ("plies", plies is not None),
        ):
            if is_wanted:
                table.note(key, "does nothing without file")
    return OpeningSource(
        start,
        start_name,
        DEFAULT_RANDOM_PLIES if random_plies is None else random_plies,
        None if file is None else str(folder / file),
        order or OpeningOrder.FILE,
        seed,
        first or 1,
        plies,
    )


def opening_values(source: OpeningSource, file: str | None) -> dict[str, str | int | None]:
    """Return the values of the table's keys; None where a key is not to be written.

    ``file`` is the file as it is to be written.
    """
    is_file_order = source.order is OpeningOrder.FILE
    return {
        "start": source.start_name,
        "random-plies": source.random_plies if file is None else None,
        "file": file,
        "order": None if is_file_order else source.order.value,
        "seed": source.seed,
        "first": None if source.first == 1 else source.first,
        "plies": source.plies,
    }


def check_openings(spec: TournamentSpec, problems: ProblemList) -> None:
    """Note openings that cannot be played; needs the rest of the document to be right."""
    source, max_plies = spec.openings, spec.rules.max_plies
    opening_file: OpeningFile | None = None
    if source.file is not None:
        try:
            opening_file = read_opening_file(
                Path(source.file), source.start, spec.rules, source.plies
            )
        except SpecError as error:
            for problem in error.problems:
                problems.add(("openings", "file"), f"{error.source} {problem}")
        else:
            size = len(opening_file.openings)
            if source.first > size:
                why = f"the file has {size} openings, there is no number {source.first}"
                problems.add(("openings", "first"), why)
    elif max_plies is not None and source.random_plies >= max_plies:
        why = f"{source.random_plies} plies reach the end of the game, max-plies is {max_plies}"
        problems.add(("openings", "random-plies"), why)
    elif not problems.problems:
        try:
            seed = spec.seed if source.seed is None else source.seed
            generator = OpeningGenerator(source.start, source.random_plies, spec.rules, seed)
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


def start_name(start: Position) -> str:
    """Return ``standard``, ``scrambled-eggs`` or the position text of a start."""
    if start == STANDARD_START:
        return "standard"
    return "scrambled-eggs" if start == SCRAMBLED_EGGS_START else format_fen(start)


def _read_start(table: TomlTable) -> tuple[Position, str]:
    text = table.text("start")
    start = STANDARD_START
    if text is not None:
        try:
            start = parse_start(text)
        except (NotationError, PositionError) as error:
            table.note("start", str(error))
    return start, start_name(start)
