"""Jobs come out of their parcels as they were; what comes again crosses once."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest

from harness.execution import job_parcel
from harness.execution.job_parcel import JobPacker, JobParcel, JobUnpacker
from harness.play.adjudication import Adjudication, ResignRule
from harness.play.bot_definition import BotDefinition, RestartPolicy
from harness.play.types import Opening
from harness.process.jobs import GreetJob, Job, PairJob
from harness.rules.position import SCRAMBLED_EGGS_START, Position
from harness.rules.types import Color, Move, RuleSet
from tests.process.support import game_spec

BOTS = BotDefinition("a", command=("./a",)), BotDefinition("b", options=(("Depth", "3"),))
GAMES = game_spec(), game_spec("b", "a", leg="b")
OPENINGS = (
    Opening(SCRAMBLED_EGGS_START, (Move(70), Move(4095))),
    Opening(Position(1 << 63 | 1, 6 << 20, Color.WHITE)),
)
JOB = PairJob(GAMES, BOTS, (("a", "1" * 64), ("b", "2" * 64)), RestartPolicy.AUTO)
JOBS: list[Job] = [
    JOB,
    replace(JOB, games=GAMES[1:], attempts=(("a~b.1b", 3),)),
    replace(JOB, slots=7, is_forced=True, has_transcript=True, restart=RestartPolicy.NEVER),
    GreetJob(BOTS[0], RuleSet()),
    replace(JOB, bots=BOTS[::-1], identities=()),
    *(
        replace(
            JOB,
            games=tuple(
                replace(
                    game,
                    opening=opening,
                    rules=RuleSet(repetition=2),
                    adjudication=Adjudication(resign=ResignRule(500, 3)),
                    margin_ns=3,
                    max_think_ns=2**50,
                    seed=2**62,
                    batch=4,
                    schedule_index=10**6,
                )
                for game in GAMES
            ),
        )
        for opening in OPENINGS
    ),
    JOB,
]


def crossed(parcel: JobParcel) -> JobParcel:
    other_end: JobParcel = pickle.loads(pickle.dumps(parcel))
    return other_end


@pytest.mark.parametrize("most_known", [1000, 5, 0])
def test_jobs_come_back_as_they_were(monkeypatch: pytest.MonkeyPatch, most_known: int) -> None:
    monkeypatch.setattr(job_parcel, "_MOST_KNOWN", most_known)
    packer, unpacker = JobPacker(), JobUnpacker()
    for job in JOBS * 3:
        assert unpacker.unpack(crossed(packer.pack(job))) == job


def test_what_was_told_is_not_told_again() -> None:
    packer = JobPacker()
    first, second = (pickle.dumps(packer.pack(JOB)) for _ in range(2))
    assert b"BotDefinition" in first
    assert b"1" * 64 in first
    assert b"harness" not in second
    assert b"1" * 64 not in second
    assert len(second) < 250 < len(first)


def test_another_worker_is_told_everything_anew() -> None:
    JobPacker().pack(JOB)
    assert JobUnpacker().unpack(crossed(JobPacker().pack(JOB))) == JOB


def test_what_is_known_does_not_grow_without_end() -> None:
    packer, unpacker = JobPacker(), JobUnpacker()
    for number in range(1500):
        start = Position(1 << number % 60, 1 << 62, Color.BLACK)
        job = replace(JOB, games=(replace(GAMES[0], opening=Opening(start)),))
        assert unpacker.unpack(packer.pack(job)) == job
    assert len(unpacker._openings) <= 1010


def test_an_object_in_place_of_one_that_is_gone_is_told() -> None:
    packer, unpacker = JobPacker(), JobUnpacker()
    for number in range(200):  # each is gone before the next is made, and may lie in its place
        bots = BotDefinition(f"x{number}"), BotDefinition(f"y{number}")
        assert unpacker.unpack(packer.pack(replace(JOB, bots=bots))).bots == bots  # type: ignore[union-attr]
