"""Bots behind walls: what they try is denied, as root and as a user, and they play all the same."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from harness.play.bot_definition import BotDefinition, Sandbox
from harness.process.launch import LaunchError, launch
from harness.process.sandbox import TMP_BYTES, check_sandbox, refusal
from tests.process.sandbox_game import PROBE_BOT
from tests.process.support import Tag

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed"),
]

ROOT = Path(__file__).resolve().parents[2]
USER = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
SYSTEM_PYTHON = "/usr/bin/python3"


@dataclass(frozen=True)
class Player:
    """Who starts sandboxes: this user, or from root another one."""

    words: tuple[str, ...]
    python: str

    def __call__(self, *arguments: str, **environment: str) -> dict[str, Any]:
        done = subprocess.run(
            [*self.words, self.python, "-m", "tests.process.sandbox_game", *arguments],
            cwd=ROOT,
            env={"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1", **environment},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        result: dict[str, Any] = json.loads(done.stdout)
        return result


def as_user(code: str) -> str:
    words = [*USER, SYSTEM_PYTHON, "-c", code]
    tried = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    return tried.stdout.strip()


@pytest.fixture(params=["ourselves", "a user"])
def player(request: pytest.FixtureRequest) -> Player:
    if request.param == "ourselves":
        if os.geteuid() != 0 and refusal():
            pytest.skip(f"this machine refuses the sandbox: {refusal()}")
        return Player((), sys.executable)
    if os.geteuid() != 0:
        pytest.skip("we are a user: tried as ourselves")
    code = "import sys, tests.process.sandbox_game; print(sys.version_info >= (3, 11))"
    if "True" not in as_user(code):
        pytest.skip("another user has no Python 3.11, or cannot read this checkout")
    why = as_user("from harness.process.sandbox import refusal; print(refusal())")
    if why:
        pytest.skip(f"this machine refuses users the sandbox: {why}")
    return Player(USER, SYSTEM_PYTHON)


@dataclass(frozen=True)
class Bait:
    """What there is outside to be found."""

    probe: dict[str, Any]
    secret: str

    def text(self, only: list[str] | None = None) -> str:
        return json.dumps({**self.probe, "only": only})


@pytest.fixture
def bait(tmp_path: Path) -> Iterator[Bait]:
    for folder in (tmp_path, tmp_path.parent):
        folder.chmod(0o755)
    secret = uuid.uuid4().hex
    file = tmp_path / "secret"
    file.write_text(secret)
    file.chmod(0o644)
    name = f"loa-test-{uuid.uuid4().hex}"
    path = str(tmp_path / "socket")
    with socket.socket() as loopback, socket.socket(socket.AF_UNIX) as hidden:
        loopback.bind(("127.0.0.1", 0))
        hidden.bind("\0" + name)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path)
            Path(path).chmod(0o777)
            for one in (loopback, hidden, listener):
                one.listen()
            probe = {
                "hidden": [
                    *(str(file), "/etc/shadow", "/etc/passwd", "/etc/resolv.conf", "/var", "/sys"),
                    *(str(ROOT / "README.md"), str(ROOT / ".git"), str(ROOT / "results"), "/run"),
                    *(str(Path.home() / name) for name in (".bashrc", ".ssh", ".cache")),
                    "/proc/1/root/etc/shadow",
                ],
                "written": [
                    *("/mine", "/usr/mine", "/etc/mine", "/dev/mine", "/proc/mine"),
                    *(str(PROBE_BOT.parent / "mine"), str(PROBE_BOT)),
                ],
                "port": loopback.getsockname()[1],
                "abstract": name,
                "socket": path,
                "pids": [os.getpid(), os.getppid()],
                "secret": secret[::-1],
            }
            yield Bait(probe, secret)


def test_everything_a_bot_tries_is_denied_and_it_plays_to_the_end(
    player: Player, bait: Bait, tag: Tag
) -> None:
    played = player(
        *("game", "probe", "probe"),
        PROBE=bait.text(),
        SECRET=bait.secret,
        LOA_TEST_TAG=tag.value,
    )
    assert (played["cause"], played["plies"]) == ("max-plies", 12)
    for lines in (text.splitlines() for text in played["stderr"]):
        assert len(lines) > 40
        assert [line for line in lines if ": denied" not in line] == []


def test_without_the_sandbox_the_same_is_there(bait: Bait, tag: Tag) -> None:
    # Only what harms nothing: otherwise the probes above would prove nothing.
    secret_file = bait.probe["hidden"][0]
    names = ["loopback", "abstract-socket", "unix-socket", "processes", "environments"]
    names += [f"see {secret_file}", f"see {ROOT / 'README.md'}", f"signal {os.getpid()}"]
    played = Player((), sys.executable)(
        *("game", "probe", "probe"),
        PROBE=bait.text(names),
        SECRET=bait.secret,
        LOA_TEST_TAG=tag.value,
        LOA_TEST_OPEN="1",
    )
    found = [line.partition(": ")[::2] for line in played["stderr"][0].splitlines()]
    assert [name for name, result in found if result.startswith("ALLOWED")] == names


def test_memory_ends_at_its_limit(player: Player, tag: Tag) -> None:
    words = ("run", player.python, "-S", str(PROBE_BOT), "memory", "256")
    ran = player(*words, LOA_TEST_TAG=tag.value)
    assert ran["code"] == 0, ran
    assert 16 <= int(ran["output"]) < 64


def test_forks_end_at_their_limit(player: Player, tag: Tag) -> None:
    # As root twice: the processes of one bot must not count for another.
    words = ("run", player.python, "-S", str(PROBE_BOT), "fork", "200")
    for _ in range(2):
        ran = player(*words, LOA_TEST_TAG=tag.value)
        assert ran["code"] == 0, ran
        assert 16 <= int(ran["output"]) < 100


def test_codes_and_signals_of_a_bot_can_be_told(player: Player) -> None:
    assert player("run", "sh", "-c", "exit 3")["code"] == 3
    assert player("run", "sh", "-c", "kill -SEGV $$")["code"] == 128 + 11
    assert player("run", "true")["code"] == 0


@pytest.mark.parametrize(
    "pair", [("bots.random_bot", "bots.greedy_bot"), ("bots.alphabeta_bot", "bots.mcts_bot")]
)
def test_shipped_bots_play_in_the_sandbox(pair: tuple[str, str], tag: Tag) -> None:
    if refusal():
        pytest.skip(f"this machine refuses the sandbox: {refusal()}")
    words = [sys.executable, "-P", "-c", "import bots; print(bots.__path__[0])"]
    found = subprocess.run(words, env={}, capture_output=True, text=True, check=False)
    if found.stdout.strip() != str(ROOT / "bots"):
        pytest.skip("this checkout is not installed: behind walls Python finds another, or none")
    played = Player((), sys.executable)("game", *pair, LOA_TEST_TAG=tag.value)
    assert (played["cause"], played["plies"]) == ("max-plies", 12), played
    assert played["stderr"] == ["", ""]


def bot(folder: Path, *command: str, **values: Any) -> BotDefinition:
    return BotDefinition("x", command=command, folder=str(folder), sandbox=Sandbox.BWRAP, **values)


def ran(definition: BotDefinition) -> tuple[int, str]:
    if refusal():
        pytest.skip(f"this machine refuses the sandbox: {refusal()}")
    process = launch(definition)
    output, errors = process.communicate(timeout=60)
    return process.returncode, output.decode() + errors.decode()


def open_folder(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    return folder


def test_a_bot_sees_its_folder_and_what_it_is_given(tmp_path: Path) -> None:
    mine = open_folder(tmp_path / "mine")
    data = open_folder(tmp_path / "data")
    (mine / "bot.sh").write_text("#!/bin/sh\ncat beside ../data/book ../data/other; pwd")
    (mine / "bot.sh").chmod(0o755)
    (mine / "beside").write_text("beside\n")
    (data / "book").write_text("book\n")
    (data / "other").write_text("other\n")
    definition = bot(tmp_path, "mine/bot.sh", cwd="mine", read=("data/book",))
    code, text = ran(definition)
    assert text.splitlines()[:2] == ["beside", "book"]
    assert str(mine) in text.splitlines()
    assert "other: No such file" in text
    assert code == 0


def test_a_program_elsewhere_comes_without_its_folder(tmp_path: Path) -> None:
    spec = open_folder(tmp_path / "spec")
    elsewhere = open_folder(tmp_path / "elsewhere")
    (elsewhere / "bot.sh").write_text(f"#!/bin/sh\nls {elsewhere}; pwd; ls -A")
    (elsewhere / "bot.sh").chmod(0o755)
    (elsewhere / "diary").write_text("dear diary")
    assert ran(bot(spec, "../elsewhere/bot.sh"))[1].split() == ["bot.sh", str(spec)]


def test_its_own_environment_and_no_other_reaches_a_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOA_SECRET", "s")
    monkeypatch.setenv("LANG", "C.UTF-8")
    _, text = ran(bot(open_folder(tmp_path), "env", env=(("BOOK", "none"), ("HOME", "/mine"))))
    variables = dict(line.split("=", 1) for line in text.splitlines())
    assert variables["BOOK"] == "none"
    assert variables["HOME"] == "/mine"
    assert variables["LANG"] == "C.UTF-8"
    assert "LOA_SECRET" not in variables
    known = {"BOOK", "HOME", "LANG", "LANGUAGE", "NUMBA_CACHE_DIR", "PATH", "PWD", "TZ"}
    assert (
        not {name for name in variables if not name.startswith("LC_")}
        - known
        - {"PYTHONUNBUFFERED"}
    )


LOADED = """
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
__attribute__((constructor)) static void loaded(void) {
    const char *where = open(OUTSIDE, O_RDONLY) < 0 ? "loaded inside\\n" : "loaded OUTSIDE\\n";
    write(2, where, strlen(where));
}
"""
LIBRARIES = ("libcap.so.2", "libcap-ng.so.0", "libselinux.so.1")
"""What the programs of the walls are linked with, beside the C library."""


def foreign_symbols() -> set[str]:
    """Return what the programs of the walls want of other libraries than that of C."""
    programs = [shutil.which(name) or "" for name in ("bwrap", "setpriv", "prlimit")]
    words = ["nm", "-D", "--undefined-only", *programs]
    lines = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
    names = {line.split()[-1] for line in lines if " U " in line}
    return {name for name in names if "@" not in name}


@pytest.mark.parametrize("variable", ["LD_PRELOAD", "LD_LIBRARY_PATH"])
def test_what_a_bot_loads_is_loaded_inside_alone(variable: str, tmp_path: Path) -> None:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or shutil.which("nm") is None:
        pytest.skip("there is no C compiler")
    mine = open_folder(tmp_path / "mine")
    outside = tmp_path / "outside"
    outside.write_text("nothing of the bot's")
    library = mine / "loaded.so"
    words = [compiler, "-shared", "-fPIC", f'-DOUTSIDE="{outside}"', "-xc", "-", "-o", str(library)]
    stubs = foreign_symbols() if variable == "LD_LIBRARY_PATH" else set()
    source = LOADED + "".join(f"void {name}(void) {{ }}\n" for name in sorted(stubs))
    subprocess.run(words, input=source, text=True, check=True)
    for name in LIBRARIES:
        shutil.copy(library, mine / name)
    value = str(library if variable == "LD_PRELOAD" else mine)
    definition = bot(mine, "sh", "-c", "echo played", env=((variable, value),), read=(".",))
    _, text = ran(definition)
    assert "OUTSIDE" not in text
    # Where nothing is between, the same is loaded: otherwise this would prove nothing.
    if variable == "LD_PRELOAD":
        assert "loaded inside" in text
        assert "played" in text
    open_one = replace(definition, sandbox=Sandbox.NONE)
    command = ("setpriv", "--dump") if variable == "LD_LIBRARY_PATH" else open_one.command
    _, text = ran(replace(open_one, command=command))
    assert "loaded OUTSIDE" in text


def test_a_bot_has_a_session_of_its_own_inside(tmp_path: Path) -> None:
    # Number 0 would be a session outside.
    code, text = ran(bot(open_folder(tmp_path), *python("import os; print(os.getsid(0))")))
    assert (code, int(text) > 0) == (0, True), text


def test_no_file_of_a_bot_is_greater_than_its_room(tmp_path: Path) -> None:
    """Not even one that lies in no folder and so in no room of a certain size."""
    for size, words in ((TMP_BYTES, "done\n"), (TMP_BYTES + 1, "File too large")):
        made = f"import os; os.ftruncate(os.memfd_create('x'), {size}); print('done')"
        assert words in ran(bot(open_folder(tmp_path), *python(made)))[1]


def python(code: str) -> tuple[str, ...]:
    return (sys.executable, "-S", "-c", code)


@pytest.mark.skipif(os.geteuid() != 0, reason="users share their number with their bots")
def test_root_gives_every_bot_a_number_of_its_own(tmp_path: Path) -> None:
    numbers = {ran(bot(open_folder(tmp_path), "id", "-u"))[1] for _ in range(3)}
    assert len(numbers) == 3
    assert all(int(number) >= 0x7000_0000 for number in numbers)


@pytest.mark.skipif(os.geteuid() != 0, reason="users may read what they may read")
def test_root_is_told_what_a_bot_may_not_read(tmp_path: Path) -> None:
    folder = open_folder(tmp_path)
    program = folder / "bot.sh"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o700)
    with pytest.raises(LaunchError, match=r"who may not read .*bot\.sh \(chmod o\+rX\)"):
        check_sandbox(bot(folder, "./bot.sh"))


def test_a_missing_sandbox_is_said_with_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LaunchError, match="install the package bubblewrap"):
        launch(bot(tmp_path, "/bin/true"))
    assert "install the package bubblewrap" in refusal()


def test_a_refused_sandbox_is_said_before_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuses = tmp_path / "bwrap"
    refuses.write_text(
        "#!/bin/sh\necho 'bwrap: No permissions to create a namespace' >&2; exit 1\n"
    )
    refuses.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(LaunchError, match="refuses the sandbox: bwrap: No permissions to create"):
        check_sandbox(bot(tmp_path, "/bin/true"))
    refuses.write_text("#!/bin/sh\necho 'bwrap: Unknown option --disable-userns' >&2; exit 1\n")
    assert "bubblewrap 0.8 or newer is needed" in refusal()


def test_everything_inside_ends_with_the_sandbox(tmp_path: Path, tag: Tag) -> None:
    if refusal():
        pytest.skip(f"this machine refuses the sandbox: {refusal()}")
    script = "setsid sleep 600 & trap '' TERM HUP INT; echo ready; while :; do sleep 600; done"
    command = ("sh", "-c", script)
    definition = bot(open_folder(tmp_path), *command, env=(("LOA_TEST_TAG", tag.value),))
    process = launch(definition)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.kill()
    process.communicate(timeout=10)
    tag.assert_nothing_left()
