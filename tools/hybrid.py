"""The tool `hybrid`: keywords first, meaning second (seed 002, stages 1 and 2), and the two added.

Stage 1 takes the best by BM25, stage 2 orders them by cosine. A keyword filter alone loses what is said in other
words, so by default the nearest by vector are candidates too, and the calibrated scores of both are added. What the
seed calls future improvements are parameters: fields, synonyms, a cross-encoder as stage 3.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from clew.memory.datatypes import Findings, Passage, Query
from clew.memory.encoding import with_title
from clew.memory.errors import BadInput, required
from clew.memory.knowledge.library_ports import Search
from clew.memory.knowledge.question import Matches, MatchParameters, candidates, match
from clew.memory.knowledge.reranking import CrossEncoderReranker, load_reranker
from clew.memory.knowledge.structure import Structure
from clew.memory.parameters import Few
from clew.memory.text import in_brackets, stems_and_words
from clew.tools.base import FormScores, ToolSettings, fuse, fused_passages

TWO_STAGE = MatchParameters(nearest=0, cosine=1, keyword=0, title=0)
"""The seed's pure form: no nearest by vector, ordered by cosine alone."""


@dataclass(frozen=True, slots=True)
class HybridParameters:
    """Of the two stages of seed 002 (`match`), and of a third (`reranker`): any cross-encoder of sentence-transformers.
    `synonyms` are WordNet's, which needs nltk with its data. docs/figures.md has what each finds."""

    match: MatchParameters = field(default_factory=MatchParameters)  # of the search by words and by meaning
    synonyms: Literal["none", "wordnet"] = "none"  # where other words for those of the question come from
    expand: Few = 2  # how many other words are searched for each word of the question
    reranker: str = ""  # a cross-encoder that puts the best passages in order; empty: none
    reranked: Few = 20  # how many of the best passages it puts in order


class Hybrid:
    """Searches by keywords and by vectors, and may rerank what both find (seed 002, stages 1 to 3)."""

    name = "hybrid"
    description = (
        "Searches the documents by their words and by their meaning. Use it first, and for most questions: a fact, a "
        "name, a number, what something is, what a document says. Returns the passages that match best."
    )

    def __init__(
        self,
        store: Search,
        parameters: HybridParameters | None = None,
        reranker: CrossEncoderReranker | None = None,
        structure: Structure | None = None,
    ) -> None:
        self.store = store
        self.structure = structure
        self._parameters = parameters or HybridParameters()
        self._reranker = reranker

    def search(self, query: Query, k: int = 5) -> Findings:
        """At most k passages."""
        return self.findings(query, self.matches(query, k), k)

    def matches(self, query: Query, k: int = 5) -> Matches:
        """All candidates, with their scores by each form of the question."""
        query.check()
        query, most = self._expanded(query), max(k, self._parameters.reranked if self._reranker else 0)
        texts: list[str] = []
        if self.structure is not None:
            texts = [self.structure.inflected(form.text) or form.text for form in query.forms]
        ids = candidates(self.store, query, most, self._parameters.match, texts)
        query.check()
        return match(self.store, query.forms, ids, self._parameters.match, self.structure)

    def scores(self, query: Query, ids: Sequence[str]) -> dict[str, float]:
        """The scores of these chunks by their ids, whichever search found them."""
        found = match(self.store, self._expanded(query).forms, ids, self._parameters.match, self.structure)
        return fuse(query.forms, FormScores(ids, found.scores))

    def findings(self, query: Query, found: Matches, k: int = 5) -> Findings:
        """The best k by the sum of the forms' scores, weighed as the query says: the forms are those of `matches`."""
        if not found.ids:
            return Findings(notes=("no passage holds a word of the question",))
        most = max(k, self._parameters.reranked) if self._reranker and k else k
        passages = fused_passages(self.store, query, FormScores(found.ids, found.scores), most, self.name)
        explained = [_explained(passage, found, found.ids.index(passage.id), query) for passage in passages]
        return Findings(tuple(self._reranked(query, explained)[:k]))

    def _expanded(self, query: Query) -> Query:
        """With the synonyms behind each form's words, for the keywords alone: the vectors are those of the question."""
        if self._parameters.synonyms == "none":
            return query
        forms = []
        for form in query.forms:
            words = list(dict.fromkeys(word.casefold() for _, word in stems_and_words(form.text)))
            known = wordnet(words, self._parameters.expand)
            more = [word for its in known for word in its if word not in words]
            forms.append(replace(form, text=" ".join([form.text, *dict.fromkeys(more)])))
        return replace(query, forms=tuple(forms))

    def _reranked(self, query: Query, passages: Sequence[Passage]) -> list[Passage]:
        """Stage 3: the first ones by the cross-encoder, each score from 0 to 1; the rest behind them as they were."""
        if self._reranker is None or not passages:
            return list(passages)
        first, rest = passages[: self._parameters.reranked], passages[self._parameters.reranked :]
        question = max(query.forms, key=lambda form: form.weight).text
        scores = self._reranker.scores(question, [with_title(one.title, one.text) for one in first])
        made = [
            replace(
                one,
                score=float(score),
                why=f"{one.why}; cross-encoder {score:.2f}",
                scores={**one.scores, "cross-encoder": float(score)},
            )
            for one, score in zip(first, scores, strict=True)
        ]
        made.sort(key=lambda one: -one.score)
        least = made[-1].score
        return made + [replace(one, score=least * max(0.0, min(1.0, one.score))) for one in rest]


def wordnet(words: Sequence[str], most: int) -> list[tuple[str, ...]]:
    """The commonest synonyms of each, one word long. Raises `BadInput` where nltk or its WordNet is not installed."""
    corpus = required("nltk.corpus", "synonyms from WordNet", "wordnet").wordnet
    found = []
    try:
        for word in words:
            lemmas = (name.casefold() for synset in corpus.synsets(word) for name in synset.lemma_names())
            found.append(tuple(dict.fromkeys(name for name in lemmas if name.isalpha() and name != word))[:most])
    except LookupError as error:
        raise BadInput("WordNet's data are not here", "python -m nltk.downloader wordnet") from error
    return found


def _explained(passage: Passage, found: Matches, place: int, query: Query) -> Passage:
    """Why it was found: the words of the first form that hit, and both scores of the form that it fits best."""
    cosines, hits = found.cosines[:, place], found.hits
    best = int(np.argmax(cosines))
    words = next((of_form[passage.id].terms for of_form in hits if passage.id in of_form), ())
    share = hits[best][passage.id].score if passage.id in hits[best] else 0.0
    form = "" if len(query.forms) == 1 else f" (as {query.forms[best].name})"
    held = f"words {', '.join(words)}{in_brackets(share)}" if words else "no word of the question"
    return replace(
        passage,
        why=f"{held}; meaning {cosines[best]:.2f}{form}",
        keywords=words,
        scores={"keyword": share, "cosine": float(cosines[best])},
    )


def make(store: Search, settings: ToolSettings) -> Hybrid:
    """Raises `NotSetUp` where stage 2 is to be by structure and nothing was trained."""
    given = settings.of(HybridParameters)
    by_trees = given.match.stage2 == "structure" and settings.structure
    reranker = load_reranker(given.reranker) if given.reranker else None
    return Hybrid(store, given, reranker, by_trees() if by_trees else None)


PARAMETERS = HybridParameters
