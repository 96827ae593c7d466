from __future__ import annotations

import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import SpecError
from harness.play.adjudication import Adjudication, DrawRule, ResignRule
from harness.play.bot_definition import (
    BotDefinition,
    BotLimits,
    BotProtocol,
    Pondering,
    RestartPolicy,
    Sandbox,
)
from harness.play.git_source import GitSource, revision_problem
from harness.rules.position import SCRAMBLED_EGGS_START, STANDARD_START
from harness.rules.types import NoMovesRule, RuleSet, SimultaneousRule
from harness.tournament.bot_argument import BOT_NAME, default_labels, parse_bot_argument
from harness.tournament.config import load_spec, spec_to_toml
from harness.tournament.encounter import encounter_id
from harness.tournament.spec import (
    EncounterSpec,
    OpeningSource,
    TournamentFormat,
    TournamentSpec,
)
from harness.tournament.toml_places import key_lines
from tests.property.time_controls import optional, time_controls

FOLDER = "/some/folder"

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
LINES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r\n"), max_size=8)
OPTION_NAMES = st.from_regex(r"[A-Za-z.'\"#=é]{1,5}( [A-Z]{1,3})?", fullmatch=True)


def sorted_pairs(
    names: st.SearchStrategy[str], values: st.SearchStrategy[str]
) -> st.SearchStrategy[tuple[tuple[str, str], ...]]:
    return st.dictionaries(names, values, max_size=3).map(lambda d: tuple(sorted(d.items())))


def have_one_spelling(pairs: tuple[tuple[str, str], ...]) -> bool:
    return len({name.lower() for name, _ in pairs}) == len(pairs)


MEMORY_MB = optional(st.integers(16, 1_048_576))

ADJUDICATIONS = st.builds(
    Adjudication,
    optional(
        st.builds(DrawRule, st.integers(1, 99), st.integers(1, 1000), st.integers(0, 10_000))
    ),
    optional(
        st.builds(ResignRule, st.integers(100, 10**6), st.integers(1, 1000), st.booleans())
    ),
)  # fmt: skip


VERSIONS = st.builds(
    GitSource,
    st.sampled_from([".", ".."]),
    TEXTS.filter(lambda text: revision_problem(text) is None),
    optional(TEXTS.filter(lambda text: bool(text.strip()))),
    st.integers(1, 86_400),
)


@st.composite
def bots(draw: st.DrawFn, name: str) -> BotDefinition:
    is_module = draw(st.booleans())
    limit = st.integers(1, 3_600_000)
    return BotDefinition(
        name=name,
        module=draw(st.sampled_from(["mine", "mine.bot_2"])) if is_module else None,
        command=None if is_module else draw(
            st.tuples(TEXTS.filter(bool)) | st.tuples(TEXTS.filter(bool), TEXTS, TEXTS)
        ),
        folder=FOLDER,
        protocol=draw(st.sampled_from(BotProtocol)),
        options=draw(sorted_pairs(OPTION_NAMES, LINES).filter(have_one_spelling)),
        env=draw(sorted_pairs(TEXTS.filter(lambda text: text and "=" not in text), TEXTS)),
        cwd=draw(st.sampled_from([None, ".", ".."])),
        threads=draw(st.integers(1, 1024)),
        time_control=draw(optional(time_controls())),
        limits=draw(st.builds(BotLimits, limit, limit, limit, st.integers(0, 3_600_000))),
        restart=draw(optional(st.sampled_from(RestartPolicy))),
        git=None if is_module else draw(optional(VERSIONS)),
        memory_mb=draw(MEMORY_MB),
        processes=draw(optional(st.integers(1, 10_000))),
        sandbox=draw(st.sampled_from([None, Sandbox.NONE])),
        pondering=draw(optional(st.sampled_from(Pondering))),
        read=draw(st.lists(TEXTS.filter(bool), max_size=3).map(tuple)),
    )  # fmt: skip


def id_of(encounter: EncounterSpec) -> str:
    return encounter_id(*encounter.bots, encounter.label)


@st.composite
def formats(draw: st.DrawFn, names: list[str]) -> dict[str, Any]:
    form = draw(st.sampled_from(TournamentFormat))
    values: dict[str, Any] = {"format": form, "cycles": draw(st.integers(1, 1000))}
    match form:
        case TournamentFormat.GAUNTLET:
            values["seeds"] = draw(st.integers(1, len(names) - 1))
        case TournamentFormat.SWISS:
            values["swiss_rounds"] = draw(optional(st.integers(1, 1000)))
        case TournamentFormat.KNOCK_OUT:
            values["tie_break_pairs"] = draw(st.integers(0, 1000))
        case TournamentFormat.LIST:
            encounters = st.builds(
                EncounterSpec,
                bots=st.permutations(names).map(lambda order: (order[0], order[1])),
                rounds=optional(st.integers(1, 1_000_000)),
                time_control=optional(time_controls()),
                label=st.from_regex(r"[A-Za-z0-9_+-]{0,64}", fullmatch=True),
            )
            values["encounters"] = tuple(
                draw(
                    st.lists(
                        encounters.filter(lambda one: f"{max(one.bots)}.{one.label}" not in names),
                        min_size=1,
                        max_size=3,
                        unique_by=id_of,
                    )
                )
            )
    return values


@st.composite
def specs(draw: st.DrawFn) -> TournamentSpec:
    names = draw(
        st.lists(
            st.from_regex(r"[A-Za-z0-9._+-]{1,64}", fullmatch=True),
            min_size=2, max_size=4, unique=True,
        )
    )  # fmt: skip
    players = tuple(draw(bots(name)) for name in names)
    is_standard = any(bot.protocol is BotProtocol.UCI for bot in players) or draw(st.booleans())
    return TournamentSpec(
        name=draw(st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}", fullmatch=True)),
        bots=players,
        openings=OpeningSource(
            STANDARD_START if is_standard else SCRAMBLED_EGGS_START,
            "standard" if is_standard else "scrambled-eggs",
            draw(st.integers(0, 10)),
            seed=draw(optional(st.integers(0, 2**63 - 1))),
        ),
        time_control=draw(time_controls()),
        **draw(formats(names)),
        rounds=draw(st.integers(1, 1_000_000)),
        rules=RuleSet(
            draw(st.sampled_from(SimultaneousRule)),
            draw(st.sampled_from(NoMovesRule)),
            draw(st.sampled_from([0, 2, 3, 1000])),
            draw(optional(st.integers(11, 10_000))),
        ),
        adjudication=draw(ADJUDICATIONS),
        margin_ms=draw(st.integers(0, 60_000)),
        max_think_ms=draw(st.integers(1, 86_400_000)),
        seed=draw(st.integers(0, 2**63 - 1)),
        restart=draw(st.sampled_from(RestartPolicy)),
        slots=draw(optional(st.integers(1, 1024))),
        force=draw(st.booleans()),
        pondering=draw(st.sampled_from(Pondering)),
        memory_mb=draw(MEMORY_MB),
    )


@settings(deadline=None)
@given(specs())
def test_a_written_spec_loads_to_itself(spec: TournamentSpec) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "spec.toml"
        path.write_bytes(spec_to_toml(spec).encode())
        loaded = load_spec(path)
        text = spec_to_toml(loaded)
    assert text == spec_to_toml(spec)
    assert [bot.folder for bot in loaded.bots] == [folder] * len(loaded.bots)
    assert repr(loaded).replace(repr(folder), repr(FOLDER)) == repr(spec)


@settings(deadline=None, max_examples=50)
@given(specs(), st.data())
def test_a_damaged_spec_is_refused_or_read_but_never_an_accident(
    spec: TournamentSpec, data: st.DataObject
) -> None:
    text = spec_to_toml(spec).encode()
    at = data.draw(st.integers(0, len(text)))
    to = data.draw(st.integers(at, min(len(text), at + 8)))
    damaged = text[:at] + data.draw(st.binary(max_size=6)) + text[to:]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "spec.toml"
        path.write_bytes(damaged)
        try:
            load_spec(path)
        except SpecError as error:
            str(error).encode()


def basic_string(text: str) -> str:
    return '"' + "".join(f"\\U{ord(character):08X}" for character in text) + '"'


SCALARS = ["1", "-1.5e3", "true", "1979-05-27 07:32:00", "'#]}'", "'''\n''x'''", '""""a"""']
VALUES = st.recursive(
    st.sampled_from(SCALARS) | TEXTS.map(basic_string),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda values: f"[ # ]\n{', '.join(values)}\n]"),
        st.lists(inner, min_size=1, max_size=3).map(
            lambda values: "{ " + ", ".join(f"a{n}.b = {v}" for n, v in enumerate(values)) + " }"
        ),
    ),
    max_leaves=6,
)  # fmt: skip


@given(st.lists(st.tuples(st.sampled_from(["", "\n", "# x\n"]), VALUES), max_size=6))
def test_the_line_of_every_key_is_found(entries: list[tuple[str, str]]) -> None:
    text, expected = "", {}
    for number, (before, value) in enumerate(entries):
        text += before
        expected[f"key{number}"] = text.count("\n") + 1
        text += f"key{number} = {value}\n"
    tomllib.loads(text)
    lines = key_lines(text)
    assert {str(path[0]): line for path, line in lines.items() if len(path) == 1} == expected


@given(
    st.lists(
        st.text("abc/ .-é'", min_size=1, max_size=70).map(lambda text: f"./{text}"), max_size=6
    )
)
def test_default_labels_are_good_names_and_differ(texts: list[str]) -> None:
    arguments = []
    for text in texts:
        try:
            arguments.append(parse_bot_argument(text, Path("/")))
        except SpecError:
            continue
    labels = default_labels(arguments)
    assert len(set(labels)) == len(labels)
    assert all(BOT_NAME.fullmatch(label) for label in labels)
