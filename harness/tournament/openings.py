"""The openings of a tournament: pair *n* of every encounter is played from opening *n*."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Protocol

from harness.play.types import Opening
from harness.rules.notation import format_fen
from harness.rules.types import RuleSet
from harness.tournament.opening_file import OpeningFile, read_opening_file
from harness.tournament.opening_generator import (
    GENERATOR_VERSION,
    MAX_OPENINGS,
    OpeningGenerator,
)
from harness.tournament.opening_order import order_text, playing_order
from harness.tournament.spec import OpeningSource

_QUICKLY_GENERATED: Final = 256
"""So many openings take a fifth of a second: a list is looked through so far to say if it wraps."""


class OpeningList(Protocol):
    """Openings by number from 0, as many as are asked for: after the last comes the first again.

    ``distinct`` is the number of different ones among the ``count`` that were asked for at first
    (``len``), ``identity`` a text that is equal for equal lists of any length.
    """

    @property
    def identity(self) -> str:
        """The origin in one line, the same for every count."""
        ...

    @property
    def distinct(self) -> int:
        """How many different openings the first ``len`` hold."""
        ...

    @property
    def available(self) -> int | None:
        """After how many the first comes again; None while that is not known."""
        ...

    def notice(self, count: int | None = None) -> str | None:
        """Return a sentence when the first ``count`` are known to hold an opening twice.

        Quick: what would take long to find out is not known before it happens.
        """
        ...

    def __getitem__(self, number: int) -> Opening: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Opening]: ...


def opening_list(source: OpeningSource, rules: RuleSet, seed: int, count: int) -> OpeningList:
    """Return the openings of ``source``; at once: generated ones are found when asked for.

    SpecError when the file is at fault, or when the start allows no opening at all.
    """
    if source.file is not None:
        file = read_opening_file(Path(source.file), source.start, rules, source.plies)
        return FileOpenings(file, source, seed, count)
    return GeneratedOpenings(source, rules, seed, count)


def openings_identity(source: OpeningSource, rules: RuleSet, seed: int) -> str:
    """Return ``opening_list(...).identity``; reads the file, generates nothing."""
    if source.file is not None:
        return opening_list(source, rules, seed, 0).identity
    return _generated_identity(source, _seed_of(source, seed))


class GeneratedOpenings:
    """Openings by random plies; a longer list begins with the shorter one."""

    def __init__(self, source: OpeningSource, rules: RuleSet, seed: int, count: int) -> None:
        self._count = count
        seed = _seed_of(source, seed)
        self._generator = OpeningGenerator(source.start, source.random_plies, rules, seed)
        self._generator.first()
        self.identity = _generated_identity(source, seed)

    @property
    def distinct(self) -> int:
        """How many different openings the first ``len`` hold; generates them."""
        self._generator.extend(min(self._count, MAX_OPENINGS))
        return min(self._count, len(self._generator.found))

    @property
    def available(self) -> int | None:
        """After how many the first comes again; None before the generator has come to its end."""
        return len(self._generator.found) if self._generator.exhausted else None

    def notice(self, count: int | None = None) -> str | None:
        """Return a sentence when the first ``count`` are known to hold an opening twice.

        Generates some of them: few openings are counted, of many it is only known how many
        there are at most.
        """
        wanted = self._count if count is None else count
        self._generator.extend(min(wanted, _QUICKLY_GENERATED))
        if self.available is not None:
            return _wrap_notice(wanted, self.available, "different openings")
        if wanted > MAX_OPENINGS:
            return (
                f"At most {MAX_OPENINGS} openings are generated for {wanted} game pairs: "
                "then they are played again."
            )
        return None

    def __getitem__(self, number: int) -> Opening:
        found = self._generator.found
        self._generator.extend(_checked(number) + 1)
        return found[number % len(found)]

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Opening]:
        return (self[number] for number in range(self._count))


class FileOpenings:
    """The openings of a file in the order of its source."""

    def __init__(self, file: OpeningFile, source: OpeningSource, seed: int, count: int) -> None:
        self._count = count
        self._duplicates = file.duplicates
        seed = _seed_of(source, seed)
        places = playing_order(len(file.openings), source.order, seed, source.first)
        self._openings = tuple(file.openings[place] for place in places)
        contents = "\n".join(opening.text for opening in file.openings)
        digest = hashlib.sha256(contents.encode()).hexdigest()[:16]
        order = order_text(source.order, seed, source.first)
        self.identity = f"file of {len(file.openings)} openings, contents {digest}{order}"

    @property
    def distinct(self) -> int:
        """How many different openings the first ``len`` hold."""
        return len({opening.content_id for opening in self._openings[: self._count]})

    @property
    def available(self) -> int | None:
        """After how many the first comes again: all of the file."""
        return len(self._openings)

    def notice(self, count: int | None = None) -> str | None:
        """Return a sentence when the first ``count`` hold an opening twice."""
        wanted = self._count if count is None else count
        repeated = self._duplicates
        sentences = [
            _wrap_notice(wanted, len(self._openings), "openings"),
            f"The file of openings repeats itself: {'; '.join(repeated[:5])}"
            f"{f' and {len(repeated) - 5} more' if len(repeated) > 5 else ''}."
            if repeated
            else None,
        ]
        return " ".join(sentence for sentence in sentences if sentence) or None

    def __getitem__(self, number: int) -> Opening:
        return self._openings[_checked(number) % len(self._openings)]

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Opening]:
        return (self[number] for number in range(self._count))


def _seed_of(source: OpeningSource, seed: int) -> int:
    """Return the openings' own seed, or that of the tournament."""
    return seed if source.seed is None else source.seed


def _checked(number: int) -> int:
    if number < 0:
        raise IndexError(f"openings are numbered from 0, not {number}")
    return number


def _wrap_notice(count: int, available: int, what: str) -> str | None:
    if count <= available:
        return None
    times = -(-count // available)
    openings = "is 1 opening" if available == 1 else f"are {available} {what}"
    return f"There {openings} for {count} game pairs: each is played up to {times} times."


def _generated_identity(source: OpeningSource, seed: int) -> str:
    origin = f"{source.random_plies} random plies from {format_fen(source.start)}"
    return f"generated (version {GENERATOR_VERSION}), seed {seed}, {origin}"
