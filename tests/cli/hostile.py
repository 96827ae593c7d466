"""Texts that a bot, a file or a stranger's database may hold, and what must never come of them."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterator

HOSTILE = {
    "clears the screen": "\x1b[2J\x1b[H\x1b]0;title\x07",
    "C1 control codes": "csi\x9b2Jnel\x85del\x7f",
    "line ends": "two\nlines\r\nor\rthree",
    "NUL": "be\0fore",
    "writes from right to left": "\u202egnp.exe\u2066",
    "line separators": "a\u2028b\u2029c",
    "zero width": "gre\u200bedy\ufeff",
    "lone surrogates": "\udce9\ud800",
    "marks without end": "z" + "\u0334" * 300,
    "a blank letter": "\u3164",
    "tag letters": "a\U000e0041\U000e007f",
    "formula": "=cmd|' /C calc'!A0",
    "formula of sums": "-2+3+cmd|' /C calc'!A0",
    "formula behind a tab": "\t=1+1",
    "formula of full width": "\uff1d1+1",
    "function": "@SUM(1+1)",
    "looks like a number": "+5",
    "link": "x](javascript:alert(1))",
    "picture": "![x](http://host/x.png)",
    "script": "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "cells": "a|b`c`*d*_e_~f~",
    "path": "../../etc/passwd",
    "quotes": "'; DROP TABLE games; --\"",
    "game tree": "];W[resign])(;GM[9]C[\\",
    "mathematics": "$\\frac{1}{2}$ #1 %s %n {0}",
    "mathematics that is none": "$\\nonsense{$",
    "markup of a terminal": "[bold red]x[/]",
    "very long": "long" * 1_000,
}

_FORMULA = re.compile("[=+\\-@\t\r\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?")
# A backslash before a sign of Markdown takes its meaning away.
_LIVE_MARKDOWN = re.compile(r"(?<!\\)(?:\\\\)*[`<\[\]*~]")


def faults_of_text(text: str) -> Iterator[str]:
    """Yield every character that steers a terminal, hides, or piles up on another."""
    marks = 0
    for place, character in enumerate(text):
        marks = marks + 1 if unicodedata.category(character) in ("Mn", "Me") else 0
        if marks > 4 or not (character == "\n" or character.isprintable()):
            yield f"{character!r} in {text[max(place - 30, 0) : place + 10]!r}"
        if character in "\u3164\u115f\u1160\uffa0\u034f":
            yield f"the blank letter {character!r}"


def faults_of_csv(text: str) -> Iterator[str]:
    """Yield every cell that a spreadsheet takes for a formula, and rows of other lengths."""
    yield from faults_of_text(text)
    rows = list(csv.reader(io.StringIO(text)))
    for row in rows:
        if len(row) != len(rows[0]):
            yield f"a row of {len(row)} cells, not {len(rows[0])}: {row!r}"
        for cell in row:
            if _FORMULA.match(cell) and not _NUMBER.fullmatch(cell):
                yield f"the cell {cell[:40]!r}"


def faults_of_markdown(text: str) -> Iterator[str]:
    """Yield every live sign of Markdown but pictures of ours, and table rows of other lengths."""
    yield from faults_of_text(text)
    width = 0
    for line in text.splitlines():
        plain = re.sub(r"^!\[[^\]]*\]\([a-z0-9-]+\.png\)$", "", line)
        if _LIVE_MARKDOWN.search(plain):
            yield f"live Markdown in {line[:100]!r}"
        cells = len(re.findall(r"(?<!\\)(?:\\\\)*\|", plain)) if plain.startswith("|") else 0
        if cells and width and cells != width:
            yield f"a row of {cells} bars, not {width}: {line[:100]!r}"
        width = cells
