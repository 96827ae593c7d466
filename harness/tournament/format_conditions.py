"""The part of the conditions that says who meets whom."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from harness.tournament.encounter import encounter_id
from harness.tournament.spec import TournamentFormat, TournamentSpec

ENCOUNTERS: Final = "encounters"


def format_conditions(spec: TournamentSpec) -> dict[str, Any]:
    """Return what a format adds to the conditions, as JSON values; a round-robin adds nothing.

    Rounds, cycles and Swiss rounds are extent, and so is which encounters a list has; what each
    of them is (its bots, its own time control) is a condition.
    """
    match spec.format:
        case TournamentFormat.ROUND_ROBIN | TournamentFormat.SWISS:
            return {}
        case TournamentFormat.GAUNTLET:
            return {"seeds": [bot.name for bot in spec.bots[: spec.seeds]]}
        case TournamentFormat.KNOCK_OUT:
            return {"tie-break-pairs": spec.tie_break_pairs}
        case TournamentFormat.LIST:
            return {
                ENCOUNTERS: {
                    encounter_id(*one.bots, one.label): {
                        "bots": sorted(one.bots),
                        "time-control": None if one.time_control is None else one.time_control.text,
                    }
                    for one in spec.encounters
                }
            }


def bound_encounters(
    stored: Mapping[str, Any], now: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return both without the encounters that only one of them has: these may come and go."""
    if ENCOUNTERS not in stored or ENCOUNTERS not in now:
        return dict(stored), dict(now)
    before, after = stored[ENCOUNTERS], now[ENCOUNTERS]
    common = [key for key in before if key in after]
    return (
        {**stored, ENCOUNTERS: {key: before[key] for key in common}},
        {**now, ENCOUNTERS: {key: after[key] for key in common}},
    )


def with_former_encounters(stored: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """Return the conditions now with encounters listed earlier: their games stay and bind."""
    if ENCOUNTERS not in stored or ENCOUNTERS not in now:
        return dict(now)
    return {**now, ENCOUNTERS: {**stored[ENCOUNTERS], **now[ENCOUNTERS]}}
