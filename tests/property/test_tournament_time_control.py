from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from harness.errors import NotationError
from harness.play.clock import ClockState, RunningClock, TimeControl
from tests.property.time_controls import time_controls


@given(time_controls())
def test_time_controls_are_read_back(time_control: TimeControl) -> None:
    assert TimeControl.parse(time_control.text) == time_control
    assert TimeControl.parse(time_control.text).text == time_control.text


@given(st.text("0123456789.+/,=- movenodesdepthaif", max_size=20) | st.text(max_size=10))
def test_any_text_is_a_time_control_or_refused(text: str) -> None:
    try:
        time_control = TimeControl.parse(text)
    except NotationError:
        return
    assert TimeControl.parse(time_control.text) == time_control


@given(time_controls(), st.lists(st.integers(0, 10**11), max_size=30))
def test_the_clock_conserves_time(time_control: TimeControl, uses: list[int]) -> None:
    margin_ns, max_think_ns = 50_000_000, 10**11
    clock: ClockState | None = ClockState.start(time_control)
    used_ns = 0
    for count, use_ns in enumerate(uses, start=1):
        assert clock is not None
        budget_ns = clock.budget_ns(time_control, margin_ns, max_think_ns)
        before, clock = clock, clock.after(time_control, use_ns, margin_ns, max_think_ns)
        assert (clock is None) == (use_ns > budget_ns)
        if clock is None:
            return
        used_ns += use_ns
        assert clock.moves_made == count
        if time_control.base_ns is None:
            assert clock.remaining_ns is None
            continue
        periods = 0 if time_control.moves_per_period is None else (
            count // time_control.moves_per_period
        )  # fmt: skip
        given_ns = time_control.base_ns * (1 + periods) + (time_control.increment_ns or 0) * count
        assert clock.remaining_ns == given_ns - used_ns
        assert before.remaining_ns is not None
        assert use_ns <= before.remaining_ns + margin_ns


@given(
    time_controls(),
    st.lists(st.floats(0, 1), max_size=30),
    st.integers(0, 10**9),
    st.integers(1, 10**11),
)
def test_a_running_clock_is_the_clock_of_its_plies(
    time_control: TimeControl, uses: list[float], margin_ns: int, max_think_ns: int
) -> None:
    state = ClockState.start(time_control)
    clock = RunningClock(time_control, margin_ns, max_think_ns)
    for use in (*uses, 0.0):
        assert clock.budget_ns == state.budget_ns(time_control, margin_ns, max_think_ns)
        assert clock.told_ms == state.told_ms()
        assert clock.moves_to_go() == state.moves_to_go(time_control)
        used_ns = int(clock.budget_ns * use)
        after = state.after(time_control, used_ns, margin_ns, max_think_ns)
        assert after is not None
        state = after
        clock.spend(used_ns)
