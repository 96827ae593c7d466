"""When results are stored, how long the next wait, and how they are told of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from harness.cli.progress import PlainProgress
from harness.director import ledger as ledger_module
from harness.director.events import GameFinished, GameStarted, Notice, RunEvent
from harness.director.ledger import HoldingObserver, Ledger
from harness.play.types import GameRecord
from harness.store.rows import IncidentKind
from harness.store.sqlite import Store
from harness.tournament.results import SettledGames
from tests.unit.store.builders import record


class Clock:
    """A clock that only storing moves on."""

    def __init__(self) -> None:
        self.now = 100.0
        self.transaction_seconds = 0.0

    def monotonic(self) -> float:
        return self.now


class Listener:
    """Notes what it is told, what is stored then, and when it was to hold back."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.told: list[RunEvent | str] = []

    def notice(self, event: RunEvent) -> None:
        if isinstance(event, GameFinished):
            assert event.record.spec.game_id in self._store.stored_ids()
        self.told.append(event)

    def tick(self) -> None: ...

    def hold(self) -> None:
        self.told.append("hold")

    def release(self) -> None:
        self.told.append("release")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(ledger_module, "time", clock)
    add = Store.add

    def slow_add(store: Store, records: list[GameRecord]) -> tuple[str, ...]:
        if records:
            clock.now += clock.transaction_seconds
        return add(store, records)

    monkeypatch.setattr(Store, "add", slow_add)
    return clock


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.create_or_open(tmp_path) as store:
        yield store


def ledger_of(store: Store, *observers: HoldingObserver, least: float = 0.02) -> Ledger:
    return Ledger(store, SettledGames(), list(observers), None, least)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cost", "pause"), [(0.0, 0.02), (0.0005, 0.02), (0.002, 0.04), (0.0099, 0.198), (3, 0.2)]
)
def test_the_next_transaction_waits_for_twenty_times_what_the_last_one_took(
    store: Store, clock: Clock, cost: float, pause: float
) -> None:
    ledger = ledger_of(store)
    clock.transaction_seconds = cost
    ledger.add(record("a"))
    assert ledger.commit_in_seconds == 0  # the first result is stored at once
    assert ledger.commit() == ["a"]
    assert [ledger.commit_in_seconds] == [None]  # nothing waits
    ledger.add(record("b"))
    assert ledger.commit_in_seconds == pytest.approx(pause)
    clock.now += pause / 2
    assert ledger.commit_in_seconds == pytest.approx(pause / 2)
    clock.now += pause
    assert ledger.commit_in_seconds == 0


def test_without_a_least_pause_nothing_waits(store: Store, clock: Clock) -> None:
    ledger = ledger_of(store, least=0)
    clock.transaction_seconds = 5
    ledger.add(record("a"))
    ledger.commit()
    ledger.add(record("b"))
    assert ledger.commit_in_seconds == 0


def test_a_longer_least_pause_holds(store: Store, clock: Clock) -> None:
    ledger = ledger_of(store, least=1.5)
    ledger.add(record("a"))
    ledger.commit()
    ledger.add(record("b"))
    assert ledger.commit_in_seconds == pytest.approx(1.5)


def test_news_of_which_nothing_is_stored_neither_waits_nor_lets_wait(
    store: Store, clock: Clock
) -> None:
    ledger = ledger_of(store)
    ledger.add(GameStarted(record("a").spec, 1, 0))
    assert ledger.commit_in_seconds == 0
    ledger.commit()
    ledger.add(record("a"))
    assert ledger.commit_in_seconds == 0
    ledger.commit()
    ledger.add(GameStarted(record("b").spec, 1, 0))
    assert ledger.commit_in_seconds == 0


def test_an_incident_waits_as_a_result_does(store: Store, clock: Clock) -> None:
    ledger = ledger_of(store)
    ledger.add_incident(IncidentKind.VOID, "ann", "silent")
    assert ledger.commit_in_seconds == 0
    ledger.commit()
    ledger.add_incident(IncidentKind.VOID, "ann", "silent")
    assert ledger.commit_in_seconds == pytest.approx(0.02)


def test_what_is_told_together_is_held_together_and_after_it_was_stored(store: Store) -> None:
    listener = Listener(store)
    ledger = ledger_of(store, listener)
    started = GameStarted(record("b").spec, 2, 0)
    for news in (record("a"), started, record("b"), record("a"), Notice("so")):
        ledger.add(news)
    ledger.commit()
    assert [one if isinstance(one, str) else type(one) for one in listener.told] == [
        *("hold", GameFinished, GameStarted, GameFinished, Notice, "release")
    ]


def test_plain_lines_of_one_transaction_are_written_in_one_piece(
    store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    written: list[str] = []
    monkeypatch.setattr("click.echo", lambda text, err: written.append(text))
    progress = PlainProgress()
    ledger = ledger_of(store, progress)
    spec = record("b", index=1).spec
    for news in (record("a"), GameStarted(spec, 2, 0), record("b", index=1), Notice("so")):
        ledger.add(news)
    ledger.commit()
    assert written == [
        "Finished game 1 (ann vs bob): 1-0 {resignation}\n"
        "Started game 2 of 2 (ann vs bob)\n"
        "Finished game 2 (ann vs bob): 1-0 {resignation}\n"
        "note: so"
    ]
    progress.notice(Notice("alone"))
    assert written[1:] == ["note: alone"]


def test_lines_that_are_held_are_written_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    with PlainProgress() as progress:
        progress.hold()
        progress.notice(Notice("one"))
        progress.notice(Notice("two"))
        assert capsys.readouterr().err == ""
    assert capsys.readouterr().err == "note: one\nnote: two\n"


def test_an_observer_that_fails_leaves_no_other_holding(store: Store) -> None:
    class Failing(Listener):
        def notice(self, event: RunEvent) -> None:
            raise RuntimeError("out of order")

    listener = Listener(store)
    ledger = ledger_of(store, listener, Failing(store))
    ledger.add(replace(record("a"), log=""))
    with pytest.raises(RuntimeError):
        ledger.commit()
    assert listener.told[-1] == "release"
