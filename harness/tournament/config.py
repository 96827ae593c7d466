"""Tournament files and flags as specifications: every problem at once, each with its place."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, TypedDict, Unpack

from harness.errors import Problem, SpecError
from harness.tournament.bot_argument import (
    BOT_NAME,
    BotArgument,
    default_labels,
    parse_bot_argument,
)
from harness.tournament.conditions import derived_name
from harness.tournament.spec import TournamentSpec
from harness.tournament.spec_table import read_spec
from harness.tournament.spec_toml import spec_to_toml
from harness.tournament.text_file import read_text_file
from harness.tournament.toml_places import KeyPath, format_path, key_lines, nests_too_deeply
from harness.tournament.toml_table import ProblemList

__all__ = ["BOT_NAME", "SpecFlags", "load_spec", "spec_from_flags", "spec_to_toml"]


class SpecFlags(TypedDict, total=False):
    """The flags of ``loa run`` that say what is played; None and absent mean "not given".

    ``tc`` is the time control, ``openings`` a file (relative to the working directory).
    """

    name: str | None
    rounds: int | None
    tc: str | None
    seed: int | None
    openings: str | Path | None
    random_plies: int | None
    opening_order: str | None
    opening_seed: int | None
    first_opening: int | None
    opening_plies: int | None
    start: str | None
    margin_ms: int | None
    max_think_ms: int | None
    max_plies: int | None
    restart: str | None
    slots: int | None
    force: bool | None
    sandbox: str | None
    pondering: str | None
    memory_mb: int | None
    simultaneous: str | None
    no_moves: str | None
    repetition: int | None
    draw_score: int | None
    draw_count: int | None
    draw_ply: int | None
    resign_score: int | None
    resign_count: int | None
    resign_both: bool | None
    format: str | None
    cycles: int | None
    seeds: int | None
    swiss_rounds: int | None
    tie_break_pairs: int | None
    elo0: float | None
    elo1: float | None
    alpha: float | None
    beta: float | None
    model: str | None


_FLAG_KEYS: Final[Mapping[str, tuple[str, str]]] = {
    "name": ("tournament", "name"),
    "rounds": ("tournament", "rounds"),
    "tc": ("tournament", "time-control"),
    "seed": ("tournament", "seed"),
    "openings": ("openings", "file"),
    "random_plies": ("openings", "random-plies"),
    "opening_order": ("openings", "order"),
    "opening_seed": ("openings", "seed"),
    "first_opening": ("openings", "first"),
    "opening_plies": ("openings", "plies"),
    "start": ("openings", "start"),
    "margin_ms": ("tournament", "margin-ms"),
    "max_think_ms": ("tournament", "max-think-ms"),
    "max_plies": ("tournament", "max-plies"),
    "restart": ("tournament", "restart"),
    "slots": ("tournament", "slots"),
    "force": ("tournament", "force"),
    "sandbox": ("tournament", "sandbox"),
    "pondering": ("tournament", "pondering"),
    "memory_mb": ("tournament", "memory-mb"),
    "simultaneous": ("rules", "simultaneous"),
    "no_moves": ("rules", "no-moves"),
    "repetition": ("rules", "repetition"),
    "draw_score": ("adjudication", "draw-score"),
    "draw_count": ("adjudication", "draw-count"),
    "draw_ply": ("adjudication", "draw-ply"),
    "resign_score": ("adjudication", "resign-score"),
    "resign_count": ("adjudication", "resign-count"),
    "resign_both": ("adjudication", "resign-both"),
    "format": ("tournament", "format"),
    "cycles": ("tournament", "cycles"),
    "seeds": ("tournament", "seeds"),
    "swiss_rounds": ("tournament", "swiss-rounds"),
    "tie_break_pairs": ("tournament", "tie-break-pairs"),
    "elo0": ("test", "elo0"),
    "elo1": ("test", "elo1"),
    "alpha": ("test", "alpha"),
    "beta": ("test", "beta"),
    "model": ("test", "model"),
}
_RIVALS: Final[Mapping[str, tuple[str, ...]]] = {
    "openings": ("random-plies",),
    "random_plies": ("file", "order", "first", "plies"),
}
_UNNAMED: Final = "unnamed"
_MAX_SPEC_BYTES: Final = 1024 * 1024
_MAX_PROBLEMS: Final = 50
_MAX_DIGITS: Final = 4_300  # Python reads no longer ones; the same wherever it runs
_DIGITS: Final = re.compile(rf"[0-9_]{{{_MAX_DIGITS},}}+")

_Document = dict[str, object]


def load_spec(path: Path, **flags: Unpack[SpecFlags]) -> TournamentSpec:
    """Read a tournament file; flags that are given go before what is written in it.

    Paths in the file are relative to its folder. SpecError holds every problem, its place as
    ``line 12, bot[2].options`` (bots are counted from 1) or as the flag.
    """
    path = path.absolute()
    text = read_text_file(path, max_bytes=_MAX_SPEC_BYTES)
    too_deep = SpecError(str(path), [Problem("", "is nested too deeply")])
    if nests_too_deeply(text):
        raise too_deep
    try:
        document: _Document = tomllib.loads(text)
        lines = key_lines(text)
    except RecursionError:
        raise too_deep from None
    except ValueError as error:
        raise SpecError(str(path), [_syntax_problem(error, text)]) from error
    flag_places = _apply_flags(document, Path.cwd(), flags)

    def place(at: KeyPath) -> str:
        if at in flag_places:
            return flag_places[at]
        line = next((lines[at[:size]] for size in range(len(at), 0, -1) if at[:size] in lines), 0)
        return ", ".join(filter(None, [f"line {line}" if line else "", format_path(at)]))

    problems = ProblemList(place)
    spec = read_spec(document, path.parent, default_name=_fit(path.stem), problems=problems)
    if problems.problems:
        raise SpecError(str(path), _first(sorted(problems.problems, key=_line_of)))
    return spec


def spec_from_flags(
    bots: Sequence[str], *, folder: Path, **flags: Unpack[SpecFlags]
) -> TournamentSpec:
    """Make a specification of BOT arguments and flags; relative paths begin at ``folder``.

    Without a name it is the labels and six digits of the conditions. SpecError holds every
    problem, its place the flag or the BOT.
    """
    folder = folder.absolute()
    arguments: list[BotArgument] = []
    argument_problems: list[Problem] = []
    for text in bots:
        try:
            arguments.append(parse_bot_argument(text, folder))
        except SpecError as error:
            argument_problems.extend(error.problems)
            arguments.append(BotArgument(text, module=_UNNAMED))
    labels = default_labels(arguments)
    document: _Document = {
        "bot": [
            _bot_table(argument, label) for argument, label in zip(arguments, labels, strict=True)
        ]
    }
    flag_places = _apply_flags(document, folder, flags)

    def place(at: KeyPath) -> str:
        if len(at) > 1 and at[0] == "bot" and isinstance(at[1], int):
            return bots[at[1]]
        return flag_places.get(at, "" if at in {("bot",), ()} else format_path(at))

    problems = ProblemList(place)
    spec = read_spec(document, folder, default_name=_UNNAMED, problems=problems)
    found = argument_problems + problems.problems
    if found:
        raise SpecError("the command line", _first(found))
    return spec if flags.get("name") is not None else replace(spec, name=derived_name(spec))


def _bot_table(argument: BotArgument, label: str) -> _Document:
    table: _Document = {"name": label}
    if argument.module is not None:
        table["module"] = argument.module
    if argument.command is not None:
        table["command"] = list(argument.command)
    if argument.options:
        table["options"] = dict(argument.options)
    return table


def _apply_flags(document: _Document, folder: Path, flags: SpecFlags) -> dict[KeyPath, str]:
    """Write the given flags into the document; returns their places."""
    places: dict[KeyPath, str] = {}
    for flag, value in flags.items():
        if value is None:
            continue
        table, key = _FLAG_KEYS[flag]
        values = document.setdefault(table, {})
        if not isinstance(values, dict):
            continue  # a wrong document is reported when it is read
        places[table, key] = f"--{flag.replace('_', '-')}"
        values[key] = str(folder / str(value)) if flag == "openings" else value
        for rival in _RIVALS.get(flag, ()):
            if (table, rival) not in places:
                values.pop(rival, None)
    return places


def _line_of(problem: Problem) -> int:
    match = re.match(r"line (\d+)", problem.place)
    return int(match[1]) if match is not None else 0


def _first(problems: list[Problem]) -> list[Problem]:
    more = len(problems) - _MAX_PROBLEMS
    if more <= 0:
        return problems
    return [*problems[:_MAX_PROBLEMS], Problem("", f"{more} more")]


def _syntax_problem(error: ValueError, text: str) -> Problem:
    if "integer string conversion" in str(error):
        found = [text.count("\n", 0, match.start()) + 1 for match in _DIGITS.finditer(text)]
        place = f"line {found[0]}" if len(found) == 1 else ""
        return Problem(place, f"a number has at most {_MAX_DIGITS} digits")
    match = re.fullmatch(r"(.*?) \((?:at )?(line \d+, column \d+|end of document)\)", str(error))
    place, why = (match[2], match[1]) if match is not None else ("", str(error))
    return Problem(place, f"is no TOML: {why[:1].lower()}{why[1:]}")


def _fit(stem: str) -> str:
    return re.sub(r"[^A-Za-z0-9._+-]+", "-", stem).strip("-.")[:64] or _UNNAMED
