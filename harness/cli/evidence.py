"""Stored tournaments as evidence: what standings, reports and plots are made of."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from harness.errors import InputError

if TYPE_CHECKING:
    from harness.ratings.analysis import Analysis
    from harness.ratings.observations import EndingCount, LengthCount, ThinkingTimes
    from harness.ratings.results import GameResults
    from harness.ratings.table import RatingOptions
    from harness.store.rows import ResultColumns
    from harness.store.selection import Selection


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The selected games of any number of tournaments, put together.

    ``labels`` name every (name, identity) of them; ``notices`` say which names are kept apart
    because they are not the same program everywhere, and what was left out.
    """

    folders: tuple[Path, ...]
    selection: Selection
    results: GameResults
    endings: tuple[EndingCount, ...]
    labels: dict[tuple[str, str], str]
    notices: tuple[str, ...]


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Let the collector rest, and leave alone from then on what there is.

    It would go through the rows of a million games again and again, and at the end once more: a
    fifth of the time. Nothing of this is garbage before the command ends.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.freeze()
            gc.enable()


@_no_garbage_collection()
def read_evidence(folders: Sequence[Path], selection: Selection | None = None) -> Evidence:
    """Read the selected games of these tournaments; no moves are read.

    Raises NoSuchTournamentError and StoreError.
    """
    from harness.ratings.threads import keep_arithmetic_to_one_thread

    keep_arithmetic_to_one_thread()
    from harness.ratings.observations import EndingCount
    from harness.ratings.results import label_bots, merge_results
    from harness.ratings.wording import listed
    from harness.rules.types import Color
    from harness.store.selection import EVERYTHING
    from harness.store.sqlite import Store

    chosen = selection or EVERYTHING
    different = tuple(dict.fromkeys(folder.resolve() for folder in folders))
    sources, rows, begun, stored = [], [], set(), 0
    tests: list[str] = []
    for folder in different:
        with Store.open_read_only(folder) as store:
            sources.append(store.result_columns(chosen))
            rows += store.ending_rows(chosen)
            summary = store.summary()
            begun |= {name for name in summary.bots if chosen.has_bot(name, "")}
            stored += summary.games
            begun_as = store.tournament()
            if begun_as is not None and "test" in begun_as.conditions:
                tests.append(folder.name)
    bots = [
        source.bots[number]
        for source in sources
        for number in sorted({*source.black, *source.white})
    ]
    _refuse_unknown(chosen, [bot for source in sources for bot in source.bots.values()])
    labels, split = label_bots(bots)
    results = merge_results(sources, labels, sorted(begun - {name for name, _ in bots}))
    endings = []
    for row in rows:
        first = labels.get((row.black, row.black_identity))
        second = labels.get((row.white, row.white_identity))
        if first is None or second is None:
            continue  # stored by a run after the results were read
        winner = None
        if row.winner is not None:
            winner = first if row.winner is Color.BLACK else second
        endings.append(
            EndingCount(
                first,
                second,
                row.cause.value,
                winner,
                row.games,
                row.plies,
                row.black_time_ns,
                row.white_time_ns,
                row.black_moves,
                row.white_moves,
            )
        )
    notices = []
    if len(different) > 1:
        games = [
            f"{folder.name} {len(source.black)}"
            for folder, source in zip(different, sources, strict=True)
        ]
        notices.append(f"games are taken from {listed(games)}")
    for name in split:
        places = [
            f"{label} in {listed(_where(bot, different, sources))}"
            for bot, label in sorted(labels.items())
            if bot[0] == name
        ]
        notices.append(
            f"{name} is not the same program everywhere and kept apart by identity: "
            f"{listed(places)}"
        )
    notices += [
        f"{name} is a sequential test: here every finished game counts, in the verdict of "
        "`loa compare` only the pairs up to it"
        for name in tests
    ]
    if not chosen.is_everything:
        notices.append(f"{results.total} of {stored} stored games are selected")
        if len(chosen.only.bots) == 1 and not results.total:
            notices[-1] += ": --only wants both bots of a game, name a second one"
    return Evidence(different, chosen, results, tuple(endings), labels, tuple(notices))


def _where(
    bot: tuple[str, str], folders: Sequence[Path], sources: Sequence[ResultColumns]
) -> list[str]:
    return [
        folder.name
        for folder, source in zip(folders, sources, strict=True)
        if bot in source.bots.values()
    ]


def _refuse_unknown(selection: Selection, bots: Sequence[tuple[str, str]]) -> None:
    """Raise InputError for a term that names no bot: it is mistyped."""
    for option, terms in (("--only", selection.only), ("--without", selection.without)):
        for pattern in terms.bots:
            if not any(pattern.matches(*bot) for bot in bots):
                known = ", ".join(sorted({name for name, _ in bots})) or "none"
                raise InputError(f"{option} {pattern.text}: no bot is called so; there are {known}")


@_no_garbage_collection()
def analyse_evidence(evidence: Evidence, options: RatingOptions | None = None) -> Analysis:
    """Rate the games and look at them from all sides; a bar shows how many refits are done."""
    import dataclasses

    from harness.cli.refit_progress import refit_progress
    from harness.ratings.analysis import analyse
    from harness.ratings.table import DEFAULT_OPTIONS

    options = options or DEFAULT_OPTIONS
    with refit_progress(options.refits) as progress:
        analysis = analyse(evidence.results, evidence.endings, options, progress)
    tables = analysis.tables
    if tables and evidence.notices:
        first = dataclasses.replace(tables[0], notices=(*tables[0].notices, *evidence.notices))
        analysis = dataclasses.replace(analysis, tables=(first, *tables[1:]))
    return analysis


def read_lengths(evidence: Evidence) -> list[LengthCount]:
    """Count the selected games by length."""
    from collections import Counter

    from harness.ratings.observations import LengthCount
    from harness.store.sqlite import Store

    sums: Counter[tuple[int, bool]] = Counter()
    for folder in evidence.folders:
        with Store.open_read_only(folder) as store:
            for plies, is_drawn, games in store.length_rows(evidence.selection):
                sums[plies, is_drawn] += games
    return [LengthCount(*key, games) for key, games in sorted(sums.items())]


def read_thinking_times(evidence: Evidence, most_games: int) -> ThinkingTimes:
    """Read thinking times by move from at most so many games, evenly over all of them."""
    from harness.ratings.observations import thinking_times
    from harness.store.sqlite import Store

    samples, sampled, games = [], 0, 0
    share = max(1, most_games // max(len(evidence.folders), 1))
    for folder in evidence.folders:
        with Store.open_read_only(folder) as store:
            times, stored = store.ply_times(share, evidence.selection)
        games += stored
        sampled += len(times) // 2
        samples += [
            (evidence.labels[one.name, one.identity], one.elapsed_ns)
            for one in times
            if (one.name, one.identity) in evidence.labels  # not stored since by a run
        ]
    return thinking_times(samples, sampled, games)
