"""Events of a slot as plain numbers and texts: what crosses the pipe is made and read quickly.

Both ends have the job, so a game is told by its place in it and its specification stays at home.
A record of a hundred plies costs a fifth of what pickling its values would.
"""

from __future__ import annotations

import pickle
from multiprocessing.connection import Connection
from typing import Any, Final, Literal

from harness.play.plies import Plies
from harness.play.types import BotRun, BotUsage, Cause, GameRecord, GameSpec, Outcome
from harness.process.jobs import Job, PairJob, Played, SessionEvent, Started
from harness.rules.types import Color, Move

_Run = tuple[str, str, str, int | None, int, int, int]

StartedParcel = tuple[Literal["started"], int, int]
PlayedParcel = tuple[
    Literal["played"],
    tuple[int, int],
    tuple[str, int | None, str],
    tuple[tuple[Move, ...], tuple[int, ...], tuple[bytes | None, ...]],
    _Run,
    _Run,
    tuple[str, int, str, dict[str, str | int], str],
]
Parcel = StartedParcel | PlayedParcel | SessionEvent
"""Started and Played, the events of every game, taken apart; all others are sent as they are."""


_CAUSES: Final = {cause.value: cause for cause in Cause}
_COLORS: Final = tuple(Color)


def send(pipe: Connection[Any, Any], message: object) -> None:
    """Send what the other end takes with ``recv``; raises OSError when it is gone.

    ``Connection.send`` makes room for what only the start of a process needs.
    """
    pipe.send_bytes(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))


def pack(event: SessionEvent, job: Job) -> Parcel:
    """Take an event of a job apart."""
    match event:
        case Started(game=game, slot=slot):
            return "started", _games(job).index(game), slot
        case Played(record=record, slot=slot):
            outcome, plies = record.outcome, record.plies
            winner = outcome.winner
            return (
                "played",
                (_games(job).index(record.spec), slot),
                (outcome.cause.value, None if winner is None else int(winner), outcome.detail),
                (plies.moves, plies.elapsed_ns, plies.infos),
                _run(record.black),
                _run(record.white),
                (
                    record.started_at,
                    record.duration_ns,
                    record.final_reply,
                    dict(record.provenance),
                    record.log,
                ),
            )
        case _:
            return event


def unpack(parcel: Parcel, job: Job) -> SessionEvent:
    """Put an event together again; the job is the one that was handed over."""
    if not isinstance(parcel, tuple):
        return parcel
    if parcel[0] == "started":
        _, place, slot = parcel
        return Started(_games(job)[place], slot)
    _, (place, slot), (cause, winner, detail), plies, black, white, rest = parcel
    started_at, duration_ns, final_reply, provenance, log = rest
    record = GameRecord(
        spec=_games(job)[place],
        outcome=Outcome(_CAUSES[cause], None if winner is None else _COLORS[winner], detail),
        plies=Plies(*plies),
        black=_bot_run(black),
        white=_bot_run(white),
        started_at=started_at,
        duration_ns=duration_ns,
        final_reply=final_reply,
        provenance=provenance,
        log=log,
    )
    return Played(record, slot)


def _games(job: Job) -> tuple[GameSpec, ...]:
    assert isinstance(job, PairJob)
    return job.games


def _run(run: BotRun) -> _Run:
    usage = run.usage
    return (
        run.identity,
        run.announced,
        run.stderr,
        run.process_id,
        usage.cpu_on_turn_ns,
        usage.cpu_off_turn_ns,
        usage.peak_memory_bytes,
    )


def _bot_run(run: _Run) -> BotRun:
    identity, announced, stderr, process_id, *usage = run
    return BotRun(identity, announced, stderr, process_id, BotUsage(*usage))
