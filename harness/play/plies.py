"""The plies of a game in columns: a ply is made a value of its own when it is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, overload

from harness.rules.types import Move


class PlyRecord(NamedTuple):
    """One ply as played by a bot: the move, the time charged, its last ``info`` line."""

    move: Move
    elapsed_ns: int
    info: bytes | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Plies(Sequence[PlyRecord]):
    """A sequence of PlyRecord, kept as one tuple of moves, one of times and one of ``info`` lines.

    Equal to any other Plies, tuple or list of the same plies.
    """

    moves: tuple[Move, ...] = ()
    elapsed_ns: tuple[int, ...] = ()
    infos: tuple[bytes | None, ...] = ()

    def __post_init__(self) -> None:
        if not len(self.moves) == len(self.elapsed_ns) == len(self.infos):
            raise ValueError("the columns of plies differ in length")

    @classmethod
    def of(cls, plies: Iterable[PlyRecord]) -> Plies:
        """Return these plies in columns; what is in columns already comes back as it is."""
        if isinstance(plies, Plies):
            return plies
        columns = tuple(zip(*plies, strict=True))
        return cls(*columns) if columns else cls()

    def __len__(self) -> int:
        return len(self.moves)

    def __iter__(self) -> Iterator[PlyRecord]:
        return map(PlyRecord, self.moves, self.elapsed_ns, self.infos)

    @overload
    def __getitem__(self, place: int) -> PlyRecord: ...

    @overload
    def __getitem__(self, place: slice) -> Plies: ...

    def __getitem__(self, place: int | slice) -> PlyRecord | Plies:
        if isinstance(place, slice):
            return Plies(self.moves[place], self.elapsed_ns[place], self.infos[place])
        return PlyRecord(self.moves[place], self.elapsed_ns[place], self.infos[place])

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Plies):
            return (
                self.moves == other.moves
                and self.elapsed_ns == other.elapsed_ns
                and self.infos == other.infos
            )
        if isinstance(other, tuple | list):
            return tuple(self) == tuple(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))  # that of the tuple that it is equal to

    def __repr__(self) -> str:
        return f"Plies({list(self)!r})"
