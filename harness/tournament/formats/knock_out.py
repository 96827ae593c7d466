"""Knock-out: who loses an encounter is out; a tie is broken by extra pairs, then by the seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from harness.tournament.batch import Batch
from harness.tournament.encounter import Encounter, encounter_of
from harness.tournament.results import BatchResult, EncounterResult
from harness.tournament.spec import TournamentSpec

_ROUND_NAMES: Final = {1: "final", 2: "semi-finals", 4: "quarter-finals"}


class Decision(Enum):
    """Why a bot goes on."""

    POINTS = "more points"
    BYE = "no opponent"
    WALKOVER = "opponent not there"
    BETTER_SEED = "better seed"


@dataclass(frozen=True, slots=True)
class Duel:
    """Two bots of one bracket place in one round; ``upper`` is the better seed.

    ``lower`` None is a bye. ``half_points`` are upper's and lower's over the stored games, those
    of ``tie_break_pairs`` included. ``winner`` and ``decision`` are None while games are open.
    """

    upper: str
    lower: str | None
    half_points: tuple[int, int] = (0, 0)
    tie_break_pairs: int = 0
    winner: str | None = None
    decision: Decision | None = None

    @property
    def reason(self) -> str:
        """Why the winner goes on, in words."""
        if self.decision is None:
            return "open"
        if not self.tie_break_pairs:
            return self.decision.value
        plural = "s" if self.tie_break_pairs > 1 else ""
        return f"{self.decision.value} after {self.tie_break_pairs} tie-break pair{plural}"


@dataclass(frozen=True, slots=True)
class Bracket:
    """The rounds so far, the last one perhaps open, and the batch that comes next."""

    rounds: tuple[tuple[Duel, ...], ...]
    next_batch: Batch | None


def next_knock_out_batch(spec: TournamentSpec, results: Sequence[BatchResult]) -> Batch | None:
    """Return the next round or tie-break pairs from the results so far; None after the final."""
    return bracket(spec, results).next_batch


def bracket(spec: TournamentSpec, results: Sequence[BatchResult]) -> Bracket:
    """Follow the bracket as far as there are results of complete batches.

    All pairs of an encounter are played. Where it is tied, one more pair is, in a batch of its
    own, up to ``spec.tie_break_pairs`` times; then the better seed goes on.
    """
    names = [bot.name for bot in spec.bots]
    places = [names[seed] if seed < len(names) else None for seed in bracket_seeds(len(names))]
    duels = [_first_duel(*pair) for pair in zip(places[::2], places[1::2], strict=True)]
    notes = [f"{duel.upper} goes on without a game" for duel in duels if duel.lower is None]
    rounds: list[tuple[Duel, ...]] = []
    number = first_index = tie_break = 0
    waiting = iter(results)
    while True:
        is_last_chance = tie_break == spec.tie_break_pairs
        open_duels = [duel for duel in duels if duel.winner is None]
        batch = Batch(
            number,
            first_index,
            tuple(_encounter(duel, spec, tie_break) for duel in open_duels),
            1 if tie_break else spec.cycles,
            _title(len(duels), tie_break),
            tuple(notes),
        )
        result = next(waiting, None)
        if result is None:
            return Bracket((*rounds, tuple(duels)), batch)
        number, first_index, notes = number + 1, first_index + len(batch), []
        by_bots = {one.encounter.bots: one for one in result}
        for place, duel in enumerate(duels):
            if duel.winner is None:
                one = by_bots[_encounter(duel, spec, tie_break).bots]
                duels[place] = _after(duel, one, tie_break, is_last_chance=is_last_chance)
        tie_break += 1
        if any(duel.winner is None for duel in duels):
            continue
        rounds.append(tuple(duels))
        if len(duels) == 1:
            return Bracket(tuple(rounds), None)
        notes = [
            f"{duel.winner} goes on: {duel.reason}"
            for duel in duels
            if duel.decision in (Decision.WALKOVER, Decision.BETTER_SEED)
        ]
        winners = [duel.winner for duel in duels if duel.winner is not None]
        duels = [
            Duel(min(pair, key=names.index), max(pair, key=names.index))
            for pair in zip(winners[::2], winners[1::2], strict=True)
        ]
        tie_break = 0


def bracket_seeds(count: int) -> list[int]:
    """Return seeds from 0 in bracket order: the best two meet in the final, if both win.

    Their number is the next power of two; seeds from ``count`` on are the byes of the best.
    """
    seeds = [0]
    while len(seeds) < count:
        highest = 2 * len(seeds) - 1
        seeds = [seed for upper in seeds for seed in (upper, highest - upper)]
    return seeds


def _first_duel(upper: str | None, lower: str | None) -> Duel:
    assert upper is not None  # more than half of the places are taken, by the best seeds
    if lower is None:
        return Duel(upper, None, winner=upper, decision=Decision.BYE)
    return Duel(upper, lower)


def _encounter(duel: Duel, spec: TournamentSpec, tie_break: int) -> Encounter:
    assert duel.lower is not None
    if tie_break:
        return encounter_of(duel.upper, duel.lower, 1, spec.rounds * spec.cycles + tie_break)
    return encounter_of(duel.upper, duel.lower, spec.rounds)


def _after(duel: Duel, result: EncounterResult, tie_break: int, *, is_last_chance: bool) -> Duel:
    first, second = result.half_points
    if result.encounter.first != duel.upper:
        first, second = second, first
    half_points = (duel.half_points[0] + first, duel.half_points[1] + second)
    duel = replace(duel, half_points=half_points, tie_break_pairs=tie_break)
    if result.winner is not None:
        decision = Decision.WALKOVER if result.absent else Decision.POINTS
        return replace(duel, winner=result.winner, decision=decision)
    if result.absent or is_last_chance:
        return replace(duel, winner=duel.upper, decision=Decision.BETTER_SEED)
    return duel


def _title(duels: int, tie_break: int) -> str:
    title = f"knock-out, {_ROUND_NAMES.get(duels, f'last {2 * duels}')}"
    return f"{title}, tie-break pair {tie_break}" if tie_break else title
