from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import bots
import harness
from harness.play.bot_definition import BotDefinition
from harness.play.git_source import Checkout, GitSource
from harness.process.launch import LaunchError, Program
from harness.process.sandbox_files import readable_paths, unreadable_for_others


def made(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def paths_of(
    spec: Path,
    *words: str | Path,
    path: str = "/usr/bin",
    folder: Path | None = None,
    **values: Any,
) -> list[str]:
    """Return what a bot in the folder of this spec may read, as texts below its parent."""
    command = tuple(str(word) for word in words)
    definition = BotDefinition("x", command=command, folder=str(spec), **values)
    program = Program(command, str(folder or spec))
    found = readable_paths(definition, program, {"PATH": path})
    top = spec.parent
    return [str(one.relative_to(top)) if one.is_relative_to(top) else str(one) for one in found]


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    folder = tmp_path / "spec"
    folder.mkdir()
    return folder


def test_a_program_comes_with_its_own_folder_below_the_spec(spec: Path) -> None:
    assert paths_of(spec, made(spec / "mine" / "bot", "\x7fELF\0")) == ["spec/mine"]
    assert paths_of(spec, made(spec / "bot", "\x7fELF\0")) == ["spec"]


def test_a_program_elsewhere_comes_alone(spec: Path, tmp_path: Path) -> None:
    program = made(tmp_path / "elsewhere" / "bot", "\x7fELF\0")
    assert paths_of(spec, program) == ["elsewhere/bot"]
    assert paths_of(spec, f"{spec}/../elsewhere/bot") == ["elsewhere/bot"]


def test_programs_of_the_system_need_nothing(spec: Path) -> None:
    assert paths_of(spec, "/usr/bin/env", "--fast", "", "x" * 5000, "a\0b") == []


def test_files_among_the_arguments_come_along_and_folders_do_not(
    spec: Path, tmp_path: Path
) -> None:
    made(spec / "mine" / "bot.jar")
    made(tmp_path / "book" / "openings")
    (spec / "data").mkdir()
    words = ("/usr/bin/env", "-jar", "mine/bot.jar", "../book/openings", "data")
    assert paths_of(spec, *words) == ["book/openings", "spec/mine"]


def test_a_home_is_never_opened_as_a_whole(
    spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(spec))
    assert paths_of(spec, made(spec / "bot", "\x7fELF\0"), cwd=".") == ["spec/bot"]
    # Nor what a home lies in.
    monkeypatch.setenv("HOME", str(spec / "people" / "me"))
    made(spec / "bot", "\x7fELF\0")
    assert paths_of(spec, spec / "bot") == ["spec/bot"]
    for path in ("..", "/", str(tmp_path), "/tmp", "/proc"):
        with pytest.raises(LaunchError, match="cannot be opened to a sandbox"):
            paths_of(spec, "/usr/bin/env", read=(path,))


def test_an_interpreter_comes_with_what_it_is_installed_with(spec: Path, tmp_path: Path) -> None:
    prefix = tmp_path / "tools" / "python-3.13"
    for name in ("lib/python3.13/os.py", "share/secrets", "include/x.h"):
        made(prefix / name)
    interpreter = made(prefix / "bin" / "python3", "\x7fELF\0")
    interpreter.chmod(0o755)
    expected = ["spec/mine", "tools/python-3.13/bin", "tools/python-3.13/lib"]
    bot = made(spec / "mine" / "bot.py", f"#!{interpreter} -u\n")
    assert paths_of(spec, bot) == expected
    for line in ("#!/usr/bin/env python3", "#! /usr/bin/env -S A=1 python3 -u"):
        made(bot, f"{line}\n")
        assert paths_of(spec, bot, path=str(interpreter.parent)) == expected
    assert paths_of(spec, interpreter, "mine/bot.py") == expected


@pytest.mark.parametrize(
    "line",
    [
        "-S -u {tool} sh",
        "-S --unset {tool} sh",
        "-S -i -u {tool} sh",
        "-S -C {tool} sh",
        "-S --chdir {tool} sh",
        "-S -P {folder} tool",
        "-S -v {tool}",
        "-S ${{TOOL}}",
        "-S \\c {tool}",
        "-S '{tool}",
        "-u {tool} sh",
        "{tool} -u",
        "-S -- A=1",
        "-S",
        "",
    ],
)
def test_what_env_does_not_start_is_not_opened(spec: Path, tmp_path: Path, line: str) -> None:
    tool = made(tmp_path / "x" / "bin" / "tool", "\x7fELF\0")
    tool.chmod(0o755)
    made(tmp_path / "x" / "lib" / "secret")
    words = line.format(tool=tool, folder=tool.parent)
    bot = made(spec / "mine" / "bot", f"#!/usr/bin/env {words}\n")
    assert paths_of(spec, bot) == ["spec/mine"]


@pytest.mark.parametrize(
    "line",
    ["tool", "-S tool -u", "-Stool -u", "-S -i -u A -uB --unset=C D=1 tool", "--split-string=tool"],
)
def test_what_env_starts_is_opened(spec: Path, tmp_path: Path, line: str) -> None:
    tool = made(tmp_path / "x" / "bin" / "tool", "\x7fELF\0")
    tool.chmod(0o755)
    bot = made(spec / "mine" / "bot", f"#! /usr/bin/env\t{line}\n")
    assert paths_of(spec, bot, path=f"/usr/bin:{tool.parent}") == ["spec/mine", "x/bin"]


def test_settings_and_modules_are_opened_of_a_java_only(spec: Path, tmp_path: Path) -> None:
    for name in ("conf/security", "jmods/base", "jre/x", "lib/y", "share/z"):
        made(tmp_path / "java" / name)
    program = made(tmp_path / "java" / "bin" / "tool", "\x7fELF\0")
    assert paths_of(spec, program) == ["java/bin", "java/lib"]
    made(program.with_name("java"), "\x7fELF\0")
    opened = [f"java/{name}" for name in ("bin", "conf", "jmods", "jre", "lib")]
    assert paths_of(spec, program) == opened


def test_a_virtual_environment_comes_with_the_python_it_was_made_from(
    spec: Path, tmp_path: Path
) -> None:
    base = made(tmp_path / "python-3.13" / "bin" / "python3.13", "\x7fELF\0")
    made(tmp_path / "python-3.13" / "lib" / "os.py")
    environment = tmp_path / "environment"
    made(environment / "pyvenv.cfg", f"home = {base.parent}\nversion = 3.13\n")
    (environment / "bin").mkdir()
    (environment / "bin" / "python").symlink_to("python3")
    (environment / "bin" / "python3").symlink_to(base)
    expected = ["environment", "python-3.13/bin", "python-3.13/lib", "spec/mine"]
    bot = made(spec / "mine" / "bot.py", f"#!{environment}/bin/python\n")
    assert paths_of(spec, bot) == expected


def test_links_are_followed(spec: Path, tmp_path: Path) -> None:
    made(tmp_path / "built" / "bot-1.2", "\x7fELF\0")
    (spec / "mine").mkdir()
    (spec / "mine" / "bot").symlink_to("../../built/bot-1.2")
    assert paths_of(spec, spec / "mine" / "bot") == ["built/bot-1.2", "spec/mine"]
    (spec / "mine" / "round").symlink_to("round")
    assert paths_of(spec, spec / "mine" / "round") == ["spec/mine"]


def test_scripts_that_find_a_program_come_with_all_that_they_choose_from(
    spec: Path, tmp_path: Path
) -> None:
    shim = made(tmp_path / "pyenv" / "shims" / "python3", "#!/usr/bin/env bash\n")
    made(tmp_path / "pyenv" / "versions" / "3.13" / "bin" / "python3")
    assert paths_of(spec, shim) == ["pyenv"]


def test_a_module_comes_with_its_package(spec: Path) -> None:
    words = (sys.executable, "-P", "-m", "bots.random_bot")
    definition = BotDefinition("x", module="bots.random_bot", folder=str(spec))
    found = readable_paths(definition, Program(words, str(spec)), {})
    for needed in (bots.__file__, harness.__file__, sys.executable, pytest.__file__):
        assert needed is not None
        path = Path(needed)
        assert path.is_relative_to("/usr") or any(path.is_relative_to(one) for one in found)
    root = Path(harness.__file__).parent.parent
    assert root not in found
    assert not any((root / "README.md").is_relative_to(one) for one in found)


def test_a_version_comes_with_its_checkout(spec: Path, tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    program = made(checkout / "build" / "bot", "\x7fELF\0")
    version: dict[str, Any] = {
        "git": GitSource(".", "main"),
        "checkout": Checkout("a" * 40, str(checkout)),
    }
    assert paths_of(spec, program, folder=checkout, **version) == ["checkout"]


def test_what_is_to_be_read_begins_at_the_folder_of_the_spec(spec: Path, tmp_path: Path) -> None:
    made(spec / "book" / "openings")
    made(tmp_path / "tables" / "x")
    words = ("/usr/bin/env",)
    both = ("book/openings", "../tables")
    assert paths_of(spec, *words, read=both) == ["spec/book/openings", "tables"]
    assert paths_of(spec, *words, read=("book", "book/openings")) == ["spec/book"]
    with pytest.raises(LaunchError, match=r"there is no .*/nothing, which it is to read"):
        paths_of(spec, *words, read=("nothing",))


def test_a_working_folder_of_its_own_can_be_read(spec: Path) -> None:
    made(spec / "data" / "x")
    assert paths_of(spec, "/usr/bin/env", cwd="data", folder=spec / "data") == ["spec/data"]
    assert paths_of(spec, "/usr/bin/env") == []


def test_what_others_may_not_read_is_named(tmp_path: Path) -> None:
    program = made(tmp_path / "mine" / "bot")
    program.chmod(0o755)
    program.parent.chmod(0o755)
    assert unreadable_for_others((program.parent,), program) is None
    program.chmod(0o744)
    assert unreadable_for_others((program.parent,), program) == program
    program.parent.chmod(0o754)
    assert unreadable_for_others((program.parent,), program) == program.parent


@pytest.mark.parametrize("home", ["secrets/shims", "secrets/bin", "nothing/shims", "../shims"])
def test_a_bot_cannot_open_a_folder_by_a_file_that_says_it_is_python(
    spec: Path, tmp_path: Path, home: str
) -> None:
    made(tmp_path / "secrets" / "bin" / "key")
    made(spec / "evil" / "pyvenv.cfg", f"home = {tmp_path / home}\n")
    bot = made(spec / "evil" / "bin" / "run", "#!/bin/sh\n")
    assert paths_of(spec, bot) == ["spec/evil/bin"]
    made(spec / "evil" / "pyvenv.cfg", "home = /shims\n")
    assert paths_of(spec, bot) == ["spec/evil/bin"]


def test_a_bot_cannot_open_a_folder_by_a_link_out_of_its_own(spec: Path, tmp_path: Path) -> None:
    made(tmp_path / "secrets" / "key")
    bot = made(spec / "evil" / "run", "\x7fELF\0")
    (spec / "evil" / "work").symlink_to(tmp_path / "secrets")
    with pytest.raises(LaunchError, match="is a link out of its folder"):
        paths_of(spec, bot, cwd="evil/work", folder=spec / "evil" / "work")
    with pytest.raises(LaunchError, match="is a link out of its folder"):
        paths_of(spec, bot, read=("evil/work",))
    assert paths_of(spec, bot, "evil/work/key") == ["spec/evil"]
