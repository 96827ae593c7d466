"""Swiss: equal scores meet; bots meet again only where earlier rounds leave no other pairing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from harness.tournament.batch import Batch
from harness.tournament.encounter import encounter_of
from harness.tournament.formats.matching import perfect_matching
from harness.tournament.results import BatchResult
from harness.tournament.spec import TournamentSpec

_WIN: Final = 2
_DRAW: Final = 1


@dataclass(slots=True)
class SwissScore:
    """What one bot has after some rounds.

    ``half_points`` are those of the rounds: 2 for more points over the games of the encounter
    than the opponent, for an opponent that was not there, and for a bye; 1 each when equal.
    ``game_half_points`` are those of the stored games, ``games`` their number.
    """

    half_points: int = 0
    game_half_points: int = 0
    games: int = 0
    byes: int = 0
    opponents: list[str] = field(default_factory=list)


def swiss_round_count(spec: TournamentSpec) -> int:
    """Return how many Swiss rounds are played; by default as many as find one winner."""
    if spec.swiss_rounds is not None:
        return spec.swiss_rounds
    return (len(spec.bots) - 1).bit_length()


def swiss_scores(names: Sequence[str], results: Sequence[BatchResult]) -> dict[str, SwissScore]:
    """Return the score of every bot after these rounds."""
    scores = {name: SwissScore() for name in names}
    for encounters in results:
        resting = dict.fromkeys(names)
        for result in encounters:
            games = sum(result.half_points) // _WIN
            first, second = result.encounter.bots
            for name, other, points in zip(
                (first, second), (second, first), result.half_points, strict=True
            ):
                resting.pop(name)
                score = scores[name]
                score.opponents.append(other)
                score.game_half_points += points
                score.games += games
                if result.winner == name:
                    score.half_points += _WIN
                elif result.winner is None and not result.absent:
                    score.half_points += _DRAW
        for name in resting:
            scores[name].half_points += _WIN
            scores[name].byes += 1
    return scores


def next_swiss_batch(spec: TournamentSpec, results: Sequence[BatchResult]) -> Batch | None:
    """Return the next round from the results of those before; None after the last.

    From the highest score down (equal scores in the order of the spec) each bot gets the first
    of its candidates with whom the others can still be paired. Candidates are the bots of its
    score, then those of lower ones; of a score group the upper half meets the lower half, in
    order. Bots meet again only where no pairing of all is possible otherwise; their pair
    numbers go on. With an odd number one bot sits out for a point: the lowest of those with the
    fewest byes that leaves a pairing of the others.
    """
    count, number = swiss_round_count(spec), len(results)
    if number >= count:
        return None
    names = [bot.name for bot in spec.bots]
    scores = swiss_scores(names, results)
    standing = sorted(names, key=lambda name: -scores[name].half_points)
    pairs, resting = _pair_all([scores[name] for name in standing], standing)
    pairs_each = spec.rounds * spec.cycles
    encounters = tuple(
        encounter_of(one, other, spec.rounds, 1 + scores[one].opponents.count(other) * pairs_each)
        for one, other in pairs
    )
    return Batch(
        number=number,
        first_index=2 * pairs_each * sum(map(len, results)),
        encounters=encounters,
        cycles=spec.cycles,
        title=f"Swiss round {number + 1} of {count}",
        notes=() if resting is None else (f"{resting} sits out",),
    )


def _pair_all(
    scores: Sequence[SwissScore], names: Sequence[str]
) -> tuple[list[tuple[str, str]], str | None]:
    """Pair all bots, given from the highest down; returns the pairs and who sits out."""
    opponents = [Counter(score.opponents) for score in scores]
    times_met = [[opponents[one][other] for other in names] for one in range(len(names))]
    fewest_byes = min(score.byes for score in scores)
    candidates: list[int | None] = [None]
    if len(names) % 2:
        candidates = [
            place for place in reversed(range(len(names))) if scores[place].byes == fewest_byes
        ]
    for most_meetings in range(1 + max(map(max, times_met))):
        for resting in candidates:
            graph = {
                one: [
                    other
                    for other in range(len(names))
                    if other not in (one, resting) and times_met[one][other] <= most_meetings
                ]
                for one in range(len(names))
                if one != resting
            }
            partners = perfect_matching(graph)
            if partners is not None:
                chosen = _first_matching(graph, partners, scores, times_met)
                pairs = [(names[one], names[other]) for one, other in chosen]
                return pairs, None if resting is None else names[resting]
    raise AssertionError("bots may meet as often as they have met, so all can be paired")


def _first_matching(
    graph: Mapping[int, Sequence[int]],
    partners: Mapping[int, int],
    scores: Sequence[SwissScore],
    times_met: Sequence[Sequence[int]],
) -> list[tuple[int, int]]:
    """Give each vertex in turn its first candidate that leaves a perfect matching of the rest.

    ``partners`` is any perfect matching, which shows that there is one to begin with.
    """
    rest = dict(graph)
    pairs = []
    while rest:
        one = next(iter(rest))
        group = [other for other in rest if scores[other].half_points == scores[one].half_points]
        half = len(group) // 2
        below = [other for other in rest if other not in group]
        order = [*group[half:], *reversed(group[1:half]), *below]
        neighbours = set(rest.pop(one))
        for other in sorted(
            (other for other in order if other in neighbours),
            key=lambda other: times_met[one][other],
        ):
            left = {vertex: rest[vertex] for vertex in rest if vertex != other}
            begun = {
                vertex: partner
                for vertex, partner in partners.items()
                if vertex in left and partner in left
            }
            found = perfect_matching(left, begun)
            if found is not None:
                pairs.append((one, other))
                rest, partners = left, found
                break
    return pairs
