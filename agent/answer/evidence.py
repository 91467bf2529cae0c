"""The evidence of an answer: the passages that are read, the candidates for quotation in them, and their words and
vectors."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

import numpy as np

from clew.agent.answer.citations import in_same_words
from clew.agent.answer.times import TimedSentence, timed_sentences
from clew.agent.search.rounds import said_by
from clew.agent.state import Turn
from clew.memory.datatypes import Document, Floats, Passage, Vectors
from clew.memory.dates import written_out
from clew.memory.dialogue.rewriting import COGNATES
from clew.memory.dialogue.signals import depends_on_context
from clew.memory.encoding import embedded_text
from clew.memory.knowledge.catalogue import pointed_at
from clew.memory.knowledge.document_parts import Candidate, candidates_of, which_ask
from clew.memory.language.answer_type import AnswerType, answer_type
from clew.memory.ports import Encoder, Vocabulary
from clew.memory.text import content_word_pairs, content_words, held_word_sets, split, written_words

ContentWords = frozenset[str]

READ = 8  # passages that are read for an answer


@dataclass(frozen=True, eq=False)
class Evidence:
    """Of at most `READ` passages. What the judge and the selection of excerpts both need is here, and is computed when
    it is first asked for. `documents` are those of the passages, by id, for their dates; `today` is ISO 8601, or
    empty; `vocabulary` is the library's; `language` is that of its words, empty for English. `foreign`: the encoder was
    taught that language, and what was fitted on English is not asked."""

    passages: tuple[Passage, ...]
    encoder: Encoder
    documents: Mapping[str, Document] = field(default_factory=dict)
    today: str = ""
    vocabulary: Vocabulary | None = None
    language: str = ""
    foreign: bool = False

    @cached_property
    def candidates(self) -> list[Candidate]:
        """Everything in the passages that may be quoted."""
        return candidates_of(self.passages, self.documents)

    @cached_property
    def sources(self) -> list[str]:
        """The id of the document of each candidate."""
        return [self.passages[candidate.passage].document for candidate in self.candidates]

    @cached_property
    def texts(self) -> list[str]:
        """The text of each candidate, on one line."""
        return [candidate.text for candidate in self.candidates]

    @cached_property
    def heads(self) -> list[str]:
        """What stands above each candidate: the sentence that announces it, else its heading, else the title."""
        each = [(one, self.passages[one.passage]) for one in self.candidates]
        return [one.lead or one.head or passage.heading or passage.title for one, passage in each]

    @cached_property
    def heads_ask(self) -> list[bool]:
        """Whether what stands above each candidate is a question."""
        return which_ask([head.rstrip() for head in self.heads])

    @cached_property
    def timed(self) -> list[TimedSentence]:
        """Each candidate with the dates that it is about."""
        return timed_sentences(self.candidates, self.passages, self.documents)

    @cached_property
    def passage_words(self) -> list[ContentWords]:
        """The content words of each passage, including its title, heading and date."""
        return held_word_sets(said_by(self.passages), self.language)

    @cached_property
    def title_words(self) -> list[ContentWords]:
        """The content words of the title of each passage."""
        return held_word_sets([title_of(passage) for passage in self.passages], self.language)

    @cached_property
    def candidate_words(self) -> list[ContentWords]:
        """The content words of each candidate."""
        return held_word_sets(written_out(self.texts), self.language)

    @cached_property
    def candidate_pairs(self) -> list[frozenset[tuple[str, str]]]:
        """The pairs of content words that follow each other in each candidate."""
        return content_word_pairs(self.texts)

    @cached_property
    def plain_texts(self) -> list[str]:
        """The text of each candidate without case and punctuation."""
        return in_same_words(self.texts)

    @cached_property
    def words(self) -> ContentWords:
        """The content words of all passages together."""
        return frozenset().union(*self.passage_words)

    @cached_property
    def passage_vectors(self) -> Vectors:
        """Shape (passages, d); embedded exactly as when they were indexed, so that the cache has them."""
        return self.encoder.encode([embedded_text(passage) for passage in self.passages], "passage")

    @cached_property
    def candidate_vectors(self) -> Vectors:
        """Shape (candidates, d)."""
        return self.encoder.encode(self.texts, "passage")

    @cached_property
    def head_vectors(self) -> Vectors:
        """Shape (candidates, d)."""
        return self.encoder.encode(self.heads, "passage")

    @cached_property
    def _rarity(self) -> Counter[str]:
        return Counter(chain.from_iterable(self.candidate_words))

    def lacked(self, question: str) -> list[str]:
        """The words of a question that no document of the library has. Words that the evidence has with other accents
        or hyphens are not lacking."""
        found = list(dict.fromkeys(word for word in written_words(question) if content_words(word, self.language)))
        if self.vocabulary is None or not found:
            return []
        told, pointed = " ".join(self.texts).casefold().replace("-", ""), pointed_at(question)
        return [
            word
            for word, count in zip(found, self.vocabulary.counts(found), strict=True)
            if not (count or word.casefold() in told or word in pointed)
            and not self.words.issuperset(content_words(word.replace("-", " "), self.language))
        ]

    def word_weights(self, words: Mapping[str, float]) -> dict[str, float]:
        """Stem -> weight, summing to 1: a word in many candidates weighs little, as it does not say which one
        answers."""
        count, counts = len(self.candidates), self._rarity
        rarity = {stem: weight * math.log(1 + count / (1 + counts[stem])) for stem, weight in words.items()}
        total = sum(rarity.values()) or 1.0
        return {stem: weight / total for stem, weight in rarity.items()}


def shares_held(weights: Mapping[str, float], held: Sequence[ContentWords]) -> Floats:
    """The weight of the question's words that are in each of these sets, from 0 to 1. Shape (len(held),)."""
    return np.array([sum(weight for stem, weight in weights.items() if stem in one) for one in held], np.float64)


def title_of(passage: Passage) -> str:
    """The title of a passage, else its heading, else its first line."""
    return passage.title or passage.heading or passage.text.lstrip().split("\n", 1)[0][:100]


# What is looked for ---------------------------------------------------------------------------------------------------

EARLIER = 0.5  # the weight of a word from an earlier turn, where a word of the question itself weighs 1


@dataclass(frozen=True, slots=True, eq=False)
class EncodedRequest:
    """A request with its vectors. `own` is that of the question as asked, `whole` that of the question as understood;
    `weights` stem -> weight, summing to 1; `said`: what the assistant just said, as words. `behind` is the question
    appended to the one before, for documents in other languages than English."""

    asked: AnswerType
    question: str
    own: Vectors
    whole: Vectors
    weights: Mapping[str, float]
    said: frozenset[str] = frozenset()
    behind: "EncodedRequest | None" = None


@dataclass(frozen=True, slots=True)
class Request:
    """What excerpts are picked for: the question as it was meant and as it stands alone, with the earlier turns in
    front of it where it `with_history`; `expanded` has the words of the conversation that it needs as well. `said` is
    what the assistant has just said; the same is `continued`, where the question leans on the conversation. `before` is
    the question before."""

    question: str
    rewritten: str
    with_history: bool = False
    expanded: str = ""
    said: tuple[str, ...] = ()
    continued: tuple[str, ...] = ()
    before: str = ""


SAID = 4  # words that a sentence needs to show which document it was quoted from


def continued(request: Request, evidence: Evidence) -> set[str]:
    """The ids of the documents that the last answer quoted, if the question refers back to it: what else is asked is
    most likely answered there. Empty if those are all documents of the evidence."""
    told = [sentence for sentence in request.continued if len(sentence.split()) >= SAID]
    texts = {id_: " ".join(document.text.split()) for id_, document in evidence.documents.items()} if told else {}
    found = {id_ for id_, text in texts.items() if any(sentence in text for sentence in told)}
    return found if len(found) < len(texts) else set()


HALF = 0.5
"""A wording with more weight than this outweighs all others together."""


def request_of(turn: Turn) -> Request:
    """What excerpts are picked for in this turn."""
    said = turn.recalled.extracted
    last = max((sentence.turn for sentence in said), default=0)
    told = tuple(sentence.text for sentence in said if sentence.speaker == "agent" and sentence.turn == last)
    leans = depends_on_context(turn.typed) or content_words(turn.rewritten) != content_words(turn.meant)
    before = next((sentence.text for sentence in reversed(said) if sentence.speaker == "user"), "")
    expanded = turn.wordings[-1].text if turn.wordings and turn.wordings[-1].weight > HALF else ""
    return Request(turn.meant, turn.rewritten, _with_history(turn), expanded, told, told if leans else (), before)


def question_for_models(turn: Turn) -> str:
    """The question as language models get it: as understood, but without earlier turns in front, not as mere words of
    another language, and with the name of its document."""
    shown = next((one.name for one in turn.wordings if one.won), "")
    as_searched = _with_history(turn) or shown == COGNATES
    return turn.search.understood or (turn.meant if as_searched else turn.rewritten)


def _with_history(turn: Turn) -> bool:
    """Whether the question as understood has, judged by its length, earlier turns in front."""
    longer = len(turn.rewritten.split()) > 2 * len(turn.meant.split())
    return longer or len(split(turn.rewritten)) > len(split(turn.meant))


def encoded_request(request: Request, evidence: Evidence) -> EncodedRequest:
    """The request with its vectors. Words of earlier turns count half in them. If the rewritten question has earlier
    turns in front, the vector of the question alone is added."""
    texts = [request.question, request.rewritten, request.expanded or request.rewritten]
    own, whole, context = evidence.encoder.encode(texts, "query")
    both = own + whole if request.with_history else whole + EARLIER * context
    earlier = EARLIER if request.with_history else 1.0
    worth = ((request.expanded, EARLIER), (request.rewritten, earlier), (request.question, 1.0))
    words = {stem: one for text, one in worth for stem in content_words(text, evidence.language)}
    asks_on = len(request.question.split()) == 1  # "why?" is asked of what was just said
    after = f"{request.before} {request.rewritten}" if evidence.foreign and request.before else ""
    behind = encoded_request(Request(after, after), evidence) if after else None
    return EncodedRequest(
        answer_type(request.rewritten).among(evidence.words),
        request.rewritten,
        own,
        np.asarray(both / np.linalg.norm(both)),
        evidence.word_weights(words),
        frozenset(() if asks_on else in_same_words(request.said)),
        behind,
    )
