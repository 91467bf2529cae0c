"""The gate: which tools a question needs beside `hybrid`, by what it says and what its first hits show.

Linear models in `gate.json`; `python -m tests.training.search` fits them. The signals are plain numbers
by name, and none says where a question comes from.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from clew.memory.datatypes import Hit, Passage
from clew.memory.dialogue.signals import Linear
from clew.memory.knowledge.extraction.entities import entities
from clew.memory.text import content_words

SHIPPED = Path(__file__).with_name("gate.json")

LOOKED = 10
"""First hits that are asked for."""

READ = 8
"""Those of them that are read."""

SIGNALS = (
    *("match", "margin", "tail", "cosine", "keyword", "covered", "gain", "unheld"),
    *("names", "names_first", "names_together", "names_unheld", "titled", "title_first"),
    *("words", "of", "relative", "possessive", "comparison", "edges"),
)
"""Of the first hits: the best score; how much more that is than the mean of the next four, and than the tenth; the
cosine and the share of the question's BM25 that the best of the first three reaches; the share of its words that the
best of these holds, how much more the first five hold together, and what none of them holds. Of the names in the
question: log of how many; the share that the first hit holds, that the best one holds, and that none of the first five
holds. Documents whose whole title the question names (at most 2), and whether the first is one. Of the question: log of
its words; how often it says `of`, a relative pronoun or an `'s`; whether it compares. Log of the given edges by
document, of a graph folder."""

_OF = re.compile(r"\bof\b", re.IGNORECASE)
_ASKING = re.compile(r"\b(?:who|what|which|where|when|whose|whom|how|why|that)\b", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['’]s\b|s['’](?=\s)")
_COMPARES = re.compile(
    r"\b(?:both|either|or|same|than|between|difference|differ|compare[ds]?|in common|first)\b",
    re.IGNORECASE,
)


def signals(
    question: str, passages: Sequence[Passage], hits: Mapping[str, Hit], edges: float = 0.0
) -> dict[str, float]:
    """`passages` are the first hits of a search for the question, best first, `hits` by chunk what its words hit there;
    `edges` are those of a graph folder by document."""
    words, names = set(content_words(question)), _names(question)
    read = passages[:READ]
    if not read:
        return dict.fromkeys(SIGNALS, 0.0) | {"unheld": 1.0, "names_unheld": float(bool(names))}
    scores = [passage.score for passage in passages]
    held = [_stems(hits.get(passage.id)) & words for passage in read]
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
    return {**found, **_of_question(question), "edges": math.log1p(edges)}


@dataclass(frozen=True, slots=True)
class Duel:
    """Whether `tools` find more for a question than `others` do: where the model's log odds are above 0. Both are sets
    of tools that run beside `hybrid`."""

    tools: tuple[str, ...]
    others: tuple[str, ...]
    model: Linear


Gate = tuple[Duel, ...]
"""Of every two sets of tools which is better (one against one); none: `hybrid` alone."""


@cache
def shipped() -> Gate:
    """The one that comes with Clew."""
    made = json.loads(SHIPPED.read_text("utf-8"))
    return tuple(Duel(tuple(one["tools"]), tuple(one["others"]), Linear(**one["model"])) for one in made)


def to_json(gate: Gate) -> str:
    return json.dumps([asdict(one) for one in gate], indent=1, default=dict) + "\n"


def chosen(found: Mapping[str, float], gate: Gate) -> tuple[str, ...]:
    """The tools that are run beside `hybrid`, by these signals: those that win most duels, of like ones the fewest."""
    wins = Counter[tuple[str, ...]]({(): 0})
    for duel in gate:
        better = duel.model.of(found) > 0
        wins[duel.tools] += better
        wins[duel.others] += not better
    return max(wins, key=lambda tools: (wins[tools], -len(tools)))


def reasons(found: Mapping[str, float], tools: Sequence[str]) -> str:
    """In words, what speaks for more tools than `hybrid`, or against."""
    several = {
        "it compares": found["comparison"],
        "it asks for a relation of a relation": found["of"] + found["relative"] + found["possessive"] >= 2,
        "no passage has all that it names": found["names_together"] < 1,
        "some of what it names was not found": found["names_unheld"],
        "its words stand in several passages": found["gain"] >= 0.1,
        "the documents are linked": found["edges"],
    }
    said = [reason for reason, holds in several.items() if holds]
    if len(tools) > 1:
        return " and ".join(said) or ("what it names may lead on" if found["names"] else "no passage stands out")
    return "one passage covers it" if found["covered"] >= 0.75 else "nothing asks for more than one passage"


def _of_question(question: str) -> dict[str, float]:
    return {
        "words": math.log1p(len(question.split())),
        "of": float(min(3, len(_OF.findall(question)))),
        "relative": float(min(3, max(0, len(_ASKING.findall(question)) - 1))),
        "possessive": float(min(2, len(_POSSESSIVE.findall(question)))),
        "comparison": float(bool(_COMPARES.search(question))),
    }


def _names(question: str) -> list[frozenset[str]]:
    """The content words of each name, work or term that the question has."""
    mentions = (mention.text for mention in entities(question) if mention.kind != "date")
    return list(dict.fromkeys(filter(None, (frozenset(content_words(text)) for text in mentions))))


def _stems(hit: Hit | None) -> frozenset[str]:
    return frozenset(content_words(" ".join(hit.terms))) if hit else frozenset()


def _mean(values: Sequence[bool], of_none: float) -> float:
    return sum(values) / len(values) if values else of_none
