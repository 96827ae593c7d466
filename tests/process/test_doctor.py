"""``loa doctor`` on this machine, and where things are missing."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.cli import machine_checks
from harness.cli.machine_checks import State, check_machine
from harness.cli.placement_trial import try_placement
from harness.cli.trials import as_other_user, ends_with_its_parent
from harness.execution import processor_claims
from harness.execution.placement import name_processors
from harness.execution.processor_claims import ProcessorClaims
from harness.execution.slots import physical_cores, slot_count, usable_processors
from tests.process.support import Tag

pytestmark = pytest.mark.process

NAMES = [
    *("bots", "results folder", "PID namespace", "parent-death signal", "child subreaper"),
    *("sandbox", "memory limit", "process limit", "cores", "placement", "memory"),
    *("file descriptors", "clock", "lateness"),
    *("Python", "SQLite", "git", "compiler"),
]


def doctor(
    folder: Path, *arguments: str, code: int = 0, **environment: str
) -> subprocess.CompletedProcess[str]:
    tag = Tag()
    done = subprocess.run(
        [sys.executable, "-m", "harness", "doctor", *arguments],
        cwd=folder,
        env={**os.environ, "LOA_TEST_TAG": tag.value, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert done.stderr == ""
    tag.assert_nothing_left()
    return done


def states(document: dict[str, Any]) -> dict[str, str]:
    return {check["name"]: check["state"] for check in document["checks"]}


def path_with(folder: Path, *programs: str) -> str:
    """Make a folder that holds these programs and no others."""
    folder.mkdir()
    for name in programs:
        found = shutil.which(name)
        assert found is not None, name
        (folder / name).symlink_to(found)
    return str(folder)


def test_every_line_fits_and_names_what_was_tried(tmp_path: Path) -> None:
    lines = doctor(tmp_path).stdout.splitlines()
    assert max(map(len, lines)) <= 80
    if "" in lines:  # an explanation follows
        lines = lines[: lines.index("")]
    heads = [line for line in lines if not line.startswith(" ")]
    assert [line[5:26].strip() for line in heads] == NAMES
    assert {line[:5].strip() for line in heads} <= {"ok", "weak", "no"}


def test_the_document_says_the_same(tmp_path: Path) -> None:
    document = json.loads(doctor(tmp_path, "--json").stdout)
    assert document.keys() == {"can-play", "checks"}
    assert document["can-play"] is True
    assert list(states(document)) == NAMES
    for check in document["checks"]:
        assert check.keys() == {"name", "state", "text", "advice"}
        assert check["state"] in {state.value for state in State}
        assert check["text"]


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="there is no setpriv")
def test_what_is_not_installed_is_said_with_its_package(tmp_path: Path) -> None:
    path = path_with(tmp_path / "bin", "sh", "sleep", "setpriv")
    document = json.loads(doctor(tmp_path, "--json", PATH=path).stdout)
    found = states(document)
    advice = {check["name"]: check["advice"] for check in document["checks"]}
    assert (found["sandbox"], found["git"]) == ("no", "no")
    assert found["parent-death signal"] == "ok"
    assert "bubblewrap" in advice["sandbox"]
    assert "package git" in advice["git"]
    assert document["can-play"] is True
    without = json.loads(doctor(tmp_path, "--json", PATH=path_with(tmp_path / "none")).stdout)
    assert states(without)["parent-death signal"] == "no"


def test_a_sandbox_that_is_refused_is_said_in_its_words(tmp_path: Path) -> None:
    folder = Path(path_with(tmp_path / "bin"))
    (folder / "bwrap").write_text("#!/bin/sh\necho 'bwrap: No permissions' >&2; exit 1\n")
    (folder / "bwrap").chmod(0o755)
    tmp_path.chmod(0o755)
    path = f"{folder}:{os.environ['PATH']}"
    (sandbox,) = (
        check
        for check in json.loads(doctor(tmp_path, "--json", PATH=path).stdout)["checks"]
        if check["name"] == "sandbox"
    )
    assert sandbox["state"] == "no"
    assert "bwrap: No permissions" in sandbox["text"]


def test_a_limit_of_processes_in_the_way_is_named(tmp_path: Path) -> None:
    folder = Path(path_with(tmp_path / "bin"))
    (folder / "bwrap").write_text("#!/bin/sh\necho 'prlimit: NPROC: not permitted' >&2; exit 1\n")
    (folder / "bwrap").chmod(0o755)
    path = f"{folder}:{os.environ['PATH']}"
    text = doctor(tmp_path, PATH=path).stdout
    _, most = resource.getrlimit(resource.RLIMIT_NPROC)
    assert f"ulimit -Hu is {most}" in " ".join(text.split())
    assert text.splitlines()[-1].startswith("weak: it is there, but")  # the limits are


def test_a_sandbox_that_does_not_hold_is_no_sandbox(tmp_path: Path) -> None:
    # A bwrap that only starts what comes after its options.
    folder = Path(path_with(tmp_path / "bin"))
    open_walls = 'while [ "$1" != -- ]; do shift; done; shift\n'
    inner = 'while [ "${1##*/}" != prlimit ]; do shift; done; exec "$@"\n'
    (folder / "bwrap").write_text(f"#!/bin/sh\n{open_walls}{inner}")
    (folder / "bwrap").chmod(0o755)
    path = f"{folder}:{os.environ['PATH']}"
    document = json.loads(doctor(tmp_path, "--json", PATH=path).stdout)
    (sandbox,) = (check for check in document["checks"] if check["name"] == "sandbox")
    assert sandbox["state"] == "weak"
    assert "network, files" in sandbox["text"]
    assert states(document)["memory limit"] == "ok"  # that is not bubblewrap's


def test_without_a_folder_to_write_nothing_can_be_played(tmp_path: Path) -> None:
    document = json.loads(doctor(tmp_path, "--json", "--results", "/proc/x", code=1).stdout)
    assert document["can-play"] is False
    assert states(document)["results folder"] == "no"
    assert "/proc" in doctor(tmp_path, "--results", "/proc/x", code=1).stdout


def placement_check() -> machine_checks.Check:
    return machine_checks._placement()


def test_a_process_is_kept_to_a_processor_or_it_is_said_why_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = usable_processors()
    assert try_placement(1).why_not == ""
    assert usable_processors() == before  # it was tried in a child

    def refused(process: int, processors: set[int]) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "sched_setaffinity", refused)
    assert try_placement(1).why_not == "Operation not permitted"
    check = placement_check()
    assert check.state is State.MISSING
    assert not check.is_needed
    assert "cannot be kept to a processor (Operation not permitted)" in check.text
    assert "sched_setaffinity" in check.advice
    monkeypatch.setattr(os, "sched_setaffinity", lambda process, processors: None)
    if len(before) > 1:
        assert try_placement(1).why_not.startswith("it still may use ")
    monkeypatch.delattr(os, "sched_setaffinity")
    assert try_placement(1).why_not == "this system has no call for it"


def test_processors_of_this_and_of_other_runs_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processor_claims, "_NAME", f"\0loa-harness/test-{os.getpid()}-{{}}")
    slots = slot_count((), None, physical_cores(), force=False)
    free = try_placement(slots)
    assert free.held == ()
    assert len(free.would_take) == slots
    check = placement_check()
    assert check.state is State.MET
    assert check.text == (
        f"a process can be kept to a processor; a run would take "
        f"{name_processors(free.would_take)}; no other run holds one"
    )
    with ProcessorClaims() as others:
        others.take(sorted(usable_processors()))
        taken = placement_check()
        assert others.take(sorted(usable_processors())) == ()
    assert taken.state is State.WEAK
    assert f"other runs hold {name_processors(usable_processors())}: no core free" in taken.text
    assert "--affinity LIST" in taken.advice


def test_a_network_file_system_is_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine_checks, "network_file_system", lambda folder: "nfs4")
    found = {check.name: check for check in check_machine(tmp_path / "results")}
    assert found["results folder"].state is State.WEAK
    assert "nfs4" in found["results folder"].text


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="there is no setpriv")
def test_the_parent_death_signal_is_really_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ends_with_its_parent()
    monkeypatch.setattr("harness.cli.trials.parent_death_wrapper", lambda: ())
    monkeypatch.setattr("harness.cli.trials._PATIENCE_SECONDS", 0.2)
    assert not ends_with_its_parent()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another")
def test_another_user_tries_as_another_user() -> None:
    assert as_other_user(lambda: f"{os.getuid()} {os.getgroups()}") == "65534 []"

    def fails() -> str:
        raise PermissionError(1, "no way")

    assert as_other_user(fails) == "no way"
