"""The bots of a tournament with everything filled in that the tournament decides for them."""

from __future__ import annotations

from dataclasses import replace

from harness.play.bot_definition import BotDefinition
from harness.tournament.spec import TournamentSpec


def effective_bots(spec: TournamentSpec, memory_mb: int | None) -> tuple[BotDefinition, ...]:
    """Return the definitions that are played: sandbox, pondering and memory are final.

    A bot's own value goes before the tournament's. Where neither gives a limit of memory it is
    ``memory_mb``, the machine's share of one bot; None: no limit.
    """
    usual_mb = memory_mb if spec.memory_mb is None else spec.memory_mb
    return tuple(
        replace(
            bot,
            sandbox=bot.sandbox or spec.sandbox,
            pondering=bot.pondering or spec.pondering,
            memory_mb=usual_mb if bot.memory_mb is None else bot.memory_mb,
        )
        for bot in spec.bots
    )
