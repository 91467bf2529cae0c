"""Seed 000's formulas, word for word and one edge at a time."""

import math
from collections.abc import Sequence
from itertools import pairwise

from clew.memory.knowledge.clues.clue_index import ClueIndex
from clew.memory.knowledge.clues.triple_search import ClueParameters, Path, QuestionClues
from clew.memory.text import content_words

Trail = tuple[tuple[int, ...], tuple[int, ...]]
"""Edges and nodes in the order walked."""


def jaccard(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0


class Reference:
    def __init__(self, question: str, clues: QuestionClues, index: ClueIndex, parameters: ClueParameters) -> None:
        self.question, self.clues, self.index, self.p = question, clues, index, parameters
        graph = index.graph
        self.ends = list(zip(graph.subjects.tolist(), graph.objects.tolist(), strict=True))
        self.relations = [graph.relations[kind] for kind in graph.kinds]
        self.texts = [
            f"{graph.entities[one]} {relation} {graph.entities[other]}"
            for (one, other), relation in zip(self.ends, self.relations, strict=True)
        ]

    def names(self, edge: int) -> set[str]:
        return set(self.index.relation_names[self.index.graph.kinds[edge]])

    def tfidf(self, text: str) -> dict[str, float]:
        known = [content_words(other) for other in self.texts]
        words = [word for word in content_words(text) if any(word in other for other in known)]
        idf = {w: math.log((1 + len(known)) / (1 + sum(w in other for other in known))) + 1 for w in words}
        weights = {word: words.count(word) * idf[word] for word in words}
        length = math.sqrt(sum(weight**2 for weight in weights.values()))
        return {word: weight / length for word, weight in weights.items()}

    def edges(self, edges: Sequence[int]) -> float:
        relations = [self.names(edge) & set(self.clues.relations) for edge in edges]
        entities = [set(self.ends[edge]) & set(self.clues.entities) for edge in edges]
        if self.p.clues_once:
            hits = len(set().union(*relations)), len(set().union(*entities))
        else:
            hits = sum(map(bool, relations)), sum(map(bool, entities))
        return self.p.w_rel * hits[0] + self.p.w_ent * hits[1] + sum(map(self.words, edges))

    def words(self, edge: int) -> float:
        mine, asked = self.tfidf(self.texts[edge]), self.tfidf(self.question)
        return self.p.w_lex * jaccard(
            set(content_words(self.texts[edge])), set(content_words(self.question))
        ) + self.p.w_emb * sum(weight * asked.get(word, 0.0) for word, weight in mine.items())

    def beam(self, seeds: Sequence[int]) -> list[Trail]:
        beam: list[Trail] = [((), (seed,)) for seed in seeds]
        found: list[Trail] = []
        for _ in range(self.p.max_depth):
            longer = []
            for row, (edges, nodes) in enumerate(beam):
                for edge, (one, other) in enumerate(self.ends):
                    if nodes[-1] in (one, other) and edge not in edges:
                        total = self.edges((*edges, edge))
                        end = other if one == nodes[-1] else one
                        longer.append((-round(total, 9), row, edge, ((*edges, edge), (*nodes, end))))
            states: dict[tuple[int, frozenset[int]], Trail] = {}
            for *_, trail in sorted(longer):
                states.setdefault((trail[1][-1], frozenset(trail[0])), trail)
            beam = list(states.values())[: self.p.beam_width]
            found += beam
        return found

    def chain(self, edges: Sequence[int]) -> float:
        asked = {frozenset([clue]) for clue in self.clues.relations}
        asked |= {frozenset(pair) for pair in pairwise(self.clues.relations)}
        there = {frozenset([name]) for edge in edges for name in self.names(edge)}
        for edge, following in pairwise(edges):
            there |= {frozenset([one, other]) for one in self.names(edge) for other in self.names(following)}
        return len(asked & there) / len(asked) if asked else 0.0

    def path(self, path: Path) -> float:
        graph, clues = self.index.graph, self.clues
        relations = {name for edge in path.edges for name in self.names(edge)}
        entities = {graph.entities[node] for edge in path.edges for node in self.ends[edge]}
        asked = {graph.entities[node] for node in clues.entities}
        answers = any(clues.type in self.index.aliases.answers.get(name, ()) for name in relations)
        return (
            self.edges(path.edges)
            - self.p.lambda_len * (len(path.edges) - 1)
            + self.p.alpha_rel * jaccard(relations, set(clues.relations))
            + self.p.alpha_ent * jaccard(entities, asked)
            + self.p.beta_chain * self.chain(path.edges)
            + self.p.gamma_type * answers
        )

    def most_diverse(self, paths: Sequence[Path]) -> list[Path]:
        rest = sorted(paths, key=lambda path: (-path.score, len(path.edges), path.edges))
        chosen: list[Path] = []
        while rest and len(chosen) < self.p.topn:
            values = [self.mmr(path, chosen) for path in rest]
            chosen.append(rest.pop(values.index(max(values))))
        return chosen

    def mmr(self, path: Path, chosen: Sequence[Path]) -> float:
        mine = set(map(str, path.edges))
        nearness = max((jaccard(mine, set(map(str, other.edges))) for other in chosen), default=0.0)
        return round(self.p.mmr_lambda * path.score - (1 - self.p.mmr_lambda) * nearness, 9)
