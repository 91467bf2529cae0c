"""The tool `communities`: points of the communities whose reports the question is near to (seed 001, equation 5)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from textwrap import shorten

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Findings, Form, Ints, Passage, Query
from clew.memory.knowledge.layers import Allowed, Cover
from clew.memory.knowledge.library_ports import Search
from clew.memory.parameters import Count, Level, Weight
from clew.tools.base import FormScores, ToolSettings, fused_passages, nothing_named

SNIPPET = 160
"""Characters of a point that are shown."""


@dataclass(frozen=True, slots=True)
class CommunitiesParameters:
    """The numbers of equation 5, with the seed's values."""

    top_k_communities: Count = 3  # how many groups of things are read
    top_k_points: Count = 10  # how many statements about them are returned
    community: Weight = 0.3  # how much the group's report counts
    point: Weight = 0.7  # how much the statement itself counts
    level: Level = -1  # which groups are searched: 0 the widest, -1 the narrowest
    part: tuple[int, ...] | None = None  # the partitions to search; None: the whole library


@dataclass(frozen=True, slots=True, eq=False)
class _Points:
    """Sentences (numbers), best first, each once, with its community, the cosine of that one's report, its own, and
    equation 5's score."""

    sentences: Ints
    communities: Ints
    of_report: NDArray[np.float32]
    of_point: NDArray[np.float32]
    scores: NDArray[np.float64]


class CommunitySearch:
    """What ties communities and chunks is made at the first search, once."""

    name = "communities"
    description = (
        "Finds groups of things that belong together, and the best passages on them. Use it for broad questions: what "
        "several documents say of a topic. Not for a single fact."
    )

    def __init__(self, store: Search, parameters: CommunitiesParameters | None = None) -> None:
        self._store = store
        self._parameters = parameters or CommunitiesParameters()
        self._graph = store.part(self._parameters.part)

    @cached_property
    def _cover(self) -> Cover:
        return Cover(self._graph.layers, self._graph.communities)

    def search(self, query: Query, k: int | None = None) -> Findings:
        """The passages that hold the best points, at most k; by default those of the `top_k_points`.

        A passage's score in a form is that of its best point.
        """
        query.check()
        cover = self._cover
        if not cover.communities.items:
            return Findings(notes=(nothing_named(cover.layers),))
        query.check()
        allowed = cover.layers.chunks_within(query.scope)
        if not cover.there(cover.communities.at(0), allowed).size:
            return Findings(notes=(nothing_named(cover.layers),))
        found = []
        for form in query.forms:
            query.check()
            found.append(self._points(form, cover, allowed, k))
        query.check()
        return Findings(self._passages(query, found, cover, allowed, k))

    def _points(self, form: Form, cover: Cover, allowed: Allowed, k: int | None) -> _Points:
        """Equation 5: Topk of the points p_j of the chunks C_r of the reports R_top-K(Q), by
        0.3 sim(r, Q) + 0.7 sim(p_j, Q); a point of several of the reports has the nearest one's."""
        p, numbers = self._parameters, cover.layers.sentence_chunks
        best, similar = self._top_reports(form, cover, allowed)
        of = np.full(len(cover.layers.chunk_ids), -1, np.int64)
        for place in range(len(best))[::-1]:
            of[cover.of(int(best[place]), allowed)] = place
        sentences = np.flatnonzero(of[numbers] >= 0)
        report = of[numbers[sentences]]
        of_point = self._graph.sentence_vectors.take(sentences, axis=0) @ form.vector
        scores = p.community * similar[report].astype(np.float64) + p.point * of_point
        order = np.argsort(-scores, kind="stable")
        kept = order[: self._count(numbers[sentences[order]], k)]
        return _Points(sentences[kept], best[report[kept]], similar[report[kept]], of_point[kept], scores[kept])

    def _top_reports(self, form: Form, cover: Cover, allowed: Allowed) -> tuple[Ints, NDArray[np.float32]]:
        """R_top-K(Q): of the communities with a chunk in scope those whose reports are nearest, and their cosines."""
        level = self._parameters.level
        communities = cover.communities.at(level if level >= 0 else max(0, cover.communities.levels + level))
        there = cover.there(communities, allowed)
        cosines = cover.communities.vectors[there] @ form.vector
        order = np.argsort(-cosines, kind="stable")[: self._parameters.top_k_communities]
        return there[order], cosines[order]

    def _count(self, chunks: Ints, k: int | None) -> int:
        """How many points: so many, and where more passages are wanted, until their `chunks` are k."""
        _, first = np.unique(chunks, return_index=True)
        until = int(np.sort(first)[:k][-1]) + 1 if k and len(first) else 0
        return max(self._parameters.top_k_points, until)

    def _passages(
        self, query: Query, found: Sequence[_Points], cover: Cover, allowed: Allowed, k: int | None
    ) -> tuple[Passage, ...]:
        chunks = [cover.layers.sentence_chunks[one.sentences] for one in found]
        numbers = np.unique(np.concatenate(chunks))
        scores, points = np.full((len(found), len(numbers)), np.nan), np.full((len(found), len(numbers)), -1)
        for row, held in enumerate(chunks):
            of_row, first = np.unique(held, return_index=True)  # the best point of each chunk
            places = np.searchsorted(numbers, of_row)
            scores[row, places], points[row, places] = found[row].scores[first], first
        ids = [cover.layers.chunk_ids[number] for number in numbers]
        scored = FormScores(ids, scores)
        made = []
        for passage in fused_passages(self._store, query, scored, k, self.name):
            place = ids.index(passage.id)
            row = int(np.nanargmax(scores[:, place]))
            form = f" (as {query.forms[row].name})" if len(found) > 1 else ""
            made.append(self._explained(passage, found[row], int(points[row, place]), cover, allowed, form))
        return tuple(made)

    def _explained(
        self, passage: Passage, found: _Points, point: int, cover: Cover, allowed: Allowed, form: str
    ) -> Passage:
        name = cover.name(int(found.communities[point]), allowed)
        (unit,) = self._graph.sentences([int(found.sentences[point])])
        of_report, of_point = float(found.of_report[point]), float(found.of_point[point])
        shown = shorten(unit.text, SNIPPET, placeholder=" …")
        return replace(
            passage,
            why=f"community {name} ({of_report:.2f}); point “{shown}” ({of_point:.2f}){form}",
            scores={"community": of_report, "point": of_point},
        )


def make(store: Search, settings: ToolSettings) -> CommunitySearch:
    return CommunitySearch(store, settings.of(CommunitiesParameters))


PARAMETERS = CommunitiesParameters
