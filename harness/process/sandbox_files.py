"""What a bot has to read to run: its program, its interpreter with packages, what it asked for."""

from __future__ import annotations

import importlib.util
import os
import pwd
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import harness
from harness.play.bot_definition import BotDefinition
from harness.process.launch import LaunchError, Program
from harness.process.shebang import interpreter_of

SYSTEM_FOLDERS: Final = ("/usr", "/nix/store", "/gnu/store")
SYSTEM_LINKS: Final = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
"""Folders of the system or, where everything is below ``/usr``, links into it."""

_SYSTEM: Final = (*SYSTEM_FOLDERS, *SYSTEM_LINKS, "/etc/alternatives")
_TOO_WIDE: Final = ("/tmp", "/var/tmp", "/dev", "/etc", "/home", "/proc", "/root", "/run", "/sys")  # noqa: S108
_PREFIX_FOLDERS: Final = ("bin", "sbin", "lib", "lib64", "libexec")
_JAVA_FOLDERS: Final = ("conf", "jre", "jmods")
_MAX_LINKS: Final = 40


def readable_paths(
    definition: BotDefinition, program: Program, environment: Mapping[str, str]
) -> tuple[Path, ...]:
    """Return the files and folders beside those of the system that a bot needs, sorted.

    Its program and the files among its arguments, each with the folder it lies in where that is
    in the folder of the definition; the interpreter that a script names, and where that one is
    installed; the packages of a Python; the checkout of a version; ``cwd`` and ``read``. None
    lies in another. Raises LaunchError when something of ``read`` is not there or too much.
    """
    finder = _Finder(definition, program, environment)
    finder.find()
    # What was followed from a file of the bot may lead anywhere: nothing of it opens too much.
    return _outermost({path for path in finder.found if not _is_too_wide(path)})


def is_of_system(path: Path) -> bool:
    """Whether a path lies in a folder that every bot may read."""
    return any(path.is_relative_to(folder) for folder in _SYSTEM)


def unreadable_for_others(paths: tuple[Path, ...], program: Path) -> Path | None:
    """Return the first of the paths, or the program, that only its owner or group may read."""
    for path in (*paths, program):
        with suppress(OSError):
            mode = path.stat().st_mode
            wanted = stat.S_IROTH
            if stat.S_ISDIR(mode) or path == program:
                wanted |= stat.S_IXOTH
            if mode & wanted != wanted:
                return path
    return None


class _Finder:
    """Follows a command to everything that it needs; ``found`` may hold paths within others."""

    def __init__(
        self, definition: BotDefinition, program: Program, environment: Mapping[str, str]
    ) -> None:
        self.found: set[Path] = set()
        self._definition = definition
        self._words = program.words
        self._folder = _normal(program.folder)
        self._search_path = environment.get("PATH", os.defpath)
        base = definition.checkout.folder if definition.checkout else definition.folder
        self._own = _normal(base or program.folder)

    def find(self) -> None:
        definition = self._definition
        self._add_program(self._folder / self._words[0])
        for word in self._words[1:]:
            path = self._folder / word
            with suppress(OSError, ValueError):  # too long for a path, or a NUL
                if path.is_file() and self._leads_not_out(path):
                    self._add_file(_normal(path))
        if definition.module is not None:
            self._add_module(definition.module.partition(".")[0])
        if definition.checkout is not None:
            self.found.add(_normal(definition.checkout.folder))
        if definition.cwd is not None:
            self._check_link(self._folder)
            self.found.add(self._folder)
        for text in definition.read:
            path = _normal(Path(definition.folder or Path.cwd()) / text)
            if not path.exists():
                raise LaunchError(f"there is no {path}, which it is to read in the sandbox")
            if _is_too_wide(path):
                raise LaunchError(
                    f"{path} cannot be opened to a sandbox: name what is needed in it"
                )
            self._check_link(path)
            self.found.add(path)

    def _leads_not_out(self, path: Path) -> bool:
        """Whether a path in the bot's own folder is in it with all links followed too."""
        path = _normal(path)
        real = _real(path)
        is_own = path.is_relative_to(self._own)
        return not is_own or real.is_relative_to(_real(self._own)) or is_of_system(real)

    def _check_link(self, path: Path) -> None:
        if not self._leads_not_out(path):
            raise LaunchError(
                f"{path} is a link out of its folder, to {_real(path)}: name that instead"
            )

    def _add_program(self, path: Path) -> None:
        """Add a program, the programs that it is a link to, and the interpreter of a script."""
        for link in _links(path):
            self._add_file(link, is_program=True)
            path = link
        interpreter = interpreter_of(path, self._search_path)
        if interpreter is not None and interpreter != path:
            self._add_program(interpreter)

    def _add_file(self, path: Path, *, is_program: bool = False) -> None:
        if is_program:
            self._add_environment(path.parent.parent)
        if is_of_system(path):
            return
        self.found.add(path)
        if path.is_relative_to(self._own) and not _is_too_wide(path.parent):
            self.found.add(path.parent)
        elif is_program:
            self.found.update(_installation(path))

    def _add_environment(self, prefix: Path) -> None:
        """Add a virtual environment of Python, and the Python that it was made from."""
        home = _base_of_environment(prefix)
        if home is not None and not _is_too_wide(prefix):
            self.found.add(prefix)
            self.found.update(_installation(home / "python"))
        if prefix == Path(sys.prefix):  # its packages may lie elsewhere: an editable installation
            self.found.add(_normal(Path(harness.__file__).parent))

    def _add_module(self, top: str) -> None:
        spec = importlib.util.find_spec(top)
        if spec is None:
            return
        places = list(spec.submodule_search_locations or ())
        if not places and spec.origin and spec.has_location:
            places = [spec.origin]
        self.found.update(path for path in map(_normal, places) if not is_of_system(path))


def _normal(path: str | Path) -> Path:
    return Path(os.path.normpath(Path(path).absolute()))


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))  # unlike Path.resolve it takes links that go round


def _links(path: Path) -> Iterator[Path]:
    """Yield a path, what it is a link to, what that is a link to, and so on."""
    for _ in range(_MAX_LINKS):
        path = _normal(path)
        yield path
        try:
            path = path.parent / path.readlink()
        except OSError:
            return


def _installation(program: Path) -> Iterator[Path]:
    """Yield the folders of an installed program that hold programs and libraries, no data."""
    folder = program.parent
    if folder.name == "shims":  # of pyenv and its kin: scripts that find the program elsewhere
        if (folder.parent / "versions").is_dir():
            yield folder.parent
    elif folder.name in ("bin", "sbin"):
        is_java = (folder.parent / "bin" / "java").is_file()
        for name in (*_PREFIX_FOLDERS, *(_JAVA_FOLDERS if is_java else ())):
            path = folder.parent / name
            if path.is_dir() and not is_of_system(path) and not _is_too_wide(path):
                yield path


def _base_of_environment(prefix: Path) -> Path | None:
    """Return the folder of the Python that a virtual environment was made from."""
    try:
        lines = (prefix / "pyvenv.cfg").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    for line in lines:
        name, _, value = line.partition("=")
        if name.strip() == "home":
            home = _normal(value.strip())
            # The file may be the bot's own: it names a Python or nothing.
            return home if any(one.is_file() for one in home.glob("python*")) else None
    return None


def _is_too_wide(path: Path) -> bool:
    """Whether a folder is, or holds, one that no bot may read as a whole."""
    homes = [os.path.expanduser("~")]  # noqa: PTH111 - never raises
    with suppress(KeyError):
        homes.append(pwd.getpwuid(os.getuid()).pw_dir)
    ends = {path, _real(path)}
    if any(end.parent == Path("/home") for end in ends):  # root's bots may lie in any
        return True
    return any(
        _normal(folder).is_relative_to(end) for folder in (*_TOO_WIDE, *homes) for end in ends
    )


def _outermost(paths: set[Path]) -> tuple[Path, ...]:
    kept: list[Path] = []
    for path in sorted(paths):
        if not (is_of_system(path) or any(path.is_relative_to(one) for one in kept)):
            kept.append(path)
    return tuple(kept)
