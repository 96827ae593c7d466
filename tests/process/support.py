"""What tests with real processes share: faulty bots, game specs, and a count of what is left."""

from __future__ import annotations

import sys
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path

from harness.play.bot_definition import BotDefinition, BotLimits
from harness.play.clock import TimeControl
from harness.play.types import GameSpec, Opening, PlayerSpec
from harness.rules.position import STANDARD_START
from harness.rules.types import RuleSet

FAULTY_BOT = Path(__file__).parent.parent / "faulty_bots" / "faulty_bot.py"
MS = 1_000_000


@dataclass
class Tag:
    """Marks every process of one test through its environment, so that what is left is found."""

    value: str = field(default_factory=lambda: uuid.uuid4().hex)

    def processes(self) -> list[int]:
        """Return the living processes that carry the tag; zombies do not live."""
        found = []
        for folder in Path("/proc").iterdir():
            if not folder.name.isdigit():
                continue
            try:
                environment = (folder / "environ").read_bytes()
                state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if self.value.encode() in environment and state not in "ZX":
                found.append(int(folder.name))
        return found

    def assert_nothing_left(self, within_seconds: float = 2.0) -> None:
        deadline = time.monotonic() + within_seconds
        while (left := self.processes()) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert left == []


def faulty_bot(
    name: str, mode: str, turn: int = 1, *, tag: Tag | None = None, limits: BotLimits | None = None
) -> BotDefinition:
    return BotDefinition(
        name=name,
        command=(sys.executable, "-S", str(FAULTY_BOT), mode, str(turn)),
        folder=str(Path.cwd()),
        env=(("LOA_TEST_TAG", tag.value),) if tag else (),
        limits=limits or BotLimits(),
    )


def game_spec(
    black: str = "a",
    white: str = "b",
    *,
    leg: str = "a",
    pair: int = 1,
    control: str = "move=0.2",
    max_plies: int = 12,
) -> GameSpec:
    time_control = TimeControl.parse(control)
    first, second = sorted((black, white))
    return GameSpec(
        game_id=f"{first}~{second}.{pair}{leg}",
        encounter=f"{first}~{second}",
        pair=pair,
        leg=leg,
        batch=0,
        schedule_index=2 * (pair - 1) + (leg == "b"),
        black=PlayerSpec(black, time_control),
        white=PlayerSpec(white, time_control),
        opening=Opening(STANDARD_START),
        rules=RuleSet(repetition=0, max_plies=max_plies),
        margin_ns=50 * MS,
        max_think_ns=2_000 * MS,
        seed=1,
    )
