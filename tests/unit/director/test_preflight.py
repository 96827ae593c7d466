"""Preflight seen from the terminal: who is waited for, and what a silent bot's author reads."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

import pytest

from harness.director import preflight
from harness.director.preflight import SANDBOX_HINT, SILENCE_HINT, greet_all
from harness.errors import BotStartError
from harness.execution.base import ExecutionEvent, Finished, Lost
from harness.play.bot_definition import BotDefinition, BotLimits, Sandbox
from harness.process import sandbox
from harness.process.jobs import Greeted, GreetJob, Job
from harness.rules.types import RuleSet

SILENT = "did not answer 'ugi' with 'ugiok' in 30000 ms"


class Greeter:
    """Answers each greeting at once, but that of ``slow`` only after somebody was told of it."""

    def __init__(self, slots: int, failures: dict[str, str], told: threading.Event) -> None:
        self.slots = slots
        self.most_running = 0
        self.losses = 0
        self._failures = failures
        self._told = told
        self._running: list[GreetJob] = []

    @property
    def room(self) -> int:
        return 2 * self.slots - len(self._running)

    def offer(self, job: Job) -> None:
        assert isinstance(job, GreetJob)
        self._running.append(job)
        self.most_running = max(self.most_running, len(self._running))

    def next_events(self, timeout_seconds: float) -> Sequence[ExecutionEvent]:
        job = self._running.pop(0)
        if job.bot.name == "slow":
            assert self._told.wait(20)
        if job.bot.name == "lost" and not self.losses:
            self.losses += 1
            return [Lost(job, "the worker died")]
        failure = self._failures.get(job.bot.name)
        return [Greeted(job.bot.name, failure=failure), Finished(job)]

    def drain(self) -> None:
        raise AssertionError

    def withdraw(self) -> None:
        raise AssertionError

    def close(self) -> None:
        raise AssertionError


def bots(*names: str) -> list[BotDefinition]:
    return [
        BotDefinition(name, module="bots.random_bot", limits=BotLimits(start_ms=7_500))
        for name in names
    ]


def greet(*names: str, slots: int = 1, **failures: str) -> tuple[Greeter, list[str], object]:
    told = threading.Event()
    texts: list[str] = []

    def tell(text: str) -> None:
        texts.append(text)
        told.set()

    greeter = Greeter(slots, failures, told)
    patience = 0.01 if "slow" in names else 20.0
    result = greet_all(bots(*names), RuleSet(), greeter, lambda: False, tell, patience)
    return greeter, texts, result


def test_a_silent_bot_is_named_while_it_is_waited_for() -> None:
    _, texts, _ = greet("slow")
    (text,) = texts
    assert text.startswith("waiting for slow, which has not answered the greeting yet (it has 7.5")
    assert text.endswith("then a second try)")


def test_nobody_is_named_who_answers_in_time_and_no_timer_is_left() -> None:
    before = threading.active_count()
    _, texts, _ = greet("a", "b", "c")
    assert texts == []
    assert threading.active_count() == before


def test_no_greeting_waits_behind_another() -> None:
    greeter, _, _ = greet("a", "b", "c", "d", "e", slots=2)
    assert greeter.most_running == 2


def test_a_lost_greeting_comes_again() -> None:
    greeter, _, _ = greet("a", "lost", "b")
    assert greeter.losses == 1


def test_silence_gets_a_hint_and_death_none() -> None:
    _, _, result = greet("a", "b", a=SILENT, b="exited with code 1")
    assert result.set_aside == (  # type: ignore[attr-defined]
        ("a", f"{SILENT} ({SILENCE_HINT})"),
        ("b", "exited with code 1"),
    )
    assert "newline" in SILENCE_HINT
    assert "flushed" in SILENCE_HINT


def test_a_bot_that_fails_in_the_sandbox_is_told_what_it_sees_there() -> None:
    told = threading.Event()
    inside = [replace(bot, sandbox=Sandbox.BWRAP) for bot in bots("a", "b")]
    outside = bots("c")
    greeter = Greeter(1, {"a": "exited with code 1", "b": SILENT, "c": "exited with code 1"}, told)
    result = greet_all([*inside, *outside], RuleSet(), greeter, lambda: False)
    assert dict(result.set_aside) == {
        "a": f"exited with code 1 ({SANDBOX_HINT})",
        "b": f"{SILENT} ({SILENCE_HINT}; {SANDBOX_HINT})",
        "c": "exited with code 1",
    }
    assert "`read`" in SANDBOX_HINT


def test_the_hint_stands_in_the_error_too() -> None:
    class Mixed(Greeter):
        def next_events(self, timeout_seconds: float) -> Sequence[ExecutionEvent]:
            events = list(super().next_events(timeout_seconds))
            if isinstance(events[0], Greeted) and events[0].bot == "b":
                events[0] = Greeted("b", problems=("option Depth is not announced",))
            return events

    greeter = Mixed(1, {"a": SILENT}, threading.Event())
    with pytest.raises(BotStartError, match="must end with a newline"):
        greet_all(bots("a", "b"), RuleSet(), greeter, lambda: False)


def test_an_interrupt_ends_it() -> None:
    greeter = Greeter(1, {}, threading.Event())
    result = greet_all(bots("a"), RuleSet(), greeter, lambda: True)
    assert result.set_aside == ()


def test_the_sandbox_is_tried_once_for_all_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    trials: list[str] = []

    def refuse() -> str:
        trials.append("tried")
        return "no bwrap"

    monkeypatch.setattr(preflight, "refusal", refuse)
    monkeypatch.setattr(sandbox, "wrap", lambda *_: None)
    inside = [replace(bot, sandbox=Sandbox.BWRAP) for bot in bots("a", "b", "c")]
    with pytest.raises(BotStartError) as caught:
        preflight.identities(inside)
    assert [problem.place for problem in caught.value.problems] == ["a", "b", "c"]
    assert trials == ["tried"]
