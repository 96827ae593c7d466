"""``loa run --dry-run``: what would be played and how long it takes, without playing."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from harness.director.settled import read_settled
from harness.execution.placement import listed_processors
from harness.execution.slots import physical_cores, slot_count, usable_processors
from harness.play.clock import TimeControl
from harness.store.schema import FILE_NAME
from harness.store.sqlite import Store
from harness.tournament.batch import Batch
from harness.tournament.formats.swiss import swiss_round_count
from harness.tournament.openings import opening_list
from harness.tournament.pairing import most_pairs
from harness.tournament.results import SettledGames
from harness.tournament.schedule import Schedule
from harness.tournament.spec import TournamentFormat, TournamentSpec

# Real games last 33 to 47 plies (Winands 2000); half of them are one bot's.
_TYPICAL_OWN_MOVES = 21
_SHOWN_GAMES = 12


def dry_run_text(spec: TournamentSpec, results: Path, affinity: str) -> str:
    """Return the schedule's beginning, the counts and the estimated time.

    Raises InputError for slots and an ``affinity`` that a run would refuse.
    """
    folder = results / spec.name
    settled = SettledGames()
    if (folder / FILE_NAME).exists():
        with Store.open_read_only(folder) as store:
            settled = read_settled(spec, store)
    schedule = Schedule.of(spec, settled)
    batch = schedule.batches[-1]
    todo = [plan for plan in islice(batch, 100_000) if not settled.has(plan)]
    stored, walked_over = schedule.count_settled(settled)
    planned = schedule.planned - walked_over
    remaining = planned - stored
    slots = slot_count(spec.bots, spec.slots, physical_cores(), force=spec.force)
    listed_processors(affinity, slots, spec.bots, usable_processors())
    openings = opening_list(spec.openings, spec.rules, spec.seed, most_pairs(spec))
    lines = [
        f"tournament  {spec.name} (in {folder})",
        f"format      {_format_text(spec)}",
        f"time        {spec.time_control.text}, margin {spec.margin_ms} ms",
        f"games       {planned} planned, {stored} stored, {remaining} to play",
        f"slots       {slots}",
        f"duration    {_duration_text(spec, batch, remaining, slots)}",
    ]
    if batch.title and remaining:
        lines.insert(4, f"round       {batch.title}; what follows depends on its results")
        lines += [f"            {note}" for note in batch.notes]
    notice = openings.notice(most_pairs(spec))
    if notice:
        lines.append(f"openings    {notice}")
    lines.append("bots")
    width = max(len(bot.name) for bot in spec.bots)
    for bot in spec.bots:
        control = f", {bot.time_control.text}" if bot.time_control else ""
        words = bot.module or " ".join(bot.command or ())
        words += f" at {bot.git.rev}, {bot.checkout.short}" if bot.git and bot.checkout else ""
        options = " ".join(f"{name}={value}" for name, value in bot.options)
        lines.append(f"  {bot.name:<{width}}  {words} {options}".rstrip() + control)
    if todo:
        lines.append("next games")
        for plan in todo[:_SHOWN_GAMES]:
            lines.append(f"  {plan.index + 1:>5}  {plan.game_id}  {plan.black} vs {plan.white}")
        if remaining > _SHOWN_GAMES:
            lines.append(f"  ... and {remaining - _SHOWN_GAMES} more")
    return "\n".join(lines)


def _format_text(spec: TournamentSpec) -> str:
    extra = ""
    match spec.format:
        case TournamentFormat.GAUNTLET:
            extra = f" of {', '.join(bot.name for bot in spec.bots[: spec.seeds])}"
        case TournamentFormat.SWISS:
            extra = f" of {swiss_round_count(spec)} Swiss rounds"
        case TournamentFormat.LIST:
            extra = f" of {len(spec.encounters)} encounters"
    cycles = f", {spec.cycles} cycles" if spec.cycles > 1 else ""
    return f"{spec.format.value}{extra}, {spec.rounds} rounds of game pairs{cycles}"


def _duration_text(spec: TournamentSpec, batch: Batch, games: int, slots: int) -> str:
    if games == 0:
        return "nothing to play"
    own = {bot.name: bot.time_control for bot in spec.bots}
    seconds, rounds = 0.0, 0
    for encounter in batch.encounters:
        for name in encounter.bots:
            control = encounter.time_control or own[name] or spec.time_control
            used = _bot_seconds(control)
            if used is None:
                return "not known: nodes or depth limit the bots, not time"
            seconds += used * encounter.rounds
            rounds += encounter.rounds
    total = games * 2 * seconds / rounds / slots
    return f"about {_time_text(total)}, if bots use their time and games are of usual length"


def _bot_seconds(control: TimeControl) -> float | None:
    """Return the time one bot uses in a usual game; None when no time limits it."""
    limits = []
    if control.base_ns is not None:
        own_moves = _TYPICAL_OWN_MOVES
        periods = 1 + (own_moves // control.moves_per_period if control.moves_per_period else 0)
        limits.append(control.base_ns * periods + own_moves * (control.increment_ns or 0))
    if control.move_time_ns is not None:
        limits.append(control.move_time_ns * _TYPICAL_OWN_MOVES)
    return min(limits) / 1e9 if limits else None


def _time_text(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} seconds"
    if seconds < 5400:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.1f} hours"
