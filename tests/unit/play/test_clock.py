from __future__ import annotations

import pytest

from harness.errors import NotationError
from harness.play.clock import ClockState, TimeControl

SECOND = 1_000_000_000
MS = 1_000_000
MARGIN = 50 * MS
MAX_THINK = 120 * SECOND


@pytest.mark.parametrize(
    ("text", "expected", "canonical"),
    [
        ("5", TimeControl(base_ns=5 * SECOND), "5"),
        ("5+0.05", TimeControl(base_ns=5 * SECOND, increment_ns=50 * MS), "5+0.05"),
        (
            "40/60+0.6",
            TimeControl(base_ns=60 * SECOND, increment_ns=600 * MS, moves_per_period=40),
            "40/60+0.6",
        ),
        ("40/60", TimeControl(base_ns=60 * SECOND, moves_per_period=40), "40/60"),
        ("move=0.5", TimeControl(move_time_ns=500 * MS), "move=0.5"),
        ("nodes=200", TimeControl(nodes=200), "nodes=200"),
        ("depth=3", TimeControl(depth=3), "depth=3"),
        (
            " depth=3 , nodes = 200,MOVE=1.50, 05.0+.25 ",
            TimeControl(5 * SECOND, 250 * MS, None, 1500 * MS, 200, 3),
            "5+0.25,move=1.5,nodes=200,depth=3",
        ),
        ("5+0", TimeControl(base_ns=5 * SECOND), "5"),
        ("0.001", TimeControl(base_ns=MS), "0.001"),
        ("1.000000001", TimeControl(base_ns=SECOND + 1), "1.000000001"),
    ],
)
def test_parse_reads_every_form(text: str, expected: TimeControl, canonical: str) -> None:
    time_control = TimeControl.parse(text)
    assert time_control == expected
    assert time_control.text == canonical
    assert TimeControl.parse(canonical) == expected


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", ["empty"]),
        ("5,", ["empty"]),
        ("nan", ["nan"]),
        ("inf", ["inf"]),
        ("-5", ["-5"]),
        ("5+-1", ["-1"]),
        ("0", ["0.001"]),
        ("0+1", ["base time"]),
        ("1e3", ["1e3"]),
        ("1_0", ["1_0"]),
        ("٣", ["number of seconds"]),
        ("5+", ["increment"]),
        ("5+1+1", ["no clock"]),
        ("0/60", ["period"]),
        ("x/60", ["period"]),
        ("/60", ["period"]),
        ("1/2/3", ["no clock"]),
        ("5+0.0001", ["increment"]),
        ("move=0", ["move=0"]),
        ("move=", ["move="]),
        ("nodes=0", ["nodes=0"]),
        ("nodes=1.5", ["1.5"]),
        ("nodes=" + "9" * 5000, ["nodes"]),
        ("9" * 5000, ["base time"]),
        ("depth=-1", ["-1"]),
        ("moves=3", ["moves=3", "unknown"]),
        ("5,6", ["'6'", "second clock"]),
        ("depth=3,depth=3", ["depth=", "second time"]),
        ("0,move=nan,nodes=x,depth=0,foo=1", ["'0'", "nan", "nodes=x", "depth=0", "foo=1"]),
    ],
)
def test_parse_names_every_wrong_term(text: str, wrong: list[str]) -> None:
    with pytest.raises(NotationError) as caught:
        TimeControl.parse(text)
    for word in wrong:
        assert word in caught.value.why


def test_values_out_of_range_are_refused() -> None:
    for arguments in (
        {"base_ns": 0},
        {"increment_ns": SECOND},
        {"moves_per_period": 3},
        {"move_time_ns": -1},
        {"nodes": 0},
        {"depth": 0},
    ):
        with pytest.raises(ValueError, match=r"base|_ns|nodes|depth"):
            TimeControl(**arguments)


def test_the_flag_falls_only_beyond_the_margin() -> None:
    time_control = TimeControl.parse("1")
    clock = ClockState.start(time_control)
    assert clock.budget_ns(time_control, MARGIN, MAX_THINK) == SECOND + MARGIN
    assert clock.after(time_control, SECOND + MARGIN + 1, MARGIN, MAX_THINK) is None
    after = clock.after(time_control, SECOND + MARGIN, MARGIN, MAX_THINK)
    assert after == ClockState(-MARGIN, 1)
    assert after.told_ms() == 1
    # The tolerance was used up: it is not given again at each ply.
    assert after.budget_ns(time_control, MARGIN, MAX_THINK) == 0
    assert after.after(time_control, 1, MARGIN, MAX_THINK) is None


def test_the_increment_is_added_to_what_is_owed() -> None:
    time_control = TimeControl.parse("1+0.2")
    clock = ClockState.start(time_control).after(time_control, 1040 * MS, MARGIN, MAX_THINK)
    assert clock == ClockState(160 * MS, 1)


def test_a_period_adds_its_base_and_keeps_what_is_left() -> None:
    time_control = TimeControl.parse("3/10+1")
    clock: ClockState | None = ClockState.start(time_control)
    to_go, remaining = [], []
    for _ in range(7):
        assert clock is not None
        to_go.append(clock.moves_to_go(time_control))
        clock = clock.after(time_control, 2 * SECOND, MARGIN, MAX_THINK)
        assert clock is not None
        remaining.append((clock.remaining_ns or 0) // SECOND)
    assert to_go == [3, 2, 1, 3, 2, 1, 3]
    assert remaining == [9, 8, 17, 16, 15, 24, 23]


def test_a_period_does_not_save_a_flag_that_fell_before_it() -> None:
    time_control = TimeControl.parse("1/1")
    clock = ClockState.start(time_control)
    assert clock.after(time_control, SECOND + MARGIN + 1, MARGIN, MAX_THINK) is None


def test_move_time_is_the_same_at_every_ply() -> None:
    time_control = TimeControl.parse("move=0.5")
    clock = ClockState.start(time_control)
    assert clock == ClockState(None, 0)
    assert clock.told_ms() is None
    assert clock.after(time_control, 550 * MS + 1, MARGIN, MAX_THINK) is None
    after = clock.after(time_control, 550 * MS, MARGIN, MAX_THINK)
    assert after == ClockState(None, 1)
    assert after.budget_ns(time_control, MARGIN, MAX_THINK) == 550 * MS


@pytest.mark.parametrize(("remaining", "expected"), [(2_000, 550), (500, 550), (100, 150)])
def test_the_smaller_of_clock_and_move_time_rules(remaining: int, expected: int) -> None:
    time_control = TimeControl.parse("2,move=0.5")
    clock = ClockState(remaining * MS, 4)
    assert clock.budget_ns(time_control, MARGIN, MAX_THINK) == expected * MS
    assert clock.after(time_control, expected * MS + 1, MARGIN, MAX_THINK) is None
    after = clock.after(time_control, expected * MS, MARGIN, MAX_THINK)
    assert after == ClockState((remaining - expected) * MS, 5)


@pytest.mark.parametrize("text", ["nodes=200", "depth=3", "nodes=200,depth=3"])
def test_without_a_time_term_the_longest_think_is_the_deadline(text: str) -> None:
    time_control = TimeControl.parse(text)
    clock = ClockState.start(time_control)
    assert not time_control.has_time_limit
    assert clock.budget_ns(time_control, MARGIN, MAX_THINK) == MAX_THINK
    assert clock.after(time_control, MAX_THINK, MARGIN, MAX_THINK) == ClockState(None, 1)
    assert clock.after(time_control, MAX_THINK + 1, MARGIN, MAX_THINK) is None
    assert clock.moves_to_go(time_control) is None


@pytest.mark.parametrize(
    ("remaining_ns", "told"),
    [(5 * SECOND, 5000), (2 * MS - 1, 1), (2 * MS, 2), (999_999, 1), (0, 1), (-3 * MS, 1)],
)
def test_the_bot_is_told_whole_milliseconds_and_never_none_left(
    remaining_ns: int, told: int
) -> None:
    assert ClockState(remaining_ns, 0).told_ms() == told


def test_told_limits() -> None:
    assert TimeControl.parse("1+0.0509").increment_ms == 50
    assert TimeControl.parse("1").increment_ms == 0
    assert TimeControl.parse("1").move_time_ms is None
    assert TimeControl.parse("move=0.2509").move_time_ms == 250
    assert TimeControl.parse("1").has_clock
    assert not TimeControl.parse("move=1").has_clock
    assert TimeControl.parse("move=1").has_time_limit
