"""What crosses the border between processes is pickled by us, and holds values of ours alone.

The pipes belong to the run and its workers; a bot has none of them. A bot's text crosses inside
such values, as text and bytes.
"""

from __future__ import annotations

import ast
import io
import pickle
from pathlib import Path

import pytest

from harness.execution.worker import JobBroken, JobDone
from harness.play.bot_definition import BotDefinition, RestartPolicy
from harness.play.types import Cause
from harness.process.jobs import Greeted, GreetJob, PairJob, Played, Started, StartFailed, Voided
from harness.rules.types import RuleSet
from tests.unit.store.builders import record

HOSTILE = "cos\nsystem\n(S'true'\ntR.\x80\x04\x1b[2J\ud800\0"
ROOT = Path(__file__).parents[3]
HOLDERS_OF_PIPES = {"harness/execution/local.py", "harness/execution/worker.py"}
READERS = {
    "pickle": {"load", "loads", "Unpickler"},
    "marshal": {"load", "loads"},
    "shelve": {"open"},
    "dill": {"load", "loads"},
    "yaml": {"load", "unsafe_load", "full_load"},
    "builtins": {"eval", "exec", "compile"},
}


class OurUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> object:
        assert module.startswith("harness."), f"{module}.{name} is none of ours"
        return super().find_class(module, name)


def jobs_and_events() -> list[object]:
    bot = BotDefinition(
        HOSTILE, command=(HOSTILE,), options=((HOSTILE, HOSTILE),), env=((HOSTILE, HOSTILE),)
    )
    game = record(
        cause=Cause.CRASH,
        detail=HOSTILE,
        infos=(HOSTILE.encode("utf-8", "surrogatepass"), b"\x80\x04.", None, None),
        stderr=(HOSTILE, HOSTILE),
        announced=(HOSTILE, HOSTILE),
        final_reply=HOSTILE,
        provenance={HOSTILE: HOSTILE},
    )
    job = PairJob((game.spec,), (bot, bot), ((HOSTILE, HOSTILE),), RestartPolicy.AUTO)
    return [
        job,
        GreetJob(bot, RuleSet()),
        Started(game.spec, 0),
        Played(game, 0),
        Voided(game.spec, HOSTILE, HOSTILE, 1),
        StartFailed(HOSTILE, HOSTILE, job),
        Greeted(HOSTILE, HOSTILE, (HOSTILE,), (HOSTILE,), HOSTILE),
        JobDone(),
        JobBroken(HOSTILE),
    ]


@pytest.mark.parametrize("value", jobs_and_events(), ids=lambda value: type(value).__name__)
def test_a_value_that_crosses_needs_classes_of_ours_alone(value: object) -> None:
    assert OurUnpickler(io.BytesIO(pickle.dumps(value))).load() == value


@pytest.mark.parametrize("package", ["harness", "bots"])
def test_nothing_else_is_unpickled_or_evaluated(package: str) -> None:
    for path in sorted((ROOT / package).rglob("*.py")):
        place = path.relative_to(ROOT).as_posix()
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Call(func=ast.Attribute(attr="recv")):
                    assert place in HOLDERS_OF_PIPES, f"{place}:{node.lineno}"
                case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=name)):
                    assert name not in READERS.get(module, ()), f"{place}:{node.lineno}"
                case ast.Call(func=ast.Name(id=name)):
                    assert name not in READERS["builtins"], f"{place}:{node.lineno}"
