"""What a rating table says about itself: its scale, and what a reader must know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from harness.ratings.counts import GameCounts
from harness.ratings.davidson import DavidsonFit, Model
from harness.ratings.estimate import Estimate
from harness.ratings.groups import Group
from harness.ratings.robust import FEWEST_CLUSTERS, ClusterUnit
from harness.ratings.saturation import Side
from harness.ratings.types import FirstMove, RatingRow, half_width_text
from harness.ratings.uncertainty import Uncertainty

APART: Final = "no game joins these bots to those of table 1: do not compare their numbers"
NOT_CONVERGED: Final = "the fit did not converge: do not trust these numbers"
NOTHING_DECISIVE: Final = "no decisive games: nothing sets these bots apart, no error is known"
NO_BOOTSTRAP: Final = "too few openings to draw them again: no bootstrap was made"
_INDEPENDENT: Final = "games taken as independent"
_BY_OPENING: Final = "clustered by opening"


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
        unit = ClusterUnit.GAME if uncertainty is None else uncertainty.unit
        found.append(f"the first move is worth {first_move_text(first_move, unit)}")
    if draw_rate is not None:
        found.append(f"of games between equals {100 * draw_rate:.1f} % would be drawn")
    sentences = ["; ".join(parts), ", ".join(found)]
    return " ".join(f"{text[0].upper()}{text[1:]}." for text in sentences if text)


def first_move_text(first_move: FirstMove, unit: ClusterUnit) -> str:
    """Return the worth of the first move and its interval, or that too few openings tell it.

    ``unit`` is that of the ratings: what the interval rests on is said where it is another.
    """
    elo = round(first_move.elo)
    if first_move.error is None:
        return f"about {elo} (its error is not known below {FEWEST_CLUSTERS} openings)"
    text = f"{elo} +/- {half_width_text(first_move.error)}"
    own = ClusterUnit.OPENING if first_move.by_opening else ClusterUnit.GAME
    if own is unit:
        return text
    return f"{text} ({_BY_OPENING if first_move.by_opening else _INDEPENDENT})"


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
            return f"{_BY_OPENING} ({openings})"
        case ClusterUnit.PAIRING_OPENING:
            return f"conditional on this opening list ({openings}, clustered by pairing)"
        case ClusterUnit.GAME:
            return _INDEPENDENT


def few_points_notice(rows: Sequence[RatingRow]) -> list[str]:
    """Say which bots have an interval that covers too little, and what the model says."""
    if not rows:
        return []
    errors = [
        f"{row.name} {half_width_text(row.model_error)}"
        for row in rows
        if row.model_error is not None
    ]
    beside = f"; with games taken as independent: +/- {listed(errors)}" if errors else ""
    names = listed([row.name for row in rows])
    return [
        "fewer than 2 points won from, or lost to, bots on this scale: the interval is too narrow "
        f"for {names}{beside}"
    ]


def accident_notice(names: Sequence[str], estimate: Estimate) -> list[str]:
    """Say of what the openings gave no error, though nothing is known exactly.

    ``names`` are those of the estimate's bots, in rank order.
    """
    pairs = [f"{names[one]} and {names[other]}" for one, other in estimate.pairs_by_model]
    bots = [names[bot] for bot in estimate.bots_by_model]
    if not pairs and not bots:
        return []
    found = [f"the difference of {listed(pairs, 4)}"] if pairs else []
    found += [f"the +/- of {listed(bots)}"] if bots else []
    return [f"the openings say nothing about {', or '.join(found)}: {_INDEPENDENT} there"]


def still_notice(names: Sequence[str], still: Sequence[tuple[int, int]]) -> list[str]:
    """Say which pairings the bootstrap could not vary."""
    if not still:
        return []
    pairings = [f"{names[one]} and {names[other]}" for one, other in still]
    return [
        "bootstrap errors and chances are too small, as pairings with one opening cannot be drawn "
        f"again: {listed(pairings, 4)}"
    ]


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
