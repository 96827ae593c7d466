"""A bot behind walls: bubblewrap with a file system, processes and a network of its own.

Inside there is what of the system is only read, what the bot needs (``sandbox_files``), a small
``/tmp``, and nothing else: no network, no other process, no home, no capability, no way to get
one (no user namespace can be made), limits of memory and processes. System calls are not
filtered: what the kernel itself lets through is not held back.
"""

from __future__ import annotations

import os
import resource
import secrets
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from harness.play.bot_definition import BotDefinition
from harness.process.launch import LaunchError, Program, find_program
from harness.process.process_limits import DEFAULT_PROCESSES, SANDBOX_PROCESSES
from harness.process.sandbox_files import (
    SYSTEM_FOLDERS,
    SYSTEM_LINKS,
    is_of_system,
    readable_paths,
    unreadable_for_others,
)

TMP_BYTES: Final = 64 * 1024 * 1024
SHARED_MEMORY_BYTES: Final = 16 * 1024 * 1024

_MIB: Final = 1024 * 1024
_JAIL: Final = "/jail"
_FIRST_USER: Final = 0x7000_0000  # above what systemd and containers give out
_USERS: Final = 0x0FFF_0000
_THREADS_BESIDE: Final = 64
_MAX_OPEN_FILES: Final = 1024
_TRIAL_SECONDS: Final = 10
_KEPT: Final = ("PATH", "LANG", "LANGUAGE", "TZ", "PYTHONUNBUFFERED")
_LOADS_CODE: Final = ("LD_", "GLIBC_TUNABLES", "GCONV_PATH", "LOCPATH")
_CAP_SYS_ADMIN: Final = 1 << 21
_SYSTEM_FILES: Final = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime")


def wrap(
    definition: BotDefinition, program: Program, environment: Mapping[str, str]
) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the words and the environment that start a bot's program behind walls.

    ``environment`` is what the bot would have without: kept of it are the language, the time
    zone, ``PATH`` and the bot's own variables. Raises LaunchError when a program for the walls or a
    path of ``read`` is missing, or when the walls would hide the bot from itself. Whether the
    machine refuses them shows at the start (``refusal``).
    """
    tools = _Tools.find()
    paths = readable_paths(definition, program, environment)
    walls = _walls(tools, paths, program.folder, _limits(tools, definition))
    if _is_machine_root():
        unreadable = unreadable_for_others(paths, Path(program.folder, program.words[0]))
        if unreadable is not None:
            raise LaunchError(
                f"in the sandbox it runs as a user of its own, who may not read {unreadable} "
                "(chmod o+rX)"
            )
    outside, inside = _environment(definition, environment)
    return (*walls, *_given_inside(tools, inside), *program.words), outside


def check_sandbox(definition: BotDefinition, refused: Callable[[], str] | None = None) -> None:
    """Try the walls of a bot before it is started.

    ``refused`` stands for ``refusal``: who checks many bots has it keep its answer.
    Raises LaunchError when the program or something for the walls is missing, or when the
    machine refuses them.
    """
    wrap(definition, find_program(definition), os.environ)
    why = (refused or refusal)()
    if why:
        raise LaunchError(f"this machine refuses the sandbox: {why} (`loa doctor` says more)")


def refusal() -> str:
    """Return why this machine refuses the sandbox, after starting an empty one; "" if it works."""
    try:
        tools = _Tools.find()
    except LaunchError as error:
        return str(error)
    nothing = BotDefinition("nothing", command=("true",))
    words = (*_walls(tools, (), "/", _limits(tools, nothing)), _found("true", "coreutils"))
    try:
        tried = subprocess.run(
            words,
            env={"PATH": os.defpath},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TRIAL_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{tools.bwrap} cannot be started: {error}"
    if tried.returncode == 0:
        return ""
    said = " ".join(tried.stderr.decode(errors="replace").split())
    if "Unknown option" in said:
        said += "; bubblewrap 0.8 or newer is needed"
    return said or f"{tools.bwrap} ended with code {tried.returncode}"


class _Tools:
    """The programs that the walls are made of, found on this machine."""

    def __init__(self, bwrap: str, prlimit: str, setpriv: str, unshare: str) -> None:
        self.bwrap = bwrap
        self.prlimit = prlimit
        self.setpriv = setpriv
        self.unshare = unshare

    @classmethod
    def find(cls) -> _Tools:
        """Find all; LaunchError says what is to be installed."""
        bwrap = shutil.which("bwrap")
        if bwrap is None:
            raise LaunchError(
                "there is no program bwrap for its sandbox: install the package bubblewrap "
                "(`loa doctor` says what this machine can do)"
            )
        return cls(
            bwrap, *(_found(name, "util-linux") for name in ("prlimit", "setpriv", "unshare"))
        )


def _found(name: str, package: str) -> str:
    """Return a program as it is called inside."""
    found = shutil.which(name, path=f"{os.defpath}:{os.environ.get('PATH', '')}")
    path = None if found is None else Path(found)
    if path is not None and not is_of_system(path):
        path = path.resolve()
    if path is None or not is_of_system(path):
        raise LaunchError(
            f"there is no program {name} below /usr for its sandbox: install the package {package}"
        )
    return str(path)


def _walls(
    tools: _Tools, paths: tuple[Path, ...], folder: str, limits: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the words before those of the bot.

    Root of the machine needs another way: in a user namespace it would stay root to the kernel,
    whom no limit of processes holds. There the bot becomes a user of its own, whom nobody else
    is, below a second root folder, as the kernel lets nobody there make a user namespace.
    """
    if not _is_machine_root():
        return (
            *(tools.bwrap, "--unshare-all", "--unshare-user", "--disable-userns"),
            *("--uid", "65534", "--gid", "65534", "--cap-drop", "ALL", *_closed()),
            *_system(""),
            *_rooms("", paths, folder),
            *("--remount-ro", "/", "--chdir", folder, "--", *limits),
        )
    user = str(_FIRST_USER + secrets.randbelow(_USERS))
    namespaces = ("ipc", "pid", "net", "uts", "cgroup-try")
    kept = ("CAP_SYS_CHROOT", "CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")
    return (
        tools.bwrap,
        *(f"--unshare-{name}" for name in namespaces),
        *("--cap-drop", "ALL", *_each("--cap-add", kept), *_closed()),
        *_system(""),
        *_system(_JAIL),
        *_rooms(_JAIL, paths, folder),
        *("--remount-ro", "/", "--", tools.unshare, f"--root={_JAIL}", f"--wd={folder}", "--"),
        *(tools.setpriv, "--reuid", user, "--regid", user, "--clear-groups"),
        *("--bounding-set=-all", "--inh-caps=-all", "--no-new-privs", "--", *limits),
    )


def _closed() -> tuple[str, ...]:
    return ("--die-with-parent", "--new-session", "--hostname", "bot")


def _system(root: str) -> Iterator[str]:
    yield from _new_folder(root or "/")
    for name in SYSTEM_FOLDERS:
        if Path(name).is_dir():
            yield from (
                *_new_folder(f"{root}{Path(name).parent}"),
                "--ro-bind",
                name,
                f"{root}{name}",
            )
    for name in SYSTEM_LINKS:
        link = Path(name)
        if link.is_symlink():
            yield from ("--symlink", str(link.readlink()), f"{root}{name}")
        elif link.is_dir():
            yield from ("--ro-bind", name, f"{root}{name}")


def _rooms(root: str, paths: tuple[Path, ...], folder: str) -> Iterator[str]:
    """Yield what a bot has: the harmless part of ``/etc``, its files, room to write, devices."""
    yield from _new_folder(f"{root}/etc")
    for path in (*map(Path, _SYSTEM_FILES), *sorted(Path("/etc").glob("java-*"))):
        yield from ("--ro-bind-try", str(path), f"{root}{path}")
    yield from ("--proc", f"{root}/proc", "--dev", f"{root}/dev")
    for name, size in (("/dev/shm", SHARED_MEMORY_BYTES), ("/tmp", TMP_BYTES)):  # noqa: S108
        yield from ("--perms", "1777", "--size", str(size), "--tmpfs", f"{root}{name}")
    yield from ("--remount-ro", f"{root}/dev")
    parents = {parent for path in (*paths, Path(folder, "bot")) for parent in path.parents}
    for parent in sorted(parents - {Path("/")}):  # bubblewrap's own are for their maker alone
        yield from _new_folder(f"{root}{parent}")
    for path in paths:
        yield from ("--ro-bind", str(path), f"{root}{path}")


def _new_folder(path: str) -> tuple[str, ...]:
    return ("--perms", "0755", "--dir", path)


def _each(word: str, values: tuple[str, ...]) -> Iterator[str]:
    for value in values:
        yield from (word, value)


def _limits(tools: _Tools, definition: BotDefinition) -> tuple[str, ...]:
    """Return the words that limit what comes after them: whole processes, not their tree.

    The kernel counts threads as processes, so there is room for some more.
    """
    processes = definition.processes or DEFAULT_PROCESSES
    tasks = SANDBOX_PROCESSES + processes + _THREADS_BESIDE + definition.threads
    _, open_files = resource.getrlimit(resource.RLIMIT_NOFILE)
    if not 0 <= open_files <= _MAX_OPEN_FILES:
        open_files = _MAX_OPEN_FILES
    memory = definition.memory_mb
    return (
        tools.prlimit,
        f"--nproc={tasks}",
        *(() if memory is None else (f"--data={memory * _MIB}",)),
        f"--nofile={open_files}",
        f"--fsize={TMP_BYTES}",  # also of files in memory that have no name
        "--core=0",
        "--",
    )


def _environment(
    definition: BotDefinition, environment: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return what bubblewrap and the bot are given, and what the bot alone is given.

    A bot of the same user can read the first. The second is what has a program load code that is
    named there: the programs of the walls, which run outside of them, must not.
    """
    own = {name for name, _ in definition.env}
    kept = {
        name: value
        for name, value in environment.items()
        if name in _KEPT or name.startswith("LC_") or name in own
    }
    inside = {name: value for name, value in kept.items() if name.startswith(_LOADS_CODE)}
    outside = {name: value for name, value in kept.items() if name not in inside}
    return {"HOME": "/tmp", "NUMBA_CACHE_DIR": "/tmp/numba", **outside}, inside  # noqa: S108


def _given_inside(tools: _Tools, variables: Mapping[str, str]) -> tuple[str, ...]:
    """Return the words that set variables for what comes after them, behind all walls."""
    if not variables:
        return ()
    values = (f"{name}={value}" for name, value in variables.items())
    # Not the bot's program at once: a ``=`` in its path would make it one more variable.
    return (_found("env", "coreutils"), *values, tools.setpriv, "--no-new-privs", "--")


def _is_machine_root() -> bool:
    """Whether this is root of the whole machine, with the right to make namespaces."""
    if os.geteuid() != 0:
        return False
    with suppress(OSError, ValueError, IndexError):
        users = int(Path("/proc/self/uid_map").read_text().split()[2])
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("CapEff:"):
                return users > _FIRST_USER + _USERS and bool(
                    int(line.split()[1], 16) & _CAP_SYS_ADMIN
                )
    return False
