"""The table ``[test]``: the terms of a sequential test between two bots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from harness.tournament.toml_table import TomlTable

LARGEST_ELO: Final = 2_000.0
_SMALLEST_RATE: Final = 1e-6
_LARGEST_RATE: Final = 0.499


class ElosAre(Enum):
    """What the numbers of a test's hypotheses mean."""

    NORMALIZED = "normalized"
    LOGISTIC = "logistic"


@dataclass(frozen=True, slots=True)
class SequentialTerms:
    """H1: the second bot is ``elo1`` better than the first, against H0: it is ``elo0`` better.

    ``alpha`` and ``beta`` are the chances of a wrong H1 and of a wrong H0. The cap of pairs is
    the tournament's rounds.
    """

    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.05
    beta: float = 0.05
    model: ElosAre = ElosAre.NORMALIZED


DEFAULT_TERMS: Final = SequentialTerms()


def read_terms(table: TomlTable) -> SequentialTerms:
    """Read the table; wrong values and ``elo0`` not below ``elo1`` are noted."""
    elo0 = table.number("elo0", -LARGEST_ELO, LARGEST_ELO)
    elo1 = table.number("elo1", -LARGEST_ELO, LARGEST_ELO)
    alpha = table.number("alpha", _SMALLEST_RATE, _LARGEST_RATE)
    beta = table.number("beta", _SMALLEST_RATE, _LARGEST_RATE)
    model = table.choice("model", ElosAre)
    table.finish()
    terms = SequentialTerms(
        DEFAULT_TERMS.elo0 if elo0 is None else elo0,
        DEFAULT_TERMS.elo1 if elo1 is None else elo1,
        alpha or DEFAULT_TERMS.alpha,
        beta or DEFAULT_TERMS.beta,
        model or DEFAULT_TERMS.model,
    )
    if terms.elo0 >= terms.elo1:
        key = "elo1" if table.has("elo1") else "elo0"
        table.note(key, f"elo0, {terms.elo0:g}, must be below elo1, {terms.elo1:g}")
    return terms


def terms_values(terms: SequentialTerms) -> Mapping[str, float | str]:
    """Return the terms as the values of their keys."""
    return {
        "elo0": terms.elo0,
        "elo1": terms.elo1,
        "alpha": terms.alpha,
        "beta": terms.beta,
        "model": terms.model.value,
    }
