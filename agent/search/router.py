"""The router decides which tools a question needs beside `hybrid`, by the question and its first hits.

Linear models in `router.json`, fitted by `python -m tests.training.search`. Their signals are numbers by name; none
says which data set a question comes from."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter

from clew.memory.datatypes import Hit, Passage
from clew.memory.dialogue.signals import Linear
from clew.memory.knowledge.extraction.entities import entities
from clew.memory.knowledge.library import Library
from clew.memory.text import compiled_patterns, content_words
from clew.tools.clues import Clues

SHIPPED = Path(__file__).with_name("router.json")

LOOKED = 10
"""First hits that are requested."""

READ = 8
"""Those of them that are read for the signals."""

SIGNALS = (
    *("match", "margin", "tail", "cosine", "keyword", "covered", "gain", "unheld"),
    *("names", "names_first", "names_together", "names_unheld", "titled", "title_first"),
    *("words", "of", "relative", "possessive", "comparison", "edges", "rewritten", "agree"),
)
"""Of the first hits: the best score; how much more that is than the mean of the next four, and than the tenth; the
cosine and the share of the question's BM25 that the best of the first three reaches; the share of its words that the
best of these holds, how much more the first five hold together, and what none of them holds. Of the names in the
question: log of how many; the share that the first hit holds, that the best one holds, and that none of the first five
holds. Documents whose whole title the question names (at most 2), and whether the first is one. Of the question: log of
its words; how often it says `of`, a relative pronoun or an `'s`; whether it compares. Log of the given edges by
document, of a graph folder. Of the wordings of a follow-up: the weight that those have which the conversation made, and
the share of the first hits that two of them have both."""

_COUNTED = compiled_patterns(Path(__file__).with_suffix(".txt"))


def signals(
    question: str,
    passages: Sequence[Passage],
    hits: Mapping[str, Hit],
    edges: float = 0.0,
    worded: tuple[float, float] = (0.0, 1.0),
) -> dict[str, float]:
    """The signals of a question. `passages` are the first hits, best first; `hits` say for each chunk which words
    matched; `edges` is the number of given edges per document, of a graph folder; `worded` is `query_weights.apart`."""
    words, names = set(content_words(question)), _names(question)
    read = passages[:READ]
    forms = dict(zip(("rewritten", "agree"), worded, strict=True))
    if not read:
        return dict.fromkeys(SIGNALS, 0.0) | {"unheld": 1.0, "names_unheld": float(bool(names)), **forms}
    scores = [passage.score for passage in passages]
    terms = (hits[passage.id].terms if passage.id in hits else () for passage in read)
    held = [words.intersection(content_words(" ".join(its))) for its in terms]
    share = [len(one) / max(1, len(words)) for one in held]
    together = len(set().union(*held[:5])) / max(1, len(words))
    named = [[name <= one for one in held] for name in names]
    titled = [passage.id in hits and hits[passage.id].title_coverage >= 1 for passage in read]
    found = {
        "match": scores[0],
        "margin": scores[0] - sum(scores[1:5]) / max(1, len(scores[1:5])),
        "tail": scores[0] - scores[min(9, len(scores) - 1)],
        "cosine": max(passage.scores.get("cosine", 0.0) for passage in read[:3]),
        "keyword": max(passage.scores.get("keyword", 0.0) for passage in read[:3]),
        "covered": max(share[:3]),
        "gain": together - max(share[:3]),
        "unheld": 1 - together,
        "names": math.log1p(len(names)),
        "names_first": _mean([holds[0] for holds in named], 1.0),
        "names_together": max(_mean([holds[place] for holds in named], 1.0) for place in range(len(read))),
        "names_unheld": _mean([not any(holds[:5]) for holds in named], 0.0),
        "titled": float(min(2, len({p.document for p, is_titled in zip(read, titled, strict=True) if is_titled}))),
        "title_first": float(titled[0]),
    }
    counts = {name: len(pattern.findall(question)) for name, pattern in _COUNTED.items()}
    found |= {
        "words": math.log1p(len(question.split())),
        "of": float(min(3, counts["of"])),
        "relative": float(min(3, max(0, counts["relative"] - 1))),
        "possessive": float(min(2, counts["possessive"])),
        "comparison": float(counts["comparison"] > 0),
    }
    return {**found, "edges": math.log1p(edges), **forms}


@dataclass(frozen=True, slots=True)
class Duel:
    """One comparison: `tools` are better than `others` if the model's log odds are above 0. Both are sets of tools that
    run beside `hybrid`."""

    tools: tuple[str, ...]
    others: tuple[str, ...]
    model: Linear


@dataclass(frozen=True, slots=True)
class Router:
    """All comparisons between sets of tools; without any, `hybrid` runs alone."""

    duels: tuple[Duel, ...] = ()


@cache
def shipped() -> Router:
    """The one that comes with Clew."""
    return TypeAdapter(Router).validate_json(SHIPPED.read_bytes())


def chosen(found: Mapping[str, float], by: Router) -> tuple[str, ...]:
    """The set of tools that wins most comparisons; if several do, the smallest."""
    wins = Counter[tuple[str, ...]]({(): 0})
    for duel in by.duels:
        better = duel.model.of(found) > 0
        wins[duel.tools] += better
        wins[duel.others] += not better
    return max(wins, key=lambda tools: (wins[tools], -len(tools)))


def tools_beside(
    question: str,
    first: Sequence[Passage],
    hits: Mapping[str, Hit],
    library: Library,
    by: Router,
    worded: tuple[float, float] = (0.0, 1.0),
) -> tuple[Mapping[str, float], tuple[str, ...]]:
    """The `signals` of a question, and the tools that run beside `hybrid` for it."""
    found = signals(question, first, hits, library.manifest.edges / max(1, library.manifest.documents), worded)
    by_triples = (Clues.name,) if library.store.of_triples else ()
    return found, (*chosen(found, by), *by_triples)


def _names(question: str) -> list[frozenset[str]]:
    """The content words of each name, work or term in the question."""
    mentions = (mention.text for mention in entities(question) if mention.kind != "date")
    return list(dict.fromkeys(filter(None, (frozenset(content_words(text)) for text in mentions))))


def _mean(values: Sequence[bool], of_none: float) -> float:
    return sum(values) / len(values) if values else of_none
