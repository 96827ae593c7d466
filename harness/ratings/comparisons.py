"""Bots against each other within a table: likelihood of superiority, and marks that hold together.

Everything comes from the joint covariance of the ratings; two printed error bars never tell
whether two bots differ.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from harness.ratings.counts import BoolArray, FloatArray
from harness.ratings.normal import Z95, superiority_chance
from harness.ratings.studentized_range import range_quantile

CONFIDENCE: Final = 0.95
_LONGEST_LABEL: Final = 12
_ALPHABET: Final = "abcdefghijklmnopqrstuvwxyz"


def quantile(degrees: float) -> float:
    """Return the two-sided 95 % quantile of Student's t, or of the normal curve at infinity."""
    from scipy.special import stdtrit

    return Z95 if math.isinf(degrees) else float(stdtrit(degrees, (1 + CONFIDENCE) / 2))


def superiority(leads: FloatArray, variances: FloatArray, degrees: float = math.inf) -> FloatArray:
    """Return the probabilities that true leads are above zero; a half where nothing is known.

    From the normal distribution, or Student's below 30 clusters: see ``superiority_chance``.
    """
    known = variances > 0
    ratio = np.divide(leads, np.sqrt(np.where(known, variances, 1.0)))
    return np.where(known, superiority_chance(ratio, degrees), 0.5)


def los_matrix(elo: FloatArray, variances: FloatArray, degrees: float = math.inf) -> FloatArray:
    """Return P(the row's bot is better than the column's), from the variances of differences."""
    return superiority(elo[:, None] - elo, variances, degrees)


def difference_variances(covariance: FloatArray) -> FloatArray:
    """Return the variance of the difference of every two; zero on the diagonal."""
    own = covariance.diagonal()
    variances = np.maximum(own[:, None] + own - 2 * covariance, 0.0)
    np.fill_diagonal(variances, 0.0)
    return np.asarray(variances, dtype=np.float64)


def tukey_marks(elo: FloatArray, variances: FloatArray, degrees: float = math.inf) -> BoolArray:
    """Return where two bots differ when all comparisons are held to 95 % together.

    Tukey's studentized range with as many groups as there are bots; ``variances`` are those of
    the differences.
    """
    bots = len(elo)
    if bots < 2:
        return np.zeros((bots, bots), dtype=np.bool_)
    critical = range_quantile(CONFIDENCE, bots, degrees) / math.sqrt(2)
    leads = np.abs(elo[:, None] - elo)
    return np.asarray((variances > 0) & (leads > critical * np.sqrt(variances)))


def alike_groups(differ: BoolArray) -> tuple[tuple[int, ...], ...]:
    """Return for each bot in rank order its groups, from 0.

    Two bots share a group exactly when they do not differ: a group is a set of bots of whom no
    two differ, made as large as it gets, best bots first.
    """
    bots = len(differ)
    alike = ~differ
    covered = np.eye(bots, dtype=np.bool_)
    groups: list[list[int]] = [[] for _ in range(bots)]
    number = 0
    for one in range(bots):
        if alike[one].sum() == 1:  # it differs from everybody
            groups[one].append(number)
            number += 1
        for other in range(one + 1, bots):
            if covered[one, other] or not alike[one, other]:
                continue
            members = np.zeros(bots, dtype=np.bool_)
            members[[one, other]] = True
            open_to = alike[one] & alike[other]
            for bot in np.flatnonzero(open_to).tolist():
                if open_to[bot]:
                    members[bot] = True
                    open_to &= alike[bot]
            covered |= members[:, None] & members
            for bot in np.flatnonzero(members).tolist():
                groups[bot].append(number)
            number += 1
    return tuple(map(tuple, groups))


def group_labels(groups: tuple[tuple[int, ...], ...]) -> tuple[str, ...]:
    """Return a short text a bot: letters, or numbers where there are more than 26 groups.

    Three or more groups in a row become a range, as ``a-d``. Where that is longer than 12
    characters only the first and the last group are named, as ``3..47``.
    """
    most = max((group for own in groups for group in own), default=0)
    has_letters = most < len(_ALPHABET)

    def name(group: int) -> str:
        return _ALPHABET[group] if has_letters else str(group + 1)

    labels = []
    for own in groups:
        parts: list[str] = []
        start = 0
        for place in range(1, len(own) + 1):
            if place < len(own) and own[place] == own[place - 1] + 1:
                continue
            run = own[start:place]
            parts += [f"{name(run[0])}-{name(run[-1])}"] if len(run) > 2 else map(name, run)
            start = place
        separator = "" if has_letters and not any("-" in part for part in parts) else ","
        label = separator.join(parts)
        is_short = len(label) <= _LONGEST_LABEL
        labels.append(label if is_short else f"{name(own[0])}..{name(own[-1])}")
    return tuple(labels)
