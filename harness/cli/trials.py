"""Trials that need a process of their own: another user, a dying parent, a bot that wants out."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from harness.play.bot_definition import BotDefinition, Sandbox
from harness.process.containment import parent_death_wrapper
from harness.process.launch import LaunchError, launch
from harness.process.system_calls import own_own_files
from harness.process.trial import said_in_child

_NOBODY: Final = 65_534
_SECONDS: Final = 20
_PATIENCE_SECONDS: Final = 2.0
_MEMORY_MB: Final = 64
_PROCESSES: Final = 16

# Everything here should fail; the names of what did not are written as JSON.
_PROBE: Final = """
import json, os, signal, socket, sys
port = int(sys.argv[1])
def network():
    socket.create_connection(("127.0.0.1", port), 2)
def files():
    os.stat("/etc/passwd")
def writing():
    open("/usr/loa-doctor", "w")
def other_processes():
    if len([name for name in os.listdir("/proc") if name.isdigit()]) < 4:
        raise OSError
def capabilities():
    os.chroot("/tmp")
def memory():
    bytearray(256 << 20)
def processes():
    children = []
    try:
        for _ in range(200):
            child = os.fork()
            if not child:
                signal.pause()
            children.append(child)
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
through = []
for attempt in (network, files, writing, other_processes, capabilities, memory, processes):
    try:
        attempt()
    except (OSError, MemoryError):
        continue
    through.append(attempt.__name__.replace("_", " "))
print(json.dumps(through))
"""


def as_other_user(attempt: Callable[[], str]) -> str:
    """Return what an attempt says as a user without rights, in a child of root's process.

    Must be called where no other thread runs.
    """

    def as_nobody() -> str:
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)
        own_own_files()
        return attempt()

    return said_in_child(as_nobody)


def ends_with_its_parent() -> bool:
    """Start a program that would sleep, end its parent, and see whether it is gone."""
    read_fd, write_fd = os.pipe()
    child = os.fork()
    if child == 0:
        with suppress(OSError):
            _start_sleeper(write_fd)
        os._exit(0)
    os.close(write_fd)
    os.waitpid(child, 0)
    with os.fdopen(read_fd, "rb") as answer:
        process = answer.readline()
        is_gone = bool(select.select([answer], [], [], _PATIENCE_SECONDS)[0])
        if not is_gone and process.strip():
            with suppress(ProcessLookupError):
                os.kill(int(process), signal.SIGKILL)
    return is_gone and bool(process)


def _start_sleeper(held_fd: int) -> None:
    """Start a program that holds a pipe open while it lives, and write its number there.

    It sleeps before this returns: what ends its parent earlier is not told to it.
    """
    words = (*parent_death_wrapper(), "sh", "-c", f"echo; exec sleep {3 * _SECONDS}")
    program = subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        pass_fds=(held_fd,),
    )
    assert program.stdout is not None
    program.stdout.readline()
    os.write(held_fd, f"{program.pid}\n".encode())


def gaps_of_sandbox() -> list[str]:
    """Return what a program in the sandbox could do although it should not be able to."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
        definition = BotDefinition(
            "probe",
            command=(sys.executable, "-S", "-c", _PROBE, port),
            folder="/",
            memory_mb=_MEMORY_MB,
            processes=_PROCESSES,
            sandbox=Sandbox.BWRAP,
        )
        try:
            process = launch(definition)
        except LaunchError as error:
            return [f"not tried: {error}"]
        try:
            output, errors = process.communicate(timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return ["not tried: the probe did not end"]
    try:
        gaps = json.loads(output)
    except ValueError:
        said = " ".join(errors.decode(errors="replace").split())
        return [f"not tried: {said or process.returncode}"]
    return [str(gap) for gap in gaps]
