"""Openings as the lines of a file that ``[openings]`` reads."""

from __future__ import annotations

from collections.abc import Iterator

from harness.play.types import Opening
from harness.rules.notation import format_moves
from harness.tournament.opening_maker import MadeOpenings
from harness.tournament.opening_table import start_name


def opening_line(opening: Opening) -> str:
    """Return the start, by name where it has one, and the moves: no other key matters to it."""
    return " ".join([start_name(opening.start), *format_moves(opening.start, opening.moves)])


def made_openings_lines(made: MadeOpenings, head: str) -> Iterator[str]:
    """Yield the lines of a file, each with its end: ``head`` as comments, then the openings."""
    for line in head.splitlines():
        yield f"# {line}\n"
    for judged in made.kept:
        yield f"{opening_line(judged.opening)}  # {judged.score_cp:+d} cp\n"
