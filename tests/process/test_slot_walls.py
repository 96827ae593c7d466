"""What a slot keeps from its bots, and from the folder that the run was started in."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.play.bot_definition import BotDefinition
from harness.process.containment import Containment, refusal
from tests.faulty_bots.prying_bot import KEY, SEGMENT_KEY
from tests.process.support import FAULTY_BOT, Tag, faulty_bot, local_executor, pair_job, play_jobs
from tests.process.support import records_of as records

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(
        bool(refusal(Containment.PID_NAMESPACE)), reason="no PID namespaces on this machine"
    ),
]

PRYING_BOT = FAULTY_BOT.with_name("prying_bot.py")
_KEYCTL = {"x86_64": (248, 250), "aarch64": (217, 219)}.get(os.uname().machine)
_SESSION = -3


def prying_bot(mode: str, tag: Tag) -> BotDefinition:
    return BotDefinition(
        "prying",
        command=(sys.executable, "-S", str(PRYING_BOT), mode),
        folder=str(Path.cwd()),
        env=(("LOA_TEST_TAG", tag.value),),
    )


def said(mode: str, tag: Tag) -> str:
    """Return what the bot found when it moved first in a slot."""
    with local_executor() as executor:
        job = pair_job(prying_bot(mode, tag), faulty_bot("sound", "none", tag=tag), legs="a")
        (record,) = records(play_jobs(executor, job))
    return record.black.stderr.splitlines()[0]


@pytest.fixture
def secret() -> Iterator[None]:
    """A key in the keyring of this process's session, as a person may have some."""
    if _KEYCTL is None:
        pytest.skip("the numbers of the system calls are not known here")
    add_key, keyctl = _KEYCTL
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall(keyctl, 1, None)
    name, kind = ctypes.c_char_p(KEY), ctypes.c_char_p(b"user")
    key = libc.syscall(add_key, kind, name, ctypes.c_char_p(b"x"), 1, ctypes.c_long(_SESSION))
    if key < 0:
        pytest.skip("this machine keeps no keys")
    yield
    libc.syscall(keyctl, 9, key, ctypes.c_long(_SESSION))


@pytest.mark.usefixtures("secret")
def test_the_keys_of_the_session_are_not_seen(tag: Tag) -> None:
    assert said("keyring", tag) == "no key"


def test_the_slot_can_neither_be_traced_nor_read(tag: Tag) -> None:
    assert said("trace", tag) == "traced False, descriptors False"


def test_shared_memory_ends_with_the_slot(tag: Tag) -> None:
    assert said("shared", tag) == "segment True"
    libc = ctypes.CDLL(None)
    left = libc.shmget(SEGMENT_KEY, 4096, 0)
    if left >= 0:
        libc.shmctl(left, 0, None)
    assert left < 0


def test_nothing_is_imported_from_the_working_folder(tmp_path: Path, tag: Tag) -> None:
    for name in ("multiprocessing", "signal", "threading", "json", "harness"):
        (tmp_path / f"{name}.py").write_text(
            f"open({str(tmp_path / 'imported')!r}, 'a').write({name!r} + ' ')\n"
        )
    program = Path(sys.executable).with_name("loa")
    bots = [f"{name}={sys.executable} -S -P {FAULTY_BOT} none 1" for name in "ab"]
    words = ["run", *bots, "--rounds", "1", "--tc", "5", "--random-plies", "0", "--max-plies", "8"]
    done = subprocess.run(
        [program, *words, "--name", "t", "--results", "out", "--no-report"],
        cwd=tmp_path,
        env={**os.environ, "LOA_TEST_TAG": tag.value},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "imported").exists()
