"""A bot's definition into a running process: which program, which folder, which environment."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from harness.play.bot_definition import BotDefinition, Sandbox
from harness.process.containment import Containment, parent_death_wrapper

_OUT_OF_MEMORY_SCORE: Final = "500"


class LaunchError(Exception):
    """A bot's program cannot be started; the text is for the person who named it."""


@dataclass(frozen=True, slots=True)
class Program:
    """What is started: the words of the command with the program found, and the folder."""

    words: tuple[str, ...]
    folder: str


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


def launch(
    definition: BotDefinition, containment: Containment = Containment.PROCESS_GROUP
) -> subprocess.Popen[bytes]:
    """Start a bot in a process group of its own with a pipe on each of its three streams.

    ``containment`` is what this process lives in. Must be called from the main thread: the
    parent-death signal follows the thread. Raises LaunchError.
    """
    program = find_program(definition)
    environment = {"PYTHONUNBUFFERED": "1", **os.environ, **dict(definition.env)}
    words = program.words
    if definition.sandbox is Sandbox.BWRAP:
        from harness.process.sandbox import wrap

        words, environment = wrap(definition, program, environment)
    if containment is not Containment.PID_NAMESPACE:
        words = (*parent_death_wrapper(), *words)
    try:
        process = subprocess.Popen(
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
    # When memory runs out the kernel takes a bot before the harness.
    with suppress(OSError):
        Path(f"/proc/{process.pid}/oom_score_adj").write_text(_OUT_OF_MEMORY_SCORE)
    return process


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
