"""The program that the first line of a script names, as the kernel and ``env`` would find it."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path
from typing import Final

_HEAD_BYTES: Final = 256
_FLAGS: Final = ("-", "-i", "--ignore-environment")
_UNSET: Final = ("-u", "--unset")
_SPLITS: Final = ("-S", "--split-string")
_SPECIAL: Final = frozenset("\\$#")
"""What ``env`` gives a meaning of its own in a text that it splits."""


def interpreter_of(path: Path, search_path: str) -> Path | None:
    """Return the program that a script names after ``#!``; through ``env`` it is on PATH.

    None when it is no script, or when what ``env`` would start cannot be told for certain.
    """
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
    except OSError:
        return None
    if not head.startswith(b"#!"):
        return None
    program, _, argument = (
        os.fsdecode(head[2:].split(b"\n", 1)[0]).strip().replace("\t", " ").partition(" ")
    )
    if not program:
        return None
    if Path(program).name != "env":
        return Path(program)
    found = shutil.which(_started_by_env(argument.strip()), path=search_path)
    return None if found is None else Path(found)


def _started_by_env(argument: str) -> str:
    """Return the program that ``env`` starts with this argument; empty when it is not certain."""
    words = _words(argument)
    while words:
        word = words.pop(0)
        if word in _UNSET:
            del words[:1]
        elif word == "--":
            return next((word for word in words if "=" not in word), "")
        elif word in _FLAGS or word.startswith("--unset=") or _is_short_unset(word):
            continue
        elif word.startswith("-"):
            return ""  # another folder, another search path, or what a later version knows
        elif "=" not in word:
            return word
    return ""


def _words(argument: str) -> list[str]:
    """Return the words that ``env`` takes its only argument for; none when it is not certain."""
    name, _, rest = argument.partition(" ")
    if name not in _SPLITS:
        if name.startswith("--split-string="):
            rest = argument.removeprefix("--split-string=")
        elif name.startswith("-S"):
            rest = argument.removeprefix("-S")
        else:
            return [argument]  # the kernel splits nothing: a space is part of the name
    if _SPECIAL.intersection(rest):
        return []
    try:
        return shlex.split(rest)
    except ValueError:
        return []


def _is_short_unset(word: str) -> bool:
    return word.startswith("-u") and len(word) > len("-u")
