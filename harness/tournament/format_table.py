"""What a tournament's format needs, read from ``[tournament]`` and ``[[encounter]]``."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from harness.tournament.bot_table import read_time_control
from harness.tournament.encounter import encounter_id
from harness.tournament.spec import (
    DEFAULT_TIE_BREAK_PAIRS,
    EncounterSpec,
    TournamentFormat,
    TournamentSpec,
)
from harness.tournament.toml_table import ProblemList, TomlTable, nearest_hint

FORMAT_KEYS: Final = ("cycles", "seeds", "swiss-rounds", "tie-break-pairs")
MAX_CYCLES: Final = 1_000
MAX_SEEDS: Final = 1_000
MAX_SWISS_ROUNDS: Final = 1_000
MAX_TIE_BREAK_PAIRS: Final = 1_000

_LABEL: Final = re.compile(r"[A-Za-z0-9_+-]{1,64}")
_KEYS_OF_ONE_FORMAT: Final[Mapping[str, TournamentFormat]] = {
    "seeds": TournamentFormat.GAUNTLET,
    "swiss-rounds": TournamentFormat.SWISS,
    "tie-break-pairs": TournamentFormat.KNOCK_OUT,
}


class FormatValues(NamedTuple):
    """Who meets whom, and how often."""

    format: TournamentFormat
    cycles: int
    seeds: int
    swiss_rounds: int | None
    tie_break_pairs: int
    encounters: tuple[EncounterSpec, ...]


def read_format(table: TomlTable, encounters: Sequence[TomlTable], max_rounds: int) -> FormatValues:
    """Read the format and its keys; those of another format are noted."""
    usual = TournamentFormat.LIST if encounters else TournamentFormat.ROUND_ROBIN
    written = table.choice("format", TournamentFormat)
    form = written or usual
    is_readable = written is not None or not table.has("format")
    cycles = table.integer("cycles", 1, MAX_CYCLES)
    seeds = table.integer("seeds", 1, MAX_SEEDS)
    swiss_rounds = table.integer("swiss-rounds", 1, MAX_SWISS_ROUNDS)
    tie_break_pairs = table.integer("tie-break-pairs", 0, MAX_TIE_BREAK_PAIRS)
    for key, home in _KEYS_OF_ONE_FORMAT.items():
        if table.has(key) and form is not home and is_readable:
            table.note(key, f'is for format = "{home.value}", this is "{form.value}"')
    if encounters and form is not TournamentFormat.LIST and is_readable:
        encounters[0].problems.add(
            encounters[0].path, f'[[encounter]] is for format = "list", this is "{form.value}"'
        )
    if form is TournamentFormat.LIST and not encounters:
        table.note("format", "a list needs [[encounter]] tables, each with bots = [A, B]")
    return FormatValues(
        form,
        1 if cycles is None else cycles,
        1 if seeds is None else seeds,
        swiss_rounds,
        DEFAULT_TIE_BREAK_PAIRS if tie_break_pairs is None else tie_break_pairs,
        tuple(_read_encounter(one, max_rounds) for one in encounters),
    )


def _read_encounter(table: TomlTable, max_rounds: int) -> EncounterSpec:
    names = table.words("bots", '["greedy", "mybot"]')
    if not table.has("bots"):
        table.note("bots", 'an encounter needs bots = ["A", "B"]')
    elif names is not None and (len(names) != 2 or names[0] == names[1]):
        table.note("bots", f"an encounter is of two different bots, not {len(names)}: {names}")
        names = None
    label = table.text("label")
    if label is not None and _LABEL.fullmatch(label) is None:
        table.note("label", f"a label is 1 to 64 of A-Z a-z 0-9 _ + -, not {label!r}")
    encounter = EncounterSpec(
        bots=(names[0], names[1]) if names is not None and len(names) == 2 else ("", ""),
        rounds=table.integer("rounds", 1, max_rounds),
        time_control=read_time_control(table),
        label=label or "",
    )
    table.finish()
    return encounter


def check_format(spec: TournamentSpec, problems: ProblemList) -> None:
    """Note what does not go together with the bots."""
    names = [bot.name for bot in spec.bots]
    if spec.format is TournamentFormat.GAUNTLET and len(names) > 1 and spec.seeds >= len(names):
        why = f"{spec.seeds} seeds leave none of {len(names)} bots to meet"
        problems.add(("tournament", "seeds"), why)
    seen: dict[str, int] = {}
    for place, encounter in enumerate(spec.encounters):
        if encounter.bots != ("", ""):
            _check_encounter(encounter, place, names, seen, problems)


def _check_encounter(
    encounter: EncounterSpec,
    place: int,
    names: Collection[str],
    seen: dict[str, int],
    problems: ProblemList,
) -> None:
    for seat, name in enumerate(encounter.bots):
        if name not in names:
            why = f"no bot is called {name!r}{nearest_hint(name, names)}"
            problems.add(("encounter", place, "bots", seat), why)
    identity = encounter_id(*encounter.bots, encounter.label)
    first = seen.setdefault(identity, place)
    if first != place:
        why = f"{identity} is encounter {first + 1}; a label of its own tells it apart"
        problems.add(("encounter", place, "label"), why)
    as_name = f"{max(encounter.bots)}.{encounter.label}"
    if encounter.label and as_name in names:
        why = f"{identity} would also be the name of an encounter of {as_name}: take another label"
        problems.add(("encounter", place, "label"), why)
