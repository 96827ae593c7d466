"""``loa run --dry-run``: what would be played and how long it takes, without playing."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from harness.execution.slots import physical_cores, slot_count
from harness.play.clock import TimeControl
from harness.store.schema import FILE_NAME
from harness.store.sqlite import Store
from harness.tournament.openings import opening_list
from harness.tournament.pairing import next_batch
from harness.tournament.spec import TournamentSpec

# Real games last 33 to 47 plies (Winands 2000); half of them are one bot's.
_TYPICAL_OWN_MOVES = 21
_SHOWN_GAMES = 12


def dry_run_text(spec: TournamentSpec, results: Path) -> str:
    """Return the schedule's beginning, the counts and the estimated time."""
    batch = next_batch(spec, 0)
    assert batch is not None
    folder = results / spec.name
    stored: set[str] = set()
    if (folder / FILE_NAME).exists():
        with Store.open_read_only(folder) as store:
            stored = store.stored_ids()
    todo = [plan for plan in islice(batch, 100_000) if plan.game_id not in stored]
    remaining = len(batch) - sum(batch.index_of(game_id) is not None for game_id in stored)
    slots = slot_count(spec.bots, spec.slots, physical_cores(), force=spec.force)
    openings = opening_list(spec.openings, spec.rules, spec.seed, spec.rounds)
    lines = [
        f"tournament  {spec.name} (in {folder})",
        f"format      {spec.format.value}, {spec.rounds} rounds of game pairs",
        f"time        {spec.time_control.text}, margin {spec.margin_ms} ms",
        f"games       {len(batch)} planned, {len(batch) - remaining} stored, {remaining} to play",
        f"slots       {slots}",
        f"duration    {_duration_text(spec, remaining, slots)}",
    ]
    notice = openings.notice(spec.rounds)
    if notice:
        lines.append(f"openings    {notice}")
    lines.append("bots")
    width = max(len(bot.name) for bot in spec.bots)
    for bot in spec.bots:
        control = f", {bot.time_control.text}" if bot.time_control else ""
        words = bot.module or " ".join(bot.command or ())
        options = " ".join(f"{name}={value}" for name, value in bot.options)
        lines.append(f"  {bot.name:<{width}}  {words} {options}".rstrip() + control)
    if todo:
        lines.append("next games")
        for plan in todo[:_SHOWN_GAMES]:
            lines.append(f"  {plan.index + 1:>5}  {plan.game_id}  {plan.black} vs {plan.white}")
        if remaining > _SHOWN_GAMES:
            lines.append(f"  ... and {remaining - _SHOWN_GAMES} more")
    return "\n".join(lines)


def _duration_text(spec: TournamentSpec, games: int, slots: int) -> str:
    if games == 0:
        return "nothing to play"
    controls = [bot.time_control or spec.time_control for bot in spec.bots]
    seconds = [_bot_seconds(control) for control in controls]
    known = [value for value in seconds if value is not None]
    if len(known) < len(seconds):
        return "not known: nodes or depth limit the bots, not time"
    mean = sum(known) / len(known)
    total = games * 2 * mean / slots
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
