"""A bot's definition into a running process: which program, which folder, which environment."""

from __future__ import annotations

import errno
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from harness.play.bot_definition import BotDefinition, Sandbox
from harness.process.containment import Containment, parent_death_wrapper
from harness.process.pipes import AttemptLost

MACHINE_ERRORS: Final = frozenset({errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE})
"""What the machine has none left of: processes, memory, descriptors. No bot's fault."""

_OUT_OF_MEMORY_SCORE: Final = "500"
_OWN_SCORE: Final = Path("/proc/self/oom_score_adj")


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
    """Start a bot in a session of its own with a pipe on each of its three streams.

    A session has no terminal: a bot cannot write on the user's or read from it. ``containment`` is
    what this process lives in. Must be called from the main thread: the parent-death signal
    follows the thread. Raises LaunchError, and AttemptLost when the machine has no room for one
    more process.
    """
    program = find_program(definition)
    environment = {"PYTHONUNBUFFERED": "1", **os.environ, **dict(definition.env)}
    words = program.words
    if definition.sandbox is Sandbox.BWRAP:
        from harness.process.sandbox import wrap

        words, environment = wrap(definition, program, environment)
    if containment is not Containment.PID_NAMESPACE:
        words = (*parent_death_wrapper(), *words)
    _stop_ignoring_interrupts()
    try:
        with _first_to_go() as is_set:
            process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=program.folder,
                env=environment,
                start_new_session=True,
            )
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno in MACHINE_ERRORS:
            raise AttemptLost(f"{definition.name} could not be started: {error}") from error
        raise LaunchError(f"its program cannot be started: {error}") from error
    if not is_set:
        with suppress(OSError):
            Path(f"/proc/{process.pid}/oom_score_adj").write_text(_OUT_OF_MEMORY_SCORE)
    return process


def _stop_ignoring_interrupts() -> None:
    """Handle SIGINT by nothing where it is ignored: programs inherit the one and not the other."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda *_: None)


@contextmanager
def _first_to_go() -> Iterator[bool]:
    """Have the kernel take what is started here before the harness when memory runs out.

    False when it cannot be inherited: users may not change it of a process that is not traced.
    """
    is_set = False
    with suppress(OSError):
        own = _OWN_SCORE.read_text()
        _OWN_SCORE.write_text(_OUT_OF_MEMORY_SCORE)
        is_set = True
    try:
        yield is_set
    finally:
        if is_set:
            with suppress(OSError):
                _OWN_SCORE.write_text(own)


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
