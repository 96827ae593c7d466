"""A file that is written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from harness.errors import InputError


def write_whole(output: Path, lines: Iterable[str]) -> None:
    """Write lines into a file, which is replaced only when all are written.

    A device or a pipe is written to as it is. InputError when that is not possible.
    """
    try:
        if output.exists() and not output.is_file():  # a device or a pipe: nothing to replace
            with output.open("w", encoding="utf-8", newline="\n") as stream:
                stream.writelines(lines)
            return
        target = output.resolve()
        number, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        file = Path(temporary)
        try:
            with open(number, "w", encoding="utf-8", newline="\n") as stream:  # noqa: PTH123
                stream.writelines(lines)
            file.chmod(0o666 & ~_umask())
            file.replace(target)
        except BaseException:
            file.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InputError(f"{output} cannot be written: {error.strerror}") from error


def check_writable(output: Path) -> None:
    """Refuse a file that cannot be written before work is done for it; InputError says why."""
    folder = output.resolve().parent
    if output.is_dir():
        raise InputError(f"{output} cannot be written: is a folder")
    if not folder.is_dir():
        raise InputError(f"{output} cannot be written: there is no folder {folder}")
    if not os.access(folder, os.W_OK):
        raise InputError(f"{output} cannot be written: {folder} is read-only")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
