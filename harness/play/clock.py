"""Time controls (the setting) and clocks (the running state), in integer nanoseconds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

from harness.errors import NotationError

NS_PER_SECOND: Final = 1_000_000_000
NS_PER_MS: Final = 1_000_000

MIN_TIME_NS: Final = NS_PER_MS
MAX_TIME_NS: Final = 10_000_000 * NS_PER_SECOND
MAX_MOVES_PER_PERIOD: Final = 1_000
MAX_NODES: Final = 10**15
MAX_DEPTH: Final = 1_000

_SECONDS: Final = re.compile(r"(?=\.?[0-9])([0-9]{0,9})(?:\.([0-9]{0,9}))?")
_COUNT: Final = re.compile(r"[0-9]{1,16}")
_CLOCK: Final = re.compile(r"(?:([^/]*)/)?([^/+]*)(?:\+([^/+]*))?")
_NAMED_TERMS: Final = ("move", "nodes", "depth")


@dataclass(frozen=True, slots=True)
class TimeControl:
    """What a bot may use for its moves; None means that this limit is not set.

    ``base_ns`` is the time on the clock, given again after every ``moves_per_period`` own
    moves; ``increment_ns`` is added after every own move; ``move_time_ns`` bounds each move;
    ``nodes`` and ``depth`` are told to the bot. The smallest limit rules. ValueError when a
    value is out of range or a clock's addition stands without a clock.
    """

    base_ns: int | None = None
    increment_ns: int | None = None
    moves_per_period: int | None = None
    move_time_ns: int | None = None
    nodes: int | None = None
    depth: int | None = None

    def __post_init__(self) -> None:
        if self.increment_ns == 0:
            object.__setattr__(self, "increment_ns", None)
        if self.base_ns is None and (self.increment_ns or self.moves_per_period):
            raise ValueError("an increment or a period needs a base time")
        for name, value, low, high in (
            ("base_ns", self.base_ns, MIN_TIME_NS, MAX_TIME_NS),
            ("increment_ns", self.increment_ns, MIN_TIME_NS, MAX_TIME_NS),
            ("moves_per_period", self.moves_per_period, 1, MAX_MOVES_PER_PERIOD),
            ("move_time_ns", self.move_time_ns, MIN_TIME_NS, MAX_TIME_NS),
            ("nodes", self.nodes, 1, MAX_NODES),
            ("depth", self.depth, 1, MAX_DEPTH),
        ):
            if value is not None and not low <= value <= high:
                raise ValueError(f"{name} is {low} to {high}, not {value}")

    @classmethod
    def parse(cls, text: str) -> TimeControl:
        """Read terms separated by commas: a clock, ``move=``, ``nodes=``, ``depth=``.

        A clock is ``BASE``, ``BASE+INCREMENT`` or ``MOVES/BASE+INCREMENT``; times are seconds
        (``5+0.05``, ``40/60+0.6``, ``move=0.5``, ``nodes=200``, ``depth=3``). NotationError
        names every wrong term.
        """
        reader = _TermReader()
        for term in text.split(","):
            reader.read(term.strip())
        if reader.faults:
            raise NotationError(text, "; ".join(reader.faults))
        return cls(**reader.values)

    @property
    def has_clock(self) -> bool:
        """Whether a clock runs over the whole game."""
        return self.base_ns is not None

    @property
    def has_time_limit(self) -> bool:
        """Whether a clock or a time for each move bounds the thinking."""
        return self.base_ns is not None or self.move_time_ns is not None

    @property
    def increment_ms(self) -> int:
        """The increment as it is told to a bot, in whole milliseconds; 0 when there is none."""
        return (self.increment_ns or 0) // NS_PER_MS

    @property
    def move_time_ms(self) -> int | None:
        """The time for each move as it is told to a bot, in whole milliseconds."""
        return None if self.move_time_ns is None else self.move_time_ns // NS_PER_MS

    @property
    def text(self) -> str:
        """The one written form; ``parse`` reads it back to an equal value."""
        terms = []
        if self.base_ns is not None:
            period = "" if self.moves_per_period is None else f"{self.moves_per_period}/"
            extra = "" if self.increment_ns is None else f"+{_format_seconds(self.increment_ns)}"
            terms.append(f"{period}{_format_seconds(self.base_ns)}{extra}")
        if self.move_time_ns is not None:
            terms.append(f"move={_format_seconds(self.move_time_ns)}")
        if self.nodes is not None:
            terms.append(f"nodes={self.nodes}")
        if self.depth is not None:
            terms.append(f"depth={self.depth}")
        return ",".join(terms)

    def __str__(self) -> str:
        return self.text


class ClockState(NamedTuple):
    """The clock of one side before one of its plies.

    ``remaining_ns`` is None where no clock runs; it may be below zero by as much as the margin
    allowed. ``moves_made`` counts the side's own moves, those of the opening excepted.
    """

    remaining_ns: int | None
    moves_made: int

    @classmethod
    def start(cls, time_control: TimeControl) -> ClockState:
        """Return the clock at the first ply that the bot is asked for."""
        return cls(time_control.base_ns, 0)

    def budget_ns(self, time_control: TimeControl, margin_ns: int, max_think_ns: int) -> int:
        """Return the longest use of this ply that is not a flag fall.

        The smallest of the clock and the time for a move, plus the margin; ``max_think_ns``
        where neither is set.
        """
        remaining_ns = self.remaining_ns
        move_time_ns = time_control.move_time_ns
        if remaining_ns is None:
            return max_think_ns if move_time_ns is None else move_time_ns + margin_ns
        if move_time_ns is not None and move_time_ns < remaining_ns:
            return move_time_ns + margin_ns
        return remaining_ns + margin_ns

    def after(
        self, time_control: TimeControl, used_ns: int, margin_ns: int, max_think_ns: int
    ) -> ClockState | None:
        """Return the clock after a ply that took ``used_ns``; None when the flag fell.

        What the margin tolerated stays owed: the margin is no gift at each ply.
        """
        if used_ns > self.budget_ns(time_control, margin_ns, max_think_ns):
            return None
        return self.spent(time_control, used_ns)

    def spent(self, time_control: TimeControl, used_ns: int) -> ClockState:
        """Return the clock after a ply in which the flag did not fall."""
        remaining_ns = self.remaining_ns
        moves_made = self.moves_made + 1
        if remaining_ns is None:
            return ClockState(None, moves_made)
        remaining_ns += (time_control.increment_ns or 0) - used_ns
        period = time_control.moves_per_period
        if period is not None and moves_made % period == 0:
            remaining_ns += time_control.base_ns or 0
        # Once a ply: its own constructor takes twice as long.
        return tuple.__new__(ClockState, (remaining_ns, moves_made))

    def told_ms(self) -> int | None:
        """Return the time that the bot is told, at least 1 ms; None where no clock runs."""
        remaining_ns = self.remaining_ns
        return None if remaining_ns is None else max(1, remaining_ns // NS_PER_MS)

    def moves_to_go(self, time_control: TimeControl) -> int | None:
        """Return the own moves until the next period, this one included; None without periods."""
        period = time_control.moves_per_period
        return None if period is None else period - self.moves_made % period


class RunningClock:
    """The clock of one side through a game: a ``ClockState`` with what is asked of it every ply.

    ``budget_ns`` is the longest use of the next ply that is no flag fall, ``told_ms`` the time
    that the bots are told, None where no clock runs.
    """

    __slots__ = (
        "_control",
        "_increment_ns",
        "_is_plain",
        "_margin_ns",
        "_max_think_ns",
        "_state",
        "budget_ns",
        "told_ms",
    )

    def __init__(self, time_control: TimeControl, margin_ns: int, max_think_ns: int) -> None:
        self._control = time_control
        self._margin_ns = margin_ns
        self._max_think_ns = max_think_ns
        self._increment_ns = time_control.increment_ns or 0
        # Base and increment alone: the usual clock, which a ply changes in one step.
        self._is_plain = time_control.base_ns is not None and (
            time_control.moves_per_period is None and time_control.move_time_ns is None
        )
        self._state = ClockState.start(time_control)
        self.budget_ns = 0
        self.told_ms: int | None = None
        self._tell()

    def spend(self, used_ns: int) -> None:
        """Take the time of a ply in which the flag did not fall."""
        if self._is_plain:
            self.budget_ns += self._increment_ns - used_ns
            told_ms = (self.budget_ns - self._margin_ns) // NS_PER_MS
            self.told_ms = told_ms if told_ms > 0 else 1
        else:
            self._state = self._state.spent(self._control, used_ns)
            self._tell()

    def moves_to_go(self) -> int | None:
        """Return the own moves until the next period, this one included; None without periods."""
        return self._state.moves_to_go(self._control)

    def _tell(self) -> None:
        self.budget_ns = self._state.budget_ns(self._control, self._margin_ns, self._max_think_ns)
        self.told_ms = self._state.told_ms()


class _TermReader:
    """Collects the values and the faults of the terms of one time control."""

    def __init__(self) -> None:
        self.values: dict[str, int] = {}
        self.faults: list[str] = []
        self._seen: set[str] = set()
        self._term = ""

    def read(self, term: str) -> None:
        self._term = term
        if not term:
            self._fault('is empty; expected a clock such as "5+0.05", move=, nodes= or depth=')
            return
        name, equals, value = (part.strip() for part in term.partition("="))
        name = name.lower() if equals else "clock"
        if equals and name not in _NAMED_TERMS:
            self._fault("has an unknown name; the names are move=, nodes= and depth=")
            return
        if name in self._seen:
            self._fault("is a second clock" if name == "clock" else f"gives {name}= a second time")
            return
        self._seen.add(name)
        match name:
            case "clock":
                self._read_clock()
            case "move":
                self._read_seconds("move_time_ns", value, "the time")
            case "nodes":
                self._read_count("nodes", value, "the number of nodes", MAX_NODES)
            case _:
                self._read_count("depth", value, "the depth", MAX_DEPTH)

    def _read_clock(self) -> None:
        match = _CLOCK.fullmatch(self._term)
        if match is None:
            self._fault("is no clock; expected BASE, BASE+INCREMENT or MOVES/BASE+INCREMENT")
            return
        period, base, increment = match.groups()
        if period is not None:
            self._read_count("moves_per_period", period, "the period", MAX_MOVES_PER_PERIOD)
        self._read_seconds("base_ns", base, "the base time")
        if increment is not None:
            self._read_seconds("increment_ns", increment, "the increment", zero=True)

    def _read_seconds(self, key: str, text: str, what: str, *, zero: bool = False) -> None:
        match = _SECONDS.fullmatch(text.strip())
        if match is None:
            self._number_fault(f"{what} is a number of seconds such as 5 or 0.05", text)
            return
        whole, fraction = match.groups()
        value = int(whole or "0") * NS_PER_SECOND + int((fraction or "").ljust(9, "0"))
        if value == 0 and zero:
            return
        if not MIN_TIME_NS <= value <= MAX_TIME_NS:
            low, high = _format_seconds(MIN_TIME_NS), _format_seconds(MAX_TIME_NS)
            self._number_fault(f"{what} is {low} to {high} seconds", text)
            return
        self.values[key] = value

    def _read_count(self, key: str, text: str, what: str, high: int) -> None:
        digits = text.strip()
        if _COUNT.fullmatch(digits) is None or not 1 <= int(digits) <= high:
            self._number_fault(f"{what} is a whole number from 1 to {high}", text)
            return
        self.values[key] = int(digits)

    def _fault(self, why: str) -> None:
        self.faults.append(f"{self._term!r} {why}" if self._term else f"a term {why}")

    def _number_fault(self, expected: str, text: str) -> None:
        self.faults.append(f"in {self._term!r} {expected}, not {text.strip()!r}")


def _format_seconds(time_ns: int) -> str:
    whole, fraction = divmod(time_ns, NS_PER_SECOND)
    return f"{whole}.{fraction:09d}".rstrip("0").rstrip(".") if fraction else str(whole)
