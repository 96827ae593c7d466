"""What a rating table says about itself: its scale, and what a reader must know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from harness.ratings.counts import GameCounts
from harness.ratings.davidson import DavidsonFit
from harness.ratings.groups import Group
from harness.ratings.saturation import Side
from harness.ratings.types import FirstMove

APART: Final = "no game joins these bots to those of table 1: do not compare their numbers"
NOT_CONVERGED: Final = "the fit did not converge: do not trust these numbers"
NOTHING_DECISIVE: Final = "no decisive games: nothing sets these bots apart, no error is known"
_MODEL: Final = "Davidson model with first-move advantage, one virtual draw a bot"
_INTERVAL: Final = "+/- is a 95 % interval relative to that, games taken as independent"


def scale_text(
    zero: str,
    games: int,
    *,
    has_errors: bool,
    first_move: FirstMove | None = None,
    draw_rate: float | None = None,
) -> str:
    """Say what zero is, the interval, the model, the games, and what the model found."""
    parts = [zero, *([_INTERVAL] if has_errors else []), _MODEL, _counted(games)]
    found = []
    if first_move is not None:
        error = max(1, round(first_move.error))
        found.append(f"the first move is worth {round(first_move.elo)} +/- {error}")
    if draw_rate is not None:
        found.append(f"{100 * draw_rate:.1f} % of games between equals are drawn")
    sentences = ["; ".join(parts), ", ".join(found)]
    return " ".join(f"{text[0].upper()}{text[1:]}." for text in sentences if text)


def anchored(anchor: tuple[str, float]) -> str:
    """Say that one bot's rating is given."""
    return f"bot {anchor[0]} is set to {anchor[1]:g}"


def shift_notice(model: DavidsonFit, group: Group, core_table: int) -> str:
    """Say where a group stands that lost, or won, every game against the core."""
    if group.shift is None:
        return f"these bots never met those of table {core_table}: do not compare their numbers"
    side, bound, _ = group.shift
    did = "won" if side is Side.ABOVE else "lost"
    return (
        f"these bots {did} every game against those of table {core_table}: their mean lies "
        f"{side.value} {round(bound * model.elo_scale)} where 0 is its mean (one-sided, 95 %)"
    )


def group_notices(counts: GameCounts, model: DavidsonFit, group: Group) -> list[str]:
    """Say what was not fitted, which numbers are bounds, and who could not be placed."""
    notices = []
    if not model.has_advantage:
        notices.append("these games cannot tell the first move from strength: it is taken as 0")
    if not model.has_nu:
        notices.append("too few games to fit the share of draws: taken as it was seen")
    if group.above or group.below:
        notices.append(
            "> and < are one-sided 95 % bounds: the bot won, or lost, every game that places it"
        )
    notices += [
        f"{counts.names[one.bot]} met no rated bot: its bound rests on that of "
        f"{counts.names[one.witness]}"
        for one in (*group.above, *group.below)
        if one.witness is not None
    ]
    if group.unplaced:
        unplaced = [counts.names[bot] for bot in group.unplaced]
        notices.append(f"met no bot that places them: {listed(unplaced)}")
    return notices


def listed(names: Sequence[str], most: int = 8) -> str:
    """Join names, and count those beyond the first few."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _counted(games: int) -> str:
    return f"{games} {'game' if games == 1 else 'games'}"
