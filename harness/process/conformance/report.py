"""What is found in one step: a status, words, what to do, and the lines that went to and fro."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple


class Status(Enum):
    """How a step ended. A warning is no failure; a skipped step could not be tried."""

    PASS = "pass"  # noqa: S105
    FAIL = "fail"
    WARNING = "warning"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Finding:
    """A status, what was found in one sentence, and what the bot's author can do about it."""

    status: Status
    text: str = ""
    hint: str = ""


class StepEnded(Exception):  # noqa: N818 - a finding from deep inside a step
    """A step cannot go on; ``finding`` says why."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding)
        self.finding = finding


def passed(text: str = "") -> Finding:
    """Return the finding of a step that found nothing wrong."""
    return Finding(Status.PASS, text)


def warned(text: str, hint: str) -> Finding:
    """Return the finding of a step after which the bot may still play."""
    return Finding(Status.WARNING, text, hint)


def failed(text: str, hint: str) -> Finding:
    """Return the finding of a step in which the bot broke the protocol."""
    return Finding(Status.FAIL, text, hint)


class Line(NamedTuple):
    """One line: milliseconds since the step began, its direction, its text.

    ``direction`` is ``>`` (to the bot), ``<`` (from it) or ``!`` (its stderr). ``text`` is the
    bot's own and not safe for a terminal. ``has_end`` is False where the newline is missing.
    """

    at_ms: float
    direction: str
    text: str
    has_end: bool = True


@dataclass(frozen=True, slots=True)
class StepReport:
    """One step as it went. ``left_out`` lines are not in ``lines``: there were too many."""

    number: int
    name: str
    finding: Finding
    lines: tuple[Line, ...]
    left_out: int
    elapsed_ns: int

    @property
    def status(self) -> Status:
        """How the step ended."""
        return self.finding.status

    def texts(self, direction: str) -> list[str]:
        """Return the texts of the lines of one direction, in order."""
        return [line.text for line in self.lines if line.direction == direction]
