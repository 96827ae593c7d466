"""Where in a TOML text a key stands: ``tomllib`` reads values, this finds their lines."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Mapping
from typing import Final

KeyPath = tuple[str | int, ...]
"""Keys and places in arrays (from 0) from the top: ``("bot", 1, "options", "Seed")``."""

_MAX_SHOWN_LENGTH: Final = 60
_BLANK: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE: Final = re.compile(r"[ \t]*")
_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
_STRING: Final = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}' r"|'''.*?'{3,5}" r'|"(?:[^"\\\n]|\\.)*"' r"|'[^'\n]*'",
    re.DOTALL,
)
_MAX_KEY_PARTS: Final = 100
_KEY_PART: Final = r"""(?:(?<![A-Za-z0-9_-])[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')"""
_MANY_PARTS: Final = re.compile(rf"(?:{_KEY_PART}[ \t]*+\.[ \t]*+){{{_MAX_KEY_PARTS}}}")
_SCALAR: Final = re.compile(r"[^,\]}#\n]*")


def key_lines(text: str) -> Mapping[KeyPath, int]:
    """Return the line, counted from 1, of every table, key and element of a valid TOML text.

    ``text`` has plain line feeds and was read by ``tomllib`` without an error.
    """
    scanner = _Scanner(text)
    scanner.document()
    return scanner.lines


def nests_too_deeply(text: str) -> bool:
    """Whether a key of a text has so many parts that reading it would take too long.

    The time and memory of a reader grow with the square of their number.
    """
    return _MANY_PARTS.search(text) is not None


def format_path(path: KeyPath) -> str:
    """Return ``bot[2].options.Seed``; places in arrays are counted from 1 for people."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part + 1}]"
        else:
            shown = part if _BARE_KEY.fullmatch(part) else repr(part)
            if len(shown) > _MAX_SHOWN_LENGTH:
                shown = f"{shown[: _MAX_SHOWN_LENGTH - 3]}..."
            text += f".{shown}" if text else shown
    return text


class _Scanner:
    """Walks a valid document once; it decides nothing, so it can be simpler than a parser."""

    def __init__(self, text: str) -> None:
        self.lines: dict[KeyPath, int] = {}
        self._text = text
        self._at = 0
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._array_lengths: dict[KeyPath, int] = {}

    def document(self) -> None:
        table: KeyPath = ()
        while not self._at_end():
            if self._accept("[["):
                table = self._header(is_array=True)
            elif self._accept("["):
                table = self._header(is_array=False)
            else:
                self._pair(table)

    def _header(self, *, is_array: bool) -> KeyPath:
        at = self._at
        *parents, last = self._key()
        path: KeyPath = ()
        for key in parents:
            self._note((*path, key), at)
            path = self._in_array((*path, key))
        path = (*path, last)
        self._note(path, at)
        if is_array:
            self._array_lengths[path] = self._array_lengths.get(path, 0) + 1
        path = self._in_array(path)
        self._note(path, at)
        self._take(_SPACE)
        self._at += 2 if is_array else 1
        return path

    def _in_array(self, path: KeyPath) -> KeyPath:
        """Return the path of the last table when ``path`` is an array of tables."""
        length = self._array_lengths.get(path)
        return path if length is None else (*path, length - 1)

    def _pair(self, table: KeyPath) -> None:
        at = self._at
        path = table
        for key in self._key():
            path = (*path, key)
            self._note(path, at)
        self._at += 1  # the sign of equality
        self._take(_SPACE)
        self._value(path)

    def _key(self) -> list[str]:
        keys = []
        while True:
            self._take(_SPACE)
            if self._text[self._at] in "\"'":
                keys.append(str(tomllib.loads(f"key = {self._take(_STRING)}")["key"]))
            else:
                keys.append(self._take(_BARE_KEY))
            self._take(_SPACE)
            if not self._accept("."):
                return keys

    def _value(self, path: KeyPath) -> None:
        if self._accept("{"):
            while not self._ends_with("}"):
                self._pair(path)
        elif self._accept("["):
            place = 0
            while not self._ends_with("]"):
                self._note((*path, place), self._at)
                self._value((*path, place))
                place += 1
        elif self._text[self._at] in "\"'":
            self._take(_STRING)
        else:
            self._take(_SCALAR)

    def _ends_with(self, bracket: str) -> bool:
        self._take(_BLANK)
        if self._accept(","):
            self._take(_BLANK)
        return self._accept(bracket)

    def _note(self, path: KeyPath, at: int) -> None:
        self.lines.setdefault(path, bisect_right(self._starts, at))

    def _at_end(self) -> bool:
        self._take(_BLANK)
        return self._at >= len(self._text)

    def _accept(self, token: str) -> bool:
        if not self._text.startswith(token, self._at):
            return False
        self._at += len(token)
        return True

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._at)
        if match is None:
            line = bisect_right(self._starts, self._at)
            raise ValueError(f"line {line} is not the TOML that was read")
        self._at = match.end()
        return match[0]
