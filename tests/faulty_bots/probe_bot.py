"""A bot that tries to get out: at its second turn it probes its walls, then it plays on.

Standard library only. The environment variable ``PROBE`` holds a JSON object of what to try:
``hidden`` (paths that must not be seen), ``written`` (paths that must not be made), ``port`` of a
listener on the loopback, ``abstract`` (name of an abstract unix socket), ``socket`` (path of a
unix socket), ``pids`` of processes outside, ``secret`` (in the environment of the harness,
written backwards here), and ``only`` (names of those to try; null: all). What came of each goes to
stderr: ``NAME: denied (why)`` or ``NAME: ALLOWED (what)``.

``probe_bot.py memory MEBIBYTES`` and ``probe_bot.py fork NUMBER`` only try that and say how far
they came.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import stat
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

MOVES = ("b1b3", "h4f2", "b3b1", "f2h4")
CLONE_NEWUSER, CLONE_NEWNET = 0x1000_0000, 0x4000_0000
PTRACE_ATTACH = 16
MIB = 1024 * 1024
LIBC = ctypes.CDLL(None, use_errno=True)


def main() -> None:
    if sys.argv[1:2] == ["memory"]:
        return print(taken_mebibytes(int(sys.argv[2])), flush=True)
    if sys.argv[1:2] == ["fork"]:
        return print(forked(int(sys.argv[2])), flush=True)
    probes = json.loads(os.environ.get("PROBE", "null"))
    turn = 0
    first = 0
    for line in sys.stdin:
        words = line.split()
        if words == ["ugi"]:
            print("id name probe\nugiok", flush=True)
        elif words == ["isready"]:
            print("readyok", flush=True)
        elif words[:1] == ["uginewgame"]:
            turn = 0
        elif words[:1] == ["position"]:
            count = len(words) - words.index("moves") - 1 if "moves" in words else 0
            first = count % 2
        elif words[:1] == ["go"]:
            turn += 1
            if turn == 2 and probes is not None:
                probe(probes)
            print("bestmove", MOVES[first::2][(turn - 1) % 2], flush=True)
        elif words == ["quit"]:
            return None
    return None


def probe(wanted: dict[str, Any]) -> None:
    for name, attempt in attempts(wanted).items():
        if wanted["only"] is not None and name not in wanted["only"]:
            continue
        try:
            what = attempt()
        except (OSError, MemoryError) as error:
            result = f"denied ({type(error).__name__} {getattr(error, 'errno', '')})"
        else:
            result = f"ALLOWED ({what})"
        print(f"{name}: {result}", file=sys.stderr, flush=True)


def attempts(wanted: dict[str, Any]) -> dict[str, Callable[[], object]]:
    """Return what is tried: an OSError is "denied"."""
    tried: dict[str, Callable[[], object]] = {
        "loopback": lambda: connect(("127.0.0.1", wanted["port"])),
        "outside": lambda: connect(("192.0.2.1", 53), socket.SOCK_DGRAM),
        "dns": lambda: socket.getaddrinfo("example.com", 80),
        "abstract-socket": lambda: unix_connect("\0" + wanted["abstract"]),
        "unix-socket": lambda: unix_connect(wanted["socket"]),
        "processes": foreign_processes,
        "environments": lambda: secret_places(wanted["secret"][::-1]),
        "fill-tmp": filled_tmp,
        "mount": lambda: call(LIBC.mount, b"none", b"/tmp", b"tmpfs", 0, None),
        "unmount": lambda: call(LIBC.umount2, b"/tmp", 2),
        "user-namespace": lambda: call(LIBC.unshare, CLONE_NEWUSER),
        "network-namespace": lambda: call(LIBC.unshare, CLONE_NEWNET),
        "chroot": lambda: os.chroot("/tmp"),
        "become-root": lambda: os.setuid(0),
        "become-group": lambda: os.setgroups([0]),
        "capabilities": capabilities,
        "new-device": lambda: os.mknod("/tmp/device", stat.S_IFBLK | 0o600, os.makedev(8, 0)),
        "host-name": lambda: socket.sethostname("mine"),
    }
    for path in wanted["hidden"]:
        tried[f"see {path}"] = partial(seen, path)
    for path in wanted["written"]:
        tried[f"write {path}"] = partial(Path(path).write_text, "x")
    for name in ("sda", "vda", "mem", "kmsg", "kvm", "fuse", "net/tun"):
        tried[f"device {name}"] = partial(os.open, f"/dev/{name}", os.O_RDONLY)
    for process in wanted["pids"]:
        tried[f"signal {process}"] = partial(os.kill, process, 0)
        tried[f"trace {process}"] = partial(call, LIBC.ptrace, PTRACE_ATTACH, process, 0, 0)
    return tried


def call(function: Callable[..., int], *arguments: object) -> object:
    if function(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return "done"


def connect(address: tuple[str, int], kind: int = socket.SOCK_STREAM) -> object:
    with socket.socket(socket.AF_INET, kind) as one:
        one.settimeout(2)
        one.connect(address)
        return one.getpeername()


def unix_connect(address: str) -> object:
    with socket.socket(socket.AF_UNIX) as one:
        one.settimeout(2)
        one.connect(address)
        return address


def seen(path: str) -> object:
    if Path(path).is_dir():
        return [one.name for one in Path(path).iterdir()]
    with Path(path).open("rb") as file:
        return file.read(10)


def foreign_processes() -> object:
    """Return the processes beside this one and the first of its namespace."""
    return some([name for name in process_names() if int(name) not in (1, os.getpid())])


def process_names() -> list[str]:
    return [path.name for path in Path("/proc").iterdir() if path.name.isdigit()]


def some(found: list[str]) -> list[str]:
    """Return what was found; nothing is "denied"."""
    if not found:
        raise FileNotFoundError
    return found


def secret_places(secret: str) -> object:
    found = []
    for name in process_names():
        for file in ("environ", "cmdline"):
            try:
                content = Path(f"/proc/{name}/{file}").read_bytes()
            except OSError:
                continue
            if secret.encode() in content:
                found.append(f"{name}/{file}")
    return some(found)


def filled_tmp() -> object:
    """Write a gigabyte in files of 8 MiB; what was written is removed again."""
    written = 0
    try:
        for number in range(128):
            with Path(f"/tmp/filling{number}").open("wb") as file:
                written += file.write(bytes(8 * MIB))
    except OSError:
        if 0 < written <= 64 * MIB:
            raise
    finally:
        for path in Path("/tmp").glob("filling*"):
            path.unlink()
    return f"{written} bytes"


def capabilities() -> object:
    """Return the sets of capabilities that are not empty, and whether more can be had."""
    status = Path("/proc/self/status").read_text().splitlines()
    found = [line for line in status if line.startswith("Cap") and int(line.split()[1], 16)]
    found += [line for line in status if line.startswith("NoNewPrivs") and "1" not in line]
    return some(found)


def taken_mebibytes(wanted: int) -> int:
    held = []
    try:
        for _ in range(wanted):
            held.append(b"x" * MIB)
    except MemoryError:
        pass
    count = len(held)
    held.clear()
    return count


def forked(wanted: int) -> int:
    children = []
    try:
        for _ in range(wanted):
            child = os.fork()
            if child == 0:
                signal.pause()
            children.append(child)
    except OSError:
        pass
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return len(children)


if __name__ == "__main__":
    main()
