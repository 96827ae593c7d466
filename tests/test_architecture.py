"""What the design promises of imports and errors."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from harness import errors
from harness.errors import FailedBuild, HarnessError, Problem

ROOT = Path(__file__).parent.parent
HEAVY = {"numpy", "scipy", "pandas", "matplotlib", "rich", "jinja2", "sqlite3", "asyncio"}
BOTS = sorted(path.stem for path in (ROOT / "bots").glob("*_bot.py"))

FACTS: dict[str, tuple[object, ...]] = {
    "NotationError": ("b1b9", "no square"),
    "PositionError": ("8/8 b", ("no pieces", "decided")),
    "SgfError": (3, "no value"),
    "SpecError": ("a.toml", (Problem("line 1", "odd"), Problem("", "odder"))),
    "BotStartError": ((Problem("mine", "gone"),),),
    "BuildError": ((FailedBuild("main-1a2b3c4", "make", "exit code 2", ("oh",), "/c/build.log"),),),
    "ConditionsError": ("results/a", (Problem("seed", "stored 1, now 2"),)),
    "NoSuchTournamentError": ("results/a",),
    "NoSuchGameError": ("results/a", "a~b.1a"),
    "InUseError": ("results/a", "process 5"),
    "IllegalMoveError": ("b1-b2", "blocked", "8/8 b"),
    "StoreError": ("results/a", "disk full"),
    "OutputError": ("results/a cannot be written",),
    "WorkerError": (3, "died"),
}


def imported_by(code: str) -> set[str]:
    text = f"import sys; {code}; print(*sys.modules)"
    output = subprocess.run(
        [sys.executable, "-c", text], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    return {name.partition(".")[0] for name in output.split()}


def test_help_imports_nothing_heavy() -> None:
    code = "from harness.cli.main import cli; cli.main(['--help'], standalone_mode=False)"
    assert not imported_by(code) & HEAVY


@pytest.mark.parametrize("bot", BOTS)
def test_a_bot_imports_nothing_heavy(bot: str) -> None:
    assert not imported_by(f"import bots.{bot}") & (HEAVY | {"click", "threading"})


def test_plain_bot_imports_nothing_of_ours() -> None:
    assert not {name for name in imported_by("import bots.plain_bot") if name == "harness"}


def test_live_tables_need_no_pandas() -> None:
    code = "import harness.ratings.table, harness.report.standings_table"
    assert not imported_by(code) & {"pandas"}


@pytest.mark.parametrize(
    "kind",
    [
        kind
        for _, kind in inspect.getmembers(errors, inspect.isclass)
        if issubclass(kind, HarnessError)
    ],
)
def test_errors_survive_pickling_with_their_facts(kind: type[HarnessError]) -> None:
    error = kind(*FACTS.get(kind.__name__, ("what was wrong",)))
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind
    assert copy.__dict__ == error.__dict__
    assert str(copy) == str(error)
    assert copy.exit_code in (1, 2)


def test_the_tree_in_the_docstring_is_complete() -> None:
    assert errors.__doc__ is not None
    for name, kind in inspect.getmembers(errors, inspect.isclass):
        if issubclass(kind, HarnessError):
            line = next(line for line in errors.__doc__.splitlines() if name in line.split())
            assert kind is HarnessError or line.strip().startswith(("├", "│", "└"))
