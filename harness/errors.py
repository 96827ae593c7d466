"""Every error of the harness, in one tree; each knows its exit code and carries its facts.

::

    HarnessError                     1
    ├── InputError                   2   what a person typed or wrote
    │   ├── NotationError                a square, move or position text that cannot be read
    │   ├── PositionError                a start position that is impossible or decided
    │   ├── SgfError                     an SGF file that cannot be read
    │   ├── SpecError                    a tournament that cannot be played as written
    │   ├── BotStartError                bots that preflight could not start or configure
    │   ├── BuildError                   versions of bots that could not be built
    │   ├── ConditionsError              the stored tournament was played under other conditions
    │   ├── NoSuchTournamentError        nothing is stored there
    │   ├── NoSuchGameError              the tournament has no such game
    │   └── InUseError                   another run holds this tournament
    ├── IllegalMoveError             1   a move that the rules refuse
    ├── StoreError                   1   the database cannot be read or written
    ├── OutputError                  1   a file or stream of results cannot be written
    └── WorkerError                  1   a worker process cannot be started

A bot's misbehaviour is not an error but data (``harness.play.types.Reply``).
Facts are constructor arguments, handed on to ``Exception.args``, so that every error survives
pickling between processes.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import ClassVar, NamedTuple


class Problem(NamedTuple):
    """One thing that is wrong with an input: where, and what was expected instead."""

    place: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place else self.message


class HarnessError(Exception):
    """Root of the tree: the harness could not do what it was asked to do."""

    exit_code: ClassVar[int] = 1


class InputError(HarnessError):
    """The input is at fault; the message says what, where and what to do."""

    exit_code: ClassVar[int] = 2


class NotationError(InputError):
    """A text is no square, move or position; ``why`` names what was expected."""

    def __init__(self, text: str, why: str) -> None:
        super().__init__(text, why)
        self.text = text
        self.why = why

    def __str__(self) -> str:
        shown = self.text if len(self.text) <= 80 else self.text[:77] + "..."
        return f"{shown!r}: {self.why}"


class PositionError(InputError):
    """A start position is impossible or already decided; ``reasons`` holds every reason."""

    def __init__(self, position: str, reasons: Sequence[str]) -> None:
        super().__init__(position, tuple(reasons))
        self.position = position
        self.reasons = tuple(reasons)

    def __str__(self) -> str:
        return f"{self.position!r} is no start position: {'; '.join(self.reasons)}"


class SgfError(InputError):
    """An SGF text cannot be read; ``line`` counts from 1."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(line, why)
        self.line = line
        self.why = why

    def __str__(self) -> str:
        return f"SGF line {self.line}: {self.why}"


class SpecError(InputError):
    """A tournament cannot be played as written; every problem is reported at once."""

    def __init__(self, source: str, problems: Sequence[Problem]) -> None:
        super().__init__(source, tuple(problems))
        self.source = source
        self.problems = tuple(problems)

    def __str__(self) -> str:
        count = len(self.problems)
        head = f"{self.source}: {count} problem{'s' if count != 1 else ''}"
        return "\n".join([head, *(f"  {problem}" for problem in self.problems)])


class BotStartError(InputError):
    """Bots that preflight could not start or configure; nothing was played."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(tuple(problems))
        self.problems = tuple(problems)

    def __str__(self) -> str:
        lines = "\n".join(f"  {problem}" for problem in self.problems)
        return f"nothing was played, these bots are not ready:\n{lines}"


class FailedBuild(NamedTuple):
    """One version that could not be built: which, how it ended, the end of its log, the log."""

    version: str
    command: str
    how: str
    last_lines: tuple[str, ...]
    log: str


class BuildError(InputError):
    """Versions of bots that could not be built; nothing was played."""

    def __init__(self, failures: Sequence[FailedBuild]) -> None:
        super().__init__(tuple(failures))
        self.failures = tuple(failures)

    def __str__(self) -> str:
        lines = ["nothing was played, these versions could not be built:"]
        for failure in self.failures:
            lines.append(f"  {failure.version}: {failure.command!r}: {failure.how}")
            lines += [f"    | {line}" for line in failure.last_lines]
            lines.append(f"    the whole log: {failure.log}")
        return "\n".join(lines)


class ConditionsError(InputError):
    """A tournament is stored under the same name with other conditions."""

    def __init__(self, path: str, differences: Sequence[Problem]) -> None:
        super().__init__(path, tuple(differences))
        self.path = path
        self.differences = tuple(differences)

    def __str__(self) -> str:
        lines = "\n".join(f"  {difference}" for difference in self.differences)
        return (
            f"{self.path} holds games played under other conditions:\n{lines}\n"
            "Use another --name, or put the conditions back."
        )


class NoSuchTournamentError(InputError):
    """No tournament is stored at this path."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path

    def __str__(self) -> str:
        return f"no tournament is stored in {self.path}; `loa list` shows those there are"


class NoSuchGameError(InputError):
    """The tournament holds no game of this id."""

    def __init__(self, path: str, game_id: str) -> None:
        super().__init__(path, game_id)
        self.path = path
        self.game_id = game_id

    def __str__(self) -> str:
        return f"{self.path} holds no game {self.game_id!r}; `loa games` lists their ids"


class InUseError(InputError):
    """Another process runs this tournament now."""

    def __init__(self, path: str, holder: str) -> None:
        super().__init__(path, holder)
        self.path = path
        self.holder = holder

    def __str__(self) -> str:
        name = shlex.quote(self.path)
        return f"{self.path} is being run by {self.holder}; wait for it, or: loa stop {name}"


class IllegalMoveError(HarnessError):
    """The rules refuse a move; carries it, the reason and the untouched position, all as text."""

    def __init__(self, move: str, reason: str, position: str) -> None:
        super().__init__(move, reason, position)
        self.move = move
        self.reason = reason
        self.position = position

    def __str__(self) -> str:
        return f"{self.move} is illegal in {self.position}: {self.reason}"


class StoreError(HarnessError):
    """The database cannot be read or written; what was acknowledged before is kept."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(path, why)
        self.path = path
        self.why = why

    def __str__(self) -> str:
        return f"{self.path}: {self.why}"


class OutputError(HarnessError):
    """Results cannot be written where they were to go; the stored games are as they were."""


class WorkerError(HarnessError):
    """A worker process could not be started, or kept dying; names the slot."""

    def __init__(self, slot: int, why: str) -> None:
        super().__init__(slot, why)
        self.slot = slot
        self.why = why

    def __str__(self) -> str:
        return f"slot {self.slot}: {self.why}"
