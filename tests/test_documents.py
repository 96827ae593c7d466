"""The documents say what the code does: keys, defaults, commands, codes, links, the example."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from harness import errors
from harness.cli.compare import VERDICT_EXIT_CODES
from harness.cli.exit_codes import FOUND_SOMETHING, INCOMPLETE, STOPPED
from harness.cli.main import cli
from harness.errors import HarnessError, SpecError
from harness.play.clock import TimeControl
from harness.play.types import Cause
from harness.rules.types import RuleSet
from harness.store.export import jsonl
from harness.store.sqlite import Store
from harness.tournament.config import load_spec
from harness.tournament.opening_file import read_opening_file
from harness.tournament.openings import opening_list
from harness.tournament.spec import TournamentSpec
from tests.cli.loa import Loa
from tests.process.support import Tag
from tests.unit.store.builders import record


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


ROOT = Path(__file__).parent.parent
README = text_of(ROOT / "README.md")
DOCUMENTS = sorted(
    path
    for folder in ("", "bots", "harness", "results", "tests")
    for path in (ROOT / folder).glob("*.md" if not folder else "**/*.md")
    if "results" not in path.parts or path.parent.name == "results"
)
TABLES = {
    "[tournament]": ("tournament",),
    "[rules]": ("rules",),
    "[adjudication]": ("adjudication",),
    "[test]": ("test",),
    "[openings]": ("openings",),
    "[[bot]]": ("bot", 0),
}
BOTS = """
[[bot]]
name = "one"
module = "bots.random_bot"
[[bot]]
name = "two"
module = "bots.random_bot"
"""


def rows_after(start: str, text: str = README) -> list[list[str]]:
    """Return the cells of the first table after the line that begins with ``start``."""
    found = re.search(f"^{re.escape(start)}", text, re.MULTILINE)
    assert found is not None, start
    rows: list[list[str]] = []
    for line in text[found.start() :].splitlines():
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        elif rows:
            break
    return rows[2:]


def code_blocks(language: str, text: str = README) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def words_in_code(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def toml_with(table: str, line: str) -> str:
    """Return a tournament of two bots with one more line in a table."""
    if table == "[[bot]]":
        key = line.partition(" ")[0]
        first, _, second = BOTS.rpartition("[[bot]]\n")
        kept = [one for one in second.splitlines() if one.partition(" ")[0] != key]
        return "\n".join([first, "[[bot]]", *kept, line, ""])
    return f"{table}\n{line}\n{BOTS}"


def loaded(folder: Path, text: str) -> TournamentSpec:
    path = folder / "t.toml"
    path.write_text(text)
    return load_spec(path)


def accepted_keys(folder: Path, table: str) -> set[str]:
    """Return the keys of a table as the code names them beside one that it does not know."""
    with pytest.raises(SpecError) as caught:
        loaded(folder, toml_with(table, "qqqqqqqqqqqq = 1"))
    (problem,) = (one for one in caught.value.problems if "unknown key" in one.message)
    return set(problem.message.partition("known are ")[2].split(", "))


@pytest.mark.parametrize("table", TABLES)
def test_the_reference_has_every_key_and_no_other(table: str, tmp_path: Path) -> None:
    documented = [words_in_code(row[0])[0] for row in rows_after(f"`{table}`")]
    assert len(documented) == len(set(documented))
    assert set(documented) == accepted_keys(tmp_path, table)


@pytest.mark.parametrize("table", TABLES)
def test_the_defaults_of_the_reference_are_those_of_the_code(table: str, tmp_path: Path) -> None:
    without = loaded(tmp_path, BOTS)
    checked = 0
    for name, _, default, _ in rows_after(f"`{table}`"):
        if not default.startswith("`"):
            continue
        line = f"{words_in_code(name)[0]} = {words_in_code(default)[0]}"
        assert loaded(tmp_path, toml_with(table, line)) == without, line
        checked += 1
    assert checked >= 2 or table == "[test]"  # writing it at all changes what is played


@pytest.mark.parametrize("table", TABLES)
def test_the_types_of_the_reference_are_those_of_the_code(table: str, tmp_path: Path) -> None:
    wanted = {
        "string": "a string",
        "integer": "a whole number",
        "number": "a number",
        "boolean": "true or false",
        "table": "a table",
        "array of strings": "an array",
    }
    for name, kind, _, _ in rows_after(f"`{table}`"):
        key = words_in_code(name)[0]
        with pytest.raises(SpecError) as caught:
            loaded(tmp_path, toml_with(table, f"{key} = 2000-01-01"))
        expected = next(
            problem.message for problem in caught.value.problems if key in problem.place
        )
        assert f"expected {wanted[kind]}" in expected or (
            kind == "string" and 'expected "' in expected
        ), (key, expected)


def test_the_tournament_of_the_readme_loads(tmp_path: Path) -> None:
    (text,) = code_blocks("toml")
    keys = set(re.findall(r"^([a-z-]+) =", text, re.MULTILINE))
    known_bots = {path.stem for path in (ROOT / "bots").glob("*_bot.py")}
    for module in re.findall(r'"bots\.(\w+)"', text):
        assert module in known_bots
    spec = loaded(tmp_path, text)
    document = tomllib.loads(text)
    assert spec.name == document["tournament"]["name"]
    assert [bot.name for bot in spec.bots] == [bot["name"] for bot in document["bot"]]
    assert spec.bots[1].time_control == TimeControl.parse("10+0.1")
    assert keys <= set().union(*(accepted_keys(tmp_path, table) for table in TABLES))


def test_the_time_controls_of_the_readme_are_read() -> None:
    texts = [text for row in rows_after("### Time controls") for text in words_in_code(row[0])]
    assert len(texts) >= 6
    for text in texts:
        assert TimeControl.parse(text).text == text


def test_the_openings_of_the_readme_are_read(tmp_path: Path) -> None:
    section = README[README.index("### Openings") :]
    path = tmp_path / "openings.txt"
    path.write_text(code_blocks("text", section)[0])
    start = opening_list(loaded(tmp_path, BOTS).openings, RuleSet(), 1, 1)[0].start
    assert [len(one.moves) for one in read_opening_file(path, start, RuleSet()).openings] == [
        2,
        2,
        1,
        1,
    ]


def shell_commands() -> Iterator[list[str]]:
    """Yield the words of every ``loa`` command in blocks and in running text."""
    for block in code_blocks("sh"):
        for line in block.splitlines():
            if line.startswith("loa "):
                yield shlex.split(line.partition("  #")[0])
    for text in words_in_code(re.sub(r"^```.*?^```$", "", README, flags=re.M | re.S)):
        if text.startswith("loa "):
            yield shlex.split(text)


def command_of(words: list[str]) -> click.Command:
    """Return the command that is called, that of a group where one is named."""
    command = cli.get_command(click.Context(cli), words[1])
    if isinstance(command, click.Group):
        command = command.get_command(click.Context(command), words[2])
    assert command is not None, words
    return command


def commands() -> Iterator[click.Command]:
    """Yield every command, those of groups too."""
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        yield from command.commands.values() if isinstance(command, click.Group) else [command]


def test_every_command_of_the_readme_exists_with_its_flags() -> None:
    context = click.Context(cli)
    named = set()
    for words in shell_commands():
        if words[1] == "COMMAND":
            continue
        command = command_of(words)
        named.add(words[1])
        flags = {flag for parameter in command.params for flag in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= flags | {"--help"}, words
    assert named == set(cli.list_commands(context))


def test_every_flag_in_the_text_exists() -> None:
    known = {"--help"}
    for command in commands():
        known |= {flag for parameter in command.params for flag in parameter.opts}
    for path in (ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "results" / "README.md"):
        flags = set(re.findall(r"`[^`\n]*?(--[a-z][a-z0-9-]+)", text_of(path)))
        assert flags - known <= {"--pdeathsig", "--strict"}, path.name


def test_every_run_of_the_readme_is_a_tournament(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LOA_RESULTS", raising=False)
    (tmp_path / "league.toml").write_text(code_blocks("toml")[0])
    runs = [words for words in shell_commands() if words[1] == "run" and "NAME" not in words]
    assert len(runs) >= 8
    for words in runs:
        if words[2:] and "bots/examples.toml" not in words:
            ended = Loa(capsys)(*words[1:], "--dry-run")
            assert ended.code == 0, ended.errors
            assert "to play" in ended.output


def test_the_exit_codes_are_those_of_the_code() -> None:
    documented = {
        int(code) for row in rows_after("| exit code |") for code in re.findall(r"\d+", row[0])
    }
    of_errors = {
        kind.exit_code
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, HarnessError)
    }
    of_signals = {128 + number for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)}
    of_verdicts = set(VERDICT_EXIT_CODES.values())
    assert (
        documented
        == {0, INCOMPLETE, STOPPED, FOUND_SOMETHING} | of_verdicts | of_errors | of_signals
    )


def test_the_causes_are_those_of_the_code() -> None:
    start = README.index("**Causes.**")
    text = README[start : README.index("\n\n", start)]
    words = [word for word in words_in_code(text) if word != "bestmove"]
    assert sorted(words) == sorted(cause.value for cause in Cause)


def test_the_keys_of_an_export_are_those_of_the_code(tmp_path: Path) -> None:
    section = README[README.index("--format jsonl` writes") :]
    documented = [key for row in rows_after("| key |", section) for key in words_in_code(row[0])]
    with Store.create_or_open(tmp_path) as store:
        store.add([record()])
        (line,) = jsonl(store.games())
    values = json.loads(line)
    assert sorted(documented) == list(values)
    (rules,) = (row[1] for row in rows_after("| key |", section) if row[0] == "`rules`")
    assert set(words_in_code(rules)) == set(values["rules"])


def test_the_picture_of_the_table_is_of_the_demo_and_fits_a_terminal() -> None:
    picture = code_blocks("text")[0]
    assert picture.startswith("Standings\n#  bot")
    assert max(map(len, picture.splitlines())) <= 80
    spec = load_spec(ROOT / "bots" / "examples.toml")
    standings = picture.partition("\n\n")[0]
    shown = re.findall(r"^\d+  (\S+)", standings, re.MULTILINE)
    assert sorted(shown) == sorted(bot.name for bot in spec.bots)
    games = spec.rounds * len(spec.bots) * (len(spec.bots) - 1)
    assert f"{games} games" in " ".join(picture.split())


def anchors(path: Path) -> set[str]:
    text = re.sub(r"^```.*?^```$", "", text_of(path), flags=re.M | re.S)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_between_files_resolve(path: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", text_of(path), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        linked = (path.parent / name).resolve() if name else path
        assert linked.exists(), target
        assert linked.is_relative_to(ROOT), target
        assert not anchor or anchor in anchors(linked), target


def test_files_named_in_the_documents_exist() -> None:
    named = re.compile(r"`((?:harness|tests|bots|results)/[\w./]+\.(?:py|md|toml))`")
    for path in (ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", ROOT / "README.md"):
        for name in named.findall(text_of(path)):
            assert "NAME" in name or (ROOT / name).exists(), f"{path.name}: {name}"


def test_every_package_and_dependency_is_explained() -> None:
    text = text_of(ROOT / "ARCHITECTURE.md")
    project = tomllib.loads(text_of(ROOT / "pyproject.toml"))["project"]
    dependencies = [re.split(r"[<>=\[]", one)[0] for one in project["dependencies"]]
    assert set(dependencies) <= {row[0] for row in rows_after("## Dependencies", text)}
    packages = {path.parent.name for path in (ROOT / "harness").glob("*/__init__.py")}
    layers = {word for row in rows_after("| package |", text) for word in words_in_code(row[0])}
    assert {f"harness.{name}" for name in packages} <= layers


@pytest.mark.process
def test_the_bot_of_the_readme_plays(tmp_path: Path) -> None:
    (program,) = code_blocks("python")
    assert len(program.splitlines()) <= 20
    bot = tmp_path / "my_bot.py"
    bot.write_text(program)
    bot.chmod(0o755)
    tag = Tag()
    folder = Path(sys.executable).parent
    environment = {
        **{key: value for key, value in os.environ.items() if key != "LOA_RESULTS"},
        "LOA_TEST_TAG": tag.value,
        "PATH": f"{folder}:{os.environ['PATH']}",
        "TERM": "dumb",
    }

    def loa(*arguments: str) -> str:
        words = [sys.executable, "-m", "harness", *arguments]
        ended = subprocess.run(
            words,
            check=False,
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    loa("run", "random", "mine=./my_bot.py", "--rounds", "1", "--name", "t", "--no-report")
    games = [json.loads(line) for line in loa("export", "t").splitlines()]
    assert [game["id"] for game in games] == ["mine~random.1a", "mine~random.1b"]
    assert {game["cause"] for game in games} <= {"connection", "simultaneous-connection"}
    assert all(game["winner"] == ("black", "white")[game["white"] == "mine"] for game in games)
    tag.assert_nothing_left()
