"""What keeps everything that a slot starts from outliving it, as far as the machine allows."""

from __future__ import annotations

import os
import select
import shutil
import signal
from collections.abc import Callable, Iterable
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Final, NoReturn

from harness.process.system_calls import (
    CLONE_NEWIPC,
    CLONE_NEWNS,
    CLONE_NEWPID,
    CLONE_NEWUSER,
    adopt_orphans,
    die_with_parent,
    mount_own_processes,
    unshare,
)
from harness.process.trial import said_in_child

PARENT_DEATH_WRAPPER: Final = ("setpriv", "--pdeathsig", "KILL", "--")
"""Starts a program that ends with the process that started it; replaces itself by it."""

_NAMESPACES: Final = CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC
"""Processes; mounts, for a ``/proc`` of their own; System V memory, which else stays behind."""

_MAX_DESCRIPTORS: Final = 4096


class Containment(Enum):
    """How a slot holds its bots together, the strongest first.

    ``pid-namespace``: the slot is the first process of a PID namespace; whatever is started in
    it ends with it, however it ends. ``subreaper``: bots end with the slot, and what they leave
    behind becomes the slot's child and is ended after each game; it may outlive a slot that is
    killed. ``process-group``: bots end with the slot, what they leave behind may not.
    """

    PID_NAMESPACE = "pid-namespace"
    SUBREAPER = "subreaper"
    PROCESS_GROUP = "process-group"


def parent_death_wrapper() -> tuple[str, ...]:
    """Return the words before a program that shall end with its starter; none where unknown."""
    program = shutil.which(PARENT_DEATH_WRAPPER[0])
    return (program, *PARENT_DEATH_WRAPPER[1:]) if program else ()


def containment_text(level: Containment) -> str:
    """Say in one word what holds the bots of a slot, as it is recorded with each game."""
    if level is Containment.PID_NAMESPACE or not parent_death_wrapper():
        return level.value
    return f"{level.value}+parent-death"


def refusal(level: Containment) -> str:
    """Return why this machine refuses a level, after trying it in a child; "" when it works.

    Must be called where no other thread runs.
    """
    match level:
        case Containment.PID_NAMESPACE:
            return _trial(_try_namespace)
        case Containment.SUBREAPER:
            return _trial(adopt_orphans)
        case Containment.PROCESS_GROUP:
            return "" if parent_death_wrapper() else "there is no program setpriv on PATH"


def enter(levels: Iterable[Containment] = Containment) -> Containment:
    """Put this process into the first of these levels that the machine allows.

    In a PID namespace the caller returns as its first process; the process that called stays
    behind, ends when that one does, and as it did. Must be called in the main thread, before
    any other thread is started.
    """
    for level in levels:
        if level is Containment.PROCESS_GROUP or refusal(level):
            continue
        if level is Containment.PID_NAMESPACE:
            _become_first_of_namespace()
        else:
            adopt_orphans()
        return level
    return Containment.PROCESS_GROUP


def _become_first_of_namespace() -> None:
    _unshare_processes()
    read_fd, write_fd = os.pipe()
    child = os.fork()
    if child:
        os.close(read_fd)
        _end_as(child, write_fd)
    os.close(write_fd)
    die_with_parent()
    ended = select.poll()
    ended.register(read_fd, select.POLLIN)
    if ended.poll(0):
        os._exit(1)  # the parent was gone before the signal was set
    os.close(read_fd)
    mount_own_processes()


def _unshare_processes() -> None:
    user, group = os.geteuid(), os.getegid()
    if user == 0:
        with suppress(OSError):
            unshare(_NAMESPACES)
            return
    unshare(CLONE_NEWUSER | _NAMESPACES)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


def _end_as(child: int, kept_fd: int) -> NoReturn:
    """Wait for the first process of the namespace and end the way it ended."""
    # The pipes are the child's alone from here: whoever holds the other end must see it end.
    os.closerange(3, kept_fd)
    os.closerange(kept_fd + 1, _MAX_DESCRIPTORS)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        with suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        signal.pause()
    os._exit(os.waitstatus_to_exitcode(status))


def _try_namespace() -> None:
    _unshare_processes()
    child = os.fork()
    if child == 0:
        try:
            mount_own_processes()
        except OSError as error:
            os._exit(error.errno or 1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code:
        raise OSError(code, f"its own /proc cannot be mounted: {os.strerror(code)}")


def _trial(attempt: Callable[[], None]) -> str:
    """Return why an attempt fails in a child of its own; "" when it does not."""

    def outcome() -> str:
        attempt()
        return ""

    return said_in_child(outcome)
