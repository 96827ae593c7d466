"""The identity of a bot: a hash of everything that makes it play as it does."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections.abc import Iterable
from pathlib import Path

from harness.play.bot_definition import BotDefinition
from harness.process.launch import LaunchError, find_program

_SHIPPED_PACKAGE = "bots"
_BOT_SIDE = ("rules", "protocol", "botkit.py", "kernel")


def bot_identity(definition: BotDefinition) -> str:
    """Return the SHA-256 of what is run, as 64 hex digits.

    Over canonical JSON of protocol, command or module, options, environment, threads, the commit
    and build command of a version in git, and the contents of the program and of every argument
    that is a file; for shipped bots, of their sources and of the bot's side of the harness. No
    absolute path, time control or display name is in it. Raises LaunchError when the program is
    not there.
    """
    content: dict[str, object] = {
        "protocol": definition.protocol.value,
        "options": dict(definition.options),
        "env": dict(definition.env),
        "threads": definition.threads,
    }
    if definition.git is not None and definition.checkout is not None:
        content["git"] = {"commit": definition.checkout.commit, "build": definition.git.build}
    if definition.module is not None:
        content["module"] = definition.module
        content["sources"] = _module_hash(definition.module)
    else:
        program = find_program(definition)
        folder = Path(program.folder)
        content["command"] = [_word(folder, word) for word in program.words]
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _word(folder: Path, word: str) -> object:
    path = folder / word
    try:
        if path.is_file():
            return {"file": _hash_files([path])}
    except (OSError, ValueError):
        pass  # too long for a path, or a NUL: not a file then
    return word


def _module_hash(module: str) -> str:
    """Hash the sources of a module; a shipped bot's with all that it shares with the others."""
    package, _, rest = module.partition(".")
    spec = importlib.util.find_spec(package)
    if spec is None:
        raise LaunchError(f"Python module {package!r} is not installed")
    if not spec.submodule_search_locations:
        return _hash_files([Path(spec.origin)] if spec.origin else [])
    root = Path(next(iter(spec.submodule_search_locations)))
    own = root.joinpath(*rest.split(".")) if rest else root / "__main__"
    files = [own.with_suffix(".py")] if own.with_suffix(".py").is_file() else _sources(own)
    if not files:
        raise LaunchError(f"Python module {module!r} is not installed")
    if package == _SHIPPED_PACKAGE:
        harness = Path(__file__).parent.parent
        files += [path for path in _sources(root) if not path.stem.endswith("_bot")]
        for part in _BOT_SIDE:
            path = harness / part
            files += [path] if path.suffix else _sources(path)
    return _hash_files(files)


def _sources(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.py")) if folder.is_dir() else []


def _hash_files(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        try:
            content = path.read_bytes()
        except OSError:
            content = b""
        digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()
