"""How many more pairs: what it takes until the better bot shows."""

from __future__ import annotations

from harness.ratings.normal import normal_quantile


def pairs_to_reach(
    score: float, deviation: float, *, los: float = 0.95, power: float = 0.8
) -> float | None:
    """Return the pairs until the likelihood of superiority reaches ``los`` with chance ``power``.

    ``score`` and ``deviation`` are the mean and the standard deviation of a pair's score, taken
    as true. For the worse bot, and for ``los`` below 1/2, the mirror image. None: never (equal
    bots), or unknown (no deviation). ValueError for probabilities that are not inside 0 to 1.
    """
    if not (0 < los < 1 and 0 < power < 1):
        raise ValueError("los and power are probabilities inside 0 to 1")
    lead = abs(score - 0.5)
    if lead == 0 or deviation == 0:
        return None
    distance = max(0.0, normal_quantile(max(los, 1 - los)) + normal_quantile(power))
    return (distance * deviation / lead) ** 2
