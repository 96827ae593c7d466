"""The C programs of the benchmarks, compiled where a compiler is."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).resolve().parent


def find_compiler() -> str | None:
    """Return the C compiler of this machine."""
    return shutil.which("cc") or shutil.which("gcc")


def compile_program(name: str, folder: Path) -> Path | None:
    """Compile a source of this folder into another; None without a compiler."""
    compiler = find_compiler()
    if compiler is None:
        return None
    program = folder / name
    source = FOLDER / f"{name}.c"
    subprocess.run([compiler, "-O2", "-o", str(program), str(source)], check=True)
    return program


def need_program(name: str, folder: Path) -> Path:
    """Compile a source that a benchmark cannot do without."""
    program = compile_program(name, folder)
    if program is None:
        raise SystemExit("this benchmark needs a C compiler, cc or gcc, for its bot")
    return program
