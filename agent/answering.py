"""`answer` without a language model: the sentences of the passages that answer, quoted, each with its citation."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from agent.state import Answer, Claim
from agent.words import content_words
from memory.datatypes import Document, Passage
from memory.ports import Encoder
from memory.sentences import split


@dataclass(frozen=True, slots=True)
class AnswerParameters:
    """What a sentence is worth to the question: cosine, share of the question's words, the passage's own score, and
    whether it holds the kind of thing that is asked for. Measured in docs/figures.md."""

    passages: int = 8
    sentences: int = 3
    cosine: float = 0.55
    words: float = 0.4
    passage: float = 0.2
    kind: float = 0.08
    no_statement: float = 0.3
    relevant: float = 0.34
    beside_best: float = 0.8
    redundant: float = 0.9
    longest: int = 90


@dataclass(frozen=True, slots=True)
class _Candidate:
    text: str
    passage: int
    position: int
    before: str


KINDS = (
    (r"^(?:and |but |so )?(?:who|whose|whom)\b", r"(?<!^)\b[A-Z][a-zé]+"),
    (r"\b(?:when|what year|which year|what date|since when)\b", r"\b\d{4}\b|\b\d{1,2} [A-Z][a-z]+"),
    (
        r"\bhow (?:many|much|far|long|big|large|heavy|old|tall|high|deep|fast|often)\b"
        r"|\b(?:distance|number|size|age|height|population|price|cost)\b",
        r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million)\b",
    ),
    (r"^(?:and |but |so )?where\b", r"\b(?:in|at|near|from|to|on|outside) (?:the )?[A-Z]"),
    (
        r"\b(?:why|what makes|what made|reason)\b",
        r"\b(?:because|since|so that|therefore|due to|as a result|caus\w+|reason|in order to|thus|made|makes)\b",
    ),
)
"""What a question asks for, by its words, and how a sentence that holds such a thing looks."""

EARLIER = 0.5
"""What a word of an earlier turn is worth beside one of the question."""

_STATEMENT = re.compile(r"[.!:;\u2026\u3002][\"'\u201d\u2019)\]]*$")
"""The end of a sentence that states something: not of a heading, nor of a question."""

_NAMED = re.compile(r"(?<!^)(?<![.?!] )\b(?:[A-Z][\w'-]+|\d[\w.,]*\w|\d)")
_REFERENCE = re.compile(r"\s*\[\d+(?:\s*[,;\u2013-]\s*\d+)*\]")
"""A document's own `[1]`, which would pass for a citation of the answer's."""

_OPENS_WITH_PRONOUN = re.compile(r"^(?:It|He|She|They|This|These|Those|Its|His|Her|Their)\b")


def answer(
    question: str, rewritten: str, passages: Sequence[Passage], encoder: Encoder, parameters: AnswerParameters
) -> Answer:
    """Up to `sentences` of them, the best passage's first and in the order of the document.

    `rewritten` is the question as it stands alone; where it is the earlier turns with the question behind them, the
    question itself counts for more, so that what answered before does not answer again.
    Says what no passage holds (`missing`), and refuses with the nearest titles where nothing is near enough.
    """
    read = passages[: parameters.passages]
    candidates = _candidates(read, parameters.longest)
    missing, named = _missing(rewritten, read)
    if not candidates or 2 * len(missing) > named:
        return _nothing(passages, missing)
    vectors = encoder.encode([candidate.text for candidate in candidates], "passage")
    cosines = vectors @ _asked_vector(question, rewritten, encoder)
    scores = _scores(_asked_words(question, rewritten), rewritten, candidates, read, cosines, parameters)
    if scores.max() < parameters.relevant:
        return _nothing(passages, missing)
    chosen = _choose(scores, vectors, parameters)
    return _written([candidates[place] for place in chosen], read, missing)


def placed(written: Answer, documents: Mapping[str, Document]) -> Answer:
    """Each source with the page and the heading of the first sentence that is quoted from it; `documents` by id."""
    starts = {n: claim.start for claim in reversed(written.claims) for n in claim.cites if claim.start is not None}
    sources = [
        replace(
            source,
            page=documents[source.document].page_at(starts.get(n, source.start)),
            heading=documents[source.document].heading_at(starts.get(n, source.start)),
        )
        for n, source in enumerate(written.sources, 1)
    ]
    return replace(written, sources=tuple(sources))


def nothing_indexed() -> Answer:
    return Answer("nothing-indexed", (Claim("There are no documents in this library yet, so I cannot answer."),))


def _nothing(passages: Sequence[Passage], missing: tuple[str, ...]) -> Answer:
    nearest = tuple(dict.fromkeys(passage.title for passage in passages if passage.title))[:3]
    said = "I found nothing in the documents that answers this."
    if missing:
        said = f"The documents that I found say nothing about {_listed(missing)}, so I cannot answer this."
    if nearest:
        said += f" The nearest are: {'; '.join(nearest)}."
    return Answer("nothing-found", (Claim(said),), missing=missing, nearest=nearest)


def _asked_vector(question: str, rewritten: str, encoder: Encoder) -> NDArray[np.float32]:
    """Of the rewritten question, with the question's own where the rewritten one has earlier turns before it."""
    own, whole = encoder.encode([question, rewritten], "query")
    if not _has_earlier_turns(question, rewritten):
        return np.asarray(whole)
    both = own + whole
    return np.asarray(both / np.linalg.norm(both))


def _asked_words(question: str, rewritten: str) -> dict[str, float]:
    """Stem -> weight: the question's own words count twice as much as those of earlier turns."""
    earlier = EARLIER if _has_earlier_turns(question, rewritten) else 1.0
    return {**dict.fromkeys(content_words(rewritten), earlier), **dict.fromkeys(content_words(question), 1.0)}


def _has_earlier_turns(question: str, rewritten: str) -> bool:
    return len(rewritten.split()) > 2 * len(question.split()) or len(split(rewritten)) > len(split(question))


def _candidates(passages: Sequence[Passage], longest: int) -> list[_Candidate]:
    """Each sentence of the passages once: chunks overlap, and documents repeat each other."""
    seen: set[str] = set()
    found = []
    for number, passage in enumerate(passages):
        before = ""
        for start, end in split(passage.text):
            text = _REFERENCE.sub("", " ".join(passage.text[start:end].split()))
            if 3 <= len(text.split()) <= longest and text.casefold() not in seen:
                seen.add(text.casefold())
                found.append(_Candidate(text, number, passage.start + start, before))
            before = text
    return found


def _scores(
    asked: Mapping[str, float],
    question: str,
    candidates: Sequence[_Candidate],
    passages: Sequence[Passage],
    cosines: NDArray[np.float32],
    parameters: AnswerParameters,
) -> NDArray[np.float64]:
    last = question[slice(*split(question)[-1])] if question else ""
    kinds = [evidence for sign, evidence in KINDS if re.search(sign, last, re.IGNORECASE)]
    titles = [set(content_words(f"{passage.title} {passage.heading}")) for passage in passages]
    words = [set(content_words(candidate.text)) for candidate in candidates]
    # A word that many of these sentences hold tells little of which of them answers.
    weights = {
        stem: weight * math.log(1 + len(words) / (1 + sum(stem in held for held in words)))
        for stem, weight in asked.items()
    }
    scores = []
    for candidate, own, cosine in zip(candidates, words, cosines, strict=True):
        held = own | titles[candidate.passage]
        covered = sum(weight for stem, weight in weights.items() if stem in held) / (sum(weights.values()) or 1.0)
        scores.append(
            parameters.cosine * float(cosine)
            + parameters.words * covered
            + parameters.passage * passages[candidate.passage].score
            + parameters.kind * any(re.search(kind, candidate.text) for kind in kinds)
            - parameters.no_statement * (not _STATEMENT.search(candidate.text))
        )
    return np.array(scores)


def _choose(scores: NDArray[np.float64], vectors: NDArray[np.float32], parameters: AnswerParameters) -> list[int]:
    """The best, and what is nearly as good and says something else."""
    chosen: list[int] = []
    for place in np.argsort(-scores, kind="stable"):
        if len(chosen) == parameters.sentences or scores[place] < parameters.beside_best * scores.max():
            break
        if all(float(vectors[place] @ vectors[other]) < parameters.redundant for other in chosen):
            chosen.append(int(place))
    return chosen


def _missing(question: str, passages: Sequence[Passage]) -> tuple[tuple[str, ...], int]:
    """Names and numbers of the question that none of the passages holds, and how many names and numbers it has."""
    held = set(content_words(" ".join(f"{passage.title} {passage.heading} {passage.text}" for passage in passages)))
    names = [name for name in dict.fromkeys(_NAMED.findall(question)) if content_words(name)]
    return tuple(name for name in names if not set(content_words(name)) <= held), len(names)


def _written(chosen: Sequence[_Candidate], passages: Sequence[Passage], missing: tuple[str, ...]) -> Answer:
    """Passages in the order of their best sentence, sentences in the order of the document; sources numbered so."""
    order = list(dict.fromkeys(candidate.passage for candidate in chosen))
    sources = tuple(passages[number] for number in order)
    claims: list[Claim] = []
    for n, number in enumerate(order, 1):
        for candidate in sorted((c for c in chosen if c.passage == number), key=lambda c: c.position):
            said = [claim.text for claim in claims]
            claims += [Claim(text, (n,), start=candidate.position) for text in _readable(candidate, said)]
    if missing:
        claims.append(Claim(f"The documents that I found say nothing about {_listed(missing)}."))
    return Answer("partial" if missing else "answered", tuple(claims), sources, missing)


def _readable(candidate: _Candidate, said: Sequence[str]) -> list[str]:
    """A sentence that opens with a pronoun brings the sentence before, which names what it stands for. It is not put
    in the pronoun's place: that would be a guess, and a quotation has to be one."""
    if not _OPENS_WITH_PRONOUN.match(candidate.text) or (said and said[-1] == candidate.before):
        return [candidate.text]
    return [text for text in (candidate.before, candidate.text) if text and text not in said]


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
