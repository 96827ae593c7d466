"""What is known beside the ratings, as sentences and small sheets."""

from __future__ import annotations

import dataclasses
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Final

import numpy as np

from harness.ratings.analysis import Analysis, PoolReport
from harness.ratings.diagnostics import Diagnostics, Transitivity
from harness.ratings.match import Interval
from harness.ratings.observations import FORFEIT_CAUSES, EndingCount
from harness.ratings.two_bots import MatchReport
from harness.ratings.types import Bound, RatingTable
from harness.ratings.wording import counted, first_move_text, listed
from harness.report.sheet import PAGE_WIDTH, Column, Sheet, plain_name
from harness.report.standings_table import percent

_NAME_WIDTH: Final = 32
_SHORTEST_NAME: Final = 12
_INTERVALS: Final = {
    Interval.NORMAL: "score of the pairs +/- 1.96 standard errors",
    Interval.EXACT: "Clopper and Pearson's exact interval",
}


def match_sheet(match: MatchReport) -> Sheet:
    """Return the match of two bots, on the logistic score scale; what is unknown is left out."""
    estimate = match.estimate
    interval = _INTERVALS.get(estimate.interval)
    notes = [
        f"As {plain_name(match.bot)} saw it: {counted(match.pairs, 'complete game pair')} from "
        f"{counted(match.openings, 'opening')}. Elo here is that of the score (logistic), 0 is "
        "equal; the standings have the model's."
    ]
    if interval is not None:
        notes.append(
            f"95 %: {interval}. nElo: normalized Elo, of a pair. Pair ratio: pairs won over pairs "
            "lost."
        )
    if match.unpaired_games:
        notes.append(f"Note: {counted(match.unpaired_games, 'game')} without another leg left out.")
    if match.openings < match.pairs:
        notes.append("Note: openings were played more than once; each counts once, by its mean.")
    nelo = "" if estimate.nelo is None else f"{estimate.nelo:.0f}"
    if estimate.nelo_margin is not None:
        nelo += f" +/- {estimate.nelo_margin:.0f}"
    rows = [
        ("games won-drawn-lost", "-".join(map(str, match.games))),
        ("pairs 0-1/2-1-3/2-2", "-".join(map(str, match.pentanomial))),
        ("Elo", _signed(estimate.elo, estimate.score)),
        (
            "Elo 95 %",
            "no data"
            if interval is None
            else f"{_end(estimate.elo_low)} to {_end(estimate.elo_high)}",
        ),
        ("nElo", nelo),
        ("LOS", percent(estimate.los)),
        ("drawn games", "" if match.draw_ratio is None else f"{100 * match.draw_ratio:.1f}%"),
        ("pair ratio", "" if match.pair_ratio is None else f"{match.pair_ratio:.2f}"),
    ]
    bot, opponent = (plain_name(name, _NAME_WIDTH) for name in (match.bot, match.opponent))
    return Sheet(
        title=f"Match: {bot} against {opponent}",
        columns=(Column("quantity", is_number=False), Column("value", is_number=False)),
        rows=tuple(row for row in rows if row[1]),
        notes=tuple(notes),
    )


def _signed(elo: float | None, score: float | None) -> str:
    if elo is not None:
        return f"{elo:.0f}"
    return "" if score is None else "all won" if score > 0.5 else "all lost"


def _end(elo: float | None) -> str:
    return "open" if elo is None else f"{elo:.0f}"


def diagnosis_sheets(analysis: Analysis) -> list[Sheet]:
    """Return the diagnostics of every pool as a sheet without columns: sentences only."""
    sheets = []
    for number, pool in enumerate(analysis.pools, 1):
        title, about = "Diagnostics", []
        if len(analysis.pools) > 1:
            title += f" of pool {number}"
            about.append(f"this pool: {listed(pool.bots)}")
        bots = set(pool.bots)
        endings = [ending for ending in analysis.endings if bots.issuperset(ending[:2])]
        lines = (*pool_lines(pool), *ending_lines(endings))
        if lines:
            notes = tuple(f"- {plain_name(line)}." for line in (*about, *lines))
            sheets.append(Sheet(title, (), (), notes))
    return sheets


def pool_lines(pool: PoolReport) -> list[str]:
    """Return what is known of a pool beside its ratings, a sentence each without its stop."""
    found = pool.diagnostics
    if found is None:
        return []
    lines = [_games_line(found)]
    if found.transitivity is not None:
        lines += _transitivity_lines(found.transitivity)
    lines += [line for table in pool.tables for line in _design_lines(table, len(pool.tables))]
    has_scale = any(len(table.rated) > 1 for table in pool.tables)
    if found.pair_correlation is not None and has_scale:
        lines.append(
            f"the two legs of a game pair correlate by {found.pair_correlation:.2f} beyond "
            "strength and first move"
        )
    lines += _opening_lines(pool, found)
    lines += _connection_lines(pool, found)
    if pool.efforts:
        efforts = [
            f"{effort.bot} and {effort.next_bot} "
            + ("more than a million" if effort.pairs is None else str(effort.pairs))
            for effort in pool.efforts
        ]
        lines.append(
            "direct game pairs until neighbours are told apart (LOS 95 % with 80 % chance, if "
            f"their ratings are true): {listed(efforts)}"
        )
    return lines


def _games_line(found: Diagnostics) -> str:
    if not found.replayed_games:
        return counted(found.games, "game") + (", no two alike" if found.games > 1 else "")
    independent = ""
    if found.effective_games is not None:
        independent = f"; errors are as with {counted(found.effective_games, 'independent game')}"
    return (
        f"{found.games} games, {found.distinct_games} different by their moves: "
        f"{found.replayed_games} repeat an earlier one and tell nothing new{independent}"
    )


def _transitivity_lines(found: Transitivity) -> list[str]:
    test = f"chi-square {found.statistic:.1f} on {found.degrees}, p {_chance(found.chance)}"
    residuals = [
        f"{one.bot} took {one.points:g} of {one.games} from {one.opponent}, {one.expected:.1f} "
        "were expected"
        for one in found.residuals
    ]
    named = listed(residuals, 5)
    if found.is_violated:
        because = f": {named}" if residuals else ""
        return [f"one scale of strength does NOT explain the pairings ({test}){because}"]
    but = f" together, but single ones stand out: {named}" if residuals else ""
    return [f"one scale of strength explains the pairings ({test}){but}"]


def _chance(chance: float) -> str:
    if chance < 1e-99:
        return "below 1e-99"
    return f"{chance:.2f}" if chance >= 0.01 else f"{chance:.0e}"


def _design_lines(table: RatingTable, tables: int) -> list[str]:
    ratios = table.error_ratios()
    if not ratios:
        return []
    of_table = f" of the table of {table.rated[0]}" if tables > 1 else ""
    spread = f" (median; {min(ratios):.2f} to {max(ratios):.2f})" if len(ratios) > 2 else ""
    middle = float(np.median(ratios))
    return [
        f"clustering{of_table} makes standard errors {middle:.2f} times those with games taken as "
        f"independent{spread}: a design effect of {middle**2:.2f}"
    ]


def _opening_lines(pool: PoolReport, found: Diagnostics) -> list[str]:
    openings = found.openings
    total = int(openings.games.sum())
    share = float(openings.games @ openings.score) / total
    first_move = pool.tables[0].first_move
    worth = ""
    if first_move is not None:
        worth = f", worth in Elo {first_move_text(first_move, pool.tables[0].unit)}"
    lines = [f"the first mover took {100 * share:.1f} % of the points{worth}"]
    one_sided = found.one_sided_openings()
    if len(one_sided):
        names = [
            f"{openings.openings[place]} ({100 * openings.score[place]:.0f} % for the first mover)"
            for place in one_sided
        ]
        lines.append(
            f"openings that give one colour more than 95 %, {len(one_sided)} of "
            f"{len(openings.openings)}: {listed(names, 4)}"
        )
    return lines


def _connection_lines(pool: PoolReport, found: Diagnostics) -> list[str]:
    lines = []
    outside = [
        row.name
        for table in pool.tables
        for row in table.rows
        if row.bound in (Bound.ABOVE, Bound.BELOW)
    ]
    groups = sum(len(table.rated) > 1 for table in pool.tables)
    if groups > 1:
        lines.append(f"{groups} groups of bots are each on a scale of their own")
    if outside and groups:
        lines.append(f"out of scale: {listed(outside)}")
    if found.unplayed:
        pairings = [f"{one} and {other}" for one, other in found.unplayed]
        lines.append(f"{counted(len(pairings), 'pairing')} never played: {listed(pairings, 5)}")
    return lines


def ending_lines(endings: Sequence[EndingCount]) -> list[str]:
    """Return how the games ended, and who forfeited how often."""
    if not endings:
        return []
    causes: Counter[str] = Counter()
    faults: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for ending in endings:
        causes[ending.cause] += ending.games
        if ending.cause in FORFEIT_CAUSES and ending.loser is not None:
            faults[ending.loser][ending.cause] += ending.games
    lines = [
        "games ended by " + ", ".join(f"{cause} {games}" for cause, games in causes.most_common())
    ]
    if faults:
        texts = [
            f"{bot} {sum(own.values())} ("
            + ", ".join(f"{cause} {games}" for cause, games in own.most_common())
            + ")"
            for bot, own in sorted(faults.items(), key=lambda item: -sum(item[1].values()))
        ]
        lines.append(f"forfeits: {listed(texts)}")
    return lines


def ending_sheet(analysis: Analysis, width: int | None = PAGE_WIDTH) -> Sheet:
    """Return every bot's games by cause; names are shortened as far as ``width`` asks."""
    names = [row.name for table in analysis.tables for row in table.rows if row.games]
    found = {ending.cause for ending in analysis.endings}
    results: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    plies: Counter[tuple[str, str]] = Counter()
    for ending in analysis.endings:
        for bot in (ending.first, ending.second):
            place = 1 if ending.winner is None else 0 if ending.winner == bot else 2
            results[bot, ending.cause][place] += ending.games
            plies[bot, ending.cause] += ending.plies
    rows = [
        (
            plain_name(name),
            cause,
            str(sum(results[name, cause])),
            *map(str, results[name, cause]),
            f"{plies[name, cause] / sum(results[name, cause]):.0f}",
        )
        for name in names
        for cause in sorted(found)
        if (name, cause) in results
    ]
    headings = ("games", "won", "drawn", "lost", "plies")
    sheet = Sheet(
        "Endings by bot",
        (
            Column("bot", is_number=False),
            Column("cause", is_number=False),
            *map(Column, headings),
        ),
        tuple(rows),
        ("plies: mean length of these games, the opening's included.",),
    )
    return _shortened(sheet, width)


def time_sheet(analysis: Analysis, width: int | None = PAGE_WIDTH) -> Sheet:
    """Return how long every bot thought, and how often its flag fell; names as in endings."""
    names = [row.name for table in analysis.tables for row in table.rows if row.games]
    moves: Counter[str] = Counter()
    time_ns: Counter[str] = Counter()
    games: Counter[str] = Counter()
    flags: Counter[str] = Counter()
    for ending in analysis.endings:
        moves[ending.first] += ending.first_moves
        moves[ending.second] += ending.second_moves
        time_ns[ending.first] += ending.first_time_ns
        time_ns[ending.second] += ending.second_time_ns
        games[ending.first] += ending.games
        games[ending.second] += ending.games
        if ending.cause == "time" and ending.loser is not None:
            flags[ending.loser] += ending.games
    rows = [
        (
            plain_name(name),
            str(games[name]),
            f"{time_ns[name] / 1e9:.1f}",
            f"{time_ns[name] / 1e9 / games[name]:.2f}",
            f"{time_ns[name] / 1e6 / moves[name]:.1f}" if moves[name] else "",
            str(flags[name]),
        )
        for name in names
        if games[name]
    ]
    headings = ("games", "time s", "s a game", "ms a move", "flag falls")
    sheet = Sheet(
        "Thinking time",
        (Column("bot", is_number=False), *map(Column, headings)),
        tuple(rows),
        ("Time charged for the moves after the opening; a move that lost on time is not in it.",),
    )
    return _shortened(sheet, width)


def _shortened(sheet: Sheet, width: int | None) -> Sheet:
    """Return the sheet with the names in its first column as short as the width asks."""
    if width is None or sheet.width() <= width:
        return sheet
    longest = max(len(row[0]) for row in sheet.rows)
    room = max(longest - (sheet.width() - width), _SHORTEST_NAME)
    rows = tuple((plain_name(row[0], room), *row[1:]) for row in sheet.rows)
    return dataclasses.replace(sheet, rows=rows)
