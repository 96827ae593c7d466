"""One slot: plays the jobs it is given, keeps bots between games, reports what happened."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import assert_never

from harness.play.bot_definition import BotDefinition, RestartPolicy, Sandbox
from harness.play.referee import Referee
from harness.play.runner import play
from harness.play.types import BotRun, Cause, CauseKind, GameRecord, GameSpec, Outcome
from harness.process.bot_process import BotFailure, BotProcess
from harness.process.containment import Containment, containment_text
from harness.process.farewell import Leaving
from harness.process.greeting import (
    Greeting,
    configure,
    greet,
    new_game,
    option_problems,
    rule_warnings,
    takes_draw_offers,
)
from harness.process.jobs import (
    Greeted,
    GreetJob,
    Job,
    PairJob,
    Played,
    SessionEvent,
    Started,
    StartFailed,
    Voided,
)
from harness.process.journal import Journal
from harness.process.lateness import Lateness, ThreadTimes
from harness.process.pipes import AttemptLost, Trace, Withdrawn
from harness.process.strays import Strays
from harness.rules.types import Color, RuleSet
from harness.version import VERSION

_KEPT_BOTS = 2
_MAX_FAILURES_IN_A_ROW = 2
_MAX_LEAVING = 8
_MAX_SLEEP_NS = 500_000_000


class _Seat:
    """A running bot that was greeted, and whether it was kept from an earlier game."""

    __slots__ = ("bot", "games_played", "greeting", "terms")

    def __init__(self, bot: BotProcess, greeting: Greeting) -> None:
        self.bot = bot
        self.greeting = greeting
        self.games_played = 0
        self.terms = _terms(bot.definition)


class Session:
    """Plays one job after another in one process.

    ``control_fd`` becomes readable when the run wants the slot back: the running job then ends
    with ``Withdrawn``. It ends with ``AttemptLost`` when the machine failed and no bot did; the
    session must then be killed and can go on. ``containment`` is what this process lives in;
    unless it is ``process-group``, bots must be its only children. ``affinity`` is recorded: the
    processors of this slot. Must live in the main thread. ``close`` ends all bots.
    """

    def __init__(
        self,
        slot: int,
        control_fd: int | None = None,
        trace: Trace | None = None,
        containment: Containment = Containment.PROCESS_GROUP,
        affinity: str = "off",
    ) -> None:
        self._slot = slot
        self._control_fd = control_fd
        self._trace = trace
        self._containment = containment
        self._strays = Strays(containment)
        self._starting: BotProcess | None = None
        self._leaving = Leaving()
        self._provenance: dict[str, str | int] = {
            "slot": slot,
            "containment": containment_text(containment),
            "affinity": affinity,
            "harness": VERSION,
            "python": platform.python_version(),
            "machine": platform.node(),
        }
        self._seats: dict[str, _Seat] = {}
        self._worn_out: dict[str, str] = {}
        self._failed: dict[str, str] = {}
        self._times = ThreadTimes.of_this_thread()
        self._has_long_turns = True

    def run(self, job: Job) -> Iterator[SessionEvent]:
        """Do one job; yields what happens as it happens."""
        match job:
            case PairJob():
                yield from self._play_pair(job)
            case GreetJob():
                yield self._greet(job)
            case _:
                assert_never(job)

    def look(self) -> None:
        """Look at the bots that are kept while nothing is played; to be called now and then."""
        for seat in self._seats.values():
            seat.bot.guard.look()
        self._end_strays()

    def close(self) -> None:
        """Let all bots go politely."""
        self._leaving.add(seat.bot for seat in self._seats.values())
        self._seats.clear()
        self._leaving.finish()
        self._end_strays()
        self._times.close()
        self._strays.close()

    def kill(self) -> None:
        """End all bots at once."""
        for seat in self._seats.values():
            seat.bot.kill()
        self._seats.clear()
        self._leaving.kill()
        self._end_strays()

    def _play_pair(self, job: PairJob) -> Iterator[SessionEvent]:
        for bot in job.bots:
            if bot.name in self._failed:
                yield StartFailed(bot.name, self._failed[bot.name], job)
                return
        self._leaving.finish()  # nothing of preflight computes beside a game
        attempts = dict(job.attempts)
        for game in job.games:
            failures: dict[str, int] = {}
            attempt = attempts.get(game.game_id, 1)
            yield Started(game, self._slot)
            while True:
                try:
                    journal = Journal(is_whole=job.has_transcript)
                    lateness = Lateness(self._times)
                    seats = self._take_seats(job, game, journal, lateness)
                except BotFailure as failure:
                    self._remove(failure.bot)
                    yield Voided(game, failure.bot, failure.why, attempt)
                    failures[failure.bot] = failures.get(failure.bot, 0) + 1
                    is_final = failure.bot in self._worn_out
                    if failures[failure.bot] >= _MAX_FAILURES_IN_A_ROW or is_final:
                        self._release(job)
                        self._failed[failure.bot] = failure.why
                        yield StartFailed(failure.bot, failure.why, job)
                        return
                    attempt += 1
                    continue
                record = self._play_game(job, game, seats, attempt, journal, lateness)
                yield Played(record, self._slot)
                break
            self._release(job)

    def _play_game(
        self,
        job: PairJob,
        game: GameSpec,
        seats: tuple[_Seat, _Seat],
        attempt: int,
        journal: Journal,
        lateness: Lateness,
    ) -> GameRecord:
        black, white = seats
        black.bot.watch(white.bot)
        referee = Referee(
            game,
            (
                takes_draw_offers(black.bot.definition, black.greeting),
                takes_draw_offers(white.bot.definition, white.greeting),
            ),
        )
        kept = (black.games_played > 0) + (white.games_played > 0)
        started_at = datetime.now(UTC).isoformat(timespec="milliseconds")
        begun_ns, slept_ns = time.monotonic_ns(), _slept_ns()
        outcome = play(referee, (black.bot, white.bot))
        duration_ns = time.monotonic_ns() - begun_ns
        self._has_long_turns = lateness.has_long_turns
        _check_attempt(outcome, seats, _slept_ns() - slept_ns)
        for seat in seats:
            seat.bot.end_game()
        identities = dict(job.identities)
        for seat in seats:
            seat.games_played += 1
        is_forfeit = outcome.cause.kind is CauseKind.FORFEIT
        if is_forfeit:
            assert outcome.winner is not None
            seats[outcome.winner.opponent].bot.is_faulty = True
        return GameRecord(
            spec=game,
            outcome=outcome,
            plies=referee.plies,
            black=_bot_run(black, identities),
            white=_bot_run(white, identities),
            started_at=started_at,
            duration_ns=duration_ns,
            final_reply=referee.final_reply,
            provenance={
                **self._provenance,
                "attempt": attempt,
                "kept-bots": kept,
                "slots": job.slots,
                "forced": int(job.is_forced),
                **{f"black-{key}": value for key, value in black.terms.items()},
                **{f"white-{key}": value for key, value in white.terms.items()},
                **lateness.entries(),
            },
            log=journal.text() if is_forfeit or job.has_transcript else "",
        )

    # Bots

    def _take_seats(
        self, job: PairJob, game: GameSpec, journal: Journal, lateness: Lateness
    ) -> tuple[_Seat, _Seat]:
        """Have both bots running and ready for this game; BotFailure names the one that is not."""
        names = [game.player(color).name for color in Color]
        seats = [self._seat(job, name, game.rules) for name in names]
        for seat, other in zip(seats, reversed(seats), strict=True):
            if not seat.bot.is_watching(other.bot):
                seat.bot.watch(None)
            seat.bot.begin_game(journal)
            new_game(seat.bot, seat.greeting, game.seed, game.game_id)
            seat.bot.begin_count(lateness, has_long_turns=self._has_long_turns)
        return seats[0], seats[1]

    def _seat(self, job: PairJob, name: str, rules: RuleSet) -> _Seat:
        seat = self._seats.get(name)
        if seat is not None:
            # Moved to the end: the bots used last are the ones that are kept.
            self._seats[name] = self._seats.pop(name)
            return seat
        if name in self._worn_out:
            raise BotFailure(name, self._worn_out[name])
        definition = job.bot(name)
        seat = self._start(definition, rules)
        if job.restart_of(definition) is RestartPolicy.NEVER:
            self._worn_out[name] = 'its process ended and restart is "never"'
        return seat

    def _start(self, definition: BotDefinition, rules: RuleSet) -> _Seat:
        bot = self._launch(definition)
        try:
            greeting = greet(bot)
            _check_options(definition, greeting)
            seat = _Seat(bot, greeting)
            configure(bot, greeting, rules)
        except BaseException:
            bot.kill()
            raise
        finally:
            self._starting = None
        self._seats[definition.name] = seat
        return seat

    def _launch(self, definition: BotDefinition) -> BotProcess:
        self._starting = BotProcess(
            definition, self._control_fd, self._trace, self._end_strays, self._containment
        )
        return self._starting

    def _end_strays(self) -> None:
        """End what left its bot; whatever else this process has started are its bots."""
        self._strays.end(self._bot_ids())

    def _bot_ids(self) -> set[int]:
        bots = {seat.bot.process_id for seat in self._seats.values()}
        bots |= self._leaving.process_ids
        if self._starting is not None:
            bots.add(self._starting.process_id)
        return bots

    def _remove(self, name: str) -> None:
        seat = self._seats.pop(name, None)
        if seat is not None:
            seat.bot.kill()

    def _release(self, job: PairJob) -> None:
        """After a game: let go of bots that faulted, must be restarted, or are too many."""
        leaving = []
        for name, seat in list(self._seats.items()):
            if seat.bot.is_faulty or seat.bot.guard.condemned:
                self._remove(name)
                continue
            policy = job.restart_of(seat.bot.definition)
            if policy is RestartPolicy.ALWAYS and seat.games_played:
                leaving.append(name)
        keepers = [
            name
            for name, seat in self._seats.items()
            if job.restart_of(seat.bot.definition) is not RestartPolicy.NEVER
            and name not in leaving
        ]
        leaving += keepers[: max(0, len(keepers) - _KEPT_BOTS)]
        if leaving:
            self._leaving.add(self._seats.pop(name).bot for name in leaving)
            self._leaving.finish()
        if self._strays.are_seen(self._bot_ids()):
            self._end_strays()

    def _greet(self, job: GreetJob) -> Greeted:
        why = ""
        for _ in range(_MAX_FAILURES_IN_A_ROW):
            try:
                bot = self._launch(job.bot)
            except BotFailure as failure:
                return Greeted(job.bot.name, problems=(failure.why,))
            try:
                return self._greeted(bot, job)
            except BotFailure as failure:
                why = failure.why
            except Withdrawn:
                bot.kill()
                raise
            finally:
                self._starting = None
                self._leaving.add([bot])
                if len(self._leaving) >= _MAX_LEAVING:
                    self._leaving.finish()
                self._end_strays()
        return Greeted(job.bot.name, failure=why)

    def _greeted(self, bot: BotProcess, job: GreetJob) -> Greeted:
        greeting = greet(bot)
        problems = option_problems(job.bot, greeting)
        if not problems:
            configure(bot, greeting, job.rules)
        return Greeted(
            bot=bot.name,
            announced=greeting.name,
            problems=tuple(problems),
            warnings=tuple(rule_warnings(job.rules, greeting)),
        )


def _check_options(definition: BotDefinition, greeting: Greeting) -> None:
    """Raise BotFailure when a bot no longer takes an option that it took in preflight."""
    problems = option_problems(definition, greeting)
    if problems:
        raise BotFailure(definition.name, "; ".join(problems))


def _slept_ns() -> int:
    """Return how long the machine has slept since it was started; only differences count."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) - time.monotonic_ns()


def _check_attempt(outcome: Outcome, seats: tuple[_Seat, _Seat], slept_ns: int) -> None:
    """Raise AttemptLost when it was not a bot that made the game end as it did."""
    if slept_ns > _MAX_SLEEP_NS:
        raise AttemptLost(f"the machine slept for {slept_ns / 1e9:.1f} s in the game")
    if outcome.cause is not Cause.CRASH or outcome.winner is None:
        return
    bot = seats[outcome.winner.opponent].bot
    if bot.was_killed_from_outside:
        raise AttemptLost(
            f"{bot.name} was killed from outside (SIGKILL): by a person, or by the system for "
            "want of memory"
        )


def _terms(definition: BotDefinition) -> dict[str, str]:
    """Return what a game's provenance says of a bot's program: its sandbox and its commit."""
    terms = {}
    if definition.sandbox not in (None, Sandbox.NONE):
        terms["sandbox"] = definition.sandbox.value
    if definition.checkout is not None:
        terms["commit"] = definition.checkout.commit
    return terms


def _bot_run(seat: _Seat, identities: dict[str, str]) -> BotRun:
    return BotRun(
        identity=identities.get(seat.bot.name, ""),
        announced=seat.greeting.name,
        stderr=seat.bot.errors_text,
        process_id=seat.bot.process_id,
        usage=seat.bot.guard.usage,
    )
