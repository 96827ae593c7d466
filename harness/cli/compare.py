"""``loa compare``: whether one bot is better than another, or a new version than an old one."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from harness.cli.exit_codes import INCOMPLETE, STOPPED
from harness.cli.game_options import game_options, given_flags
from harness.cli.locate import results_option
from harness.cli.run_settings import RunSettings, chosen_affinity
from harness.cli.version_options import cache_option, with_versions
from harness.cli.whole_number_type import WholeNumber
from harness.ending_signals import exit_code_of_signal
from harness.errors import ConditionsError, InputError

if TYPE_CHECKING:
    from harness.play.bot_definition import BotDefinition
    from harness.tournament.spec import TournamentSpec

DEFAULT_MAX_PAIRS: Final = 4_000
PRESETS: Final = {"improvement": (0.0, 20.0), "no-regression": (-10.0, 10.0)}
VERDICT_EXIT_CODES: Final = {"H1": 0, "H0": 10, "undecided": 11}


@click.command("compare")
@click.argument("bots", nargs=-1, metavar="BASE TEST | SPEC.toml")
@click.option(
    "--for",
    "preset",
    type=click.Choice(sorted(PRESETS)),
    help="improvement: elo0 0, elo1 20. no-regression: elo0 -10, elo1 10.  [default: improvement]",
)
@click.option("--elo0", type=float, help="H0: TEST is so much better than BASE.")
@click.option("--elo1", type=float, help="H1: TEST is so much better than BASE.")
@click.option("--alpha", type=float, help="Chance of a wrong H1.  [default: 0.05]")
@click.option("--beta", type=float, help="Chance of a wrong H0.  [default: 0.05]")
@click.option(
    "--model",
    type=click.Choice(["normalized", "logistic"]),
    help="What elo0 and elo1 are: nElo, in standard deviations of a game, or Elo of the score.  "
    "[default: normalized]",
)
@click.option(
    "--max-pairs",
    type=WholeNumber(1, 1_000_000),
    help="Give up undecided after so many.  [default: 4000]",
)
@click.option("--git", "repo", metavar="REPO", help="Compare two versions in this repository.")
@click.option(
    "--base", metavar="REV", help="With --git: the old version; WORKTREE is what is there now."
)
@click.option("--test", "tested", metavar="REV", help="With --git: the new one.  [default: HEAD]")
@click.option("--build", metavar="COMMAND", help="With --git: build a version with this.")
@click.option("--bot", metavar="COMMAND", help="With --git: start a version with this.")
@game_options
@click.option("--json", "as_json", is_flag=True, help="Print the verdict as one JSON document.")
@click.option(
    "--exit-code", "has_exit_code", is_flag=True, help="End with 0 for H1, 10 for H0, 11 undecided."
)
@cache_option
@results_option
def command(
    *,
    bots: tuple[str, ...],
    preset: str | None,
    max_pairs: int | None,
    repo: str | None,
    base: str | None,
    tested: str | None,
    build: str | None,
    bot: str | None,
    serial: bool,
    as_json: bool,
    has_exit_code: bool,
    cache: Path | None,
    results: Path,
    affinity: str | None,
    events: str | None,
    has_transcripts: bool,
    **flags: object,
) -> None:
    """Play two bots until it is shown which of two statements about them holds.

    A sequential test (GSPRT on game pairs): it stops as soon as the games are far likelier
    under H1 or under H0. Pairs count in the order of the schedule, so that quick losses cannot
    decide first; no opening counts twice. The same command again goes on where it stopped.

    Two versions of a bot: loa compare --git . --base main --test HEAD --build make --bot ./mybot
    """
    if as_json and events == "-":
        raise InputError("--json and --events - both want stdout; give --events a file")
    placing = chosen_affinity(affinity, flags["slots"], is_serial=serial)
    versions = _Versions(repo, base, tested, build, bot)
    spec = _spec(bots, versions, preset, max_pairs, flags)
    if repo is None:
        spec = with_versions(spec, cache, results)
    else:
        spec = _named(with_versions(spec, cache, results), is_named=flags.get("name") is not None)
    code = _play(
        spec,
        results / spec.name,
        RunSettings(is_serial=serial, affinity=placing, has_transcripts=has_transcripts),
        events=events,
        as_json=as_json,
        has_exit_code=has_exit_code,
    )
    if code:
        sys.stdout.flush()
        sys.exit(code)


def _play(
    spec: TournamentSpec,
    folder: Path,
    settings: RunSettings,
    *,
    events: str | None,
    as_json: bool,
    has_exit_code: bool,
) -> int:
    """Play a test until it is decided or stopped, say where it stands, return the exit code."""
    from harness.cli.following import Following
    from harness.cli.progress import say
    from harness.cli.run_games import run_games
    from harness.cli.sequential_text import document_text, end_text
    from harness.director.events import EndReason
    from harness.report.safe_text import printable

    following = Following(events)
    with following.until_the_end():
        try:
            ended, watch = run_games(spec, folder, settings, events=following.stream)
        except ConditionsError as error:
            raise InputError(
                f"{error}\n  a test takes no changed bot: give the bot another label, or the test "
                "another --name"
            ) from error
        assert watch is not None
        stored = f"{ended.finished} games are stored in {folder}; the same command goes on"
        if ended.interrupted_by is not None:
            say(f"stopped: {stored}")
            return following.end(ended, exit_code_of_signal(ended.interrupted_by))
        for name, why in ended.set_aside:
            say(f"{name} was set aside: {printable(why)}")
        with following.results():
            text = document_text(watch, spec.name) if as_json else end_text(watch)
            click.echo(text, nl=not as_json)
        if not watch.is_decided and not watch.is_exhausted:
            if ended.reason is EndReason.STOPPED:
                say(f"stopped as asked: {stored}")
                return following.end(ended, STOPPED)
            say("games stay open; the same command tries them again")
            return following.end(ended, INCOMPLETE)
    return following.end(ended, VERDICT_EXIT_CODES[watch.word] if has_exit_code else 0)


class _Versions(NamedTuple):
    """What ``--git`` and its companions say."""

    repo: str | None
    base: str | None
    tested: str | None
    build: str | None
    bot: str | None

    def definitions(self) -> tuple[BotDefinition, ...]:
        """Return the old and the new version, still to be prepared; none without ``--git``."""
        if self.repo is None:
            if any(value is not None for value in self[1:]):
                raise InputError("--base, --test, --build and --bot go with --git")
            return ()
        if not self.repo:
            raise InputError("--git names no repository; for this folder write --git .")
        if self.base is None or self.bot is None:
            raise InputError("--git needs --base REV, the old version, and --bot COMMAND")
        from harness.versions.prepare import git_bot

        return tuple(
            git_bot(self.repo, rev, self.build, self.bot, folder=Path.cwd())
            for rev in (self.base, "HEAD" if self.tested is None else self.tested)
        )


def _spec(
    bots: tuple[str, ...],
    versions: _Versions,
    preset: str | None,
    max_pairs: int | None,
    flags: dict[str, object],
) -> TournamentSpec:
    """Return the specification of a file, of two bots, or of two versions still without names."""
    from dataclasses import replace

    from harness.tournament.config import load_spec, spec_from_flags

    given = given_flags(flags)
    definitions = versions.definitions()
    if len(bots) == 1 and bots[0].endswith(".toml") and not definitions:
        if max_pairs is not None:
            given["rounds"] = max_pairs
        if preset is not None:
            given |= _preset_terms(preset, given)
        spec = load_spec(Path(bots[0]), **given)
        if spec.test is None:
            raise InputError(f"{bots[0]} has no [test]: add one, or play it with `loa run`")
        return spec
    if len(bots) != (0 if definitions else 2):
        wanted = "no BOT beside --git" if definitions else "two bots, BASE and TEST, or one spec"
        raise InputError(f"compare takes {wanted}, not {len(bots)}")
    given["rounds"] = DEFAULT_MAX_PAIRS if max_pairs is None else max_pairs
    given |= _preset_terms(preset or "improvement", given)
    # Versions are named once their commits are known; until then others hold their places.
    spec = spec_from_flags(bots or ("base=random", "test=random"), folder=Path.cwd(), **given)
    return replace(spec, bots=definitions) if definitions else spec


def _preset_terms(preset: str, given: Mapping[str, object]) -> dict[str, object]:
    elo0, elo1 = PRESETS[preset]
    return {"elo0": given.get("elo0", elo0), "elo1": given.get("elo1", elo1)}


def _named(spec: TournamentSpec, *, is_named: bool) -> TournamentSpec:
    from dataclasses import replace

    from harness.tournament.conditions import derived_name

    one, other = spec.bots
    if one.checkout == other.checkout:
        raise InputError(f"both versions are the same commit: {one.name}")
    return spec if is_named else replace(spec, name=derived_name(spec))
