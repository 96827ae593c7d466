"""A whole stored tournament verified, game by game; only what was found is held in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

from harness.errors import StoreError
from harness.play.adjudication import Adjudication
from harness.store.audit import Audit, AuditedGame
from harness.store.sqlite import Store
from harness.verification.adjudication_terms import adjudication_of
from harness.verification.columns import column_findings
from harness.verification.finding import Finding
from harness.verification.game_names import name_findings
from harness.verification.replay import replay_findings

Progress = Callable[[int], AbstractContextManager[Callable[[int], None]]]
"""Given the number of games, gives a function to be told of each further number of them."""


class VerifiedTournament(NamedTuple):
    """How many games were verified, how much was found, and the first of the findings.

    ``is_damaged``: SQLite itself finds something wrong with the file.
    """

    folder: Path
    games: int
    found: int
    findings: tuple[Finding, ...]
    is_damaged: bool = False


def verify_tournament(folder: Path, most: int, progress: Progress) -> VerifiedTournament:
    """Verify everything that is stored in this folder, keeping ``most`` findings.

    What is damaged is a finding. Raises NoSuchTournamentError when nothing is stored there.
    """
    tally = _Tally(most)
    try:
        audit = Audit.open(folder)
    except StoreError as error:
        tally.take([Finding("", error.why)])
    else:
        with audit:
            _verify(audit, tally, progress)
    return VerifiedTournament(
        folder, tally.games, tally.found, tuple(tally.kept), is_damaged=tally.is_damaged
    )


class _Tally:
    """Counts games and findings, and keeps the first of these."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.games = 0
        self.found = 0
        self.is_damaged = False
        self.kept: list[Finding] = []

    def take(self, findings: Iterable[Finding]) -> None:
        for finding in findings:
            self.found += 1
            if len(self.kept) < self._most:
                self.kept.append(finding)


def _verify(audit: Audit, tally: _Tally, progress: Progress) -> None:
    of_file = [line for fault in audit.file_faults() for line in _lines(fault)]
    tally.is_damaged = bool(of_file)
    adjudication, faults = _adjudication(audit.store)
    numbers, others = audit.numbers()
    # The same words for another part of the file say nothing more.
    told = dict.fromkeys((*of_file, *audit.reference_faults(), *faults, *others))
    tally.take(Finding("", fault) for fault in told)
    with progress(len(numbers)) as tell:
        for number in numbers:
            tally.take(_game_findings(audit.game(number), adjudication))
            tally.games += 1
            tell(1)


def _lines(fault: str) -> Iterator[str]:
    """Yield the lines of one answer of SQLite's check, without its heading."""
    for line in map(str.strip, fault.splitlines()):
        if line and not line.startswith("*** "):
            yield line


def _adjudication(store: Store) -> tuple[Adjudication | None, list[str]]:
    """Return how scores end games, None when that cannot be read; and what cannot be read."""
    faults = []
    adjudication: Adjudication | None = Adjudication()
    try:
        tournament = store.tournament()
        if tournament is not None:
            adjudication = adjudication_of(tournament.conditions)
    except StoreError as error:
        adjudication = None
        faults.append(error.why)
    except (LookupError, TypeError, ValueError) as error:
        adjudication = None
        faults.append(f"the stored rules of adjudication make no sense: {error}")
    try:
        store.incidents()
    except StoreError as error:
        faults.append(error.why)
    return adjudication, faults


def _game_findings(audited: AuditedGame, adjudication: Adjudication | None) -> Iterator[Finding]:
    yield from (Finding(audited.name, fault) for fault in audited.faults)
    game, checks = audited.game, audited.checks
    if game is None or checks is None:
        return
    yield from name_findings(game)
    yield from column_findings(game, checks)
    yield from replay_findings(game, checks.opening_moves, adjudication)
