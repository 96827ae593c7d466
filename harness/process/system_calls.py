"""The few Linux system calls that Python does not offer, with OSError when they fail."""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import sys
from typing import Final

CLONE_NEWNS: Final = 0x0002_0000
CLONE_NEWIPC: Final = 0x0800_0000
CLONE_NEWUSER: Final = 0x1000_0000
CLONE_NEWPID: Final = 0x2000_0000

_MS_NOSUID_NODEV_NOEXEC: Final = 2 | 4 | 8
_MS_REC: Final = 0x4000
_MS_SLAVE: Final = 0x8_0000
_PR_SET_PDEATHSIG: Final = 1
_PR_SET_DUMPABLE: Final = 4
_PR_CAPBSET_DROP: Final = 24
_PR_SET_CHILD_SUBREAPER: Final = 36
_CAP_SYS_PTRACE: Final = 19
_KEYCTL_OF_MACHINE: Final = {"x86_64": 250, "aarch64": 219}
_KEYCTL_JOIN_SESSION_KEYRING: Final = 1


def unshare(flags: int) -> None:
    """Give this process, or its children, namespaces of their own."""
    _check(_libc().unshare(flags))


def mount_own_processes() -> None:
    """Mount a ``/proc`` that shows this PID namespace, in this mount namespace alone.

    What is mounted outside later still comes in.
    """
    libc = _libc()
    _check(libc.mount(None, b"/", None, _MS_REC | _MS_SLAVE, None))
    _check(libc.mount(b"proc", b"/proc", b"proc", _MS_NOSUID_NODEV_NOEXEC, None))


def join_new_keyring() -> None:
    """Leave the session's keyring of the kernel for an empty one: what is started inherits it."""
    number = _KEYCTL_OF_MACHINE.get(platform.machine())
    if number is None:
        raise OSError("the number of keyctl is not known on this kind of machine")
    if _libc().syscall(number, _KEYCTL_JOIN_SESSION_KEYRING, None) < 0:
        _check(-1)


def own_own_files() -> None:
    """Own this process's files in ``/proc`` again after it changed its user."""
    _check(_libc().prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0))


def keep_from_being_traced() -> None:
    """Take the right to trace others from what is started: root's bots cannot look in here."""
    _check(_libc().prctl(_PR_CAPBSET_DROP, _CAP_SYS_PTRACE, 0, 0, 0))


def die_with_parent() -> None:
    """Have the kernel kill this process when the thread that started it ends."""
    _check(_libc().prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0))


def adopt_orphans(*, is_wanted: bool = True) -> None:
    """Become the parent of descendants whose own parent ends (child subreaper), or no longer."""
    _check(_libc().prctl(_PR_SET_CHILD_SUBREAPER, int(is_wanted), 0, 0, 0))


def _libc() -> ctypes.CDLL:
    if sys.platform != "linux":
        raise OSError("this is not Linux")
    return ctypes.CDLL(None, use_errno=True)


def _check(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
