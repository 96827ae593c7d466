"""A game, or one program, in the sandbox, started from a process of its own.

    python -m tests.process.sandbox_game game PROGRAM PROGRAM
    python -m tests.process.sandbox_game run WORD...

So another user can do it too: the standard library is enough. A PROGRAM is a shipped module, or
``probe`` for ``probe_bot.py``; with ``LOA_TEST_OPEN`` in the environment there is no sandbox.
Prints one JSON object: of a game ``cause``, ``plies`` and what each bot wrote to ``stderr``; of a
program, limited to 64 MB and 16 processes, its ``code``, ``output`` and ``stderr``.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from harness.play.bot_definition import BotDefinition, RestartPolicy, Sandbox
from harness.process.jobs import PairJob, Played
from harness.process.launch import launch
from harness.process.session import Session
from tests.process.support import game_spec

PROBE_BOT = Path(__file__).parent.parent / "faulty_bots" / "probe_bot.py"


def sandboxed(name: str, words: tuple[str, ...] | None, module: str | None = None) -> BotDefinition:
    kept = ("PROBE", "LOA_TEST_TAG") if words else ("LOA_TEST_TAG",)
    return BotDefinition(
        name=name,
        module=module,
        command=words,
        folder=str(PROBE_BOT.parent),
        env=tuple((key, os.environ[key]) for key in kept if key in os.environ),
        sandbox=Sandbox.NONE if "LOA_TEST_OPEN" in os.environ else Sandbox.BWRAP,
        memory_mb=64,
        processes=16,
    )


def game(programs: list[str]) -> dict[str, object]:
    bots = [
        sandboxed(name, (sys.executable, "-S", str(PROBE_BOT)))
        if program == "probe"
        else sandboxed(name, None, program)
        for name, program in zip("ab", programs, strict=True)
    ]
    control = "60" if "probe" in programs else "nodes=20,depth=1"
    session = Session(0)
    try:
        specs = (game_spec(control=control, max_plies=12),)
        job = PairJob(specs, (bots[0], bots[1]), (), RestartPolicy.AUTO)
        events = list(session.run(job))
    finally:
        session.close()
    records = [event.record for event in events if isinstance(event, Played)]
    assert len(records) == 1, events
    record = records[0]
    return {
        "cause": record.outcome.cause.value,
        "plies": len(record.plies),
        "stderr": [record.black.stderr, record.white.stderr],
    }


def run(words: list[str]) -> dict[str, object]:
    process = launch(sandboxed("x", tuple(words)))
    output, errors = process.communicate(timeout=60)
    return {"code": process.returncode, "output": output.decode(), "stderr": errors.decode()}


if __name__ == "__main__":
    print(json.dumps(game(sys.argv[2:]) if sys.argv[1] == "game" else run(sys.argv[2:])))
