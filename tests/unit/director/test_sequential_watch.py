"""A sequential test beside a run: how long games take, and how many are played, decides nothing."""

from __future__ import annotations

import hashlib
import heapq
from dataclasses import replace
from pathlib import Path

import pytest

from harness.director.director import Director
from harness.director.events import RunEnded
from harness.director.interrupt import Interrupt
from harness.director.sequential_watch import SequentialWatch
from harness.execution.base import ExecutionEvent, Finished, Lost
from harness.play.bot_definition import BotDefinition
from harness.play.clock import TimeControl
from harness.play.types import Cause, GameRecord, GameSpec, Outcome
from harness.process.jobs import Job, PairJob, Played, Started
from harness.ratings.sprt import Verdict
from harness.rules.position import STANDARD_START
from harness.rules.types import Color
from harness.store.sqlite import Store
from harness.tournament.openings import opening_list
from harness.tournament.sequential_table import SequentialTerms
from harness.tournament.spec import OpeningSource, TournamentSpec
from tests.unit.store.builders import record

TESTED_WINS = {"even": 0.5, "stronger": 0.72, "weaker": 0.3}


def _share(*texts: object) -> float:
    """A number from 0 to 1 that depends on the texts alone."""
    digest = hashlib.sha256("/".join(map(str, texts)).encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


class Clockwork:
    """Plays with so many slots; wins of the tested bot are quick, its losses are slow."""

    def __init__(self, slots: int, strength: str) -> None:
        self.slots = slots
        self.begun = 0
        self.withdrawn = self.closed = False
        self._strength = TESTED_WINS[strength]
        self._running: list[tuple[float, int, PairJob]] = []
        self._now = 0.0

    @property
    def room(self) -> int:
        return self.slots - len(self._running)

    def offer(self, job: Job) -> None:
        assert isinstance(job, PairJob)
        self.begun += len(job.games)
        ends = self._now + sum(
            1 + 20 * (not self._wins(game)) * _share("time", game.game_id) for game in job.games
        )
        heapq.heappush(self._running, (ends, self.begun, job))

    def next_events(self, timeout_seconds: float) -> list[ExecutionEvent]:
        if not self._running:
            return []
        self._now, _, job = heapq.heappop(self._running)
        events: list[ExecutionEvent] = []
        for game in job.games:
            events += [Started(game, 0), Played(self._record(game), 0)]
        return [*events, Finished(job)]

    def drain(self) -> None:
        raise AssertionError("nobody asked for it")

    def withdraw(self) -> None:
        self.withdrawn = True

    def close(self) -> None:
        self.closed = True

    def _wins(self, game: GameSpec) -> bool:
        return _share("result", game.game_id) < self._strength

    def _record(self, game: GameSpec) -> GameRecord:
        is_black = game.black.name == "new"
        winner = Color.BLACK if self._wins(game) == is_black else Color.WHITE
        made = record(black=game.black.name, white=game.white.name)
        return replace(made, spec=game, outcome=Outcome(Cause.RESIGNATION, winner, ""))


def _spec(rounds: int = 400) -> TournamentSpec:
    return TournamentSpec(
        name="t",
        bots=tuple(BotDefinition(name, module="bots.random_bot") for name in ("old", "new")),
        openings=OpeningSource(STANDARD_START),
        time_control=TimeControl.parse("nodes=1"),
        rounds=rounds,
        test=SequentialTerms(elo0=0, elo1=100),
    )


def _direct(
    spec: TournamentSpec, store: Store, executor: Clockwork, watch: SequentialWatch
) -> RunEnded:
    openings = opening_list(spec.openings, spec.rules, spec.seed, spec.rounds)
    return Director(
        spec,
        store,
        executor,
        openings,
        {},
        Interrupt(),
        [],
        decider=watch,
        transaction_seconds=0,
    ).run()


def _run(
    folder: Path, slots: int, strength: str, spec: TournamentSpec | None = None
) -> tuple[RunEnded, SequentialWatch, Clockwork]:
    spec = spec or _spec()
    executor = Clockwork(slots, strength)
    with Store.create_or_open(folder) as store:
        watch = SequentialWatch(spec, store)
        ended = _direct(spec, store, executor, watch)
        again = SequentialWatch(spec, store)
    for one, other in ((watch, again),):
        assert one.match.report() == replace(other.match.report(), later=one.match.report().later)
    return ended, watch, executor


@pytest.fixture(scope="module")
def serial(tmp_path_factory: pytest.TempPathFactory) -> dict[str, SequentialWatch]:
    return {
        strength: _run(tmp_path_factory.mktemp(strength) / "t", 1, strength)[1]
        for strength in TESTED_WINS
    }


@pytest.mark.parametrize("slots", [2, 8])
@pytest.mark.parametrize("strength", TESTED_WINS)
def test_slots_and_durations_change_nothing(
    serial: dict[str, SequentialWatch], tmp_path: Path, slots: int, strength: str
) -> None:
    ended, watch, executor = _run(tmp_path / "t", slots, strength)
    expected, found = serial[strength].match.report(), watch.match.report()
    assert found.verdict is not Verdict.CONTINUE
    assert (found.verdict, found.pairs, found.llr) == (
        expected.verdict, expected.pairs, expected.llr,
    )  # fmt: skip
    assert (found.pentanomial, found.estimate, found.bet) == (
        expected.pentanomial, expected.estimate, expected.bet,
    )  # fmt: skip
    assert ended.is_decided
    assert executor.begun <= 2 * (found.pairs + 20 * slots)  # no further than running pairs reach
    assert executor.begun < 2 * 400
    assert executor.withdrawn
    assert not executor.closed


@pytest.mark.parametrize(
    ("strength", "verdict"), [("stronger", Verdict.H1), ("weaker", Verdict.H0)]
)
def test_the_verdict_is_the_true_one(
    serial: dict[str, SequentialWatch], strength: str, verdict: Verdict
) -> None:
    assert serial[strength].match.verdict is verdict


def test_a_decided_test_plays_no_further_pair(tmp_path: Path) -> None:
    _, watch, _ = _run(tmp_path / "t", 8, "stronger")
    before = watch.match.report()
    _, again, executor = _run(tmp_path / "t", 8, "weaker", _spec(rounds=390))
    assert executor.begun == 0
    assert again.match.report().pairs == before.pairs
    assert again.match.verdict is before.verdict


def test_a_run_that_was_broken_off_ends_the_same(
    serial: dict[str, SequentialWatch], tmp_path: Path
) -> None:
    _run(tmp_path / "t", 2, "stronger", _spec(rounds=5))
    _, watch, _ = _run(tmp_path / "t", 8, "stronger")
    expected = serial["stronger"].match.report()
    assert watch.match.report().llr == expected.llr
    assert watch.match.report().pairs == expected.pairs


def test_a_lower_cap_takes_no_verdict_back(tmp_path: Path) -> None:
    _, decided, _ = _run(tmp_path / "t", 2, "stronger")
    _, again, executor = _run(tmp_path / "t", 2, "stronger", _spec(rounds=2))
    assert executor.begun == 0
    assert again.match.report().pairs == decided.match.report().pairs
    assert again.match.verdict is decided.match.verdict


def test_a_pair_that_is_given_up_ends_the_run(tmp_path: Path) -> None:
    """Nothing after it can count: the rest of the cap would be played for nothing."""

    class Losing(Clockwork):
        def next_events(self, timeout_seconds: float) -> list[ExecutionEvent]:
            if any(job.games[0].pair == 3 for _, _, job in self._running):
                _, _, job = self._running.pop(
                    next(n for n, one in enumerate(self._running) if one[2].games[0].pair == 3)
                )
                heapq.heapify(self._running)
                return [Started(job.games[0], 0), Lost(job, "the worker died")]
            return super().next_events(timeout_seconds)

    spec = _spec()
    executor = Losing(2, "stronger")
    with Store.create_or_open(tmp_path / "t") as store:
        watch = SequentialWatch(spec, store)
        ended = _direct(spec, store, executor, watch)
    assert watch.match.pairs <= 2
    assert executor.begun < 40
    assert executor.withdrawn
    assert ended.open_games > 0


def test_at_the_cap_the_test_is_exhausted_and_not_h0(tmp_path: Path) -> None:
    ended, watch, executor = _run(tmp_path / "t", 2, "even", _spec(rounds=3))
    assert watch.is_exhausted
    assert not watch.is_decided
    assert watch.word == "undecided"
    assert executor.closed
    assert not ended.is_decided
