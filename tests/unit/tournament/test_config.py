from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from harness.errors import SpecError
from harness.play.bot_definition import (
    BotDefinition,
    BotLimits,
    BotProtocol,
    Pondering,
    RestartPolicy,
    Sandbox,
)
from harness.play.clock import TimeControl
from harness.rules.position import SCRAMBLED_EGGS_START, STANDARD_START
from harness.rules.types import NoMovesRule, RuleSet, SimultaneousRule
from harness.tournament.config import load_spec, spec_from_flags, spec_to_toml
from harness.tournament.spec import OpeningSource, TournamentFormat, TournamentSpec

TWO_BOTS = """
[[bot]]
name = "one"
module = "bots.greedy_bot"
[[bot]]
name = "two"
command = ["./two"]
"""


def load(folder: Path, text: str | bytes) -> TournamentSpec:
    path = folder / "spec.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return load_spec(path)


def problems_of(folder: Path, text: str | bytes) -> list[str]:
    with pytest.raises(SpecError) as caught:
        load(folder, text)
    return [str(problem) for problem in caught.value.problems]


def test_every_key_is_read(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "openings.txt").write_text("a3-c3\n")
    (tmp_path / "books").mkdir()
    spec = load(
        tmp_path,
        """
        [tournament]
        name = "quick"
        format = "round-robin"
        rounds = 12
        time-control = "40/60+0.6"
        margin-ms = 20
        max-think-ms = 1000
        seed = 7
        max-plies = 300
        restart = "always"
        slots = 3
        force = true
        sandbox = "bwrap"
        pondering = "suspend"
        memory-mb = 2000
        [rules]
        simultaneous = "mover"
        no-moves = "loss"
        repetition = 0
        [openings]
        file = "openings.txt"
        start = "scrambled-eggs"
        [[bot]]
        name = "greedy"
        module = "bots.greedy_bot"
        options = { Seed = 1, Deep = true, Rate = 0.5, "Own Book" = "a b", Off = false }
        [[bot]]
        name = "mine"
        command = ["./mybot", "--fast"]
        env = { B = "2", A = "" }
        cwd = "sub"
        threads = 4
        time-control = "10+0.1"
        restart = "never"
        start-ms = 1
        new-game-ms = 2
        ping-ms = 3
        goodbye-ms = 0
        sandbox = "none"
        pondering = "ignore"
        memory-mb = 16
        processes = 10000
        read = ["books", "openings.txt"]
        """,
    )
    folder = str(tmp_path)
    options = (
        ("Deep", "true"), ("Off", "false"), ("Own Book", "a b"), ("Rate", "0.5"), ("Seed", "1"),
    )  # fmt: skip
    assert spec == TournamentSpec(
        name="quick",
        bots=(
            BotDefinition("greedy", module="bots.greedy_bot", folder=folder, options=options),
            BotDefinition(
                "mine",
                command=("./mybot", "--fast"),
                folder=folder,
                env=(("A", ""), ("B", "2")),
                cwd="sub",
                threads=4,
                time_control=TimeControl.parse("10+0.1"),
                limits=BotLimits(1, 2, 3, 0),
                restart=RestartPolicy.NEVER,
                sandbox=Sandbox.NONE,
                pondering=Pondering.IGNORE,
                memory_mb=16,
                processes=10_000,
                read=("books", "openings.txt"),
            ),
        ),
        openings=OpeningSource(
            SCRAMBLED_EGGS_START, "scrambled-eggs", 4, str(tmp_path / "openings.txt")
        ),
        time_control=TimeControl.parse("40/60+0.6"),
        format=TournamentFormat.ROUND_ROBIN,
        rounds=12,
        rules=RuleSet(SimultaneousRule.MOVER, NoMovesRule.LOSS, 0, 300),
        margin_ms=20,
        max_think_ms=1000,
        seed=7,
        restart=RestartPolicy.ALWAYS,
        slots=3,
        force=True,
        sandbox=Sandbox.BWRAP,
        pondering=Pondering.SUSPEND,
        memory_mb=2000,
    )
    assert load(tmp_path, spec_to_toml(spec)) == spec


def test_defaults_are_those_of_the_design(tmp_path: Path) -> None:
    spec = load(tmp_path, TWO_BOTS)
    assert spec.name == "spec"
    assert spec.openings == OpeningSource(STANDARD_START, "standard", 4, None)
    assert spec.time_control == TimeControl.parse("5+0.05")
    assert (spec.rounds, spec.margin_ms, spec.max_think_ms, spec.seed) == (10, 50, 120_000, 1)
    assert spec.rules == RuleSet(SimultaneousRule.DRAW, NoMovesRule.PASS, 3, 400)
    assert spec.bots[0].limits == BotLimits(30_000, 10_000, 10_000, 500)
    assert spec.bots[0].protocol is BotProtocol.UGI
    assert (spec.slots, spec.force, spec.restart) == (None, False, RestartPolicy.AUTO)
    assert (spec.sandbox, spec.pondering) == (Sandbox.NONE, Pondering.IGNORE)
    assert spec.memory_mb is None
    for bot in spec.bots:
        assert (bot.sandbox, bot.pondering, bot.memory_mb, bot.processes) == (None,) * 4
        assert bot.read == ()
    assert not {"sandbox", "pondering", "memory-mb", "processes", "read"} & set(
        spec_to_toml(spec).split()
    )


def test_max_plies_of_zero_is_off(tmp_path: Path) -> None:
    spec = load(tmp_path, "[tournament]\nmax-plies = 0\n" + TWO_BOTS)
    assert spec.rules.max_plies is None
    assert load(tmp_path, spec_to_toml(spec)).rules.max_plies is None


def test_byte_order_mark_and_cr_lf_are_read_and_lines_stay_right(tmp_path: Path) -> None:
    text = "\ufeff" + TWO_BOTS.replace("\n", "\r\n")
    assert load(tmp_path, text).bots[1].name == "two"
    wrong = text + "\r\nthreads = 0\r\n"
    assert problems_of(tmp_path, wrong) == [
        "line 9, bot[2].threads: expected a whole number from 1 to 1024, found 0"
    ]


# One problem each: the text after the two good bots, and what must be said of it.
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[tournament]\nname = "a b"', "line 9, tournament.name: a tournament's name"),
        ('[tournament]\nname = "../x"', "line 9, tournament.name"),
        ('[tournament]\nname = ".."', "line 9, tournament.name"),
        ("[tournament]\nrouns = 3", 'line 9, tournament.rouns: unknown key; did you mean "rounds"'),
        ("[tournament]\nmax_plies = 3", 'did you mean "max-plies"?'),
        ("[tournament]\nrepetition = 3", "unknown key; it belongs into [rules]"),
        ('[tournament]\nresults = "x"', "unknown key; it belongs on the command line: --results"),
        ("[rules]\nmax-plies = 3", "unknown key; it belongs into [tournament]"),
        ("[tournaments]", 'line 8, tournaments: unknown key; did you mean "tournament"?'),
        ("[tournament]\nrounds = 0", "expected a whole number from 1 to 1000000, found 0"),
        ("[tournament]\nrounds = true", "found true"),
        ("[tournament]\nrounds = 1.5", "found the number 1.5"),
        ('[tournament]\nrounds = "3"', "found the string '3'"),
        ("[tournament]\nrounds = 2024-01-01", "found the date or time 2024-01-01"),
        ("[tournament]\nseed = -1", "line 9, tournament.seed"),
        ("[tournament]\nseed = 0x" + "f" * 5000, "more than 100 digits"),
        ("[tournament]\nmargin-ms = -1", "line 9, tournament.margin-ms"),
        ("[tournament]\nmax-think-ms = 0", "line 9, tournament.max-think-ms"),
        ("[tournament]\nslots = 0", "line 9, tournament.slots"),
        ("[tournament]\nforce = 1", "line 9, tournament.force: expected true or false"),
        ("[tournament]\nmax-plies = -1", "line 9, tournament.max-plies"),
        ("[tournament]\nmax-plies = 4", "4 plies reach the end of the game"),
        ('[tournament]\nrestart = "q"', 'expected "auto" or "always" or "never", found \'q\''),
        ('[tournament]\nformat = "ladder"', 'expected "round-robin" or "gauntlet" or'),
        ('[tournament]\ntime-control = "5+x"', "line 9, tournament.time-control: in '5+x'"),
        ("[tournament]\ntime-control = 5", "expected a string, found the number 5"),
        ("[[tournament]]", "line 8, tournament: expected a table, found an array"),
        ('[rules]\nsimultaneous = "loss"', 'expected "draw" or "mover"'),
        ('[rules]\nno-moves = "x"', 'expected "pass" or "loss" or "draw"'),
        ("[rules]\nrepetition = 1", "write 0 (off), 2 or more"),
        ('[openings]\nstart = "x"', "a start is standard, scrambled-eggs or a position text"),
        ('[openings]\nstart = "bb6/8/8/8/8/8/8/w6w b"', "Black is already connected"),
        ("[openings]\nrandom-plies = 61", "from 0 to 60"),
        ('[openings]\nfile = "nope.txt"', "nope.txt cannot be read: No such file"),
        ('[openings]\nfile = "."', "is a folder"),
        (
            '[openings]\nstart = "8/8/2b5/8/4b3/8/8/w6w b"\nrandom-plies = 1',
            "line 10, openings.random-plies: 1 random plies from this start give no opening",
        ),
        ('[[bot]]\nmodule = "x"', "line 8, bot[3]: a bot needs a name"),
        ('[[bot]]\nname = "x"', "line 8, bot[3]: a bot needs a module or a command"),
        ('[[bot]]\nname = "a~b"\nmodule = "x"', "line 9, bot[3].name: a name is"),
        ('[[bot]]\nname = ""\nmodule = "x"', "line 9, bot[3].name: a name is"),
        ('[[bot]]\nname = "two"\nmodule = "x"', "the name 'two' is taken by bot 2"),
        ('[[bot]]\nname = "x"\nmodule = "x"\ncommand = ["x"]', "either module or command"),
        ('[[bot]]\nname = "x"\nmodule = "a-b"', "no name of a module"),
        (
            '[[bot]]\nname = "x"\nmodule = "bots.gredy_bot"',
            'did you mean "bots.greedy_bot"?',
        ),
        ('[[bot]]\nname = "x"\ncommand = "./x"', "expected an array of strings"),
        ('[[bot]]\nname = "x"\ncommand = []', "the first word is the program"),
        ('[[bot]]\nname = "x"\ncommand = ["a\\u0000"]', "NUL"),
        ('[[bot]]\nname = "x"\ncommand = [\n"./x",\n3]', "line 12, bot[3].command[2]: expected"),
        ('[[bot]]\nname = "x"\nmodule = "x"\nthreads = 0', "from 1 to 1024"),
        ('[[bot]]\nname = "x"\nmodule = "x"\ncwd = "nowhere"', "no folder"),
        ('[[bot]]\nname = "x"\nmodule = "x"\ncwd = "spec.toml"', "no folder"),
        ('[[bot]]\nname = "x"\nmodule = "x"\ntime-control = "0"', "line 11, bot[3].time-control"),
        ('[[bot]]\nname = "x"\nmodule = "x"\nrestart = 3', 'expected "auto" or'),
        ('[[bot]]\nname = "x"\nmodule = "x"\nstart-ms = 0', "from 1 to 3600000"),
        ('[[bot]]\nname = "x"\nmodule = "x"\nping-ms = "1"', "found the string"),
        ('[[bot]]\nname = "x"\nmodule = "x"\nprotocol = "xboard"', 'expected "ugi" or "uci"'),
        ('[[bot]]\nname = "x"\nmodule = "x"\noptions = 3', "expected a table of names and values"),
        ('[[bot]]\nname = "x"\nmodule = "x"\noptions.L = [1]', "line 11, bot[3].options.L: an opt"),
        ('[[bot]]\nname = "x"\nmodule = "x"\noptions.L = nan', "an option is a string"),
        ('[[bot]]\nname = "x"\nmodule = "x"\noptions.L = "a\\nb"', "an option is one line"),
        ('[[bot]]\nname = "x"\nmodule = "x"\noptions."a value b" = 1', "name of an option"),
        ('[[bot]]\nname = "x"\nmodule = "x"\noptions." a" = 1', "name of an option"),
        ('[[bot]]\nname = "x"\nmodule = "x"\nenv.A = 1', "line 11, bot[3].env.A: an environment"),
        ('[[bot]]\nname = "x"\nmodule = "x"\nenv."A=" = "1"', "cannot be an environment variable"),
        ("[bot.options]\nL = {}", "line 9, bot[2].options.L"),
        (
            "[bot.options]\nDepth = 1\ndepth = 2",
            "line 10, bot[2].options.depth: the same option as 'Depth'",
        ),
        ("[bot.options]\nL = 0x1" + "0" * 16, "a number beyond 64 bits is written in quotes"),
        (
            '[[bot]]\nname = "x"\nmodule = "bots"',
            "'bots' is the package of the shipped bots, which are bots.alphabeta_bot, bots.greedy",
        ),
        ('[tournament]\nsandbox = "firejail"', 'expected "none" or "bwrap", found'),
        ("[tournament]\nsandbox = true", 'expected "none" or "bwrap", found true'),
        ('[tournament]\npondering = "off"', 'expected "ignore" or "suspend", found'),
        ("[tournament]\nmemory-mb = 15", "expected a whole number from 16 to 1048576, found 15"),
        ("[tournament]\nprocesses = 3", "unknown key; it belongs into a [[bot]]"),
        ('[tournament]\nread = ["x"]', "unknown key; it belongs into a [[bot]]"),
        ("memory-mb = 1048577", "line 8, bot[2].memory-mb: expected a whole number from 16"),
        ("processes = 0", "expected a whole number from 1 to 10000, found 0"),
        ("processes = 10001", "expected a whole number from 1 to 10000, found 10001"),
        ('sandbox = "on"', "line 8, bot[2].sandbox: expected"),
        ('pondering = "on"', "line 8, bot[2].pondering: expected"),
        ('read = "x"', 'line 8, bot[2].read: expected an array of strings such as ["data"'),
        ('read = ["x", 3]', "line 8, bot[2].read[2]: expected a string"),
        ('read = ["x", ""]', "line 8, bot[2].read[2]: '' is no path"),
        ('read = ["a\\u0000"]', "line 8, bot[2].read[1]: 'a\\x00' is no path"),
        (
            'sandbox = "bwrap"\nread = [".", "nowhere"]',
            "line 9, bot[2].read[2]: there is no 'nowhere' (relative paths begin at /",
        ),
        (
            'read = ["nowhere"]\n[tournament]\nsandbox = "bwrap"',
            "line 8, bot[2].read[1]: there is no 'nowhere'",
        ),
        ('sandbox = "bwrap"\nread = ["' + "x" * 5000 + '"]', "there is no 'xxx"),
    ],
)
def test_a_problem_is_reported_alone_with_its_place(
    tmp_path: Path, text: str, expected: str
) -> None:
    problems = problems_of(tmp_path, TWO_BOTS + text + "\n")
    assert len(problems) == 1, problems
    assert expected in problems[0]


def test_everything_is_reported_at_once_in_the_order_of_lines(tmp_path: Path) -> None:
    problems = problems_of(
        tmp_path,
        """
        [[bot]]
        name = "a b"
        [openings]
        file = "nope.txt"
        random-plies = 3
        start = "x"
        [rules]
        x = 1
        [tournament]
        rounds = "x"
        time-control = "0,move=0"
        """,
    )
    lines = [int(problem.split(",")[0].removeprefix("line ")) for problem in problems]
    assert lines == [2, 2, 3, 5, 6, 7, 9, 11, 12]


def test_too_few_bots(tmp_path: Path) -> None:
    assert problems_of(tmp_path, "") == ["bot: a tournament needs at least two bots, there is none"]
    (problem,) = problems_of(tmp_path, '[[bot]]\nname = "x"\nmodule = "x"\n')
    assert "there is one" in problem


def test_bad_lines_of_the_openings_are_problems_of_the_spec(tmp_path: Path) -> None:
    (tmp_path / "o.txt").write_text("b1-b3\nb1-b8\nrubbish\n")
    problems = problems_of(tmp_path, TWO_BOTS + '[openings]\nfile = "o.txt"\n')
    assert [problem.split(":")[1].split()[-1] for problem in problems] == ["2", "3"]
    assert all(problem.startswith("line 9, openings.file: ") for problem in problems)


def test_a_uci_bot_needs_the_standard_start(tmp_path: Path) -> None:
    uci = TWO_BOTS + 'protocol = "uci"\n'
    assert load(tmp_path, uci).bots[1].protocol is BotProtocol.UCI
    openings = tmp_path / "o.txt"
    openings.write_text("b1-b3\n1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b c1-c3\n")
    from_file = uci + '[openings]\nfile = "o.txt"\n'
    assert load(tmp_path, from_file).openings.file == str(openings)
    openings.write_text("b1-b3\nscrambled-eggs\n")
    for text in (uci + '[openings]\nstart = "scrambled-eggs"\n', from_file):
        (problem,) = problems_of(tmp_path, text)
        assert problem.startswith("line 8, bot[2].protocol: a UCI bot plays from the standard")


@pytest.mark.parametrize(
    ("data", "place", "why"),
    [
        (b"[[bot]]\nname = x\n", "line 2, column 8", "is no TOML"),
        (b"a = [", "end of document", "is no TOML"),
        (b"a = 1\na = 2\n", "line 2, column 6", "is no TOML"),
        (b"a = 2024-99-99\n", "line 1", "is no TOML"),
        (b"a = 1\nb = " + b"9" * 5000, "line 2", "a number has at most 4300 digits"),
        (b"a = -" + b"9_9" * 3000, "line 1", "a number has at most 4300 digits"),
        (b"a = '" + b"9" * 5000 + b"'\nb = " + b"9" * 5000, "", "has at most 4300 digits"),
        (b"[" + b"a." * 100_000 + b"a]", "", "nested too deeply"),
        (b"a." * 50_000 + b'"b" . c = 1', "", "nested too deeply"),
        (b"a = 1 # " + b"x" * 2**20, "", "has more than 1 MiB"),
        (b"# fine\n\xff", "line 2", "is not UTF-8"),
        (b"a = " + b"[" * 100_000 + b"]" * 100_000, "", "nested too deeply"),
    ],
)
def test_what_is_no_toml(tmp_path: Path, data: bytes, place: str, why: str) -> None:
    with pytest.raises(SpecError) as caught:
        load(tmp_path, data)
    (problem,) = caught.value.problems
    assert problem.place.startswith(place)
    assert why in problem.message


def test_what_cannot_be_read(tmp_path: Path) -> None:
    for path, why in ((tmp_path, "folder"), (tmp_path / "x.toml", "No such file")):
        with pytest.raises(SpecError, match=why):
            load_spec(path)


def test_long_texts_are_shortened_in_messages(tmp_path: Path) -> None:
    nines = "9" * 5000
    text = f"""
        [tournament]
        name = "{nines}"
        time-control = "{nines}"
        seed = "{nines}"
        max-think-ms = 0x{nines}
        {nines} = 1
        [[bot]]
        name = "{nines}"
        module = "bots.x{nines}"
        cwd = "{nines}"
        options = {{ "value {nines}" = 1, A = 1{nines[:4000]} }}
        env = {{ "{nines}=" = "1" }}
        git = {{ repo = "{nines}", rev = "x" }}
        """
    problems = problems_of(tmp_path, text)
    assert len(problems) >= 12
    assert max(map(len, problems)) < 300 + 2 * len(str(tmp_path))


def test_a_key_of_many_parts_is_no_problem_within_a_text(tmp_path: Path) -> None:
    text = TWO_BOTS + "env = { A = '" + "1." * 90 + "1' }\n"
    assert load(tmp_path, text).bots[1].env == (("A", "1." * 90 + "1"),)


def test_of_very_many_problems_the_first_are_shown(tmp_path: Path) -> None:
    problems = problems_of(tmp_path, TWO_BOTS + "".join(f"x{n} = 1\n" for n in range(1000)))
    assert len(problems) == 51
    assert problems[0].startswith("line 8, bot[2].x0: unknown key")
    assert problems[-1] == "950 more"


def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero"), Path("/dev/tty")):
        with pytest.raises(SpecError, match=r"is no regular file|cannot be read"):
            load_spec(path)
        text = f"{TWO_BOTS}[openings]\nfile = '{path}'\n"
        (problem,) = problems_of(tmp_path, text)
        assert "is no regular file" in problem or "cannot be read" in problem


def test_a_huge_file_is_refused_after_its_head(tmp_path: Path) -> None:
    huge = tmp_path / "huge"
    with huge.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(SpecError, match="has more than 1 MiB"):
        load_spec(huge)
    (problem,) = problems_of(tmp_path, f"{TWO_BOTS}[openings]\nfile = 'huge'\n")
    assert "has more than 16 MiB" in problem


# Flags


def test_flags_make_the_same_spec_as_a_file(tmp_path: Path) -> None:
    (tmp_path / "o.txt").write_text("b1-b3\n")
    spec = spec_from_flags(
        ["deep=alphabeta:Depth=4", "./mybot --fast"],
        folder=tmp_path,
        name="quick",
        rounds=3,
        tc="2+0.02",
        seed=5,
        openings="o.txt",
        margin_ms=0,
        max_plies=0,
        restart="never",
        slots=2,
        force=True,
        sandbox="bwrap",
        pondering="suspend",
        memory_mb=99,
        simultaneous="mover",
        no_moves="draw",
        repetition=0,
    )
    text = """
        [tournament]
        name = "quick"
        rounds = 3
        time-control = "2+0.02"
        seed = 5
        margin-ms = 0
        max-plies = 0
        restart = "never"
        slots = 2
        force = true
        sandbox = "bwrap"
        pondering = "suspend"
        memory-mb = 99
        [rules]
        simultaneous = "mover"
        no-moves = "draw"
        repetition = 0
        [openings]
        file = "o.txt"
        [[bot]]
        name = "deep"
        module = "bots.alphabeta_bot"
        options = { Depth = 4 }
        [[bot]]
        name = "mybot-fast"
        command = ["./mybot", "--fast"]
        """
    assert spec == load(tmp_path, text)


def test_without_a_name_the_same_flags_give_the_same_name(tmp_path: Path) -> None:
    spec = spec_from_flags(["greedy", "random"], folder=tmp_path, rounds=1)
    again = spec_from_flags(["greedy", "random"], folder=tmp_path, rounds=9, name=None)
    other = spec_from_flags(["greedy", "random"], folder=tmp_path, tc="1")
    assert spec.name == again.name
    assert spec.name.startswith("greedy-random-")
    assert other.name != spec.name


def test_every_wrong_flag_is_reported_at_once(tmp_path: Path) -> None:
    with pytest.raises(SpecError) as caught:
        spec_from_flags(
            ["greddy", "x=random", "x=greedy", "./y 'z"],
            folder=tmp_path,
            name="a/b",
            rounds=0,
            tc="x,depth=0",
            seed=-1,
            openings="nope.txt",
            random_plies=99,
            start="x",
            margin_ms=-1,
            max_plies=-1,
            restart="q",
            slots=0,
            sandbox="q",
            pondering="q",
            memory_mb=1,
            simultaneous="q",
            no_moves="q",
            repetition=1,
        )
    places = {problem.place for problem in caught.value.problems}
    assert places == {
        "greddy", "x=greedy", "./y 'z", "--name", "--rounds", "--tc", "--seed", "--openings",
        "--random-plies", "--start", "--margin-ms", "--max-plies", "--restart", "--slots",
        "--simultaneous", "--no-moves", "--repetition", "--sandbox", "--pondering", "--memory-mb",
    }  # fmt: skip


@pytest.mark.parametrize("bots", [[], ["greedy"]])
def test_too_few_bots_on_the_command_line(tmp_path: Path, bots: list[str]) -> None:
    with pytest.raises(SpecError, match="at least two bots"):
        spec_from_flags(bots, folder=tmp_path)


def test_flags_go_before_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "o.txt").write_text("b1-b3\n")
    written = load(tmp_path, "[openings]\nrandom-plies = 2\n" + TWO_BOTS)
    path = tmp_path / "spec.toml"
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert load_spec(path, rounds=99, name="x") == replace(written, rounds=99, name="x")
    changed = load_spec(path, openings="../o.txt")
    assert changed.openings.file is not None
    assert Path(changed.openings.file).samefile(tmp_path / "o.txt")
    with pytest.raises(SpecError, match="--rounds: expected"):
        load_spec(path, rounds=0)


def test_the_example_is_a_good_spec() -> None:
    root = Path(__file__).resolve().parents[3]
    spec = load_spec(root / "bots" / "examples.toml")
    assert spec.name == "examples"
    assert len(spec.bots) == 5
