"""Bots as written on the command line: a shipped bot with options, or a command."""

from __future__ import annotations

import importlib.util
import pkgutil
import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from harness.errors import Problem, SpecError
from harness.play.bot_definition import BotDefinition
from harness.tournament.toml_table import nearest_hint, shown

MAX_NAME_LENGTH: Final = 64
BOT_NAME: Final = re.compile(r"[A-Za-z0-9._+-]{1,64}")
NAME_RULE: Final = "a name is 1 to 64 of the characters A-Z a-z 0-9 . _ + -"

SHIPPED_PACKAGE: Final = "bots"

_MODULE_SUFFIX: Final = "_bot"
_SHIPPED_FORM: Final = re.compile(r"(?P<name>[A-Za-z0-9_]+)(?::(?P<options>.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class BotArgument:
    """What a BOT of the command line says; exactly one of ``module`` and ``command`` is set.

    ``label`` is None when none was written; ``text`` is the argument without its label.
    """

    text: str
    label: str | None = None
    module: str | None = None
    command: tuple[str, ...] | None = None
    options: tuple[tuple[str, str], ...] = ()


def shipped_bots() -> Mapping[str, str]:
    """Return the module of every shipped bot by its name, sorted; none of them is imported."""
    package = importlib.util.find_spec(SHIPPED_PACKAGE)
    folders = package.submodule_search_locations if package is not None else None
    modules = sorted(module.name for module in pkgutil.iter_modules(folders or []))
    return {
        name.removesuffix(_MODULE_SUFFIX): f"{SHIPPED_PACKAGE}.{name}"
        for name in modules
        if name.endswith(_MODULE_SUFFIX)
    }


def parse_bot_argument(text: str, folder: Path) -> BotArgument:
    """Read ``[label=]NAME[:Option=Value,...]`` or ``[label=]PROGRAM ARGS``.

    What contains ``/`` or a space is a command, unless it begins with the name of a shipped bot
    and a colon. A command is split as a shell would. ``folder`` is only looked into for a better
    message. SpecError holds everything that is wrong.
    """
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise SpecError(ascii(text), [Problem(ascii(text), "is not UTF-8 text")])
    problems: list[str] = []
    label, body = _split_label(text.strip())
    if label is not None and BOT_NAME.fullmatch(label) is None:
        problems.append(f"{shown(label)} is no label: {NAME_RULE}")
    argument = BotArgument(body, label)
    shipped = shipped_bots()
    form = _SHIPPED_FORM.fullmatch(body)
    if form is not None and form["name"] in shipped:
        options = _read_options(form["options"], problems)
        argument = BotArgument(body, label, shipped[form["name"]], None, options)
    elif "/" in body or " " in body:
        try:
            words = tuple(shlex.split(body))
        except ValueError as error:
            problems.append(f"cannot be split into words: {str(error).lower()}")
        else:
            argument = BotArgument(body, label, None, words)
            if not words or not words[0]:
                problems.append("the command is empty")
    else:
        problems.append(_unknown(body, form["name"] if form else body, shipped, folder))
    if problems:
        raise SpecError(text, [Problem(text, problem) for problem in problems])
    return argument


def default_labels(arguments: Sequence[BotArgument]) -> list[str]:
    """Return a name for each argument: its label, or the argument made to fit.

    Each run of characters that a name cannot have, or of ``-``, becomes one ``-``; paths are
    shortened to their last part: ``alphabeta:Depth=4`` is ``alphabeta-Depth-4`` and
    ``python3 ./my/bot.py --fast`` is ``python3-bot.py-fast``. A name that is taken gets ``-2``,
    ``-3`` and so on; written labels are kept as they are, also when they are equal.
    """
    taken = {argument.label for argument in arguments}
    labels = []
    for argument in arguments:
        label = argument.label
        if label is None:
            label = free_name(_fit(argument), taken)
            taken.add(label)
        labels.append(label)
    return labels


def free_name(wanted: str, taken: set[str | None]) -> str:
    """Return ``wanted``, or with ``-2``, ``-3`` and so on, whichever first is not taken."""
    name, number = wanted[:MAX_NAME_LENGTH], 1
    while name in taken:
        number += 1
        ending = f"-{number}"
        name = wanted[: MAX_NAME_LENGTH - len(ending)] + ending
    return name


def _split_label(text: str) -> tuple[str | None, str]:
    head, equals, rest = text.partition("=")
    if not equals or re.search(r"[/:\s]", head):  # the sign belongs to an option or a word
        return None, text
    return head, rest.strip()


def _read_options(text: str | None, problems: list[str]) -> tuple[tuple[str, str], ...]:
    options: dict[str, str] = {}
    spellings: dict[str, str] = {}  # names that differ in case alone are one name to a bot
    for term in text.split(",") if text is not None else []:
        name, equals, value = (part.strip() for part in term.partition("="))
        if not equals or not name:
            problems.append(f"{shown(term)} is no option: expected Option=Value, joined by commas")
        elif name.lower() in spellings:
            first = spellings[name.lower()]
            as_well = "" if first == name else f", as {first} too"
            problems.append(f"the option {name} is given twice{as_well}")
        spellings.setdefault(name.lower(), name)
        options[name] = value
    return tuple(sorted(options.items()))


def _unknown(body: str, name: str, shipped: Collection[str], folder: Path) -> str:
    if not body:
        return "names no bot"
    plain = name.removesuffix(".py").removesuffix(_MODULE_SUFFIX)
    if _exists(folder / body):
        hint = f"; write ./{body} for the program of that name"
    elif plain in shipped:
        hint = f'; did you mean "{plain}"?'
    else:
        hint = nearest_hint(name, shipped).partition("; known")[0]
    known = f"there are {', '.join(shipped)}" if shipped else "there are none"
    return f"no shipped bot is called {shown(name)}{hint}; {known}; a command contains / or a space"


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # too long for a path, say
        return False


def _fit(argument: BotArgument) -> str:
    if argument.command is None:
        text = argument.text
    else:
        text = " ".join(word.rstrip("/").rpartition("/")[2] for word in argument.command)
    return re.sub(r"[^A-Za-z0-9._+]+", "-", text).strip("-")[:MAX_NAME_LENGTH] or "bot"


def bot_of_argument(text: str, folder: Path) -> BotDefinition:
    """Return the bot that one argument names, under its default label.

    Raises SpecError, as ``parse_bot_argument`` does.
    """
    bot = parse_bot_argument(text, folder)
    return BotDefinition(
        name=default_labels([bot])[0],
        module=bot.module,
        command=bot.command,
        folder=str(folder),
        options=bot.options,
    )
