"""Whatever bots write goes into the store and comes out again, and none of it becomes SQL."""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from harness.errors import NoSuchGameError
from harness.play.types import GameRecord
from harness.store.connection import open_for_writing
from harness.store.export import csv_lines, jsonl, sgf_lines
from harness.store.rows import GameFilter, Incident, IncidentKind
from harness.store.sqlite import Store
from tests.unit.store.builders import record

TEXTS = st.text(st.characters(codec=None), max_size=60) | st.sampled_from(
    [
        "\0",
        "\udce9\ud800",
        "'; DROP TABLE games; --",
        "\"'`%_*?",
        "\x1b[2J\x1b]0;title\x07",
        "=1+1",
        "\t@SUM(1)",
        "-2+3",
        "{0} %s :game ?1",
        "x" * 100_000,
        "\u202eé\ufeff",
    ]
)
NAMES = st.from_regex(r"[A-Za-z0-9._+-]{1,64}", fullmatch=True)


class Recording(sqlite3.Connection):
    """A connection that remembers the texts of all statements."""

    statements: set[str]

    def execute(self, text: str, *values: Any) -> sqlite3.Cursor:
        self.statements.add(text)
        return super().execute(text, *values)

    def executemany(self, text: str, *values: Any) -> sqlite3.Cursor:
        self.statements.add(text)
        return super().executemany(text, *values)


@contextmanager
def recorded_store() -> Iterator[tuple[Store, set[str]]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        open_for_writing(folder).close()
        connection = sqlite3.connect(
            folder / "games.sqlite", isolation_level=None, factory=Recording
        )
        connection.statements = set()
        connection.execute("PRAGMA synchronous = OFF")  # the test need not survive a power cut
        with Store(folder, connection) as store:
            yield store, connection.statements


def use_everything(store: Store, text: str, other: str, name: str) -> GameRecord:
    """Write and read with these texts in every place where a bot's or a user's text can be."""
    game = record(
        "g",
        black=name,
        detail=text,
        final_reply=other,
        stderr=(text, other),
        announced=(other, text),
        infos=(text.encode("utf-8", "surrogatepass"), None, b"info score cp 5", b"\xff\0"),
        provenance={"host": text, "slot": 0},
        log=f"1.0 {text}\n2.0 {other}",
    )
    store.begin(text, other, {"seed": text}, {name: "1" * 64}, {name: {"options": {text: other}}})
    assert store.add([game]) == ("g",)
    store.add_incidents([Incident("g", 1, IncidentKind.VOID, name, text, "now")])
    for unknown in (text, other):
        if unknown != "g":
            with pytest.raises(NoSuchGameError):
                store.game(unknown)
        list(store.games(GameFilter(bot=unknown, opponent=name, won_by=unknown)))
    store.summary()
    return game


@given(TEXTS, TEXTS, NAMES)
@settings(max_examples=60)
@example("a\0b\udc80", "\ud800", "+1")
def test_any_text_goes_in_and_comes_out(text: str, other: str, name: str) -> None:
    with recorded_store() as (store, _):
        use_everything(store, text, other, name)
        game = store.game("g")
        assert game.details is not None
        kept = [re.sub("[\0\ud800-\udfff]", "\ufffd", one) for one in (text, other)]
        assert game.black.name == name
        assert game.outcome.detail == kept[0]
        assert game.details.final_reply == kept[1]
        assert [game.details.black.stderr, game.details.white.stderr] == kept
        assert [game.details.white.announced, game.details.black.announced] == kept
        assert game.details.plies[2].info == "info score cp 5"
        assert game.details.provenance == {"host": text, "slot": 0}
        logged = [re.sub("[\ud800-\udfff]", "?", one) for one in (text, other)]
        assert game.details.log == f"1.0 {logged[0]}\n2.0 {logged[1]}"
        assert [incident.why for incident in store.incidents()] == [kept[0]]
        games = list(store.games(details=True))
        assert json.loads("".join(jsonl(games, times=True)))["detail"] == kept[0]
        "".join(sgf_lines(games)).encode("utf-8")


def statements_for(text: str, other: str, name: str) -> set[str]:
    with recorded_store() as (store, statements):
        use_everything(store, text, other, name)
        return set(statements)


PLAIN = statements_for("plain", "text", "ann")


@given(TEXTS, TEXTS, NAMES)
@settings(max_examples=40)
def test_no_text_changes_what_is_asked_of_the_database(text: str, other: str, name: str) -> None:
    assert statements_for(text, other, name) == PLAIN


@given(NAMES, NAMES)
@settings(max_examples=40)
@example("+1", "-1")
@example("-2+3", "=")
def test_no_cell_is_a_formula(black: str, white: str) -> None:
    with recorded_store() as (store, _):
        store.add([record(f"{black}~{white}.1a", black=black, white=white)])
        text = "".join(csv_lines(store.games(), times=True))
    head, row = csv.reader(io.StringIO(text))
    for name, cell in zip(head, row, strict=True):
        assert cell[:1] not in ("=", "+", "-", "@", "\t", "\r"), name
    assert row[head.index("black")].removeprefix("'") == black
