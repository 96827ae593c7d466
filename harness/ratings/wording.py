"""What a rating table says about itself: its scale, and what a reader must know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from harness.ratings.counts import GameCounts
from harness.ratings.davidson import DavidsonFit, Model
from harness.ratings.groups import Group
from harness.ratings.robust import ClusterUnit
from harness.ratings.saturation import Side
from harness.ratings.types import FirstMove, RatingRow
from harness.ratings.uncertainty import Uncertainty

APART: Final = "no game joins these bots to those of table 1: do not compare their numbers"
NOT_CONVERGED: Final = "the fit did not converge: do not trust these numbers"
NOTHING_DECISIVE: Final = "no decisive games: nothing sets these bots apart, no error is known"
NO_BOOTSTRAP: Final = "too few openings to draw them again: no bootstrap was made"
_INDEPENDENT: Final = "games taken as independent"


def scale_text(
    zero: str,
    games: int,
    model: Model | None,
    *,
    uncertainty: Uncertainty | None = None,
    first_move: FirstMove | None = None,
    draw_rate: float | None = None,
) -> str:
    """Say what zero is, the interval, the model, the games, and what the model found.

    ``model`` is None where none was fitted, ``uncertainty`` where there are no intervals.
    """
    parts = [zero]
    if uncertainty is not None:
        parts.append(f"+/- is a 95 % interval relative to that, {_interval_text(uncertainty)}")
    if model is not None:
        parts.append(_model_text(model))
    parts.append(counted(games, "game"))
    found = []
    if first_move is not None:
        error = "" if first_move.error is None else f" +/- {max(1, round(first_move.error))}"
        found.append(f"the first move is worth {round(first_move.elo)}{error}")
    if draw_rate is not None:
        found.append(f"of games between equals {100 * draw_rate:.1f} % would be drawn")
    sentences = ["; ".join(parts), ", ".join(found)]
    return " ".join(f"{text[0].upper()}{text[1:]}." for text in sentences if text)


def _model_text(model: Model) -> str:
    match model:
        case Model.DAVIDSON:
            return "Davidson model with first-move advantage, one virtual draw a bot"
        case Model.SCORE:
            return "score model (as Ordo's) with first-move advantage, one virtual draw a bot"


def _interval_text(uncertainty: Uncertainty) -> str:
    openings = counted(uncertainty.openings, "opening")
    match uncertainty.unit:
        case ClusterUnit.OPENING:
            return f"clustered by opening ({openings})"
        case ClusterUnit.PAIRING_OPENING:
            return f"conditional on this opening list ({openings}, clustered by pairing)"
        case ClusterUnit.GAME:
            return _INDEPENDENT


def few_points_notice(rows: Sequence[RatingRow]) -> list[str]:
    """Say which bots have an interval that covers too little, and what the model says."""
    if not rows:
        return []
    errors = [
        f"{row.name} {max(1, round(row.model_error))}"
        for row in rows
        if row.model_error is not None
    ]
    beside = f"; with games taken as independent: +/- {listed(errors)}" if errors else ""
    names = listed([row.name for row in rows])
    return [f"fewer than 2 points won, or lost: the interval is too narrow for {names}{beside}"]


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


def counted(number: int, thing: str) -> str:
    """Return the number and the thing, in the plural where there is not one."""
    return f"{number} {thing}{'' if number == 1 else 's'}"
