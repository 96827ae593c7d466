"""Openings from a file, text lines or SGF, every bad one reported with its line."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from harness.errors import Problem, SpecError
from harness.play.types import Opening
from harness.rules.position import Position
from harness.rules.types import RuleSet
from harness.tournament.opening_entry import OpeningEntry, OpeningFault, played_out
from harness.tournament.opening_lines import read_opening_lines
from harness.tournament.opening_sgf import read_opening_sgf
from harness.tournament.text_file import read_text_file

MAX_FILE_OPENINGS: Final = 250_000

_MAX_PROBLEMS: Final = 50
_SGF_SUFFIX: Final = ".sgf"
_SGF_ENCODING: Final = "latin-1"  # that of FF[4] where none is named; only names need it


@dataclass(frozen=True, slots=True)
class OpeningFile:
    """The openings of a file in their order; ``duplicates`` says which repeat an earlier one."""

    openings: tuple[Opening, ...]
    duplicates: tuple[str, ...]


def read_opening_file(
    path: Path, start: Position, rules: RuleSet, plies: int | None = None
) -> OpeningFile:
    """Read openings: a position text, moves from ``start``, a position text and its moves; or SGF.

    At most ``plies`` plies of each are taken (None: all). SpecError holds every one that is
    unreadable, illegal or decided.
    """
    openings: list[Opening] = []
    problems: list[Problem] = []
    first_places: dict[str, str] = {}
    duplicates: list[str] = []
    for entry in read_opening_entries(path, start, rules, plies):
        if isinstance(entry.content, OpeningFault):
            problems.append(Problem(entry.place, entry.content.message))
            continue
        openings.append(entry.content)
        first = first_places.setdefault(entry.content.content_id, entry.place)
        if first != entry.place:
            duplicates.append(f"{entry.place} repeats {first}")
    if not openings and not problems:
        problems.append(Problem("", "holds no opening"))
    if len(problems) > _MAX_PROBLEMS:
        more = len(problems) - _MAX_PROBLEMS
        problems = [*problems[:_MAX_PROBLEMS], Problem("", f"{more} more openings are wrong")]
    if problems:
        raise SpecError(str(path), problems)
    return OpeningFile(tuple(openings), tuple(duplicates))


def read_opening_entries(
    path: Path, start: Position, rules: RuleSet, plies: int | None = None
) -> list[OpeningEntry]:
    """Return every entry of a file, played out under ``rules``; what is wrong is a fault in it.

    A file is SGF when its name ends in ``.sgf`` or its text begins with ``(``. SpecError when it
    cannot be read at all or holds more than 250,000 entries.
    """
    has_sgf_name = path.suffix.lower() == _SGF_SUFFIX
    text = read_text_file(path, _SGF_ENCODING if has_sgf_name else None)
    if has_sgf_name or text.lstrip().startswith("("):
        entries = read_opening_sgf(text, plies)
    else:
        entries = read_opening_lines(text, start, plies)
    found = [played_out(entry, rules) for entry in islice(entries, MAX_FILE_OPENINGS + 1)]
    if len(found) > MAX_FILE_OPENINGS:
        raise SpecError(str(path), [Problem("", f"holds more than {MAX_FILE_OPENINGS:,} openings")])
    return found
