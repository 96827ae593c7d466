"""Beginning a tournament, or going on with it: whether its games keep their conditions."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from harness.errors import Problem
from harness.store.records import storable, to_json
from harness.tournament.conditions import differences
from harness.tournament.format_conditions import bound_encounters, with_former_encounters
from harness.tournament.git_table import moved_version


@dataclass(frozen=True, slots=True)
class Beginning:
    """What a run is going to play: conditions of all, identity and conditions of each bot.

    ``identities`` and ``definitions`` are by name, for the same bots. ``accept_changed`` names
    the bots that may have another identity than in the games they have played.
    """

    name: str
    spec_text: str
    conditions: Mapping[str, Any]
    identities: Mapping[str, str]
    definitions: Mapping[str, Mapping[str, Any]]
    accept_changed: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class _Played:
    """What is stored of a bot that has games: as it was when last begun."""

    games: int
    identity: str
    definition: Mapping[str, Any] | None


def compare(
    connection: sqlite3.Connection, beginning: Beginning
) -> tuple[list[Problem], list[str]]:
    """Return what forbids to go on, and what is allowed but has to be said."""
    played = _played(connection)
    problems: list[Problem] = []
    notices: list[str] = []
    stored = _stored_conditions(connection)
    if stored is not None and played:
        problems += differences(*bound_encounters(stored, _plain(beginning.conditions)))
    for name, identity in beginning.identities.items():
        before = played.get(name)
        if before is None:
            continue
        if before.definition is not None:
            now = _plain(beginning.definitions.get(name, {}))
            changes = differences(before.definition, now, f"bot {name}")
            moved = moved_version(name, before.definition, now)
            if moved is not None:
                changes = [change for change in changes if change.place != moved.place]
                if name not in beginning.accept_changed:
                    problems += [moved, *changes]
                    continue  # that another commit is another program needs no second word
            problems += changes
        if identity != before.identity:
            if name in beginning.accept_changed:
                notices.append(
                    f"{name} has changed since it played {before.games} games here; "
                    "standings keep the two apart"
                )
            else:
                problems.append(_changed(name, before.identity, identity))
    for name in sorted(played.keys() - beginning.identities.keys()):
        notices.append(
            f"{name} takes part no longer; its {played[name].games} games stay and count"
        )
    return problems, notices


def write(connection: sqlite3.Connection, beginning: Beginning, now: str) -> None:
    """Store the tournament and its bots; the caller holds the transaction."""
    conditions = _plain(beginning.conditions)
    stored = _stored_conditions(connection)
    if stored is not None and games_by_bot(connection):
        conditions = with_former_encounters(stored, conditions)
    connection.execute(
        """
        INSERT INTO tournament (one, name, spec, conditions, created_at, runs)
        VALUES (1, ?, ?, ?, ?, 1)
        ON CONFLICT (one) DO UPDATE SET
            name = excluded.name, spec = excluded.spec, conditions = excluded.conditions,
            runs = runs + 1
        """,
        (storable(beginning.name), storable(beginning.spec_text), to_json(conditions), now),
    )
    for name, identity in beginning.identities.items():
        connection.execute(
            """
            INSERT INTO bots (name, identity, definition, first_used_at, last_run)
            VALUES (?, ?, ?, ?, (SELECT runs FROM tournament))
            ON CONFLICT (name, identity) DO UPDATE SET
                definition = excluded.definition, last_run = excluded.last_run
            """,
            (name, identity, to_json(_plain(beginning.definitions.get(name, {}))), now),
        )


def _stored_conditions(connection: sqlite3.Connection) -> dict[str, Any] | None:
    row = connection.execute("SELECT conditions FROM tournament").fetchone()
    if row is None:
        return None
    conditions: dict[str, Any] = json.loads(row[0])
    return conditions


def games_by_bot(connection: sqlite3.Connection) -> dict[str, int]:
    """Return how many games are stored of every bot that has any, from the covering index."""
    rows = connection.execute(
        """
        SELECT name, sum(games) FROM (
            SELECT black, white, count(*) AS games FROM games GROUP BY black, white
        ) JOIN bots ON number IN (black, white)
        GROUP BY name
        """
    )
    return dict(rows.fetchall())


def _played(connection: sqlite3.Connection) -> dict[str, _Played]:
    played: dict[str, _Played] = {}
    for name, games in games_by_bot(connection).items():
        identity, definition, last_run = connection.execute(
            "SELECT identity, definition, last_run FROM bots WHERE name = ? "
            "ORDER BY last_run DESC, number DESC LIMIT 1",
            (name,),
        ).fetchone()
        # A bot that came with imported games was never begun: nothing is known of its definition.
        played[name] = _Played(games, identity, json.loads(definition) if last_run else None)
    return played


def _changed(name: str, before: str, now: str) -> Problem:
    return Problem(
        f"bot {name}",
        f"its program or its files have changed since it played (identity {before[:12]}, "
        f"now {now[:12]}); --accept-changed {name} goes on and keeps the two apart",
    )


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values as they come back from JSON, so that stored and new ones compare."""
    plain: dict[str, Any] = json.loads(to_json(dict(values)))
    return plain
