"""SGF text as trees of properties, whatever the game: escapes, variations, line numbers.

Work and memory are proportional to the text, whatever is in it: trees are handed over one by one,
brackets are counted and not followed, and the main line of a tree is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from harness.errors import SgfError
from harness.visible_text import with_hidden_replaced

_IDENTIFIER: Final = re.compile(r"[A-Za-z]++")
_VALUE: Final = re.compile(r"\[([^\]\\]*+(?:\\.[^\]\\]*+)*+)\]", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_SPACE: Final = re.compile(r"[^\S\n]")
_BEGIN: Final = re.compile(r"\(\s*+;")
_SKIPPED: Final = re.compile(r"\s*+")

_REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"

MAX_NODES: Final = 100_000
"""Of one main line; a game has 10,000 plies at most, where their number is limited."""
MAX_VALUES: Final = 200_000
"""Of one main line, those of all its nodes together."""


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


def escape(text: str) -> str:
    """Return ``text`` as it is written between brackets.

    What cannot be shown becomes U+FFFD, line feeds excepted: a file that is looked at on a
    terminal must not steer it.
    """
    lines = [with_hidden_replaced(line, lambda _: _REPLACEMENT) for line in text.split("\n")]
    return "\n".join(lines).replace("\\", "\\\\").replace("]", "\\]")


def quoted(text: str) -> str:
    """Return the beginning of a file's text as a message may show it: short, and printable."""
    return repr(text[:20])[1:-1]


def parse_trees(text: str) -> Iterator[Tree]:
    """Yield the main line (always the first child) of each tree of a collection.

    Anything before the first ``(;`` is skipped, a byte order mark too. Raises SgfError, at the
    end of the trees before it.
    """
    source = text.replace("\r\n", "\n").replace("\n\r", "\n")
    return _Parser(source.replace("\r", "\n")).parse()


class _Parser:
    """A loop that counts brackets: no depth of nesting costs memory, or the interpreter's stack.

    ``_depth`` brackets are open, the lowest ``_main_depth`` of them on the main line: those that
    are first children of first children. Only the innermost can be without a child.
    """

    def __init__(self, source: str) -> None:
        self._source = source
        begin = _BEGIN.search(source)
        self._at = 0 if begin is None else begin.start()
        self._counted = 0
        self._line = 1
        self._tree = Tree(1)
        self._values = 0
        self._depth = 0
        self._main_depth = 0
        self._has_child = False

    def parse(self) -> Iterator[Tree]:
        found = False
        while (character := self._next()) != "":
            if character == "(":
                self._open_bracket()
            elif not self._depth:
                raise self._error(f"expected ( where a game begins, found {character!r}")
            elif character == ")":
                self._close_bracket()
                if not self._depth:
                    found = True
                    yield self._tree
            elif character == ";":
                self._read_node()
            else:
                raise self._error(f"expected ; or ( or ), found {character!r}")
        if self._depth:
            raise self._error("expected ) before the end of the text")
        if not found:
            raise self._error("expected ( where a game begins, found nothing")

    def _next(self) -> str:
        """Skip white space and return the character after it, or nothing at the end."""
        self._at = self._skipped(self._at)
        return self._source[self._at : self._at + 1]

    def _skipped(self, at: int) -> int:
        match = _SKIPPED.match(self._source, at)
        return at if match is None else match.end()

    @property
    def _is_on_main_line(self) -> bool:
        return self._depth == self._main_depth

    def _open_bracket(self) -> None:
        if not self._depth:
            self._tree, self._values = Tree(self._line_here()), 0
            self._main_depth = 1
        elif self._is_on_main_line:
            if self._has_child:
                self._tree.variations += 1
            else:
                self._main_depth += 1
        self._depth += 1
        self._has_child = False
        self._at += 1
        if self._next() != ";":
            raise self._error("expected ; after (")

    def _close_bracket(self) -> None:
        self._depth -= 1
        self._main_depth = min(self._main_depth, self._depth)
        self._has_child = True
        self._at += 1

    def _read_node(self) -> None:
        if self._has_child:
            raise self._error("expected no further node after a variation")
        self._at += 1
        node: Node = {}
        is_kept = self._is_on_main_line
        while True:
            self._next()
            name = _IDENTIFIER.match(self._source, self._at)
            if name is None:
                break
            self._at = self._skipped(name.end())
            # Old files write GaMe for GM: lower-case letters are decoration.
            key = "".join(filter(str.isupper, name[0]))
            self._read_values(name[0], node.setdefault(key, []) if is_kept else None)
        if is_kept:
            self._tree.nodes.append(node)
            if len(self._tree.nodes) > MAX_NODES:
                raise self._error(f"expected a game of at most {MAX_NODES} nodes")

    def _read_values(self, name: str, values: list[Value] | None) -> None:
        if self._next() != "[":
            raise self._error(f"expected [ after {name[:20]}")
        while self._next() == "[":
            match = _VALUE.match(self._source, self._at)
            if match is None:
                raise self._error(f"expected ] at the end of a value of {name[:20]}")
            if values is not None:
                values.append(Value(match[1], self._line_here()))
                self._values += 1
                if self._values > MAX_VALUES:
                    raise self._error(f"expected a game of at most {MAX_VALUES} values")
            self._at = match.end()

    def _line_here(self) -> int:
        """Return the line of the present place; each call counts on from the last one."""
        self._line += self._source.count("\n", self._counted, self._at)
        self._counted = max(self._counted, self._at)
        return self._line

    def _error(self, why: str) -> SgfError:
        return SgfError(self._line_here(), why)
