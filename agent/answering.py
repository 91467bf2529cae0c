"""`answer` without a language model: the sentences of the passages that answer, quoted, each with its citation."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agent.state import Answer, Claim
from agent.words import content_words
from memory.datatypes import Passage
from memory.ports import Encoder
from memory.sentences import split


@dataclass(frozen=True, slots=True)
class AnswerParameters:
    """What a sentence is worth to the question: cosine, share of the question's words, the passage's own score, and
    whether it holds the kind of thing that is asked for. Measured in docs/figures.md."""

    passages: int = 6
    sentences: int = 3
    cosine: float = 0.55
    words: float = 0.25
    passage: float = 0.2
    kind: float = 0.08
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

_OPENS_WITH_PRONOUN = re.compile(r"^(?:It|He|She|They|This|These|Those|Its|His|Her|Their)\b")
_SUBJECT = re.compile(r"^(?:It|He|She|They)(?= (?:is|was|are|were|has|had|have|lies|lay|orbits|takes|took)\b)")


def answer(question: str, passages: Sequence[Passage], encoder: Encoder, parameters: AnswerParameters) -> Answer:
    """Up to `sentences` of them, the best passage's first and in the order of the document.

    Says what no passage holds (`missing`), and refuses with the nearest titles where nothing is near enough.
    """
    read = passages[: parameters.passages]
    candidates = _candidates(read, parameters.longest)
    if not candidates:
        return _nothing(passages)
    vectors = encoder.encode([candidate.text for candidate in candidates], "passage")
    scores = _scores(question, candidates, read, vectors @ encoder.encode([question], "query")[0], parameters)
    if scores.max() < parameters.relevant:
        return _nothing(passages)
    chosen = _choose(scores, vectors, parameters)
    missing = _missing(question, read)
    return _written([candidates[place] for place in chosen], read, missing)


def nothing_indexed() -> Answer:
    return Answer("nothing-indexed", (Claim("There are no documents in this library yet, so I cannot answer."),))


def _nothing(passages: Sequence[Passage]) -> Answer:
    nearest = tuple(dict.fromkeys(passage.title for passage in passages if passage.title))[:3]
    said = "I found nothing in the documents that answers this."
    if nearest:
        said += f" The nearest are: {'; '.join(nearest)}."
    return Answer("nothing-found", (Claim(said),), nearest=nearest)


def _candidates(passages: Sequence[Passage], longest: int) -> list[_Candidate]:
    """Each sentence of the passages once: chunks overlap, and documents repeat each other."""
    seen: set[str] = set()
    found = []
    for number, passage in enumerate(passages):
        before = ""
        for start, end in split(passage.text):
            text = " ".join(passage.text[start:end].split())
            if 3 <= len(text.split()) <= longest and text.casefold() not in seen:
                seen.add(text.casefold())
                found.append(_Candidate(text, number, passage.start + start, before))
            before = text
    return found


def _scores(
    question: str,
    candidates: Sequence[_Candidate],
    passages: Sequence[Passage],
    cosines: NDArray[np.float32],
    parameters: AnswerParameters,
) -> NDArray[np.float64]:
    asked = set(content_words(question))
    kinds = [evidence for sign, evidence in KINDS if re.search(sign, question, re.IGNORECASE)]
    scores = []
    for candidate, cosine in zip(candidates, cosines, strict=True):
        passage = passages[candidate.passage]
        words = set(content_words(candidate.text)) | set(content_words(passage.title))
        covered = len(asked & words) / len(asked) if asked else 0.0
        fits = any(re.search(kind, candidate.text) for kind in kinds)
        scores.append(
            parameters.cosine * float(cosine)
            + parameters.words * covered
            + parameters.passage * passage.score
            + parameters.kind * fits
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


def _missing(question: str, passages: Sequence[Passage]) -> tuple[str, ...]:
    """Names and numbers of the question that none of the passages holds."""
    held = set(content_words(" ".join(f"{passage.title} {passage.heading} {passage.text}" for passage in passages)))
    named = re.findall(r"(?<!^)(?<![.?!] )\b(?:[A-Z][\w'-]+|\d[\w.,]*\w|\d)", question)
    return tuple(dict.fromkeys(name for name in named if not set(content_words(name)) <= held))


def _written(chosen: Sequence[_Candidate], passages: Sequence[Passage], missing: tuple[str, ...]) -> Answer:
    """Passages in the order of their best sentence, sentences in the order of the document; sources numbered so."""
    order = list(dict.fromkeys(candidate.passage for candidate in chosen))
    sources = tuple(passages[number] for number in order)
    claims: list[Claim] = []
    for n, number in enumerate(order, 1):
        for candidate in sorted((c for c in chosen if c.passage == number), key=lambda c: c.position):
            said = [claim.text for claim in claims]
            claims += [Claim(text, (n,)) for text in _readable(candidate, passages[number], said)]
    if missing:
        claims.append(Claim(f"The documents that I found say nothing about {_listed(missing)}."))
    return Answer("partial" if missing else "answered", tuple(claims), sources, missing)


def _readable(candidate: _Candidate, passage: Passage, said: Sequence[str]) -> list[str]:
    """A sentence that opens with a pronoun gets its subject: the title's where the passage is about one thing and
    opens with it, else the sentence before, which names it."""
    if not _OPENS_WITH_PRONOUN.match(candidate.text) or (said and said[-1] == candidate.before):
        return [candidate.text]
    title = passage.title.strip()
    about_title = title and candidate.before.casefold().startswith((title.casefold(), f"the {title.casefold()}"))
    if about_title and _SUBJECT.match(candidate.text):
        return [_SUBJECT.sub(lambda _: title, candidate.text)]
    return [text for text in (candidate.before, candidate.text) if text and text not in said]


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
