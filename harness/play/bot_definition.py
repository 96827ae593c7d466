"""What a bot is: how it is started, configured and limited."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from harness.play.clock import TimeControl
from harness.play.git_source import Checkout, GitSource


@dataclass(frozen=True, slots=True)
class BotLimits:
    """How long a bot may take where no game clock runs, in milliseconds."""

    start_ms: int = 30_000
    new_game_ms: int = 10_000
    ping_ms: int = 10_000
    goodbye_ms: int = 500


class BotProtocol(Enum):
    """The dialect of the line protocol that a bot speaks."""

    UGI = "ugi"
    UCI = "uci"


class RestartPolicy(Enum):
    """Whether a bot process is kept for the next game.

    ``auto`` keeps it unless it faulted, ``always`` starts a new process for every game,
    ``never`` keeps it and sets the bot aside when it dies.
    """

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class Pondering(Enum):
    """What is done about a bot that computes while it is not asked.

    ``ignore`` measures it and warns; ``suspend`` stops all its processes between its turns.
    """

    IGNORE = "ignore"
    SUSPEND = "suspend"


class Sandbox(Enum):
    """What keeps a bot away from the machine: nothing, or bubblewrap."""

    NONE = "none"
    BWRAP = "bwrap"


@dataclass(frozen=True, slots=True)
class BotDefinition:
    """How a bot is started and configured. Exactly one of ``module`` and ``command`` is set.

    ``command`` holds the words as written; a relative program path that contains ``/`` and
    ``cwd`` are relative to ``folder``, the absolute folder of the spec (or the working
    directory). ``options`` and ``env`` are sorted pairs. ``threads`` is the number of cores
    that the bot uses. ``time_control`` None means the tournament's. With ``git`` the program is
    a version in a repository; ``checkout`` says which and where, once it was found, and then
    stands in place of ``folder`` for ``command`` and ``cwd``.

    ``memory_mb`` and ``processes`` bound all processes of the bot together; ``sandbox`` and
    ``pondering`` None mean the tournament's. ``read`` names files and folders that a bot in a
    sandbox may read besides its own, absolute or relative to ``folder``.
    """

    name: str
    module: str | None = None
    command: tuple[str, ...] | None = None
    folder: str = ""
    protocol: BotProtocol = BotProtocol.UGI
    options: tuple[tuple[str, str], ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    cwd: str | None = None
    threads: int = 1
    time_control: TimeControl | None = None
    limits: BotLimits = field(default_factory=BotLimits)
    restart: RestartPolicy | None = None
    git: GitSource | None = None
    checkout: Checkout | None = None
    memory_mb: int | None = None
    processes: int | None = None
    sandbox: Sandbox | None = None
    pondering: Pondering | None = None
    read: tuple[str, ...] = ()
