"""Why no answer came: the bot is gone, its line has no end or other words, it is held back, ..."""

from __future__ import annotations

from typing import Final

from harness.process.bot_process import BotFailure
from harness.process.conformance.candidate import Candidate
from harness.process.conformance.report import Finding, failed
from harness.process.conformance.transcript import Transcript

_LEAST_LEAVE_MS: Final = 500
_OTHER_GREETING: Final = {"ugiok": "uciok", "uciok": "ugiok"}
_NEWLINE_HINT: Final = "End every line with a newline (LF, \\n) and flush it."
_FLUSH_HINT: Final = (
    "Flush after every line: output to a pipe is buffered (C: fflush(stdout) or setvbuf; "
    "Python: print(..., flush=True); Java: out.flush(); Rust: stdout().flush())."
)


def explain_silence(
    bot: Candidate, transcript: Transcript, wanted: str, what: str, usual_hint: str = ""
) -> Finding:
    """Return a finding for a bot that is alive and did not write a line ``wanted`` in time.

    ``what`` begins the sentence, as in "no ugiok within 500 ms"; ``usual_hint`` is what
    to do when nothing shows why. Ends the input of the bot to
    see whether that makes it speak: it cannot be used any more.
    """
    rest = bot.unfinished_line()
    heard = transcript.answers()
    if rest:
        return _unfinished(rest, wanted, what)
    if any("\0" in text for text in heard):
        return failed(
            f"{what}; what came has zero bytes between its letters",
            "The text looks like UTF-16: write UTF-8.",
        )
    if "\ufeff" in "".join(text[:1] for text in heard):
        return failed(
            f"{what}; the first line begins with a byte order mark",
            "Write UTF-8 without a byte order mark.",
        )
    alike = [text for text in heard if wanted.lower() in text.lower().split()[:2]]
    if alike:
        alone = " alone on its line," if wanted.endswith("ok") else ""
        return failed(
            f"{what}; the line that is nearest to it does not count",
            f"Write `{wanted}`{alone} in lower case, at the very beginning of the line: a line "
            "that begins with a blank or with another word is skipped.",
        )
    if wanted in _OTHER_GREETING and _speaks_other_dialect(bot, wanted):
        return _other_dialect(wanted, what)
    if _speaks_at_its_end(bot, wanted):
        return failed(
            f"{what}; it came only when the bot's input was ended",
            f"The bot holds its output back, or reads all of its input first. {_FLUSH_HINT}",
        )
    return failed(what, usual_hint or _hint_for_silence(wanted, heard))


def explain_exit(bot: Candidate, what: str) -> Finding:
    """Return the finding for a bot that ended, or closed its output, while it was asked."""
    words = bot.process.pipes.last_words()
    if "exited with code 0" in what:
        hint = "It left without being told: read line after line until `quit` or the end of input."
    elif "closed its output" in what:
        hint = "Keep standard output open until `quit`."
    elif words:
        hint = "Its last words on stderr say why; the lines with ! are all of them."
    else:
        hint = "It wrote nothing to stderr: run it by hand with the lines with > as its input."
    return failed(f"{what}; its last words: {words}" if words else what, hint)


def explain_failure(
    bot: Candidate, transcript: Transcript, failure: BotFailure, wanted: str, limit_ms: int
) -> Finding:
    """Say why a bot did not write ``wanted`` when it was not asked for a move."""
    silence = f"no {wanted} within {limit_ms} ms"
    if "did not answer" in failure.why:
        return explain_silence(bot, transcript, wanted, silence)
    if bot.has_ended or "closed its output" in failure.why:
        return explain_exit(bot, failure.why.partition("; its last words")[0])
    return failed(failure.why, f"Write only what is asked for, then `{wanted}`.")


def _unfinished(rest: bytes, wanted: str, what: str) -> Finding:
    if b"\0" in rest:
        return failed(
            f"{what}; what came has zero bytes between its letters",
            "The text looks like UTF-16: write UTF-8.",
        )
    if b"\r" in rest:
        return failed(
            f"{what}; what came ends its lines with CR alone",
            "A line ends with LF (\\n); a CR before it is ignored, a CR alone ends nothing.",
        )
    has_word = rest.split()[:1] == [wanted.encode()]
    text = f"`{wanted}`" if has_word else "the last text"
    return failed(f"{what}; {text} came without its newline", _NEWLINE_HINT)


def _other_dialect(wanted: str, what: str) -> Finding:
    flag = _OTHER_GREETING[wanted].removesuffix("ok")
    return failed(
        f"{what}, but `{flag}` is answered with `{flag}ok`",
        f'It speaks {flag.upper()}: use --protocol {flag} (in a file: protocol = "{flag}").',
    )


def _speaks_other_dialect(bot: Candidate, wanted: str) -> bool:
    other = _OTHER_GREETING[wanted].encode()
    bot.tell(other.removesuffix(b"ok") + b"\n")
    limit_ms = min(bot.process.definition.limits.ping_ms, bot.patience.dialect_ms)
    return any(line.split()[:1] == [other] for line in bot.listen(limit_ms, other))


def _speaks_at_its_end(bot: Candidate, wanted: str) -> bool:
    bot.tell(b"quit\n")
    bot.close_input()
    limit_ms = max(bot.process.definition.limits.goodbye_ms, _LEAST_LEAVE_MS)
    late = bot.listen(limit_ms, wanted.encode())
    return any(line.split()[:1] == [wanted.encode()] for line in late)


def _hint_for_silence(wanted: str, heard: list[str]) -> str:
    if heard:
        return (
            f"It wrote {len(heard)} line{'s' if len(heard) != 1 else ''}, none of them "
            f"`{wanted}`. Traces belong on stderr."
        )
    return (
        "It wrote nothing. It must read its input line by line, not to the end; "
        f"answer with `{wanted}`; and flush."
    )
