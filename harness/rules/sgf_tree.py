"""SGF text as trees of properties, whatever the game: escapes, variations, line numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from harness.errors import SgfError

_IDENTIFIER: Final = re.compile(r"[A-Za-z]++")
_VALUE: Final = re.compile(r"\[([^\]\\]*+(?:\\.[^\]\\]*+)*+)\]", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_SPACE: Final = re.compile(r"[^\S\n]")
_BEGIN: Final = re.compile(r"\(\s*+;")
_SKIPPED: Final = re.compile(r"\s*+")


@dataclass(frozen=True, slots=True)
class Value:
    """One value between brackets as it stands in the file, and the line where it begins."""

    raw: str
    line: int

    @property
    def text(self) -> str:
        """The value with escapes undone, its line breaks kept."""
        return _ESCAPE.sub(_unescape, _SPACE.sub(" ", self.raw))

    @property
    def simple_text(self) -> str:
        """The value with escapes undone, on one line."""
        return self.text.replace("\n", " ")


def _unescape(match: re.Match[str]) -> str:
    """Return an escaped character as it is; an escaped line break is none."""
    return "" if match[1] == "\n" else match[1]


Node = dict[str, list[Value]]
"""The values of each property, by identifier in capitals."""


@dataclass(slots=True)
class Tree:
    """One game tree: the nodes of its main line, and how many variations were left out."""

    line: int
    nodes: list[Node] = field(default_factory=list)
    variations: int = 0


@dataclass(slots=True)
class _Level:
    """An open bracket: whether it is on the main line, and how many it holds so far."""

    on_main_line: bool
    children: int = 0


def escape(text: str) -> str:
    """Return ``text`` as it is written between brackets."""
    return text.replace("\\", "\\\\").replace("]", "\\]")


def parse_trees(text: str) -> list[Tree]:
    """Read a collection, the main line (always the first child) of each tree.

    Anything before the first ``(;`` is skipped, a byte order mark too; raises SgfError.
    """
    source = text.replace("\r\n", "\n").replace("\n\r", "\n")
    return _Parser(source.replace("\r", "\n")).parse()


class _Parser:
    """A loop with a stack of its own: no depth of nesting can exhaust the interpreter's."""

    def __init__(self, source: str) -> None:
        self._source = source
        begin = _BEGIN.search(source)
        self._at = 0 if begin is None else begin.start()
        self._counted = 0
        self._line = 1
        self._trees: list[Tree] = []
        self._open: list[_Level] = []

    def parse(self) -> list[Tree]:
        while (character := self._next()) != "":
            if character == "(":
                self._open_tree()
            elif not self._open:
                raise self._error(f"expected ( where a game begins, found {character!r}")
            elif character == ")":
                self._close_tree()
            elif character == ";":
                self._read_node()
            else:
                raise self._error(f"expected ; or ( or ), found {character!r}")
        if self._open:
            raise self._error("expected ) before the end of the text")
        if not self._trees:
            raise self._error("expected ( where a game begins, found nothing")
        return self._trees

    def _next(self) -> str:
        """Skip white space and return the character after it, or nothing at the end."""
        self._at = self._skipped(self._at)
        return self._source[self._at : self._at + 1]

    def _skipped(self, at: int) -> int:
        match = _SKIPPED.match(self._source, at)
        return at if match is None else match.end()

    def _open_tree(self) -> None:
        if not self._open:
            self._trees.append(Tree(self._line_here()))
            self._open.append(_Level(on_main_line=True))
        else:
            parent = self._open[-1]
            first = parent.children == 0
            self._trees[-1].variations += parent.on_main_line and not first
            parent.children += 1
            self._open.append(_Level(on_main_line=parent.on_main_line and first))
        self._at += 1
        if self._next() != ";":
            raise self._error("expected ; after (")

    def _close_tree(self) -> None:
        self._open.pop()
        self._at += 1

    def _read_node(self) -> None:
        level = self._open[-1]
        if level.children:
            raise self._error("expected no further node after a variation")
        self._at += 1
        node: Node = {}
        while True:
            self._next()
            name = _IDENTIFIER.match(self._source, self._at)
            if name is None:
                break
            self._at = self._skipped(name.end())
            self._read_values(node, name[0])
        if level.on_main_line:
            self._trees[-1].nodes.append(node)

    def _read_values(self, node: Node, name: str) -> None:
        # Old files write GaMe for GM: lower-case letters are decoration.
        values = node.setdefault("".join(filter(str.isupper, name)), [])
        if self._next() != "[":
            raise self._error(f"expected [ after {name[:20]}")
        while self._next() == "[":
            match = _VALUE.match(self._source, self._at)
            if match is None:
                raise self._error(f"expected ] at the end of a value of {name[:20]}")
            values.append(Value(match[1], self._line_here()))
            self._at = match.end()

    def _line_here(self) -> int:
        """Return the line of the present place; each call counts on from the last one."""
        self._line += self._source.count("\n", self._counted, self._at)
        self._counted = max(self._counted, self._at)
        return self._line

    def _error(self, why: str) -> SgfError:
        return SgfError(self._line_here(), why)
