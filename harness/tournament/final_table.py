"""How a Swiss or a knock-out ended, in rows of texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from harness.tournament.formats.knock_out import Bracket, bracket
from harness.tournament.formats.swiss import swiss_round_count, swiss_scores
from harness.tournament.results import BatchResult
from harness.tournament.schedule import Schedule
from harness.tournament.spec import TournamentFormat, TournamentSpec

_SWISS_HEADINGS: Final = (
    ("#", True),
    ("bot", False),
    ("points", True),
    ("opponents", True),
    ("game points", True),
    ("games", True),
    ("byes", True),
)
_BRACKET_HEADINGS: Final = (
    ("round", False),
    ("bots", False),
    ("score", True),
    ("goes on", False),
    ("by", False),
)


@dataclass(frozen=True, slots=True)
class FinalTable:
    """Texts in rows; ``columns`` are headings, and whether they stand over numbers."""

    title: str
    columns: tuple[tuple[str, bool], ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


def final_table(schedule: Schedule) -> FinalTable | None:
    """Return the table of the complete rounds; None for formats that are only rated."""
    match schedule.spec.format:
        case TournamentFormat.SWISS:
            return _swiss_table(schedule.spec, schedule.results)
        case TournamentFormat.KNOCK_OUT:
            return _bracket_table(schedule.spec, schedule.results)
        case _:
            return None


def swiss_ranking(
    spec: TournamentSpec, results: Sequence[BatchResult]
) -> list[tuple[int, str, int, int]]:
    """Return rank, name, half points and the sum of the opponents' half points, best first.

    Bots that are equal in both share a rank and stand in the order of the spec.
    """
    names = [bot.name for bot in spec.bots]
    scores = swiss_scores(names, results)
    sums = {
        name: sum(scores[opponent].half_points for opponent in scores[name].opponents)
        for name in names
    }
    order = sorted(names, key=lambda name: (-scores[name].half_points, -sums[name]))
    ranking: list[tuple[int, str, int, int]] = []
    for place, name in enumerate(order):
        values = (scores[name].half_points, sums[name])
        is_shared = bool(ranking) and ranking[-1][2:] == values
        ranking.append((ranking[-1][0] if is_shared else place + 1, name, *values))
    return ranking


def knock_out_ranking(found: Bracket, names: Sequence[str]) -> list[tuple[int, int, list[str]]]:
    """Return first and last rank and the bots that share them, best first.

    Bots that lost in the same round share their ranks, in the order of ``names``.
    """
    remaining = list(names)
    groups: list[list[str]] = []
    for duels in found.rounds:
        losers = {
            name
            for duel in duels
            if duel.winner is not None
            for name in (duel.upper, duel.lower)
            if name not in (None, duel.winner)
        }
        groups.append([name for name in remaining if name in losers])
        remaining = [name for name in remaining if name not in losers]
    ranking = []
    first = 1
    for group in [remaining, *reversed(groups)]:
        if group:
            ranking.append((first, first + len(group) - 1, group))
            first += len(group)
    return ranking


def _swiss_table(spec: TournamentSpec, results: Sequence[BatchResult]) -> FinalTable:
    scores = swiss_scores([bot.name for bot in spec.bots], results)
    rows = [
        (
            str(rank),
            name,
            _points(half_points),
            _points(opponents),
            _points(scores[name].game_half_points),
            str(scores[name].games),
            str(scores[name].byes),
        )
        for rank, name, half_points, opponents in swiss_ranking(spec, results)
    ]
    played, count = len(results), swiss_round_count(spec)
    rounds = f"{count} round{'s' * (count > 1)}"
    return FinalTable(
        f"Swiss, {rounds}" if played == count else f"Swiss after {played} of {rounds}",
        _SWISS_HEADINGS,
        tuple(rows),
        (
            "A round gives 1 point for more game points than the opponent, for one that was not "
            "there and for a bye; half a point each when equal. Equal points are ranked by "
            "opponents: the sum of the opponents' points.",
        ),
    )


def _bracket_table(spec: TournamentSpec, results: Sequence[BatchResult]) -> FinalTable:
    found = bracket(spec, results)
    rows = []
    for number, duels in enumerate(found.rounds, 1):
        for duel in duels:
            is_played = duel.lower is not None
            ours, theirs = map(_points, duel.half_points)
            rows.append(
                (
                    str(number),
                    f"{duel.upper} - {duel.lower}" if is_played else duel.upper,
                    f"{ours} - {theirs}" if is_played else "",
                    duel.winner or "",
                    duel.reason,
                )
            )
    notes: tuple[str, ...] = ()
    if found.next_batch is None:
        ranks = knock_out_ranking(found, [bot.name for bot in spec.bots])
        notes = ("Final ranking: " + "; ".join(_rank_text(*rank) for rank in ranks) + ".",)
    return FinalTable("Knock-out", _BRACKET_HEADINGS, tuple(rows), notes)


def _rank_text(first: int, last: int, names: Sequence[str]) -> str:
    return f"{first if first == last else f'{first}-{last}'} {', '.join(names)}"


def _points(half_points: int) -> str:
    return f"{half_points // 2}{'.5' if half_points % 2 else ''}"
