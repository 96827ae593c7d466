"""Whether the id of a game is made of its encounter, pair and leg, and these of its bots."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from harness.store.rows import StoredGame
from harness.tournament.encounter import encounter_id
from harness.verification.finding import Finding

_LABEL: Final = re.compile(r"(\.[A-Za-z0-9_+-]{1,64})?")


def name_findings(game: StoredGame) -> Iterator[Finding]:
    """Yield what does not fit together in the names of a game."""
    game_id, bots = game.game_id, (game.black.name, game.white.name)
    expected = f"{game.encounter}.{game.pair}{game.leg}"
    if game_id != expected:
        yield Finding(game_id, "id", game_id, f"{expected} by encounter, pair and leg")
    if game.pair < 1:
        yield Finding(game_id, "pair", str(game.pair), "pairs count from 1")
    encounter = encounter_id(*bots)
    label = game.encounter.removeprefix(encounter)
    if not game.encounter.startswith(encounter) or _LABEL.fullmatch(label) is None:
        yield Finding(game_id, "encounter", game.encounter, f"{encounter} by the bots")
    if game.leg not in ("a", "b"):
        yield Finding(game_id, "leg", game.leg, "legs are a and b")
    elif (bots[0] == min(bots)) != (game.leg == "a"):
        yield Finding(game_id, "black", bots[0], f"{bots[1]} by the leg")
