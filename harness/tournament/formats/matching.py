"""Perfect matchings in a graph: whether all can be paired, and how."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping

Graph = Mapping[int, Collection[int]]
"""The neighbours of each vertex, both ways; only vertices that are keys take part."""


def perfect_matching(graph: Graph, begun: Mapping[int, int] | None = None) -> dict[int, int] | None:
    """Return the partner of every vertex, or None when not all can be paired.

    ``begun`` is a matching to start from, by partner, both ways; a good one saves the work.
    Source: J. Edmonds, Paths, trees, and flowers, Canadian J. of Mathematics 17 (1965), in the
    form that searches one augmenting path a vertex and contracts odd cycles to their base.
    """
    partners = dict(begun or {})
    for vertex in graph:
        if vertex not in partners:
            path = _augmenting_path(graph, partners, vertex)
            if path is None:
                # A vertex that cannot be reached now stays unmatched in a greatest matching.
                return None
            for one, other in zip(path[::2], path[1::2], strict=True):
                partners[one], partners[other] = other, one
    return partners


def _augmenting_path(graph: Graph, partners: Mapping[int, int], root: int) -> list[int] | None:
    """Return the vertices of a path from a free vertex to ``root``, in the new pairs."""
    parents: dict[int, int] = {}
    bases = {vertex: vertex for vertex in graph}
    outer = {root}
    waiting = deque([root])

    def common_base(one: int, other: int) -> int:
        seen = set()
        while True:
            one = bases[one]
            seen.add(one)
            if one == root:
                break
            one = parents[partners[one]]
        while bases[other] not in seen:
            other = parents[partners[bases[other]]]
        return bases[other]

    def contract(vertex: int, base: int, child: int, blossom: set[int]) -> None:
        while bases[vertex] != base:
            blossom |= {bases[vertex], bases[partners[vertex]]}
            parents[vertex] = child
            child = partners[vertex]
            vertex = parents[child]

    while waiting:
        vertex = waiting.popleft()
        for neighbour in graph[vertex]:
            if (
                neighbour not in bases
                or bases[vertex] == bases[neighbour]
                or partners.get(vertex) == neighbour
            ):
                continue
            if neighbour in outer:
                base = common_base(vertex, neighbour)
                blossom: set[int] = set()
                contract(vertex, base, neighbour, blossom)
                contract(neighbour, base, vertex, blossom)
                for member in graph:
                    if bases[member] in blossom:
                        bases[member] = base
                        if member not in outer:
                            outer.add(member)
                            waiting.append(member)
            elif neighbour not in parents:
                parents[neighbour] = vertex
                if neighbour not in partners:
                    return _path(parents, partners, neighbour)
                outer.add(partners[neighbour])
                waiting.append(partners[neighbour])
    return None


def _path(parents: Mapping[int, int], partners: Mapping[int, int], end: int) -> list[int]:
    path: list[int] = []
    vertex: int | None = end
    while vertex is not None:
        parent = parents[vertex]
        path += [vertex, parent]
        vertex = partners.get(parent)
    return path
