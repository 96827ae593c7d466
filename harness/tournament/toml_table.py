"""Reading values out of a table and collecting everything that is wrong with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from enum import Enum
from typing import TypeVar

from harness.errors import Problem
from harness.tournament.toml_places import KeyPath

Choice = TypeVar("Choice", bound=Enum)


class ProblemList:
    """Collects problems; ``place`` tells people where the value of a path was written."""

    def __init__(self, place: Callable[[KeyPath], str]) -> None:
        self.problems: list[Problem] = []
        self._place = place

    def add(self, path: KeyPath, message: str) -> None:
        """Note what is wrong with the value at ``path``."""
        self.problems.append(Problem(self._place(path), message))


class TomlTable:
    """One table. Every reader returns None for a missing or a wrong value and notes the wrong.

    ``finish`` must be called last: it notes the keys that nobody asked for. ``homes`` names the
    table of keys that are often written into the wrong one.
    """

    def __init__(
        self,
        values: Mapping[str, object],
        path: KeyPath,
        problems: ProblemList,
        homes: Mapping[str, str],
    ) -> None:
        self._values = values
        self.path = path
        self.problems = problems
        self._homes = homes
        self._known: list[str] = []

    def has(self, key: str) -> bool:
        """Tell whether the key was written, rightly or wrongly."""
        return key in self._values

    def note(self, key: str, message: str) -> None:
        """Note what is wrong with the value of ``key``, or that it is missing."""
        self.problems.add((*self.path, key) if key in self._values else self.path, message)

    def text(self, key: str) -> str | None:
        """Read a string."""
        return self._read(key, str, "a string")

    def boolean(self, key: str) -> bool | None:
        """Read true or false."""
        return self._read(key, bool, "true or false")

    def integer(self, key: str, low: int, high: int) -> int | None:
        """Read a whole number within bounds."""
        expected = f"a whole number from {low} to {high}"
        value = self._read(key, int, expected)
        if value is not None and not low <= value <= high:
            self.note(key, f"expected {expected}, found {_shorten(str_of_int(value))}")
            return None
        return value

    def number(self, key: str, low: float, high: float) -> float | None:
        """Read a number within bounds, whole or not; neither infinite nor "not a number"."""
        expected = f"a number from {low:g} to {high:g}"
        self._known.append(key)
        value = self._values.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.note(key, f"expected {expected}, found {_name_of_type(value)}")
            return None
        if not low <= value <= high:
            self.note(key, f"expected {expected}, found {_shorten(_number_text(value))}")
            return None
        return float(value)

    def choice(self, key: str, kind: type[Choice]) -> Choice | None:
        """Read one of the texts of an enumeration."""
        names = [member.value for member in kind]
        expected = " or ".join(f'"{name}"' for name in names)
        value = self._read(key, str, expected)
        if value is None:
            return None
        if value not in names:
            self.note(key, f"expected {expected}, found {shown(value)}")
            return None
        return kind(value)

    def words(self, key: str, example: str) -> tuple[str, ...] | None:
        """Read an array of strings; ``example`` is shown to whoever wrote something else."""
        value = self._read(key, list, f"an array of strings such as {example}")
        if value is None:
            return None
        wrong = [place for place, word in enumerate(value) if not isinstance(word, str)]
        for place in wrong:
            found = _name_of_type(value[place])
            self.problems.add((*self.path, key, place), f"expected a string, found {found}")
        return None if wrong else tuple(value)

    def pairs(self, key: str) -> Mapping[str, object]:
        """Read a table of names and values of any type; empty when missing or wrong."""
        return self._read(key, dict, "a table of names and values") or {}

    def table(self, key: str) -> TomlTable:
        """Read a table; an empty one when missing or wrong."""
        values = self._read(key, dict, "a table") or {}
        return TomlTable(values, (*self.path, key), self.problems, self._homes)

    def tables(self, key: str) -> list[TomlTable]:
        """Read an array of tables."""
        tables = []
        for place, values in enumerate(
            self._read(key, list, f"tables, each under [[{key}]]") or ()
        ):
            path = (*self.path, key, place)
            if isinstance(values, dict):
                tables.append(TomlTable(values, path, self.problems, self._homes))
            else:
                self.problems.add(path, f"expected a table, found {_name_of_type(values)}")
        return tables

    def finish(self) -> None:
        """Note every key that was not asked for, with the nearest that is known."""
        for key in self._values:
            if key not in self._known:
                self.note(key, f"unknown key{self._hint(key)}")

    def _hint(self, key: str) -> str:
        home = self._homes.get(key)
        if home is not None:
            return f"; it belongs {home}"
        return nearest_hint(key, self._known)

    def _read(self, key: str, kind: type[Kind], expected: str) -> Kind | None:
        self._known.append(key)
        value = self._values.get(key)
        if value is None:
            return None
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            self.note(key, f"expected {expected}, found {_name_of_type(value)}")
            return None
        return value


Kind = TypeVar("Kind")


def nearest_hint(word: str, known: Iterable[str]) -> str:
    """Return ``; did you mean "..."?`` with the nearest known word, or all of them."""
    by_lower = {name.lower().replace("_", "-"): name for name in known}
    near = get_close_matches(word.lower().replace("_", "-"), by_lower, n=1)
    if near:
        return f'; did you mean "{by_lower[near[0]]}"?'
    return f"; known are {', '.join(sorted(by_lower.values()))}" if by_lower else ""


def shown(text: str) -> str:
    """Return a text in quotes, shortened to what a message can hold."""
    return _shorten(repr(text))


def str_of_int(value: int) -> str:
    """Return the digits of a number, also of one that Python refuses to write in decimal."""
    return str(value) if abs(value) < 10**100 else "a number of more than 100 digits"


def _number_text(value: float) -> str:
    return str_of_int(value) if isinstance(value, int) else f"{value:g}"


def _name_of_type(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return f"the string {shown(value)}"
        case int():
            return f"the number {str_of_int(value)}"
        case float():
            return f"the number {value}"
        case list():
            return "an array"
        case dict():
            return "a table"
        case _:
            return f"the date or time {value}"


def _shorten(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
