"""A hostile record goes through every command that shows text."""

from __future__ import annotations

import io
import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from xml.etree import ElementTree

import pytest

from harness.cli.progress import PlainProgress, finished_text
from harness.director.events import BotSetAside, GameFinished, GameVoided, Notice
from harness.play.types import Cause, GameRecord
from harness.report.sheet import as_rich
from harness.rules.sgf import read_sgf
from harness.rules.types import Color
from harness.store.sqlite import Store
from tests.cli.hostile import HOSTILE, faults_of_csv, faults_of_markdown, faults_of_text
from tests.cli.loa import Loa
from tests.unit.store.builders import record

HOSTILE_COLUMN = "=\x1b[2J\u202e]<b>\n|"
HOSTILE_FOLDER = "cup\x1b[2J\n\u202e<b>=1"


def stored_name(text: str) -> str:
    """A database holds no NUL and no lone surrogate."""
    return re.sub("[\0\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", text)


def hostile_record(text: str, index: int) -> GameRecord:
    """A game of a bot whose every text is hostile; it moves first or second."""
    name = stored_name(text)
    black, white = (name, "ann") if index % 2 else ("ann", name)
    return record(
        f"{black}~{white}.{index}a",
        black=black,
        white=white,
        index=index,
        cause=Cause.CRASH if index % 3 else Cause.RESIGNATION,
        winner=Color(index % 2),
        detail=text,
        infos=(text.encode("utf-8", "surrogatepass"), None, b"info score cp 5", b"\xff\0"),
        stderr=(text, f"{text}\n" * 3),
        announced=(text, text),
        final_reply=text,
        identities=(("2" if index % 2 else "1") * 64, ("1" if index % 2 else "2") * 64),
        provenance={"slot": 0, name: name},
    )


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("untrusted") / "results"
    games = [
        hostile_record(text, 2 * place + leg)
        for place, text in enumerate(HOSTILE.values())
        for leg in (0, 1)
    ]
    with Store.create_or_open(folder / HOSTILE_FOLDER) as store:
        store.add(games)
    with closing(sqlite3.connect(folder / HOSTILE_FOLDER / "games.sqlite")) as strange:
        for statement in (
            "UPDATE games SET started_at = :text, leg = :text",
            "UPDATE openings SET content_id = :text",
            "UPDATE settings SET black_time = :text, white_time = :text",
            "UPDATE bots SET identity = :text || number",
        ):
            strange.execute(statement, {"text": HOSTILE_COLUMN})
        strange.commit()
    return folder


@pytest.fixture(autouse=True)
def as_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a terminal click leaves out escape sequences itself, and would hide what is raw."""
    monkeypatch.setattr("click.utils.should_strip_ansi", lambda *_: False)


@pytest.fixture
def results(stored: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(stored.parent)
    monkeypatch.delenv("LOA_RESULTS", raising=False)
    return stored


def without_folder(words: tuple[str, ...]) -> str:
    return " ".join(word for word in words if word != HOSTILE_FOLDER)


TEXTS = [
    ("list",),
    ("list", "--json"),
    ("games", HOSTILE_FOLDER),
    ("games", HOSTILE_FOLDER, "--json"),
    ("standings", HOSTILE_FOLDER),
    ("standings", HOSTILE_FOLDER, "--details"),
    ("standings", HOSTILE_FOLDER, "--json"),
    ("export", HOSTILE_FOLDER),
    ("export", HOSTILE_FOLDER, "--times"),
    ("export", HOSTILE_FOLDER, "--format", "sgf"),
]


@pytest.mark.parametrize("arguments", TEXTS, ids=without_folder)
def test_text_of_every_command_is_inert(
    results: Path, loa: Loa, arguments: tuple[str, ...]
) -> None:
    ended = loa(*arguments)
    assert ended.code == 0
    assert not list(faults_of_text(ended.output))
    assert not list(faults_of_text(ended.errors))
    if "--json" in arguments:
        json.loads(ended.output)


def test_a_game_is_inert_in_every_form(results: Path, loa: Loa) -> None:
    games = json.loads(loa("games", HOSTILE_FOLDER, "--json").output)
    assert len(games) == 2 * len(HOSTILE)
    for game in games:
        for form in ((), ("--json",), ("--sgf",)):
            ended = loa("game", *form, "--", HOSTILE_FOLDER, game["id"])
            assert ended.code == 0
            assert not list(faults_of_text(ended.output)), form


def test_the_names_are_all_there(results: Path, loa: Loa) -> None:
    """Inert is not left out: each name is shown, and found by what was stored."""
    shown = loa("games", HOSTILE_FOLDER).output
    for text in (r"\x1b[2J\x1b[H\x1b]0;title\x07", r"\u202egnp.exe\u2066", r"a\u2028b\u2029c"):
        assert text in shown
    for text in HOSTILE.values():
        ended = loa("games", HOSTILE_FOLDER, "--bot", stored_name(text), "--json")
        assert len(json.loads(ended.output)) == 2
    for pattern in ("%", "_nn", "a*n", "' OR 1=1 --"):
        assert loa("games", HOSTILE_FOLDER, "--bot", pattern).code == 2
    assert len(json.loads(loa("games", HOSTILE_FOLDER, "--json").output)) == 2 * len(HOSTILE)


def test_a_message_lists_the_names_inertly(results: Path, loa: Loa) -> None:
    ended = loa("games", HOSTILE_FOLDER, "--bot", "nobody")
    assert (ended.code, ended.output) == (2, "")
    assert "there are: " in ended.errors
    assert not list(faults_of_text(ended.errors))


def test_a_folder_without_tournaments_is_named_inertly(loa: Loa, tmp_path: Path) -> None:
    ended = loa("list", "--results", str(tmp_path / HOSTILE_FOLDER))
    assert (ended.code, ended.output) == (0, "")
    assert not list(faults_of_text(ended.errors))


@pytest.mark.parametrize(
    "arguments",
    [
        ("standings", "--csv"),
        ("export", "--format", "csv"),
        ("export", "--format", "csv", "--times"),
    ],
    ids=" ".join,
)
def test_no_cell_is_a_formula(results: Path, loa: Loa, arguments: tuple[str, ...]) -> None:
    command, *flags = arguments
    ended = loa(command, HOSTILE_FOLDER, *flags)
    assert ended.code == 0
    assert not list(faults_of_csv(ended.output))
    assert "'=cmd" in ended.output


def test_sgf_stays_one_tree_a_game(results: Path, loa: Loa) -> None:
    games = read_sgf(loa("export", HOSTILE_FOLDER, "--format", "sgf").output)
    assert len(games) == 2 * len(HOSTILE)
    assert "];W[resign])(;GM[9]C[\\" in {game.white for game in games}


def test_markdown_has_no_live_sign(results: Path, loa: Loa) -> None:
    ended = loa("standings", HOSTILE_FOLDER, "--markdown")
    assert ended.code == 0
    assert not list(faults_of_markdown(ended.output))


def test_a_report_is_inert_and_stays_in_its_folder(results: Path, loa: Loa, tmp_path: Path) -> None:
    def files() -> set[Path]:
        return {path for path in results.parent.rglob("*") if path.is_file()}

    before = files()
    output = tmp_path / "report\x1b[2J\u202e"
    ended = loa("report", HOSTILE_FOLDER, "--output", str(output))
    assert ended.code == 0
    assert not list(faults_of_text(ended.output))
    assert files() == before
    assert {path.parent for path in tmp_path.rglob("*") if path.is_file()} == {output}
    for path in output.iterdir():
        match path.suffix:
            case ".csv":
                assert not list(faults_of_csv(path.read_text())), path
            case ".md":
                assert not list(faults_of_markdown(path.read_text())), path
            case ".svg":
                assert not list(faults_of_svg(path.read_text())), path
            case ".png":
                assert text_chunks(path.read_bytes()) == [], path
            case _:
                pytest.fail(f"what is {path}?")


def faults_of_svg(text: str) -> Iterator[str]:
    yield from faults_of_text(text)
    for element in ElementTree.fromstring(text).iter():
        kind = element.tag.rpartition("}")[2]
        if kind in ("script", "foreignObject", "a", "iframe"):
            yield f"an element {kind}"
        yield from (f"{name}={value}" for name, value in element.items() if name.startswith("on"))
        links = [value for name, value in element.items() if name.endswith("href")]
        yield from (link for link in links if not link.startswith(("#", "data:image/png;")))


def text_chunks(data: bytes) -> list[bytes]:
    return re.findall(rb"(?:tEXt|iTXt|zTXt)[\x20-\x7e]{1,79}\0", data)


def test_a_terminal_gets_no_markup_and_no_control_code(results: Path, loa: Loa) -> None:
    from rich.console import Console

    from harness.cli.evidence import analyse_evidence, read_evidence
    from harness.ratings.table import RatingOptions
    from harness.report.markdown import report_sheets
    from harness.store.selection import EVERYTHING

    evidence = read_evidence([results / HOSTILE_FOLDER], EVERYTHING)
    analysis = analyse_evidence(evidence, RatingOptions())
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, color_system=None, width=300)
    for sheet in report_sheets(analysis, width=298):
        console.print(as_rich(sheet))
    shown = re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())
    assert not list(faults_of_text(shown))
    assert "[bold red]x[/]" in shown


LINE_BEGINNINGS = {"Finished", "Forfeit", "Void", "Set", "note:"}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_the_lines_of_a_run_are_inert(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Names are checked before a run begins; details, reasons and notes are a bot's own words."""
    game = record("ann~bob.1a", cause=Cause.CRASH, detail=text, stderr=(text, text))
    assert not list(faults_of_text(finished_text(game)))
    with PlainProgress() as progress:
        for event in (
            GameFinished(game, 2, 1),
            GameVoided(game.spec, 1, "ann", text, is_last_attempt=False),
            BotSetAside("ann", text),
            Notice(text),
        ):
            progress.notice(event)
    shown = capsys.readouterr().err
    assert {line.split()[0] for line in shown.splitlines()} <= LINE_BEGINNINGS
    assert not list(faults_of_text(shown))


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_openings_check_quotes_a_file_inertly(name: str, loa: Loa, tmp_path: Path) -> None:
    sgf = tmp_path / "o\x1b[31m\u202e.sgf"
    text = name.encode("utf-8", "replace").decode()
    sgf.write_text(f"(;GM[{text}])(;GM[9]SZ[{text}])(;GM[9];B[{text}])(;GM[9]PL[{text}])(;{text}")
    lines = tmp_path / "o.txt"
    lines.write_text(f"{text}\nb1-{text}\n{text}/{text} {text}\n1bbbbbb1/8/8/8/8/8/8/8 {text}\n")
    for file in (sgf, lines):
        for form in ((), ("--json",)):
            ended = loa("openings", "check", str(file), *form)
            assert ended.code == 5
            assert not list(faults_of_text(ended.output))
            assert not list(faults_of_text(ended.errors))
