"""What a person pastes into the command line: messages quote it inertly, numbers are strict."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.store.sqlite import Store
from tests.cli.hostile import HOSTILE, faults_of_text
from tests.cli.loa import Loa
from tests.unit.store.builders import record

ARGUMENTS = {
    kind: text for kind, text in HOSTILE.items() if "\0" not in text and kind != "lone surrogates"
}


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LOA_RESULTS", raising=False)
    # Without a terminal click leaves out escape sequences itself, and would hide what is raw.
    monkeypatch.setattr("click.utils.should_strip_ansi", lambda *_: False)
    with Store.create_or_open(tmp_path / "results" / "cup") as store:
        store.add([record()])


@pytest.mark.parametrize("text", ARGUMENTS.values(), ids=ARGUMENTS)
@pytest.mark.parametrize(
    "command",
    [
        ("standings", "--"),
        ("games", "--"),
        ("games", "cup", "--bot"),
        ("games", "cup", "--cause"),
        ("games", "cup", "--limit"),
        ("game", "cup", "--"),
        ("export", "cup", "--format"),
        ("export", "cup", "--output"),
        ("openings", "check", "--"),
        ("standings", "cup", "--columns"),
        ("standings", "cup", "--anchor"),
        ("run", "--dry-run", "random", "--"),
        ("run", "--dry-run", "random", "greedy", "--tc"),
        ("run", "--dry-run", "random", "greedy", "--openings"),
        ("run", "--dry-run", "random", "greedy", "--name"),
    ],
    ids=" ".join,
)
def test_a_message_quotes_what_was_typed_inertly(
    loa: Loa, command: tuple[str, ...], text: str
) -> None:
    last = f"nowhere/{text}" if command == ("export", "cup", "--output") else text
    ended = loa(*command, last)
    assert ended.code in (0, 2)  # some are a command of a bot, and one is a number
    assert not list(faults_of_text(ended.errors))
    assert not list(faults_of_text(ended.output))


@pytest.mark.parametrize("number", ["1_0", " 5", "5 ", "\u0665", "\uff15", "0x5", "5.0", "1e1", ""])
@pytest.mark.parametrize(
    "command",
    [
        ("games", "cup", "--limit"),
        ("games", "cup", "--min-plies"),
        ("openings", "make", "--count"),
        ("openings", "check", "o.txt", "--plies"),
    ],
    ids=" ".join,
)
def test_a_number_is_digits(loa: Loa, command: tuple[str, ...], number: str) -> None:
    ended = loa(*command, number)
    assert ended.code == 2
    assert "is no whole number" in ended.errors
    assert command[-1] in ended.errors


@pytest.mark.parametrize(
    ("number", "code"),
    [
        *(("0", 0), ("5", 0), ("+5", 0), ("007", 0), (str(2**63 - 1), 0)),
        *(("-1", 2), ("+-1", 2), (str(2**63), 2), ("9" * 40, 2), ("9" * 5000, 2)),
    ],
)
def test_numbers_are_those_that_a_database_can_hold(loa: Loa, number: str, code: int) -> None:
    ended = loa("games", "cup", f"--limit={number}")
    assert ended.code == code
    assert len(ended.errors) < 400
