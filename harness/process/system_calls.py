"""The few Linux system calls that Python does not offer, with OSError when they fail."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from typing import Final

CLONE_NEWNS: Final = 0x0002_0000
CLONE_NEWUSER: Final = 0x1000_0000
CLONE_NEWPID: Final = 0x2000_0000

_MS_NOSUID_NODEV_NOEXEC: Final = 2 | 4 | 8
_MS_REC: Final = 0x4000
_MS_SLAVE: Final = 0x8_0000
_PR_SET_PDEATHSIG: Final = 1
_PR_SET_CHILD_SUBREAPER: Final = 36


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


def die_with_parent() -> None:
    """Have the kernel kill this process when the thread that started it ends."""
    _check(_libc().prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0))


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends (child subreaper)."""
    _check(_libc().prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))


def _libc() -> ctypes.CDLL:
    if sys.platform != "linux":
        raise OSError("this is not Linux")
    return ctypes.CDLL(None, use_errno=True)


def _check(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
