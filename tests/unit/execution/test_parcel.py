"""What crosses the pipe is put together again exactly."""

from __future__ import annotations

import pickle
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from harness.execution.parcel import pack, unpack
from harness.play.bot_definition import BotDefinition, RestartPolicy
from harness.play.plies import PlyRecord
from harness.play.types import BotRun, BotUsage, Cause, GameRecord, Outcome
from harness.process.jobs import PairJob, Played, SessionEvent, Started, StartFailed, Voided
from harness.rules.types import Color, Move
from tests.process.support import game_spec

JOB = PairJob(
    (game_spec(), game_spec("b", "a", leg="b")),
    (BotDefinition("a"), BotDefinition("b")),
    (),
    RestartPolicy.AUTO,
)
runs = st.builds(
    BotRun,
    st.text(),
    st.text(),
    st.text(),
    st.none() | st.integers(1, 2**22),
    st.builds(BotUsage, *[st.integers(0, 2**60)] * 3),
)
plies = st.builds(
    PlyRecord,
    st.integers(0, 4095).map(Move),
    st.integers(0, 2**62),
    st.none() | st.binary(max_size=30),
)
records = st.builds(
    GameRecord,
    spec=st.sampled_from(JOB.games),
    outcome=st.builds(
        Outcome, st.sampled_from(Cause), st.none() | st.sampled_from(Color), st.text()
    ),
    plies=st.lists(plies, max_size=8).map(tuple),
    black=runs,
    white=runs,
    started_at=st.text(),
    duration_ns=st.integers(0, 2**62),
    final_reply=st.text(),
    provenance=st.dictionaries(st.text(), st.text() | st.integers(), max_size=3),
    log=st.text(),
)
events = st.one_of(
    st.builds(Played, records, st.integers(0, 99)),
    st.builds(Started, st.sampled_from(JOB.games), st.integers(0, 99)),
    st.builds(Voided, st.sampled_from(JOB.games), st.text(), st.text(), st.integers(1, 9)),
    st.builds(StartFailed, st.text(), st.text(), st.just(JOB)),
)


@given(events)
def test_every_event_comes_back_as_it_was(event: SessionEvent) -> None:
    parcel = pickle.loads(pickle.dumps(pack(event, JOB)))
    other_end = replace(JOB)  # an equal job, not the same one
    assert unpack(parcel, other_end) == event
