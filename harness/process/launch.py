"""A bot's definition into a running process: which program, which folder, which environment."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from harness.play.bot_definition import BotDefinition

# Parent-death signal: a bot ends with the process that started it, however that ends. The
# wrapper replaces itself by the bot, so that exit codes and signals stay what they are.
_PARENT_DEATH_WRAPPER: Final = ("setpriv", "--pdeathsig", "KILL", "--")


class LaunchError(Exception):
    """A bot's program cannot be started; the text is for the person who named it."""


@dataclass(frozen=True, slots=True)
class Program:
    """What is started: the words of the command with the program found, and the folder."""

    words: tuple[str, ...]
    folder: str


def containment_level() -> str:
    """Say in one word what keeps bots from outliving the harness on this machine."""
    return "parent-death" if shutil.which(_PARENT_DEATH_WRAPPER[0]) else "process-group"


def find_program(definition: BotDefinition) -> Program:
    """Find the program of a bot, before any wrapper can blur what is wrong with it.

    Raises LaunchError when the folder, the program or the module does not exist or the program
    may not be executed.
    """
    if definition.git is not None and definition.checkout is None:
        raise LaunchError("its version is not checked out")
    checkout = definition.checkout
    base = Path(checkout.folder if checkout else definition.folder or Path.cwd())
    folder = base / definition.cwd if definition.cwd else base
    if not folder.is_dir():
        raise LaunchError(f"its working folder {folder} does not exist")
    if definition.module is not None:
        return Program(_module_words(definition.module), str(folder))
    if not definition.command:
        raise LaunchError("it has neither a module nor a command")
    name, *arguments = definition.command
    return Program((_executable(name, base, definition), *arguments), str(folder))


def launch(definition: BotDefinition) -> subprocess.Popen[bytes]:
    """Start a bot in a process group of its own with a pipe on each of its three streams.

    Must be called from the main thread: the parent-death signal follows the thread. Raises
    LaunchError.
    """
    program = find_program(definition)
    wrapper = shutil.which(_PARENT_DEATH_WRAPPER[0])
    words = (wrapper, *_PARENT_DEATH_WRAPPER[1:], *program.words) if wrapper else program.words
    environment = {"PYTHONUNBUFFERED": "1", **os.environ, **dict(definition.env)}
    try:
        return subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=program.folder,
            env=environment,
            process_group=0,
        )
    except (OSError, ValueError) as error:
        raise LaunchError(f"its program cannot be started: {error}") from error


def _module_words(module: str) -> tuple[str, ...]:
    top = module.partition(".")[0]
    try:
        found = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        found = None
    if found is None:
        raise LaunchError(f"Python module {top!r} is not installed")
    return (sys.executable, "-P", "-m", module)


def _executable(name: str, base: Path, definition: BotDefinition) -> str:
    if "/" not in name:
        search_path = dict(definition.env).get("PATH", os.environ.get("PATH"))
        found = shutil.which(name, path=search_path)
        if found is None:
            raise LaunchError(f"there is no program {name!r} on PATH")
        return found
    path = base / name
    if not path.exists():
        is_unbuilt = definition.git is not None and definition.git.build is None
        hint = "; nothing was built, as its git has no build command" if is_unbuilt else ""
        raise LaunchError(f"its program {path} does not exist{hint}")
    if not path.is_file():
        raise LaunchError(f"its program {path} is not a file")
    if not os.access(path, os.X_OK):
        raise LaunchError(f"its program {path} is not executable (chmod +x)")
    _check_format(path)
    return str(path)


def _check_format(path: Path) -> None:
    try:
        with path.open("rb") as file:
            head = file.read(256)
    except OSError:
        return  # executable but not readable: the kernel may still run it
    if head.startswith(b"#!"):
        interpreter = head[2:].split(b"\n", 1)[0].split()
        if interpreter and not Path(os.fsdecode(interpreter[0])).exists():
            raise LaunchError(
                f"{path} names an interpreter that does not exist: {os.fsdecode(interpreter[0])}"
            )
    elif not head:
        raise LaunchError(f"its program {path} is an empty file")
    elif b"\0" not in head:
        raise LaunchError(f"its program {path} is a text file without a #! line")
