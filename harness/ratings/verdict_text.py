"""What a sequential test says, in plain words."""

from __future__ import annotations

from harness.ratings.betting import Evidence
from harness.ratings.sequential_match import SequentialReport
from harness.ratings.sprt import EloModel, SequentialTest, Verdict, design


def verdict_word(verdict: Verdict) -> str:
    """Return ``H1``, ``H0`` or ``undecided``."""
    return "undecided" if verdict is Verdict.CONTINUE else verdict.value


def question_text(test: SequentialTest, base: str, tested: str) -> str:
    """Say what is being asked, for people who copied bounds from somewhere."""
    unit = _unit(test)
    if test.elo0 < 0 < test.elo1:
        question = f"has {tested} not become worse than {base}?"
    elif test.elo0 >= 0:
        question = f"is {tested} better than {base}?"
    else:
        question = f"how much worse than {base} is {tested}?"
    return (
        f"{question} H1: by {test.elo1:+g} {unit}, H0: by {test.elo0:+g} {unit}; where H0 holds, "
        f"H1 comes in at most {100 * test.alpha:g} %, where H1 holds, H0 in at most "
        f"{100 * test.beta:g} %; in between either may come"
    )


def verdict_text(report: SequentialReport, base: str, tested: str, why: str = "") -> str:
    """Return the verdict as a sentence and what it means; ``why`` an undecided test ended."""
    test, unit = report.test, _unit(report.test)
    match report.verdict:
        case Verdict.H1 if test.elo0 >= 0:
            words = f"{tested} is better than {base}"
            means = f"the games are far likelier if it is {test.elo1:g} {unit} better than if it "
            means += f"is {test.elo0:g} better"
        case Verdict.H1 if test.elo1 > 0:
            words = f"{tested} is no step back from {base}"
            means = f"it is not {-test.elo0:g} {unit} worse; that it is better is not said"
        case Verdict.H1:
            words = f"{tested} is not so much worse than {base}"
            means = f"nearer to {test.elo1:+g} than to {test.elo0:+g} {unit}"
        case Verdict.H0 if test.elo0 >= 0:
            words = f"no improvement by {test.elo1:g} {unit}"
            means = f"{tested} may still be a little better than {base}, equal or worse"
            if report.bet.evidence is Evidence.WORSE:
                means = f"{tested} is worse than {base}, as the bets below show"
        case Verdict.H0:
            words = f"{tested} is not shown to hold its own against {base}"
            means = f"the games are far likelier at {test.elo0:+g} than at {test.elo1:+g} {unit}"
            means += _chance_of_equals(test)
        case _:
            words = f"nothing is shown about {tested} and {base}"
            means = why or "the test has not come to its end"
    return f"{verdict_word(report.verdict)}: {words} ({means})."


def _chance_of_equals(test: SequentialTest) -> str:
    """Say how often equal bots get H0: many take it for "worse"."""
    if test.model is not EloModel.NORMALIZED:
        return ""
    return f"; equal bots get this in {100 * (1 - design(test, 0).chance_of_h1):.0f} %"


def _unit(test: SequentialTest) -> str:
    return "nElo" if test.model is EloModel.NORMALIZED else "Elo"
